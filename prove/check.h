#ifndef SCCL_PROVE_CHECK_H
#define SCCL_PROVE_CHECK_H

/*
 * Does a proof hold? Bounds are computed anew from their cuts, formulas are written anew and held against their digests, traces
 * are replayed, and what is said to follow is looked at. Nothing is taken from the file on trust.
 */

#include "prove/proof.h"

struct check_news {
	struct candidate candidate; /* that is looked at */
	size_t n_done, n_all;
	bool solves; /* its trace is made again */
};

/* Steps that are twenty times what any proof of the catalog takes. */
extern const double check_budget;

struct check_options {
	bool solve_again; /* where a refusal has no trace here, let a solver make one; else it counts as not checked */
	double timeout;   /* for each of these, in seconds; 0: none */
	double budget;    /* steps of work (core/base/work.h) for the whole proof, which limit what solvers make again too; 0: no limit */
	const volatile int *interrupted;
	void (*tell)(void *context, const struct check_news *news); /* may be NULL */
	void *context;
};

struct check_report {
	bool holds;          /* nothing is wrong, and nothing was left out */
	bool gave_up;        /* the budget was used up: nothing is known */
	double budget;       /* steps that it was given */
	double steps;        /* and took */
	size_t replayed, solved, implied, below, halves; /* refusals by what showed them; shares are among the first two */
	size_t left_out;     /* whose trace is not here, and was not made, or not in time */
	size_t bytes;        /* of the traces that were replayed */
	char fault[400];     /* one line; empty where nothing is wrong */
};

/* PATH is where the proof lies: its traces lie beside it. False with *e set: a file that cannot be read, or an interrupt. */
bool proof_check(const struct proof *p, const char *path, const struct check_options *o, struct check_report *out,
		 struct error *e);

/* Bounds that hold, by their cuts, for a candidate. True: S or R/C is below them. */
bool side_below(const struct side *s, struct candidate c);
/* Below the bounds, or an algorithm for it would give one of the first N refusals of the side. */
bool side_refuses(const struct side *s, size_t n, struct candidate c);

/* Is there no way to share S and R of C so that neither half is refused? Fills SHARES with the first there is. */
bool composition_refused(const struct proof *p, struct candidate c, struct candidate shares[SIDES_MAX]);

#endif

#ifndef SCCL_PROVE_CHECK_H
#define SCCL_PROVE_CHECK_H

/*
 * Does a proof hold? Bounds are recomputed from their cuts, formulas are rewritten and compared by digest, traces are
 * replayed, and implications are verified. Nothing in the file is taken on trust.
 */

#include "prove/proof.h"

/* Progress: called before each refutation is verified. */
struct check_news {
	struct candidate candidate; /* the one to be verified */
	size_t n_done, n_all;
	bool solves; /* its trace is generated anew */
};

/* Twenty times the steps of any proof in the catalog. */
extern const double check_budget;

/* How to verify a proof. */
struct check_options {
	bool solve_again; /* generate traces that are missing, with a solver; otherwise they count as left out */
	double timeout;   /* for each of these, in seconds; 0: none */
	double budget;    /* steps of work (core/base/work.h) for the proof and generated traces; 0: no limit */
	const volatile int *interrupted;
	void (*progress)(void *context, const struct check_news *news); /* may be NULL */
	void *context;
};

/* The result of verifying a proof. */
struct check_report {
	bool holds;          /* nothing is wrong, and nothing was left out */
	bool gave_up;        /* the budget was exhausted: nothing is known */
	bool too_large;      /* it gave up because a program has too many states, whatever the budget */
	double budget;       /* steps allowed */
	double steps;        /* steps taken */
	size_t replayed, solved, implied, below, halves; /* refutations by kind; shares are in the first two */
	size_t programs;     /* over timed trees that were verified */
	bool is_time;        /* of bounds on time (prove/time_proof.h), not of a proof: */
	size_t lines;        /* those that were verified */
	size_t left_out;     /* their traces are missing, and were not generated or not in time */
	size_t bytes;        /* of the traces that were replayed */
	char fault[400];     /* one line; empty if nothing is wrong */
};

/*
 * Verifies P. PATH is the file it was read from: its traces are found relative to it. A proof that does not hold is no
 * error: true, with out->fault set. False with *e set: a file that cannot be read, a formula too large, an interrupt.
 */
bool proof_check(const struct proof *p, const char *path, const struct check_options *o, struct check_report *out,
		 struct error *e);

/* Are S or R/C of the candidate below the bounds of the side? The bounds must have been verified. */
bool side_below(const struct side *s, struct candidate c);

/*
 * Is one half refuted for every split of S and R between the halves? If not, fills SHARES with the first split for
 * which neither is.
 */
bool composition_refused(const struct proof *p, struct candidate c, struct candidate shares[SIDES_MAX]);

#endif

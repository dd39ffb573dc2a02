#ifndef SCCL_PROVE_MAKE_H
#define SCCL_PROVE_MAKE_H

/*
 * Certificates for candidates that are said to be refuted. Only those from which no other follows are asked of a solver; its
 * trace is cut down to what the refutation needs, replayed, and put beside the proof.
 */

#include "prove/check.h"

struct make_report {
	size_t traced, kept, implied, below, halves; /* kept: of a proof that was there */
	size_t recipes;   /* traced, too long to be kept */
	size_t bytes;     /* of the traces that are kept */
	size_t n_open;    /* given up */
	struct candidate open, found; /* one given up; one that there is an algorithm for (chunks 0: none) */
	char why[160];    /* why it was given up */
};

struct make_options {
	double timeout;        /* of each question; 0: none */
	bool traces;           /* no cuts of expanded time: traces for all that the cut does not show */
	size_t longest;        /* traces of more bytes are not kept */
	const char *path;      /* where the proof goes */
	const char *folder;    /* and its traces, from there: "proofs" or "../proofs" */
	const struct proof *old; /* what is there already, or NULL */
	const volatile int *interrupted;
	void (*tell)(void *context, const struct check_news *news);
	void *context;
};

struct make_lists {
	const struct candidate *all, *composed; /* of all algorithms; and within compositions, for an allreduce */
	size_t n_all, n_composed;
};

/*
 * Fills bounds and refusals of a new proof, in the order of the lists, and writes it to its path after every trace and at the
 * end. False with *e set: a fault, an interrupt; what is there by then is kept on the disk. A candidate that there is an
 * algorithm for ends it: report.found.
 */
bool proof_make(struct proof *p, const struct make_lists *lists, const struct make_options *o, struct make_report *out,
		struct error *e);

/* Only the bounds. */
bool proof_bounds(struct proof *p, struct error *e);

#endif

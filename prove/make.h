#ifndef SCCL_PROVE_MAKE_H
#define SCCL_PROVE_MAKE_H

/*
 * Makes certificates for candidates that are claimed to be refuted. A solver is run only for candidates that do not
 * follow from others; its trace is trimmed to what the refutation needs, replayed, and stored next to the proof.
 */

#include "prove/check.h"
#include "prove/question.h"

/* What was made: refutations by kind, and the first candidate that has an algorithm. */
struct make_report {
	size_t traced, kept, implied, below, halves; /* kept: from the existing proof */
	size_t recipes;   /* traced, but the trace is too long to be stored */
	size_t bytes;     /* of the traces that are stored */
	size_t n_open;    /* candidates given up */
	struct candidate open, found; /* the last one given up; one that has an algorithm (chunks 0: none) */
	char why[160];    /* why it was given up */
};

/* How to make certificates; all pointers are borrowed. */
struct make_options {
	double timeout;        /* in seconds, for each candidate; 0: none */
	bool traces;           /* no timed cuts: traces for everything that the cut does not refute */
	size_t longest;        /* traces of more bytes are not stored */
	const char *path;      /* of the proof file */
	const char *folder;    /* of the traces, relative to the proof: "proofs" or "../proofs" */
	const struct proof *old; /* the existing proof, or NULL */
	const volatile int *interrupted;
	void (*progress)(void *context, const struct check_news *news);
	void *context;
};

/* Candidates to refute. */
struct make_lists {
	const struct candidate *all, *composed; /* among all algorithms; and, for an allreduce, among compositions */
	size_t n_all, n_composed;
};

/*
 * Fills in the bounds and refutations of a new proof, in the order of the lists, and writes it to its path after every
 * trace and at the end. False with *e set: an error or an interrupt; what has been written by then is kept. Stops at a
 * candidate that has an algorithm, and reports it in out->found.
 */
bool proof_make(struct proof *p, const struct make_lists *lists, const struct make_options *o, struct make_report *out,
		struct error *e);

/*
 * Adds the bound of timed cuts for STEPS steps to the side that Q asks about, if it is larger than OVER and there is none.
 * Was it added?
 */
bool side_add_timed(struct side *s, const struct question *q, int steps, struct rational over);

/* Fills in the bounds only. */
bool proof_bounds(struct proof *p, struct error *e);

#endif

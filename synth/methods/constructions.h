#ifndef SCCL_SYNTH_METHODS_CONSTRUCTIONS_H
#define SCCL_SYNTH_METHODS_CONSTRUCTIONS_H

/*
 * Everything that can be constructed without a search: all methods of the table that serve the collective, with several
 * numbers of chunks and steps; trees at the full rate; the constructions for symmetric machines; and for an allreduce
 * any of its halves together; slow attempts only where nothing meets both bounds yet. Each attempt runs in a process of
 * its own, so that none can exceed its time or end the others.
 */

#include "core/schedule/algorithm.h"

struct error;
struct problem;
struct text;
struct timed_question;
struct topology;

/* LATE: its share of the time ran out, or all of it before its turn. */
enum construction_state { CONSTRUCTION_BEGINS, CONSTRUCTION_FOUND, CONSTRUCTION_REFUSED, CONSTRUCTION_LATE };

/* An attempt that begins, an algorithm that it built, or an attempt that built none or did not end in time. */
struct construction_try {
	const char *method; /* of the algorithm, or the attempt: a method, "orbits", "forest", or "halves" */
	enum collective_kind kind; /* a half of an allreduce, or the collective itself */
	enum construction_state state;
	struct candidate cost;     /* FOUND */
	bool is_kept;              /* FOUND: nothing before it was as good */
	const char *why;           /* REFUSED, LATE: one sentence */
	const double *values;      /* FOUND with a measure: its values */
	const struct text *text;   /* FOUND with a measure, and kept: the algorithm as in files; else NULL */
};

/*
 * What makes one algorithm better than another, instead of S and R/C: N values, such as times for N sizes. An algorithm is
 * kept if one of its values is less than that of all others.
 */
struct construction_measure {
	size_t n;
	/* Fills in VALUES for A, verified, in full or compact form, in the process that built it. False: A is not kept. */
	bool (*of)(const void *context, const struct algorithm *a, double *values);
	const void *context;
	/* NULL, or for values that are times: the sizes, for each of which a schedule in time is made (synth/timed). */
	const struct timed_question *timed;
	const double *floor; /* [n]: no algorithm has less; once all are met, all further attempts are left out. NULL: not known */
	/* Has an algorithm the same values as it has run backwards, on a machine that is equal to its reverse? */
	bool same_backwards;
};

struct constructions_options {
	int max_steps, max_chunks; /* 0: any number */
	const struct problem *opened; /* that of the machine and collective; NULL: it is opened here */
	double least_share;           /* with it: seconds that each attempt may take, however many there are */
	/* Called for each of these; NULL: not. What it gets is valid during the call. */
	void (*report)(void *context, const struct construction_try *what);
	void *context;
	/* NULL: by S and R/C. With a measure, methods are tried with more chunks too, as long as these help. */
	const struct construction_measure *measure;
	const char *const *first; /* methods to be tried before all others, NULL-terminated; NULL: none */
	/* How many attempts may run at once, each on a processor: may change while they run. With a measure; NULL: one. Borrowed. */
	const volatile int *at_once;
	bool only_reports;        /* the result is what `report` gets: none is read and returned */
	bool only_first;          /* of the methods of `first`, and those no longer than until one has found something */
};

struct constructions {
	size_t n;
	/* By ascending S and, without a measure, descending R/C: none is as good as another in both. Owned. */
	struct algorithm **of;
	double *values;        /* with a measure: those of algorithm i from values[i * measure->n] on. Owned */
	size_t n_late;         /* attempts for which there was not enough time */
};

/*
 * Each algorithm is verified, classified, and within the limits; of two of equal S and R/C the one with fewer chunks is
 * kept. Ends in time for the deadline of core/base/stop.h, or a little later where a large algorithm must be read.
 * None at all is not an error. False with *e set, and nothing to free: the machine cannot perform the collective, or an
 * internal fault, or an interrupt. Release with constructions_free, or take the algorithms and free the array.
 */
bool constructions_find(const struct topology *t, const struct collective *k, const struct constructions_options *o,
			struct constructions *out, struct error *e);
/*
 * An algorithm of the problem with exactly C chunks, in at most S steps and R rounds; each attempt may take MEMORY MiB
 * (0: no limit). The problem has no constraints. Ends at the first, or in time. Symmetric schedules and pairs of halves
 * are not tried, nor slow methods on machines of more than 8 nodes, timed-trees and forest of more than 64. NULL without
 * an error: none was found.
 */
struct algorithm *constructions_meet(const struct problem *p, struct candidate c, size_t memory, struct error *e);
void constructions_free(struct constructions *c);

#endif

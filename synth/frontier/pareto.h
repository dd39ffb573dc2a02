#ifndef SCCL_SYNTH_FRONTIER_PARETO_H
#define SCCL_SYNTH_FRONTIER_PARETO_H

/*
 * The walk from latency-optimal to bandwidth-optimal: algorithm 1 of the SCCL paper with its k. For each S from the
 * bound up it looks for the least R/C; what one answer says of other candidates is used (synth/frontier/answers.h), so that at
 * most one question for each R is refused a step count.
 */

#include "synth/frontier/frontier.h"

/* What a person who waits wants to know. */
struct pareto_news {
	int steps;                       /* S that is walked */
	size_t n_running;
	const struct candidate *running; /* asked now */
	size_t n_points;
	struct candidate best;           /* so far; chunks 0: none */
	size_t n_refuted, n_open;        /* questions answered no, and given up */
	double seconds;                  /* since the start */
};

struct pareto_options {
	int k;                     /* -k, 4 unless told */
	int max_steps;             /* 0: the step bound + 4 */
	int max_chunks;            /* 0: no limit but R over the bandwidth bound */
	bool least_steps;          /* stop at the first point */
	int jobs;                  /* -j: questions at once; the result does not depend on it */
	struct remote_pool *remote;     /* whose workers are asked instead (synth/frontier/remote_pool.h); NULL: nobody's */
	struct solve_options solve; /* timeout is the whole walk's, bounds and constructions included; memory each candidate's */
	const char *out;           /* -o DIR: points, frontier and journal go to DIR/TOPOLOGY/COLLECTIVE/; NULL: nowhere */
	bool resume;               /* take answers from the journal there */
	bool expand;               /* every send in the files, also where a symmetry would tell them */
	void (*tell)(void *context, const struct pareto_news *news); /* called on every change and 4 times a second; may be NULL */
	void *context;
	void (*note)(const char *path, const char *line); /* what of a journal was used, and what was not; may be NULL */
	const volatile int *interrupted; /* set by a signal handler: end at once, journal kept. May be NULL */
	const struct frontier *beside; /* points of another class: what is searched for must beat them too. NULL: none */
};

/* NULL with *e set: bad input, a fault, or ERROR_SYSTEM "interrupted". */
struct frontier *pareto_search(const struct problem *p, const struct pareto_options *o, struct error *e);

/*
 * Allreduce in both its classes: compositions, and all algorithms of one value a node and chunk, asked directly where there
 * are fewer steps than any composition has (or up to max_steps). The points are the best of both, each with what it
 * claims in its own class; frontier.composed has what was found and refused among compositions. Where the least steps are
 * wanted only the direct class is searched.
 */
struct frontier *pareto_search_both(const struct problem *composed, const struct problem *direct, const struct pareto_options *o,
				  struct error *e);

#endif

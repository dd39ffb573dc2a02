#ifndef SCCL_SYNTH_FRONTIER_PARETO_H
#define SCCL_SYNTH_FRONTIER_PARETO_H

/*
 * The search from latency-optimal to bandwidth-optimal algorithms. Without k it is that of all algorithms
 * (synth/frontier/program_search.h). With a k it is algorithm 1 of the SCCL paper: for each
 * S from the bound up it looks for the least R/C. What an answer implies for other candidates is used
 * (synth/frontier/answers.h), so that each step count costs at most one refuted question per R.
 */

#include "synth/frontier/frontier.h"
#include "synth/frontier/known_frontiers.h"

enum { PAPER_K = 4 }; /* of searches that need one, unless it is given: of a scan, and under schedule constraints */

/* Progress of a search, for display. */
struct pareto_news {
	int steps;                       /* S being searched */
	size_t n_running;
	const struct candidate *running; /* questions being solved; borrowed */
	size_t n_points;
	struct candidate best;           /* of this S so far; chunks 0: none */
	size_t n_refuted, n_open;        /* questions answered no, and given up */
	double seconds;                  /* since the start */
};

struct pareto_options {
	int k;                     /* -k; WITHOUT_K: all algorithms */
	int max_steps;             /* 0: the step bound + 4 */
	bool beyond;               /* max_steps was not given by the user: while there is no point, search beyond it */
	int max_chunks;            /* 0: limited only by R over the bandwidth bound */
	/* WITHOUT_K: an upper limit on C in addition to the usual one, of which frontiers and their files do not tell; 0: none. */
	int chunks_at_most;
	bool least_steps;          /* stop at the first point */
	int jobs;                  /* -j: questions at once; the result does not depend on it */
	struct remote_pool *remote; /* remote workers that solve instead (synth/frontier/remote_pool.h); NULL: none */
	struct solve_options solve; /* timeout: for the whole search, bounds and constructions included; memory: each */
	const char *out;           /* -o DIR: files go to DIR/TOPOLOGY/COLLECTIVE/; NULL: nowhere */
	bool resume;               /* take answers from the journal there */
	bool expand;               /* list every send in the files, even if a symmetry would shorten them */
	void (*progress)(void *context, const struct pareto_news *news); /* on changes and 4 times a second; or NULL */
	void *context;
	/* Called after each point that was found, and stored if there is a folder; for an allreduce, for each class that is
	 * searched. May be NULL. */
	void (*found)(void *context, const struct frontier *so_far);
	void *found_context;
	void (*note)(const char *path, const char *line); /* reports which journal entries were used; may be NULL */
	const volatile int *interrupted; /* set by a signal handler: end at once, journal kept. May be NULL */
	/*
	 * WITHOUT_K: what earlier searches of other collectives found, which this one takes where it asks the same, and to which
	 * its own is added. NULL: each search is for itself.
	 */
	struct known_frontiers *known;
	const struct frontier *beside; /* points of another class, which new points must beat too; NULL: none */
	bool no_constructions; /* WITHOUT_K: the caller has what synth/methods constructs, so points do not come from there */
};

/* The frontier is the caller's. NULL with *e set: bad input, a fault, or ERROR_SYSTEM "interrupted". */
struct frontier *pareto_search(const struct problem *p, const struct pareto_options *o, struct error *e);

/*
 * Allreduce in both of its classes: compositions, and all algorithms that keep one value per node and chunk, solved
 * directly for fewer steps than any composition has (at least for the direct step bound), or up to max_steps. The
 * points are the best of both, each with its claims in its own class; frontier.composed has what was found and refuted
 * among compositions. With least_steps only the direct class is searched.
 */
struct frontier *pareto_search_both(const struct problem *composed, const struct problem *direct, const struct pareto_options *o,
				  struct error *e);

#endif

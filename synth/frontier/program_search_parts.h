#ifndef SCCL_SYNTH_FRONTIER_PROGRAM_SEARCH_PARTS_H
#define SCCL_SYNTH_FRONTIER_PROGRAM_SEARCH_PARTS_H

/* Shared by the search without k, the point that it is at, and what it asks of solvers. */

#include "synth/frontier/pareto.h"
#include "synth/methods/constructions.h"

enum {
	ASKED_MOST = 200000, /* (chunk, edge, step) variables of a question to a solver */
	ASKED_FIRST = 20000, /* likewise, of one that is asked before all else */
};

struct program_search {
	const struct problem *problem;
	const struct pareto_options *options;
	struct frontier *frontier;
	double start; /* clock_seconds */
	int steps, last;
	struct rational value; /* of this step count */
	bool attained;
	struct algorithm *best; /* of this step count; owned; NULL: none yet */
	bool constructed;       /* all constructions were tried, and are: */
	struct constructions all;
	struct frontier *given; /* what an earlier search found that asked the same; owned; NULL: none did */
	bool afresh;            /* this one's program may give other trees */
};

int program_search_most_chunks(const struct program_search *w);
/* The R/C that a point of this step count must be below. Not a number: any is welcome. */
struct rational program_search_to_beat(const struct program_search *w);
bool program_search_at_value(const struct program_search *w);
/* Has the algorithm this step count, and a smaller R/C than the one that is there, or fewer chunks? */
bool program_search_wants(const struct program_search *w, const struct algorithm *a);
/* Takes the algorithm, and keeps it if it is wanted. NULL is fine. */
void program_search_offer(struct program_search *w, struct algorithm *a);

/* What is left for questions: steps of work (core/base/work.h), and time up to a deadline (clock_seconds). */
struct asking {
	double work, deadline;
	int64_t asked; /* chunks with which the value was asked for last; 0: not yet */
};

struct asking asking_begin(void);
/* The deadline anew, from the time that is left now. */
void asking_go_on(struct asking *time);

/* The fewest chunks with which the value can be had: R is whole, and at least one for each step. */
int64_t fewest_chunks(const struct program_search *w);
/* Asks for the value with C chunks, from those not asked for yet up to below what the best has, or to MOST, while a question
 * has at most SIZE variables. */
void try_fewer_chunks(struct program_search *w, int64_t most, double size, struct asking *time);
/* Of a direct allreduce: with few chunks, whatever R/C can be had below that of the best. */
void try_few_chunks(struct program_search *w);

#endif

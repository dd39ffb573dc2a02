#ifndef SCCL_ENCODE_SMT_SHORTEST_SCHEDULE_H
#define SCCL_ENCODE_SMT_SHORTEST_SCHEDULE_H

/*
 * Is there a schedule in time that ends soon enough? As a formula of difference logic for Z3: which route brings each chunk to
 * each node, and when; docs/concepts/schedules-in-time.md, "Exact". Times are whole numbers of ticks.
 */

#include "encode/solve.h"

#include <stdbool.h>
#include <stddef.h>

struct shortest_route {
	int src, dst;
	int busy;  /* ticks for which a message occupies what it crosses */
	int delay; /* ticks from its start until the chunk is there; > 0 */
};

/* Everything is borrowed. */
struct shortest_question {
	int nodes, chunks;
	const bool *has, *wanted; /* [chunk * nodes + node] */
	const int *alike;         /* [chunk]: an earlier one that it may change places with; -1: none */
	size_t n_routes, n_resources;
	const struct shortest_route *routes;
	const int *begin, *over; /* route r crosses over[begin[r]] .. over[begin[r + 1] - 1] */
	const int *use;          /* like `over`: of its capacity, a part that a message takes */
	const int *capacity;     /* [resource] */
	int within;              /* ticks at which all that is wanted must have arrived */
	unsigned conflicts;      /* after which the solver gives up; 0: never */
};

/* How a chunk comes to a node. */
struct shortest_arrival {
	int route; /* -1: it does not */
	int time;  /* ticks */
};

/* Fills ARRIVALS [chunk * nodes + node] if there is one. May end the process (encode/smt/z3_question.h). */
enum answer shortest_schedule(const struct shortest_question *q, struct shortest_arrival *arrivals);

#endif

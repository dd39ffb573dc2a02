#ifndef SCCL_CORE_SCHEDULE_CONSTRAINTS_H
#define SCCL_CORE_SCHEDULE_CONSTRAINTS_H

/*
 * Optional constraints on a schedule, in addition to its cost (docs/concepts/search.md). Both come from the tool
 * published by the authors of the SCCL paper, where they are called pipeline and extra_memory too.
 */

#include <stdbool.h>

struct collective;
struct error;
struct text;

struct schedule_constraints {
	/*
	 * N > 0: a run may begin every N steps while others continue. Steps that are a multiple of N apart then
	 * coincide: they must have the same number of rounds, and their sends share the links and limits. 0: runs do
	 * not overlap.
	 */
	int pipeline;
	/*
	 * If is_short (of memory): in every step, every node has at most extra_memory chunks in transit. These are the
	 * chunks that neither start nor end there, from the step in which they arrive to the one in which they are last
	 * sent on, both inclusive, and in any step in which they arrive again redundantly.
	 */
	bool is_short;
	int extra_memory;
};

/*
 * Which implications hold between candidates under the constraints. Idle steps: does an algorithm imply one with an
 * additional idle step? Not in a pipeline, where that step would coincide with another. Cuts: does it imply one with
 * every chunk cut into m? Not with limited memory, as the parts take m places. In any case an algorithm implies one for
 * fewer chunks and one with more rounds.
 */
bool constraints_allow_idle_steps(const struct schedule_constraints *t);
bool constraints_allow_cuts(const struct schedule_constraints *t);
bool constraints_same(const struct schedule_constraints *a, const struct schedule_constraints *b);

bool constraints_any(const struct schedule_constraints *t); /* are there any? */
/* Memory can only be limited for non-combining collectives: otherwise false with *e set. */
bool constraints_check(const struct schedule_constraints *t, const struct collective *k, struct error *e);
void constraints_add(const struct schedule_constraints *t, struct text *into); /* "-pipeline2-memory0"; "" if none */

#endif

#ifndef SCCL_CORE_SCHEDULE_CONSTRAINTS_H
#define SCCL_CORE_SCHEDULE_CONSTRAINTS_H

/*
 * What else a schedule keeps to, beside its cost (docs/concepts/search.md). Both come from the tool that the SCCL paper's authors
 * published, where they are called pipeline and extra_memory.
 */

#include <stdbool.h>

struct collective;
struct error;
struct text;

struct schedule_constraints {
	/*
	 * N > 0: a run may begin every N steps, while others go on. Steps N apart fall together then: they have as many rounds, and
	 * what they send shares the links and limits. 0: runs come one after another.
	 */
	int pipeline;
	/*
	 * At no node are there ever more than so many chunks on their way: of those that neither begin nor end there, from the
	 * step in which they come to the step that last sends them on, both of these counted.
	 */
	bool is_short; /* of memory */
	int extra_memory;
};

/* What an algorithm that keeps to them gives besides: one with an idle step more, which would fall together with another in a
 * pipeline; one whose chunks are cut in several, which take as many places. All give one for fewer chunks, and for more rounds. */
bool constraints_allow_idle_steps(const struct schedule_constraints *t);
bool constraints_allow_cuts(const struct schedule_constraints *t);
bool constraints_same(const struct schedule_constraints *a, const struct schedule_constraints *b);

bool constraints_any(const struct schedule_constraints *t);
/* False with *e set: memory is counted for collectives that do not add alone. */
bool constraints_check(const struct schedule_constraints *t, const struct collective *k, struct error *e);
void constraints_add(const struct schedule_constraints *t, struct text *into); /* "-pipeline2-memory0", "" where there are none */

#endif

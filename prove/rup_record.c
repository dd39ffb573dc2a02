/*
 * For trimming: records what each clause of a trace follows from, by traversing the implication graph from the conflict
 * back along the trail.
 */

#include "prove/rup_parts.h"

#include "core/base/memory.h"

#include <stdlib.h>

static void use(struct rup *r, uint32_t what)
{
	r->uses = grown(r->uses, &r->uses_capacity, r->n_uses + 1, sizeof *r->uses);
	r->uses[r->n_uses++] = what;
}

/* Records the clause, and marks its variables, so that their reasons are recorded too. */
static void use_clause(struct rup *r, uint32_t clause)
{
	const struct rup_clause *k = &r->clauses[clause];

	use(r, clause);
	for (uint32_t i = 0; i < k->size; i++)
		r->mark[2 * (size_t)abs(r->literals[k->begin + i])] = 1;
}

void rup_record(struct rup *r, uint32_t conflict)
{
	size_t trace = r->n_clauses - r->n_formula;

	r->uses_begin = grown(r->uses_begin, &r->begins_capacity, trace + 2, sizeof *r->uses_begin);
	r->uses_begin[trace] = r->n_uses;
	if (conflict < r->n_clauses)
		use_clause(r, conflict);
	for (size_t i = r->n_trail; i-- > 0;) {
		int v = abs(r->trail[i]);
		unsigned char *mark = &r->mark[2 * (size_t)v];
		if (*mark && i < r->n_forever)
			use(r, ROOT | (uint32_t)v);
		else if (*mark && r->reason[v] != NO_CLAUSE)
			use_clause(r, r->reason[v]);
		*mark = 0;
	}
	r->uses_begin[trace + 1] = r->n_uses;
}

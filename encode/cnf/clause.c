/*
 * Builds clauses literal by literal, folding constants: a literal that is always false is left out, and a clause with
 * one that is always true is not passed to the sink.
 */

#include "encode/cnf/clause.h"

#include "core/base/memory.h"

void clause_begin(struct clause *k)
{
	k->n = 0;
	k->holds = false;
}

void clause_add(struct clause *k, int variable, bool positive)
{
	if (variable == ALWAYS || variable == NEVER) {
		k->holds = k->holds || (variable == ALWAYS) == positive;
		return;
	}
	k->literals = grown(k->literals, &k->capacity, k->n + 1, sizeof *k->literals);
	k->literals[k->n++] = positive ? variable : -variable;
}

void clause_end(struct clause *k)
{
	if (!k->holds)
		k->to->clause(k->to->context, k->literals, k->n);
}

void clause_implies(struct clause *k, int premise, int conclusion, bool positive)
{
	clause_begin(k);
	clause_add(k, premise, false);
	clause_add(k, conclusion, positive);
	clause_end(k);
}

/* Proofs as values: making, freeing and querying them, and when a candidate implies another. */

#include "prove/proof.h"

#include "core/base/memory.h"
#include "core/machine/topology.h"
#include "prove/cut.h"
#include "prove/program.h"
#include "prove/timed.h"

#include <stdlib.h>

const char *const refused_by_names[] = {"steps", "cut", "timed", "program", "trace", "implied", "share", "halves"};
const char *const point_by_names[POINT_BY_KINDS] = {"steps", "cut", "refusals", "program"};

static const struct collective halves[SIDES_MAX] = {[SCATTERS] = {.kind = REDUCESCATTER}, [GATHERS] = {.kind = ALLGATHER}};

struct proof *proof_new(const struct topology *t, const struct collective *k)
{
	struct proof *p = new(struct proof);

	p->topology = topology_copy(t);
	p->collective = collective_copy(k);
	p->n_sides = k->kind == ALLREDUCE ? SIDES_MAX : 1;
	for (int i = 0; i < p->n_sides; i++) {
		p->sides[i].collective = collective_copy(i == WHOLE ? k : &halves[i]);
		p->sides[i].cut.at_least = rational(0, 1);
	}
	return p;
}

static void refusals_free(struct refusal *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		recipe_free(list[i].recipe);
	free(list);
}

void proof_free(struct proof *p)
{
	if (!p)
		return;
	for (int i = 0; i < p->n_sides; i++) {
		refusals_free(p->sides[i].refused, p->sides[i].n_refused);
		collective_free(&p->sides[i].collective);
		cut_free(&p->sides[i].cut);
		timed_free(p->sides[i].timed, p->sides[i].n_timed);
		step_programs_free(p->sides[i].programs, p->sides[i].n_programs);
	}
	refusals_free(p->refused, p->n_refused);
	free(p->points);
	free(p->frontier);
	collective_free(&p->collective);
	topology_free(p->topology);
	free(p);
}

void refusal_add(struct refusal **list, size_t *n, size_t *capacity, struct refusal r)
{
	*list = grown(*list, capacity, *n + 1, sizeof r);
	(*list)[(*n)++] = r;
}

const struct refusal *proof_refusals(const struct proof *p, enum optimality_within within, size_t *n)
{
	bool composed = within == WITHIN_COMPOSITION;
	*n = composed ? p->n_refused : p->sides[WHOLE].n_refused;
	return composed ? p->refused : p->sides[WHOLE].refused;
}

bool candidate_same(struct candidate a, struct candidate b)
{
	return a.chunks == b.chunks && a.steps == b.steps && a.rounds == b.rounds;
}

const struct refusal *proof_refusal(const struct proof *p, enum optimality_within within, struct candidate c)
{
	size_t n;
	const struct refusal *list = proof_refusals(p, within, &n);

	for (size_t i = 0; i < n; i++)
		if (candidate_same(list[i].candidate, c))
			return &list[i];
	return NULL;
}

bool candidate_gives(struct candidate c, struct candidate from)
{
	if (c.chunks < 1 || c.steps > from.steps)
		return false;
	int64_t m = ((int64_t)from.chunks - 1) / c.chunks + 1;
	return m * c.rounds + (from.steps - c.steps) <= from.rounds;
}

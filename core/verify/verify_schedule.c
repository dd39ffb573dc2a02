/* A schedule in full, step by step: first the loads of links, then the movement of values. */

#include "core/verify/verify_parts.h"

#include "core/machine/network.h"

static const struct verdict fine = {FAULT_NONE, -1, -1, -1, -1, ""};

static struct verdict check_entries(const struct algorithm *a, struct loads *l, int step, const struct send *list, size_t n, bool reduces)
{
	int nodes = l->w->nodes;

	for (size_t i = 0; i < n; i++) {
		const struct send *s = &list[i];
		if (s->chunk < 0 || s->chunk >= a->global_chunks || s->src < 0 || s->src >= nodes || s->dst < 0 || s->dst >= nodes)
			return fault_at(FAULT_RANGE, step, s, "step %d sends chunk %d from node %d to node %d, but not all of these exist",
					step + 1, s->chunk, s->src, s->dst);
		int edge = network_edge(l->w, s->src, s->dst);
		if (edge < 0)
			return fault_at(FAULT_NO_LINK, step, s, "step %d sends chunk %d from node %d to node %d, but no link joins them",
					step + 1, s->chunk, s->src, s->dst);
		loads_add(l, edge, s->chunk, reduces);
	}
	return fine;
}

/*
 * Checks one step except for its values. *OVERLOAD is reported separately, because a fault in what its entries do takes
 * precedence over a fault in their total load.
 */
static struct verdict check_step(const struct algorithm *a, struct loads *l, int step, struct verdict *overload)
{
	const struct step *s = &a->steps[step];

	if (s->rounds < 1 || s->rounds > ROUNDS_MAX)
		return fault_at(FAULT_RANGE, step, NULL, "step %d has %d rounds", step + 1, s->rounds);
	if (s->n_sends > UINT32_MAX / 2 || s->n_reduces > UINT32_MAX / 2)
		return fault_at(FAULT_RANGE, step, NULL, "step %d has too many sends", step + 1);
	if (s->n_reduces && !collective_row(&a->collective)->combining)
		return fault_at(FAULT_REDUCES, step, &s->reduces[0], "step %d adds values, but %s does not combine", step + 1,
				collective_name(&a->collective));
	loads_clear(l);
	struct verdict v = check_entries(a, l, step, s->sends, s->n_sends, false);
	if (v.fault == FAULT_NONE)
		v = check_entries(a, l, step, s->reduces, s->n_reduces, true);
	if (v.fault == FAULT_NONE)
		*overload = loads_check(l, step, s->rounds);
	return v;
}

/* Faults that can be found without playing are found first; the play then ends at that step. */
struct verdict verify_schedule(const struct algorithm *a, const struct network *w)
{
	struct loads l = loads_new(w, "");
	struct verdict v = fine, overload = fine;
	int horizon = 0;

	for (; horizon < (int)a->n_steps && v.fault == FAULT_NONE && overload.fault == FAULT_NONE; horizon++)
		v = check_step(a, &l, horizon, &overload);
	loads_free(&l);
	struct verdict played = verify_play(a, v.fault == FAULT_NONE ? horizon : horizon - 1, NULL);
	if (overload.fault == FAULT_NONE && v.fault == FAULT_NONE)
		return played;
	if (played.fault != FAULT_NONE && played.fault != FAULT_NOT_DELIVERED)
		return played;
	return v.fault == FAULT_NONE ? overload : v;
}

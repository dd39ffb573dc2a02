/*
 * TE-CCL's JSON of a schedule. An epoch is a round, and a flow leaves in the first epoch of its step; "x-rounds" says how
 * many each step has, which TE-CCL's readers ignore. Time is in seconds, throughput in GB/s, as theirs.
 */

#include "lower/schedules/schedules.h"

#include "core/base/error.h"
#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/machine/topology.h"
#include "core/schedule/algorithm.h"
#include "core/schedule/cost.h"

#include <stdlib.h>

/* What happens when: the epoch after which each rank has each chunk. */
static int *arrivals(const struct algorithm *a)
{
	int nodes = a->topology->nodes, end = 0;
	int *at = new_array(int, (size_t)a->global_chunks * (size_t)nodes);

	for (size_t k = 0; k < a->n_steps; k++) {
		end += a->steps[k].rounds;
		for (size_t i = 0; i < a->steps[k].n_sends; i++) {
			int *when = &at[(size_t)a->steps[k].sends[i].chunk * (size_t)nodes + (size_t)a->steps[k].sends[i].dst];
			*when = *when ? *when : end;
		}
	}
	return at;
}

static void add_demands(const struct algorithm *a, double epoch, struct text *into)
{
	int nodes = a->topology->nodes, *at = arrivals(a);

	text_add(into, "  \"6-Demand_Met\": {");
	for (int to = 0; to < nodes; to++) {
		text_add(into, "%s\n    \"GPU %d\": {", to ? "," : "", to);
		for (int from = 0, n = 0; from < nodes; from++) {
			if (from == to)
				continue;
			text_add(into, "%s\"GPU %d\": {", n++ ? ", " : "", from);
			for (int c = 0; c < a->chunks; c++)
				text_add(into, "%s\"Chunk %d\": %.9g", c ? ", " : "", c, epoch * at[(size_t)(c * nodes + from) * (size_t)nodes + (size_t)to]);
			text_add(into, "}");
		}
		text_add(into, "}");
	}
	text_add(into, "\n  },\n");
	free(at);
}

static void add_flows(const struct algorithm *a, struct text *into)
{
	int nodes = a->topology->nodes, epoch = 0, n = 0;

	text_add(into, "  \"7-Flows\": [");
	for (size_t k = 0; k < a->n_steps; epoch += a->steps[k++].rounds)
		for (size_t i = 0; i < a->steps[k].n_sends; i++) {
			const struct send *s = &a->steps[k].sends[i];
			text_add(into, "%s\n    \"Chunk %d from %d traveled over %d->%d in epoch %d\"", n++ ? "," : "", s->chunk / nodes, s->chunk % nodes,
				 s->src, s->dst, epoch);
		}
	text_add(into, "\n  ],\n  \"x-rounds\": [");
	for (size_t k = 0; k < a->n_steps; k++)
		text_add(into, "%s%d", k ? ", " : "", a->steps[k].rounds);
	text_add(into, "]\n}\n");
}

bool schedule_write_te_ccl(const struct algorithm *a, int64_t bytes, struct text *into, struct error *e)
{
	struct rational alpha, beta;

	if (a->collective.kind != ALLGATHER)
		return error_set(e, ERROR_INPUT, a->name, "is %s; TE-CCL's schedules with whole chunks are of allgather", collective_name(&a->collective));
	if (!schedule_check(a, e))
		return false;
	if (!topology_alpha_beta(a->topology, &alpha, &beta))
		return error_set(e, ERROR_INPUT, a->topology->name, "has links without speed, and TE-CCL's schedules state times");
	/* One chunk over one unit of bandwidth. */
	double epoch = (double)bytes / a->chunks * rational_double(beta) / 1e6;
	double finish = epoch * algorithm_rounds(a) + rational_double(alpha) / 1e6 * (double)a->n_steps;
	text_add(into, "{\n  \"1-Epoch_Duration\": %.9g,\n  \"2-Expected_Epoch_Duration\": %.9g,\n  \"3-Epochs_Required\": %d,\n"
		       "  \"4-Collective_Finish_Time\": %.9g,\n  \"5-Algo_Bandwidth\": %.9g,\n",
		 epoch, epoch, algorithm_rounds(a), finish, (double)bytes * a->topology->nodes / finish / 1e9);
	add_demands(a, epoch, into);
	add_flows(a, into);
	return true;
}

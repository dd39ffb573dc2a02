/*
 * Schedules of TE-CCL: "Chunk 0 from 4 traveled over 4->7 in epoch 0". Node numbers count its switches, so ranks are places in
 * the list of those that "6-Demand_Met" names. Its own epochs follow its clock, so a step is all that is so many hops from
 * inputs. Files of lower/schedules/te_ccl.c state with "x-rounds" how many epochs each step has.
 */

#include "interop/schedules/schedules.h"

#include "interop/plans/to_algorithm.h"

#include "core/base/error.h"
#include "core/base/json.h"
#include "core/base/memory.h"
#include "core/machine/topology.h"
#include "core/schedule/algorithm.h"

#include <stdio.h>
#include <stdlib.h>

struct te_ccl_flow {
	int chunk, origin, src, dst, epoch;
};

static int by_epoch(const void *va, const void *vb)
{
	const struct te_ccl_flow *a = va, *b = vb;
	return (a->epoch > b->epoch) - (a->epoch < b->epoch);
}

static bool read_gpus(const struct json_place *demand, int nodes, int *rank_of, int limit, struct error *e)
{
	const char *key;
	json_t *value;
	int ranks = 0, id;

	for (int i = 0; i < limit; i++)
		rank_of[i] = -1;
	if (!json_is_object(demand->value))
		return json_fault(demand, e, "must be an object");
	json_object_foreach(demand->value, key, value) {
		int end = 0;
		if (sscanf(key, "GPU %9d%n", &id, &end) != 1 || key[end] || id < 0 || id >= limit)
			return json_fault(demand, e, "has the key \"%.20s\"", key);
		rank_of[id] = 0;
	}
	for (int i = 0; i < limit; i++)
		if (rank_of[i] == 0)
			rank_of[i] = ranks++;
	return ranks == nodes || json_fault(demand, e, "is for %d GPUs and the machine has %d nodes", ranks, nodes);
}

enum { TE_CCL_NODES_MAX = 4096, TE_CCL_CHUNKS_MAX = 1 << 14, LEVELS_MAX = 1 << 26 };

static bool read_flows(const struct json_place *list, const int *rank_of, struct te_ccl_flow **out, size_t *n, int *chunks, struct error *e)
{
	if (!json_array_length(list, n, e))
		return false;
	if (*n > SCHEDULE_SENDS_MAX)
		return json_fault(list, e, "has more than %d flows", SCHEDULE_SENDS_MAX);
	*out = new_array(struct te_ccl_flow, *n);
	for (size_t i = 0; i < *n; i++) {
		struct json_place one = json_element(list, i);
		struct te_ccl_flow *f = &(*out)[i];
		const char *s;
		int end = 0; /* " via switches 3" may follow */
		if (!json_get_string(&one, &s, e))
			return false;
		if (sscanf(s, "Chunk %9d from %9d traveled over %9d->%9d in epoch %9d%n", &f->chunk, &f->origin, &f->src, &f->dst, &f->epoch, &end) != 5 ||
		    (s[end] && s[end] != ' ') || f->epoch < 0 || f->chunk < 0 || f->chunk >= TE_CCL_CHUNKS_MAX || f->origin < 0 ||
		    f->origin >= TE_CCL_NODES_MAX || f->src < 0 || f->src >= TE_CCL_NODES_MAX || f->dst < 0 || f->dst >= TE_CCL_NODES_MAX ||
		    rank_of[f->origin] < 0 || rank_of[f->src] < 0 || rank_of[f->dst] < 0)
			return json_fault(&one, e, "is not the way of a chunk between GPUs");
		f->origin = rank_of[f->origin];
		f->src = rank_of[f->src];
		f->dst = rank_of[f->dst];
		*chunks = f->chunk + 1 > *chunks ? f->chunk + 1 : *chunks;
	}
	if (*n)
		qsort(*out, *n, sizeof **out, by_epoch);
	return true;
}

/* Steps are hops from the origin; flows of later epochs may wait for earlier ones only. */
static void by_hops(const struct te_ccl_flow *flows, size_t n, int chunks, int nodes, struct plan_log *log)
{
	int *level = new_array(int, (size_t)chunks * (size_t)nodes * (size_t)nodes);

	for (size_t i = 0; i < n; i++) {
		const struct te_ccl_flow *f = &flows[i];
		int *of = &level[((size_t)f->chunk * (size_t)nodes + (size_t)f->origin) * (size_t)nodes];
		if (f->dst == f->origin || of[f->dst] || (f->src != f->origin && !of[f->src]))
			continue;
		of[f->dst] = of[f->src] + 1;
		plan_log_add(log, of[f->dst], f->chunk * nodes + f->origin, f->src, f->dst, false);
	}
	free(level);
}

/* The first epochs of steps, as "x-rounds" tells. */
static bool read_rounds(const struct json_place *list, int **rounds, size_t *n, struct error *e)
{
	int64_t epochs = 0;

	if (!json_array_length(list, n, e))
		return false;
	if (*n < 1 || *n > SCHEDULE_STEPS_MAX)
		return json_fault(list, e, "must be for from 1 to %d steps", SCHEDULE_STEPS_MAX);
	*rounds = new_array(int, *n);
	for (size_t i = 0; i < *n; i++) {
		struct json_place one = json_element(list, i);
		if (!json_get_int(&one, 1, ROUNDS_MAX, &(*rounds)[i], e))
			return false;
		epochs += (*rounds)[i];
	}
	return epochs <= ROUNDS_MAX || json_fault(list, e, "are more than %d in all", ROUNDS_MAX);
}

static bool by_epochs(const struct json_place *at, const struct te_ccl_flow *flows, size_t n, int nodes, const int *rounds, size_t n_rounds,
		      struct plan_log *log, struct error *e)
{
	size_t step = 0;
	int64_t begin = 0;

	for (size_t i = 0; i < n; i++) { /* flows are sorted by epoch */
		while (step < n_rounds && flows[i].epoch >= begin + rounds[step])
			begin += rounds[step++];
		if (step == n_rounds || flows[i].epoch != begin)
			return json_fault(at, e, "has a flow in epoch %d, where no step begins", flows[i].epoch);
		plan_log_add(log, (int)step + 1, flows[i].chunk * nodes + flows[i].origin, flows[i].src, flows[i].dst, false);
	}
	return true;
}

static struct algorithm *build(const struct schedule_request *r, const struct json_place *top, const struct json_place *list, const struct te_ccl_flow *flows,
			       size_t n, int chunks, struct error *e)
{
	const struct collective k = {.kind = ALLGATHER};
	struct json_place x = json_member(top, "x-rounds");
	struct plan_log log = {0};
	struct algorithm *a = NULL;
	int *rounds = NULL;
	size_t n_rounds = 0;
	bool ok = true;

	if (x.value)
		ok = read_rounds(&x, &rounds, &n_rounds, e) && by_epochs(list, flows, n, r->topology->nodes, rounds, n_rounds, &log, e);
	else if ((size_t)chunks * (size_t)r->topology->nodes * (size_t)r->topology->nodes > LEVELS_MAX)
		ok = error_set(e, ERROR_LIMIT, r->of->path, "has too many chunks for so many GPUs");
	else
		by_hops(flows, n, chunks, r->topology->nodes, &log);
	if (ok)
		a = sends_to_algorithm(r->of->path, &log, r->topology, &k, chunks, rounds, n_rounds, e);
	free(log.of);
	free(rounds);
	return a;
}

struct algorithm *read_te_ccl_schedule(const struct schedule_request *r, struct error *e)
{
	struct json_document *d = json_document_parse(r->of->bytes, r->of->path, e);
	int *rank_of = new_array(int, TE_CCL_NODES_MAX), chunks = 1;
	struct te_ccl_flow *flows = NULL;
	struct algorithm *a = NULL;
	size_t n;

	if (d) {
		struct json_place top = json_top(d), demand, list = json_member(&top, "7-Flows");
		if (!list.value)
			error_set(e, ERROR_INPUT, r->of->path,
				  "lacks \"7-Flows\": fractions of chunks, as of alltoall by linear programs, are no schedule in steps");
		else if (json_member_needed(&top, "6-Demand_Met", &demand, e) && read_gpus(&demand, r->topology->nodes, rank_of, TE_CCL_NODES_MAX, e) &&
			 read_flows(&list, rank_of, &flows, &n, &chunks, e))
			a = build(r, &top, &list, flows, n, chunks, e);
	}
	json_document_close(d);
	free(rank_of);
	free(flows);
	return a;
}

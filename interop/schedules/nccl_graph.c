/*
 * NCCL's graphs (NCCL_GRAPH_FILE, NCCL_GRAPH_DUMP_FILE): each channel lists all GPUs of a box in an order. In a ring (pattern 4)
 * data go around; in a tree (1, 2, 3) the GPUs of a box are a chain whose first is the root, along which sums come up and results
 * go down. A channel that begins and ends with a network is the same part of a ring in every box; the last GPU of a box sends to
 * the first of the next. A file does not name its collective: rings serve allgather, reducescatter and allreduce, trees allreduce.
 */

#include "interop/schedules/schedules.h"

#include "interop/input/xml.h"
#include "interop/plans/to_algorithm.h"

#include "core/base/error.h"
#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/machine/topology.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { CHANNELS_MAX = 64, PATTERN_BALANCED = 1, PATTERN_TREE = 3, PATTERN_RING = 4 };

struct graph_reading {
	const struct schedule_request *r;
	const char *path;
	int n, channels; /* ranks */
	int in_box;      /* ranks of a box; n if there is only one */
	int *order;      /* [channel * n + place]: a rank */
};

static bool read_rank(const struct graph_reading *x, const struct xml_element *gpu, int *out, struct error *e)
{
	const char *rank = xml_get(gpu, "rank"), *text = rank ? rank : xml_get(gpu, "dev");
	char *end;

	if (!text || !*text)
		return xml_fault(x->path, gpu, e, "lacks the attribute \"rank\"");
	errno = 0;
	long v = strtol(text, &end, rank ? 0 : 16); /* as NCCL reads them */
	if (*end || errno || v < 0 || v >= x->in_box)
		return xml_fault(x->path, gpu, e, "%s must be a GPU from 0 to %d, not \"%.20s\"", rank ? "rank" : "dev", x->in_box - 1, text);
	*out = (int)v;
	return true;
}

/* What a channel lists at its ends, if it passes a network. */
static bool leaves_box(const struct xml_element *channel)
{
	const struct xml_element *last = channel->first;

	while (last && last->next)
		last = last->next;
	return last && strcmp(channel->first->name, "net") == 0 && strcmp(last->name, "net") == 0;
}

/* How many GPUs each box has: all, or as many as the channel lists before it leaves the box. */
static bool find_box(struct graph_reading *x, const struct xml_element *channel, bool ring, struct error *e)
{
	int listed = 0;

	x->in_box = x->n;
	if (!xml_first(channel, "net"))
		return true;
	for (const struct xml_element *g = xml_first(channel, "gpu"); g; g = xml_next(g, "gpu"))
		listed++;
	if (!ring)
		return xml_fault(x->path, channel, e, "passes a network: trees between boxes are not in the file");
	if (!leaves_box(channel) || listed == 0)
		return xml_fault(x->path, channel, e, "passes a network elsewhere than at its ends");
	if (listed == x->n || x->n % listed)
		return xml_fault(x->path, channel, e, "passes a network: is for several boxes of %d GPUs; name all of them, as in -t 'BOX*2'", listed);
	x->in_box = listed;
	return true;
}

static bool read_channel(struct graph_reading *x, const struct xml_element *channel, struct error *e)
{
	int *order = &x->order[x->channels * x->n], at = 0;
	char *seen = new_array(char, (size_t)x->in_box);
	bool ok = true;

	if (x->in_box < x->n ? !leaves_box(channel) : xml_first(channel, "net") != NULL)
		ok = xml_fault(x->path, channel, e, "differs from the first channel in that it %s a network", x->in_box < x->n ? "does not end in" : "passes");
	for (const struct xml_element *g = xml_first(channel, "gpu"); ok && g; g = xml_next(g, "gpu")) {
		int rank = 0;
		ok = read_rank(x, g, &rank, e) && (!seen[rank] || xml_fault(x->path, g, e, "GPU %d is in the channel a second time", rank));
		if (ok) {
			seen[rank] = 1;
			order[at++] = rank;
		}
	}
	if (ok && at < x->in_box)
		ok = xml_fault(x->path, channel, e, "has %d of %d GPUs", at, x->in_box);
	for (; ok && at < x->n; at++)
		order[at] = order[at - x->in_box] + x->in_box;
	free(seen);
	x->channels += ok;
	return ok;
}

/* The first graph with a pattern from LOW to HIGH; NULL: there is none. */
static const struct xml_element *graph_with(const struct graph_reading *x, const struct xml_element *root, int low, int high)
{
	for (const struct xml_element *g = xml_first(root, "graph"); g; g = xml_next(g, "graph")) {
		struct error ignored = {0};
		int pattern;
		if (xml_get_int(x->path, g, "pattern", low, high, &pattern, &ignored))
			return g;
	}
	return NULL;
}

static bool read_channels(struct graph_reading *x, const struct xml_element *graph, bool ring, struct error *e)
{
	int stated, listed = 0;

	for (const struct xml_element *c = xml_first(graph, "channel"); c; c = xml_next(c, "channel"))
		listed++;
	if (!xml_get_int(x->path, graph, "nchannels", 1, CHANNELS_MAX, &stated, e))
		return false;
	if (stated != listed)
		return xml_fault(x->path, graph, e, "states %d channels and has %d; NCCL would use those that are not there", stated, listed);
	if (!find_box(x, xml_first(graph, "channel"), ring, e))
		return false;
	x->order = new_array(int, (size_t)listed * (size_t)x->n);
	for (const struct xml_element *c = xml_first(graph, "channel"); c; c = xml_next(c, "channel"))
		if (!read_channel(x, c, e))
			return false;
	return true;
}

/* Around a ring: part K of what each rank has, or each rank's part of the sums. */
static void go_around(const struct graph_reading *x, int k, bool sums, int first_step, struct plan_log *log)
{
	const int *ring = &x->order[k * x->n];

	for (int p = 0; p < x->n; p++)
		for (int j = 0; j < x->n - 1; j++) {
			int from = (p + j + sums) % x->n;
			plan_log_add(log, first_step + j, k * x->n + ring[p], ring[from], ring[(from + 1) % x->n], sums);
		}
}

static void go_along(const struct graph_reading *x, int k, struct plan_log *log)
{
	const int *chain = &x->order[k * x->n], last = x->n - 1;

	for (int j = 0; j < last; j++) {
		plan_log_add(log, 1 + j, k, chain[last - j], chain[last - j - 1], true);
		plan_log_add(log, 1 + last + j, k, chain[j], chain[j + 1], false);
	}
}

static struct algorithm *build(const struct graph_reading *x, const struct collective *k, bool ring, struct error *e)
{
	struct plan_log log = {0};
	bool sums = k->kind != ALLGATHER;

	if ((int64_t)x->channels * x->n * x->n * 2 > SCHEDULE_SENDS_MAX) {
		error_set(e, ERROR_LIMIT, x->path, "stands for more than %d sends", SCHEDULE_SENDS_MAX);
		return NULL;
	}
	for (int c = 0; c < x->channels; c++) {
		if (!ring)
			go_along(x, c, &log);
		else if (sums)
			go_around(x, c, true, 1, &log);
		if (ring && k->kind != REDUCESCATTER)
			go_around(x, c, false, sums ? x->n : 1, &log);
	}
	struct algorithm *a = sends_to_algorithm(x->path, &log, x->r->topology, k, x->channels * (ring && sums ? x->n : 1), NULL, 0, e);
	free(log.of);
	return a;
}

static struct algorithm *read(struct graph_reading *x, const struct xml_element *root, struct error *e)
{
	struct collective k = {.kind = x->r->asked == COLLECTIVE_KINDS ? ALLREDUCE : x->r->asked};
	const struct xml_element *ring = graph_with(x, root, PATTERN_RING, PATTERN_RING), *tree = graph_with(x, root, PATTERN_BALANCED, PATTERN_TREE);

	if (strcmp(root->name, "graphs") != 0)
		xml_fault(x->path, root, e, "the root of NCCL's graphs is <graphs>");
	else if (!ring && (!tree || k.kind != ALLREDUCE))
		xml_fault(x->path, root, e, "has no ring%s", k.kind == ALLREDUCE ? " and no tree" : "; trees are for allreduce alone");
	else if (x->n < 2)
		error_set(e, ERROR_INPUT, x->r->topology->name, "has a single node");
	else if (read_channels(x, ring ? ring : tree, ring != NULL, e))
		return build(x, &k, ring != NULL, e);
	return NULL;
}

struct algorithm *read_nccl_graph(const struct schedule_request *r, struct error *e)
{
	struct graph_reading x = {.r = r, .path = r->of->path, .n = r->topology->nodes};
	struct xml_element *root = xml_parse(x.path, r->of->bytes, r->of->n, e);
	struct algorithm *a = root ? read(&x, root, e) : NULL;

	free(x.order);
	xml_free(root);
	return a;
}

/*
 * NCCL_GRAPH_FILE: for each channel an order of all GPUs of a box. A schedule is such a ring if every chunk visits the nodes in
 * one cycle, and for each cycle all nodes have equally many chunks; a cycle is then a channel, or several if it carries a
 * multiple of what others do. An allreduce whose sums come up a path and whose results go down the same path is a chain, NCCL's
 * tree within a box; if chains begin at all nodes of a cycle alike, in both directions, they load links as rings do, and are
 * written as such. Steps, and how NCCL cuts data, are NCCL's own: a graph says only which links are used.
 */

#include "lower/schedules/schedules.h"

#include "lower/program/build.h"

#include "core/base/error.h"
#include "core/base/memory.h"
#include "core/base/rational.h"
#include "core/base/text.h"
#include "core/machine/network.h"
#include "core/machine/topology.h"
#include "core/schedule/algorithm.h"
#include "core/schedule/cost.h"

#include <stdlib.h>
#include <string.h>

enum { GRAPH_CHANNELS_MAX = 32, GRAPH_ORDERS_MAX = 4096, GRAPH_NODES_MAX = 256 };

/* An order of the nodes: of a ring from node 0, of a chain from its root. */
struct graph_order {
	int *nodes;    /* owned */
	int64_t *ends; /* [node]: chunks that begin there, or whose sum ends there; owned */
};

struct graph_writer {
	const struct algorithm *a;
	int n;
	size_t n_orders, capacity;
	struct graph_order *of;
	bool chain;
	int *up, *down; /* [chunk * n + node]: where its sum, and its copy, come from; -1: nowhere. Owned. */
};

static bool shapeless(const struct graph_writer *x, int chunk, const char *why, struct error *e)
{
	return error_set(e, ERROR_INPUT, x->a->name, "is neither rings nor chains, as NCCL's graphs are: chunk %d %s", chunk, why);
}

static bool take_pushes(struct graph_writer *x, struct error *e)
{
	size_t cells = (size_t)x->a->global_chunks * (size_t)x->n;
	struct pushes p = pushes_live(x->a);
	bool ok = true;

	x->up = new_array(int, cells);
	x->down = new_array(int, cells);
	for (size_t i = 0; i < cells; i++)
		x->up[i] = x->down[i] = -1;
	for (size_t i = 0; ok && i < p.n; i++) {
		int *into = &(p.of[i].reduce ? x->up : x->down)[p.of[i].chunk * x->n + p.of[i].dst];
		ok = *into < 0 || shapeless(x, p.of[i].chunk, "arrives twice at a node", e);
		*into = p.of[i].src;
	}
	free(p.of);
	return ok;
}

/* The path that FROM tells for a chunk, from its beginning; false: there is none through all nodes. */
static bool path_of(const struct graph_writer *x, const int *from, int *path)
{
	int *next = new_array(int, (size_t)x->n), start = -1;
	bool ok = true;

	for (int i = 0; i < x->n; i++)
		next[i] = -1;
	for (int i = 0; ok && i < x->n; i++) {
		if (from[i] < 0) {
			ok = start < 0;
			start = i;
			continue;
		}
		ok = next[from[i]] < 0;
		next[from[i]] = i;
	}
	int n = 0;
	for (int at = start; ok && at >= 0 && n < x->n; at = next[at])
		path[n++] = at;
	free(next);
	return ok && n == x->n;
}

static void rotate(int *order, int n, int first)
{
	int at = 0, *copy = copy_bytes(order, (size_t)n * sizeof *copy);

	while (copy[at] != first)
		at++;
	for (int i = 0; i < n; i++)
		order[i] = copy[(at + i) % n];
	free(copy);
}

static void add_order(struct graph_writer *x, const int *order, int end, int64_t count)
{
	size_t i = 0;

	while (i < x->n_orders && memcmp(x->of[i].nodes, order, (size_t)x->n * sizeof *order) != 0)
		i++;
	if (i == x->n_orders) {
		x->of = grown(x->of, &x->capacity, i + 1, sizeof *x->of);
		x->of[x->n_orders++] = (struct graph_order){copy_bytes(order, (size_t)x->n * sizeof *order), new_array(int64_t, (size_t)x->n)};
	}
	x->of[i].ends[end] += count;
}

/* Two paths that meet where one ends: the same cycle, or there and back. */
static bool goes_on(const int *up, const int *down, int n)
{
	for (int i = 0; i < n; i++)
		if (down[i] != up[(n - 1 + i) % n])
			return false;
	return true;
}

static bool comes_back(const int *up, const int *down, int n)
{
	for (int i = 0; i < n; i++)
		if (down[i] != up[n - 1 - i])
			return false;
	return true;
}

static bool take_chunk(struct graph_writer *x, int chunk, int *up, int *down, struct error *e)
{
	const struct collective_row *row = collective_row(&x->a->collective);
	const int *sums = &x->up[chunk * x->n], *copies = &x->down[chunk * x->n];
	bool both = x->a->collective.kind == ALLREDUCE, ring = true;

	if ((row->combining && !path_of(x, sums, up)) || ((both || !row->combining) && !path_of(x, copies, down)))
		return shapeless(x, chunk, "does not follow one path through all nodes", e);
	if (both) {
		ring = goes_on(up, down, x->n);
		if (!ring && !comes_back(up, down, x->n))
			return shapeless(x, chunk, "is summed up along another path than its sum returns by", e);
	}
	if (chunk > 0 && x->chain == ring)
		return shapeless(x, chunk, "goes in another shape than those before it", e);
	x->chain = !ring;
	int *order = row->combining && !both ? up : down, end = row->combining && !both ? up[x->n - 1] : down[0];
	if (ring)
		rotate(order, x->n, 0);
	if (x->n_orders > GRAPH_ORDERS_MAX)
		return error_set(e, ERROR_INPUT, x->a->name, "takes more than %d different orders; NCCL has at most %d channels", GRAPH_ORDERS_MAX,
				 GRAPH_CHANNELS_MAX);
	add_order(x, order, end, 1);
	return true;
}

static void free_orders(struct graph_writer *x)
{
	for (size_t i = 0; i < x->n_orders; i++) {
		free(x->of[i].nodes);
		free(x->of[i].ends);
	}
	free(x->of);
	x->of = NULL;
	x->n_orders = x->capacity = 0;
}

/* Do all rings serve all nodes alike, and is there for each another the other way around? */
static bool are_rings(const struct graph_writer *x)
{
	int *back = new_array(int, (size_t)x->n);
	bool ok = true;

	for (size_t i = 0; ok && i < x->n_orders; i++) {
		size_t k = 0;
		for (int r = 0; r < x->n; r++) {
			back[r] = x->of[i].nodes[(x->n - r) % x->n];
			ok = ok && x->of[i].ends[r] == x->of[i].ends[0];
		}
		while (k < x->n_orders && memcmp(x->of[k].nodes, back, (size_t)x->n * sizeof *back) != 0)
			k++;
		ok = ok && k < x->n_orders && x->of[k].ends[0] == x->of[i].ends[0];
	}
	free(back);
	return ok;
}

/* Chains from all nodes of cycles become these cycles. */
static void find_rings(struct graph_writer *x)
{
	struct graph_writer rings = {.a = x->a, .n = x->n};
	int *order = new_array(int, (size_t)x->n);

	for (size_t i = 0; i < x->n_orders; i++) {
		int root = x->of[i].nodes[0];
		memcpy(order, x->of[i].nodes, (size_t)x->n * sizeof *order);
		rotate(order, x->n, 0);
		add_order(&rings, order, root, x->of[i].ends[root]);
	}
	if (are_rings(&rings)) {
		free_orders(x);
		x->of = rings.of;
		x->n_orders = rings.n_orders;
		x->chain = false;
	} else
		free_orders(&rings);
	free(order);
}

/* How many channels each order is; 0 with *e set. */
static int count_channels(const struct graph_writer *x, int *channels, struct error *e)
{
	bool rooted = collective_row(&x->a->collective)->rooted || x->chain;
	int64_t common = 0, all = 0;

	for (size_t i = 0; i < x->n_orders; i++) {
		const int64_t *ends = x->of[i].ends;
		for (int r = 0; !rooted && r < x->n; r++)
			if (ends[r] != ends[0]) {
				error_set(e, ERROR_INPUT, x->a->name, "uses a ring for %lld chunks of node 0 and %lld of node %d; NCCL's rings serve all alike",
					  (long long)ends[0], (long long)ends[r], r);
				return 0;
			}
		int64_t count = 0;
		for (int r = 0; r < x->n; r++)
			count += rooted ? ends[r] : r == 0 ? ends[0] : 0;
		common = common ? common_divisor(common, count) : count;
		channels[i] = (int)count; /* at most the chunks */
	}
	for (size_t i = 0; i < x->n_orders; i++)
		all += channels[i] /= (int)common;
	if (all > GRAPH_CHANNELS_MAX)
		error_set(e, ERROR_INPUT, x->a->name, "needs %lld channels; NCCL has at most %d", (long long)all, GRAPH_CHANNELS_MAX);
	return all > GRAPH_CHANNELS_MAX ? 0 : (int)all;
}

/* Rounds in which each channel carries a chunk over each of its links; 0 with *e set: two neighbours are not joined. */
static int64_t rounds_of(const struct graph_writer *x, const int *channels, const struct network *w, struct error *e)
{
	int64_t *loads = new_array(int64_t, w->n_edges), rounds = 0;
	bool ok = true;

	for (size_t i = 0; ok && i < x->n_orders; i++)
		for (int k = 0; ok && k < x->n - x->chain; k++) {
			int from = x->of[i].nodes[k], to = x->of[i].nodes[(k + 1) % x->n], edge = network_edge(w, from, to), back = network_edge(w, to, from);
			ok = edge >= 0 && (!x->chain || back >= 0);
			if (!ok)
				error_set(e, ERROR_INPUT, x->a->name, "is no ring or chain of this machine: nodes %d and %d are not joined", from, to);
			else
				loads[edge] += channels[i];
			if (ok && x->chain)
				loads[back] += channels[i];
		}
	if (ok)
		rounds = network_rounds(w, loads);
	free(loads);
	return rounds;
}

/* The path type that NCCL calls it, by the worst kind of link; NULL: a network, which is not within a box. */
static const char *path_type(const struct topology *t)
{
	static const char *const networks[] = {"ib", "roce", "eth", "efa", "slingshot", "ici", "dcn"};
	const char *type = "NVL";

	for (size_t k = 0; k < t->n_kinds; k++) {
		if (strncmp(t->kinds[k].name, "pcie", 4) == 0)
			type = "PHB";
		for (size_t i = 0; i < sizeof networks / sizeof *networks; i++)
			if (strncmp(t->kinds[k].name, networks[i], strlen(networks[i])) == 0)
				return NULL;
	}
	return type;
}

static void write_graph(const struct graph_writer *x, const int *channels, int all, double speed, const char *type, struct text *into)
{
	text_add(into, "<graphs version=\"1\">\n  <graph id=\"%d\" pattern=\"%d\" crossnic=\"0\" nchannels=\"%d\" speedintra=\"%.6g\" speedinter=\"%.6g\" "
		       "latencyinter=\"0\" typeintra=\"%s\" typeinter=\"PIX\" samechannels=\"0\">\n",
		 x->chain ? 1 : 0, x->chain ? 3 : 4, all, speed, speed, type);
	for (size_t i = 0; i < x->n_orders; i++)
		for (int c = 0; c < channels[i]; c++) {
			text_add(into, "    <channel>\n");
			for (int k = 0; k < x->n; k++) /* NCCL reads dev as hexadecimal, rank as it is written */
				text_add(into, "      <gpu dev=\"%x\" rank=\"%d\"/>\n", (unsigned)x->of[i].nodes[k], x->of[i].nodes[k]);
			text_add(into, "    </channel>\n");
		}
	text_add(into, "  </graph>\n</graphs>\n");
}

static bool finish(struct graph_writer *x, struct text *into, struct text *notes, struct error *e)
{
	const struct topology *t = x->a->topology;
	int *channels = new_array(int, x->n_orders), all = count_channels(x, channels, e);
	struct network *w = all ? network_new(t, e) : NULL;
	int64_t rounds = w ? rounds_of(x, channels, w, e) : 0;
	const char *type = path_type(t);
	struct rational alpha, beta;

	if (rounds && !type)
		error_set(e, ERROR_INPUT, t->name, "has a network between boxes, and each box reads a graph of its own GPUs");
	if (rounds && type) {
		bool known = topology_alpha_beta(t, &alpha, &beta);
		double speed = known ? 1 / (1000 * rational_double(beta) * (double)rounds) : 1.0 / (double)rounds;
		if (!known)
			text_add(notes, "%s: links have no speed; speedintra counts units a round, and NCCL takes it for GB/s\n", t->name);
		write_graph(x, channels, all, speed, type, into);
	}
	network_free(w);
	free(channels);
	return rounds && type;
}

static bool take_all(struct graph_writer *x, struct error *e)
{
	int *up = new_array(int, (size_t)x->n), *down = new_array(int, (size_t)x->n);
	bool ok = take_pushes(x, e);

	for (int c = 0; ok && c < x->a->global_chunks; c++)
		ok = take_chunk(x, c, up, down, e);
	free(up);
	free(down);
	return ok;
}

bool schedule_write_nccl_graph(const struct algorithm *a, struct text *into, struct text *notes, struct error *e)
{
	static const bool served[COLLECTIVE_KINDS] = {[ALLGATHER] = true, [REDUCESCATTER] = true, [ALLREDUCE] = true};
	struct graph_writer x = {.a = a, .n = a->topology->nodes};

	if (!served[a->collective.kind])
		return error_set(e, ERROR_INPUT, a->name, "is %s; graphs are made of allgather, reducescatter and allreduce", collective_name(&a->collective));
	if (x.n < 2 || x.n > GRAPH_NODES_MAX)
		return error_set(e, ERROR_INPUT, a->topology->name, "has %d nodes; a graph is of 2 to %d GPUs of a box", x.n, GRAPH_NODES_MAX);
	if (!schedule_check(a, e))
		return false;
	bool ok = take_all(&x, e);
	if (ok && x.chain)
		find_rings(&x);
	ok = ok && finish(&x, into, notes, e);
	free_orders(&x);
	free(x.up);
	free(x.down);
	return ok;
}

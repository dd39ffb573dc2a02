/*
 * Execution traces of Chakra (schema et_def.proto of mlcommons/chakra), one file a rank: a file is records, each a length and a
 * message, first GlobalMetadata and then nodes. Sends and receives of two ranks meet in the order of their tags; a computation
 * after a receive adds what came. A step is the least that dependences allow, or a later one that both ends state. What they leave in any order must not matter:
 * accesses of a chunk at a rank, other than two reads or two sums, must be ordered by them.
 */

#include "interop/schedules/schedules.h"

#include "interop/schedules/chakra_nodes.h"
#include "interop/plans/to_algorithm.h"

#include "core/base/error.h"
#include "core/base/memory.h"
#include "core/machine/topology.h"
#include "core/schedule/algorithm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A message: a send and the receive that it meets. */
struct et_message {
	int src, dst, chunk, step;
	size_t send, receive; /* nodes of the two ranks */
	bool sum;
};

struct et_reading {
	const struct schedule_request *r;
	int n;
	struct et_trace *traces; /* [rank] */
	struct collective k;
	int chunks; /* C */
	struct et_message *messages;
	size_t n_messages;
	int64_t budget; /* of dependences to be looked at */
	struct error *e;
};

/* What ASTRA-sim calls them. */
static const struct et_collective {
	const char *name;
	enum collective_kind kind;
} collectives[] = {
	{"allreduce", ALLREDUCE}, {"allgather", ALLGATHER}, {"reduce_scatter", REDUCESCATTER}, {"reducescatter", REDUCESCATTER}, {"alltoall", ALLTOALL},
};

static bool et_fault(const struct et_reading *x, int rank, uint64_t id, const char *what)
{
	char where[sizeof x->e->where];

	snprintf(where, sizeof where, "%.400s: node %llu", x->traces[rank].path, (unsigned long long)id);
	return error_set(x->e, ERROR_INPUT, where, "%s", what);
}

/* Our number of the chunk at place PLACE of what it is part of. */
static int chunk_at(const struct et_reading *x, int place)
{
	int per = x->k.kind == ALLGATHER ? x->chunks : x->chunks / x->n;

	if (x->k.kind == ALLGATHER || x->k.kind == REDUCESCATTER)
		return per ? place % per * x->n + place / per : -1;
	return place;
}

static bool check_heads(struct et_reading *x)
{
	const char *name = x->traces[0].collective;

	x->k.kind = COLLECTIVE_KINDS;
	for (size_t i = 0; name && i < sizeof collectives / sizeof *collectives; i++)
		if (strcmp(collectives[i].name, name) == 0)
			x->k.kind = collectives[i].kind;
	if (x->k.kind == COLLECTIVE_KINDS)
		return error_set(x->e, ERROR_INPUT, x->traces[0].path, name ? "is for \"%.40s\", which is no collective here" : "does not say for which collective it is%s",
				 name ? name : "");
	for (int r = 0; r < x->n; r++) {
		const struct et_trace *t = &x->traces[r];
		if (!t->collective || strcmp(t->collective, name) != 0)
			return error_set(x->e, ERROR_INPUT, t->path, "is for another collective than %.200s", x->traces[0].path);
		for (size_t i = 0; i < t->n; i++) {
			const struct et_node *o = &t->of[i];
			bool moves = o->type == ET_SEND || o->type == ET_RECEIVE;
			if (moves && (o->chunk < 0 || o->total < 1))
				return et_fault(x, r, o->id, "does not say which chunk it moves (msg_chunk_idx, total_chunk_cnt)");
			if (moves && (o->count != 1 || (x->chunks && o->total != x->chunks)))
				return et_fault(x, r, o->id, "moves several chunks, or cuts data in other parts than others do");
			if (moves && (o->peer < 0 || o->peer >= x->n || o->peer == r))
				return et_fault(x, r, o->id, "has no other rank as its peer");
			if (moves)
				x->chunks = o->total;
		}
	}
	if (!x->chunks)
		return error_set(x->e, ERROR_INPUT, x->traces[0].path, "sends nothing");
	return collective_check(&x->k, x->n, x->chunks, x->e);
}

/* A message while both ends look for it. */
struct et_end {
	int src, dst;
	int64_t tag;
	size_t order; /* among those of the trace */
	size_t node;
};

static int by_connection(const void *va, const void *vb)
{
	const struct et_end *a = va, *b = vb;

	if (a->src != b->src)
		return a->src < b->src ? -1 : 1;
	if (a->dst != b->dst)
		return a->dst < b->dst ? -1 : 1;
	if (a->tag != b->tag)
		return a->tag < b->tag ? -1 : 1;
	return (a->order > b->order) - (a->order < b->order);
}

static struct et_end *ends_of(const struct et_reading *x, enum et_type type, size_t *n)
{
	size_t capacity = 0;
	struct et_end *all = NULL;

	*n = 0;
	for (int r = 0; r < x->n; r++)
		for (size_t i = 0; i < x->traces[r].n; i++) {
			const struct et_node *o = &x->traces[r].of[i];
			if (o->type != type)
				continue;
			all = grown(all, &capacity, *n + 1, sizeof *all);
			all[(*n)++] = (struct et_end){type == ET_SEND ? r : o->peer, type == ET_SEND ? o->peer : r, o->tag, i, i};
		}
	if (*n)
		qsort(all, *n, sizeof *all, by_connection);
	return all;
}

static bool same_connection(const struct et_end *a, const struct et_end *b)
{
	return a->src == b->src && a->dst == b->dst && a->tag == b->tag;
}

static bool meet(struct et_reading *x, const struct et_end *sends, const struct et_end *receives, size_t n)
{
	int limit = collective_global_chunks(&x->k, x->n, x->chunks);

	x->messages = new_array(struct et_message, n);
	for (size_t i = 0; i < n; i++) {
		const struct et_end *s = &sends[i], *d = &receives[i];
		struct et_node *out = &x->traces[s->src].of[s->node], *in = &x->traces[d->dst].of[d->node];
		if (!same_connection(s, d))
			return et_fault(x, s->src, out->id, "sends what nobody receives, or another rank waits for what nobody sends");
		if (i && same_connection(s, &sends[i - 1]))
			return et_fault(x, s->src, out->id, "has the tag of an earlier message to the same rank");
		int chunk = chunk_at(x, out->chunk);
		if (out->chunk != in->chunk || chunk < 0 || chunk >= limit)
			return et_fault(x, d->dst, in->id, "receives another chunk than is sent, or one that does not exist");
		out->message = in->message = (int)i;
		/* A step that both ends state is kept, unless dependences need a later one. */
		int step = out->stated == in->stated && in->stated >= 1 && in->stated <= SCHEDULE_STEPS_MAX ? in->stated : 1;
		x->messages[x->n_messages++] = (struct et_message){s->src, s->dst, chunk, step, s->node, d->node, in->sum};
	}
	return true;
}

static bool find_messages(struct et_reading *x)
{
	size_t n, m;
	struct et_end *sends = ends_of(x, ET_SEND, &n), *receives = ends_of(x, ET_RECEIVE, &m);
	bool ok = n == m || error_set(x->e, ERROR_INPUT, x->traces[0].path, "%zu messages are sent and %zu received in all", n, m);

	ok = ok && meet(x, sends, receives, n);
	free(sends);
	free(receives);
	return ok;
}

/* The least step at which a node has what NODE's dependences give, counted at its own rank. */
static int step_by_dependences(const struct et_reading *x, const struct et_trace *t, const struct et_node *o)
{
	int step = 1;

	for (size_t k = 0; k < o->n_after; k++) {
		const struct et_node *d = &t->of[o->after[k]];
		int least = d->type == ET_SEND ? x->messages[d->message].step : d->ready;
		step = least > step ? least : step;
	}
	return step;
}

/* Relaxes until nothing changes: a message is in a step that suits both of its ends. */
static bool find_steps(struct et_reading *x)
{
	bool changed = true;

	while (changed) {
		changed = false;
		if (x->budget < 0)
			return error_set(x->e, ERROR_LIMIT, x->traces[0].path, "and the other traces take too long to be put into steps");
		for (int r = 0; r < x->n; r++)
			for (size_t i = 0; i < x->traces[r].n; i++) { /* in an order in which dependences come first */
				struct et_node *o = &x->traces[r].of[x->traces[r].order[i]];
				int step = step_by_dependences(x, &x->traces[r], o);
				x->budget -= 1 + (int64_t)o->n_after;
				if (o->type == ET_SEND || o->type == ET_RECEIVE) {
					struct et_message *m = &x->messages[o->message];
					changed |= step > m->step;
					m->step = step > m->step ? step : m->step;
					if (m->step > SCHEDULE_STEPS_MAX)
						return error_set(x->e, ERROR_INPUT, x->traces[r].path, "waits forever, or has more than %d steps", SCHEDULE_STEPS_MAX);
					step = m->step + (o->type == ET_RECEIVE);
				}
				changed |= step > o->ready;
				o->ready = step > o->ready ? step : o->ready;
			}
	}
	return true;
}

/* Does node B of a trace surely come after node A? Searches backwards, where A's place in the order allows it. */
static bool comes_after(struct et_reading *x, struct et_trace *t, size_t a, size_t b)
{
	size_t n = 0;
	bool found = false;

	t->stamp++;
	t->stack[n++] = b;
	while (n && !found && x->budget > 0) {
		const struct et_node *o = &t->of[t->stack[--n]];
		for (size_t k = 0; k < o->n_after && !found; k++) {
			size_t d = o->after[k];
			x->budget--;
			found = d == a;
			if (t->seen[d] == t->stamp || t->place[d] < t->place[a])
				continue;
			t->seen[d] = t->stamp;
			t->stack[n++] = d;
		}
	}
	return found;
}

/* An access of a chunk at a rank, in an order that dependences allow. */
struct et_access {
	int rank, chunk;
	size_t place, node;   /* the node that has done it, when it is done */
	enum { READS, ADDS, WRITES } what;
};

static int by_chunk(const void *va, const void *vb)
{
	const struct et_access *a = va, *b = vb;

	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	if (a->chunk != b->chunk)
		return a->chunk < b->chunk ? -1 : 1;
	return (a->place > b->place) - (a->place < b->place);
}

/* The node that adds what a receive brought; the receive itself: none does. */
static size_t adder_of(const struct et_trace *t, size_t receive)
{
	return t->of[receive].adder ? (size_t)t->of[receive].adder - 1 : receive;
}

/* Each access must come after the last one of another sort, and so after all before that. */
static bool check_order(struct et_reading *x, const struct et_access *all, size_t n)
{
	for (size_t i = 0; i < n; i++)
		for (size_t k = i; k-- > 0 && all[k].rank == all[i].rank && all[k].chunk == all[i].chunk;) {
			if (all[k].what == all[i].what && all[i].what != WRITES)
				continue;
			struct et_trace *t = &x->traces[all[i].rank];
			size_t begins = all[i].what == READS ? all[i].node : t->of[all[i].node].type == ET_RECEIVE ? all[i].node : t->of[all[i].node].brings;
			/* A sum begins with its receive or at its computation: either may be what waits. */
			if (!comes_after(x, t, all[k].node, all[i].node) && !comes_after(x, t, all[k].node, begins))
				return x->budget > 0 ? et_fault(x, all[i].rank, t->of[all[i].node].id, "depends on no order with another node that uses the same chunk")
						     : error_set(x->e, ERROR_LIMIT, t->path, "has too many dependences to find what orders its accesses");
			if (all[k].what == WRITES)
				break;
		}
	return true;
}

static bool check_accesses(struct et_reading *x)
{
	struct et_access *all = new_array(struct et_access, 2 * x->n_messages);
	size_t n = 0;

	for (size_t i = 0; i < x->n_messages; i++) {
		const struct et_message *m = &x->messages[i];
		size_t done = adder_of(&x->traces[m->dst], m->receive);
		all[n++] = (struct et_access){m->src, m->chunk, x->traces[m->src].place[m->send], m->send, READS};
		all[n++] = (struct et_access){m->dst, m->chunk, x->traces[m->dst].place[done], done, m->sum ? ADDS : WRITES};
	}
	qsort(all, n, sizeof *all, by_chunk);
	bool ok = check_order(x, all, n);
	free(all);
	return ok;
}

static struct algorithm *finish(struct et_reading *x)
{
	struct plan_log log = {0};

	for (size_t i = 0; i < x->n_messages; i++) {
		const struct et_message *m = &x->messages[i];
		plan_log_add(&log, m->step, m->chunk, m->src, m->dst, m->sum);
	}
	struct algorithm *a = sends_to_algorithm(x->r->of->path, &log, x->r->topology, &x->k, x->chunks, NULL, 0, x->e);
	free(log.of);
	return a;
}

/* The rank of a file is the number in PREFIX.RANK.et. */
static bool rank_of(const char *path, int ranks, int *out)
{
	size_t n = strlen(path), digits = 0;

	if (n < 5 || strcmp(path + n - 3, ".et") != 0)
		return false;
	for (n -= 3; digits < 6 && n > digits && path[n - 1 - digits] >= '0' && path[n - 1 - digits] <= '9';)
		digits++;
	if (!digits || n == digits || path[n - digits - 1] != '.')
		return false;
	*out = atoi(path + n - digits);
	return *out < ranks;
}

static bool read_files(struct et_reading *x)
{
	if (x->r->n != (size_t)x->n)
		return error_set(x->e, ERROR_INPUT, x->r->of->path, "%zu traces are given, and %.60s has %d nodes", x->r->n, x->r->topology->name, x->n);
	for (size_t i = 0; i < x->r->n; i++) {
		const struct schedule_source *s = &x->r->of[i];
		int rank;
		if (!rank_of(s->path, x->n, &rank))
			return error_set(x->e, ERROR_INPUT, s->path, "must end in .RANK.et, with ranks from 0 to %d", x->n - 1);
		if (x->traces[rank].path)
			return error_set(x->e, ERROR_INPUT, s->path, "is of the same rank as %.200s", x->traces[rank].path);
		if (!et_read(&x->traces[rank], s->path, s->bytes, s->n, x->e))
			return false;
	}
	return true;
}

struct algorithm *read_chakra(const struct schedule_request *r, struct error *e)
{
	struct et_reading x = {.r = r, .n = r->topology->nodes, .budget = (int64_t)1 << 31, .e = e};
	struct algorithm *a = NULL;

	x.traces = new_array(struct et_trace, (size_t)x.n);
	if (read_files(&x) && check_heads(&x) && find_messages(&x) && find_steps(&x) && check_accesses(&x))
		a = finish(&x);
	for (int i = 0; i < x.n; i++)
		et_free(&x.traces[i]);
	free(x.traces);
	free(x.messages);
	return a;
}

/*
 * MSCCL XML, as msccl, RCCL and Azure's executor read it. Steps of a thread block run in order; a block sends to one peer
 * and receives from one, over a FIFO of a channel; steps may wait for one step of another block.
 */

#include "interop/plans/plan.h"

#include "interop/input/xml.h"

#include "core/base/error.h"
#include "core/base/memory.h"
#include "core/base/text.h"

#include <stdlib.h>
#include <string.h>

enum { MSCCL_RANKS_MAX = 1024, MSCCL_INT_MAX = 1 << 20 };

/* What each type of step does with its source, its destination and the connections. */
static const struct step_type {
	const char *name;
	bool reads, adds_to_destination, writes, receives, sends;
} types[] = {
	{"s", true, false, false, false, true}, {"r", false, false, true, true, false}, {"rcs", false, false, true, true, true},
	{"rrs", true, false, false, true, true}, {"rrc", true, false, true, true, false}, {"rrcs", true, false, true, true, true},
	{"cpy", true, false, true, false, false}, {"re", true, true, true, false, false}, {"res_add", true, true, true, false, false},
	{"ra", true, true, true, false, false}, {"nop", false, false, false, false, false},
};

static const struct collective_of {
	const char *name;
	enum plan_kind kind;
} collectives[] = {
	{"allreduce", PLAN_ALLREDUCE}, {"allgather", PLAN_ALLGATHER}, {"reduce_scatter", PLAN_REDUCESCATTER}, {"reducescatter", PLAN_REDUCESCATTER},
	{"alltoall", PLAN_ALLTOALL}, {"broadcast", PLAN_BROADCAST}, {"reduce", PLAN_REDUCE},
};

/* A connection: a FIFO from a rank to another. */
struct connection_of {
	int src, dst, channel;
};

struct msccl_reading {
	const char *path;
	struct foreign_plan *p;
	size_t capacity;
	struct connection_of *connections; /* [fifo] */
	size_t slots;                      /* a power of two, at least twice the FIFOs */
	int *table;                        /* [slots]: one more than a FIFO, 0: free */
};

/* The slot of a connection: its own, or the free one where it belongs. */
static size_t slot_of(const struct msccl_reading *x, struct connection_of c)
{
	uint64_t key = (((uint64_t)(unsigned)c.src * 1024 + (unsigned)c.dst) << 24 ^ (unsigned)(c.channel + 1)) * UINT64_C(0x9e3779b97f4a7c15);
	size_t at = (size_t)(key >> 32) & (x->slots - 1);

	for (; x->table[at]; at = (at + 1) & (x->slots - 1)) {
		const struct connection_of *o = &x->connections[x->table[at] - 1];
		if (o->src == c.src && o->dst == c.dst && o->channel == c.channel)
			break;
	}
	return at;
}

static int fifo_of(struct msccl_reading *x, int src, int dst, int channel)
{
	struct connection_of c = {src, dst, channel};

	if (2 * (x->p->n_fifos + 1) > x->slots) {
		free(x->table);
		x->slots = x->slots ? 2 * x->slots : 64;
		x->table = new_array(int, x->slots);
		for (size_t i = 0; i < x->p->n_fifos; i++)
			x->table[slot_of(x, x->connections[i])] = (int)i + 1;
	}
	size_t at = slot_of(x, c);
	if (!x->table[at]) {
		x->connections = grown(x->connections, &x->capacity, x->p->n_fifos + 1, sizeof *x->connections);
		x->connections[x->p->n_fifos++] = c;
		x->table[at] = (int)x->p->n_fifos;
	}
	return x->table[at] - 1;
}

static bool span_of(struct msccl_reading *x, const struct xml_element *at, const char *buffer, const char *offset, int rank, struct plan_span *out,
		    struct error *e)
{
	static const char letters[] = "ios";
	const char *b = xml_get(at, buffer);

	out->rank = rank;
	if (!b || strlen(b) != 1 || !strchr(letters, *b))
		return xml_fault(x->path, at, e, "%s must be i, o or s", buffer);
	out->buffer = (enum plan_buffer)(strchr(letters, *b) - letters);
	return xml_get_int(x->path, at, offset, -1, MSCCL_INT_MAX, &out->at, e);
}

static bool read_step(struct msccl_reading *x, const struct xml_element *at, int rank, struct plan_block *b, struct error *e)
{
	const char *type = xml_get(at, "type");
	struct plan_span src, dst;
	size_t k = 0;
	int number, count, on_block, on_step, awaited;

	while (k < sizeof types / sizeof *types && type && strcmp(types[k].name, type) != 0)
		k++;
	if (!type || k == sizeof types / sizeof *types)
		return xml_fault(x->path, at, e, "type must be s, r, rcs, rrs, rrc, rrcs, cpy, re or nop, not \"%.20s\"", type ? type : "");
	const struct step_type *t = &types[k];
	if (!xml_get_int(x->path, at, "s", 0, MSCCL_INT_MAX, &number, e) || !xml_get_int(x->path, at, "cnt", 0, MSCCL_INT_MAX, &count, e) ||
	    !xml_get_int(x->path, at, "depid", -1, MSCCL_INT_MAX, &on_block, e) || !xml_get_int(x->path, at, "deps", -1, MSCCL_INT_MAX, &on_step, e) ||
	    !xml_get_int(x->path, at, "hasdep", 0, 1, &awaited, e) || !span_of(x, at, "srcbuf", "srcoff", rank, &src, e) ||
	    !span_of(x, at, "dstbuf", "dstoff", rank, &dst, e))
		return false;
	if (number != (int)b->n)
		return xml_fault(x->path, at, e, "step %d stands at place %zu of its thread block", number, b->n);
	struct plan_op *o = plan_add_op(b, t->name, number);
	o->sync = true;
	o->awaited = awaited;
	o->on_block = on_block;
	o->on_step = on_block < 0 ? -1 : on_step;
	if (!t->reads && !t->writes)
		return true;
	if (count == 0 || (t->sends && b->send < 0) || (t->receives && b->receive < 0))
		return xml_fault(x->path, at, e, count ? "the thread block has no peer for it" : "moves no chunk");
	struct plan_transfer *m = plan_add_transfer(o, count, (size_t)t->reads + t->adds_to_destination, t->writes);
	if (t->reads)
		m->reads[0] = src;
	if (t->adds_to_destination)
		m->reads[1] = dst;
	if (t->writes)
		m->writes[0] = dst;
	if (t->sends)
		m->fifo_out = fifo_of(x, rank, b->send, b->channel);
	if (t->receives)
		m->fifo_in = fifo_of(x, b->receive, rank, b->channel);
	return true;
}

static bool read_block(struct msccl_reading *x, const struct xml_element *at, int rank, struct error *e)
{
	struct plan_rank *r = &x->p->of[rank];
	int id, send, receive, channel;

	if (!xml_get_int(x->path, at, "id", 0, MSCCL_INT_MAX, &id, e) || !xml_get_int(x->path, at, "send", -1, x->p->ranks - 1, &send, e) ||
	    !xml_get_int(x->path, at, "recv", -1, x->p->ranks - 1, &receive, e) || !xml_get_int(x->path, at, "chan", -1, MSCCL_INT_MAX, &channel, e))
		return false;
	if (id != (int)r->n)
		return xml_fault(x->path, at, e, "thread block %d stands at place %zu of its GPU", id, r->n);
	if (send == rank || receive == rank)
		return xml_fault(x->path, at, e, "the GPU is its own peer");
	struct plan_block *b = plan_add_block(r);
	b->send = send;
	b->receive = receive;
	b->channel = channel;
	for (const struct xml_element *s = xml_first(at, "step"); s; s = xml_next(s, "step"))
		if (!read_step(x, s, rank, b, e))
			return false;
	return true;
}

/* Steps that others wait for must be there; the loaders do not check it. */
static bool check_dependences(struct msccl_reading *x, const struct xml_element *gpu, const struct plan_rank *r, struct error *e)
{
	for (size_t b = 0; b < r->n; b++)
		for (size_t i = 0; i < r->blocks[b].n; i++) {
			const struct plan_op *o = &r->blocks[b].ops[i];
			if (o->on_block >= 0 && ((size_t)o->on_block >= r->n || o->on_step < 0 || (size_t)o->on_step >= r->blocks[o->on_block].n))
				return xml_fault(x->path, gpu, e, "step %zu of thread block %zu depends on step %d of thread block %d, which does not exist",
						 i, b, o->on_step, o->on_block);
		}
	return true;
}

static bool read_gpu(struct msccl_reading *x, const struct xml_element *at, bool *seen, struct error *e)
{
	int id;

	if (!xml_get_int(x->path, at, "id", 0, x->p->ranks - 1, &id, e))
		return false;
	if (seen[id])
		return xml_fault(x->path, at, e, "GPU %d occurs twice", id);
	seen[id] = true;
	struct plan_rank *r = &x->p->of[id];
	if (!xml_get_int(x->path, at, "i_chunks", 0, MSCCL_INT_MAX, &r->chunks[PLAN_INPUT], e) ||
	    !xml_get_int(x->path, at, "o_chunks", 0, MSCCL_INT_MAX, &r->chunks[PLAN_OUTPUT], e) ||
	    !xml_get_int(x->path, at, "s_chunks", 0, MSCCL_INT_MAX, &r->chunks[PLAN_SCRATCH], e))
		return false;
	for (const struct xml_element *b = xml_first(at, "tb"); b; b = xml_next(b, "tb"))
		if (!read_block(x, b, id, e))
			return false;
	return check_dependences(x, at, r, e);
}

static bool read_bytes(const char *path, const struct xml_element *at, const char *name, int64_t *out, bool *stated, struct error *e)
{
	const char *s = xml_get(at, name);

	*stated = s != NULL;
	return !s || parse_integer(s, 0, INT64_MAX, out) || xml_fault(path, at, e, "%s must be a number of bytes", name);
}

static bool read_head(struct msccl_reading *x, const struct xml_element *at, struct error *e)
{
	struct foreign_plan *p = x->p;
	const char *coll = xml_get(at, "coll"), *proto = xml_get(at, "proto"), *name = xml_get(at, "name");
	int in_place, out_of_place;
	bool least, most;

	if (strcmp(at->name, "algo") != 0)
		return xml_fault(x->path, at, e, "the root of a plan is <algo>");
	if (!coll || !proto)
		return xml_fault(x->path, at, e, "lacks the attribute \"%s\"", coll ? "proto" : "coll");
	if (!xml_get_int(x->path, at, "ngpus", 1, MSCCL_RANKS_MAX, &p->ranks, e) ||
	    !xml_get_int(x->path, at, "nchunksperloop", 1, MSCCL_INT_MAX, &p->chunks_per_loop, e) ||
	    !xml_get_int_or(x->path, at, "nchannels", 0, MSCCL_INT_MAX, 0, &p->channels, e) ||
	    !xml_get_int_or(x->path, at, "inplace", 0, 1, 0, &in_place, e) ||
	    !xml_get_int_or(x->path, at, "outofplace", 0, 1, !in_place, &out_of_place, e) ||
	    !read_bytes(x->path, at, "minBytes", &p->least_bytes, &least, e) || !read_bytes(x->path, at, "maxBytes", &p->most_bytes, &most, e))
		return false;
	p->sizes_stated = least && most;
	p->places_stated = xml_get(at, "inplace") && xml_get(at, "outofplace");
	p->in_place = in_place;
	p->out_of_place = out_of_place;
	p->name = copy_string(name ? name : "");
	p->collective = copy_string(coll);
	p->protocol = copy_string(proto);
	p->kind = PLAN_OTHER;
	for (size_t i = 0; i < sizeof collectives / sizeof *collectives; i++)
		if (strcmp(collectives[i].name, coll) == 0)
			p->kind = collectives[i].kind;
	p->of = new_array(struct plan_rank, (size_t)p->ranks);
	return true;
}

static bool read_all(struct msccl_reading *x, const struct xml_element *root, struct error *e)
{
	bool ok = read_head(x, root, e);
	bool *seen = ok ? new_array(bool, (size_t)x->p->ranks) : NULL;

	for (const struct xml_element *g = ok ? xml_first(root, "gpu") : NULL; ok && g; g = xml_next(g, "gpu"))
		ok = read_gpu(x, g, seen, e);
	for (int r = 0; ok && r < x->p->ranks; r++)
		ok = seen[r] || xml_fault(x->path, root, e, "lacks GPU %d of %d", r, x->p->ranks);
	free(seen);
	return ok;
}

struct foreign_plan *plan_read_msccl(const char *path, const char *bytes, size_t n, struct error *e)
{
	struct xml_element *root = xml_parse(path, bytes, n, e);
	struct msccl_reading x = {.path = path, .p = foreign_plan_new(path, PLAN_MSCCL)};

	if (!root || !read_all(&x, root, e)) {
		foreign_plan_free(x.p);
		x.p = NULL;
	}
	xml_free(root);
	free(x.connections);
	free(x.table);
	return x.p;
}

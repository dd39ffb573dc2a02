/*
 * The ops of MSCCL++ plans, as the kernel of version 0.9 does them: which of the listed places each reads, adds up and
 * writes. Sizes are in chunks; a thread block of a group does its share of each range.
 */

#include "interop/plans/read_mscclpp.h"

#include "core/base/error.h"
#include "core/base/memory.h"

#include <stdlib.h>
#include <string.h>

enum { PLACES_OF_OP_MAX = 64 };

static const char *const channel_names[] = {"memory", "port", "switch"};

bool mscclpp_channel_type(const struct json_place *at, const char *key, enum channel_type *out, struct error *e)
{
	struct json_place type;
	const char *name;

	if (!json_member_needed(at, key, &type, e) || !json_get_string(&type, &name, e))
		return false;
	for (int i = 0; i < CHANNEL_TYPES; i++)
		if (strcmp(name, channel_names[i]) == 0) {
			*out = (enum channel_type)i;
			return true;
		}
	return json_fault(&type, e, "must be memory, port or switch");
}

bool mscclpp_buffer(const struct json_place *at, const char *key, enum plan_buffer *out, struct error *e)
{
	struct json_place type;
	const char *name;

	if (!json_member_needed(at, key, &type, e) || !json_get_string(&type, &name, e))
		return false;
	const char *found = strlen(name) == 1 ? strchr("ios", *name) : NULL;
	if (!found)
		return json_fault(&type, e, "must be i, o or s");
	*out = *name == 'i' ? PLAN_INPUT : *name == 'o' ? PLAN_OUTPUT : PLAN_SCRATCH;
	return true;
}

/* How an op uses its lists of sources and destinations. */
enum use {
	USE_NONE,
	USE_PAIRS,       /* source i to destination i; the ranges of destinations count */
	USE_PACKET_PAIRS, /* likewise; the ranges of sources count */
	USE_SWAPPED,     /* get: as pairs, but the kernel takes the source's offset for the destination and the other way round */
	USE_SUM,         /* all sources to the first destinations; see own */
	USE_ONE,         /* the first source to all destinations */
};

/* FIRST, LATER: is a place packets? SENDS: destinations after the first OWN are written too. */
static const struct op_type {
	const char *name;
	enum use use;
	bool first_source, later_sources, first_destination, later_destinations;
	int own;
	bool sends, posts, waits;
} types[] = {
	{"nop", USE_NONE, false, false, false, false, 0, false, false, false},
	{"barrier", USE_NONE, false, false, false, false, 0, false, false, false},
	{"signal", USE_NONE, false, false, false, false, 0, false, true, false},
	{"rlxsignal", USE_NONE, false, false, false, false, 0, false, true, false},
	{"wait", USE_NONE, false, false, false, false, 0, false, false, true},
	{"rlxwait", USE_NONE, false, false, false, false, 0, false, false, true},
	{"flush", USE_NONE, false, false, false, false, 0, false, false, false},
	{"sem_acquire", USE_NONE, false, false, false, false, 0, false, false, false},
	{"sem_release", USE_NONE, false, false, false, false, 0, false, false, false},
	{"put", USE_PAIRS, false, false, false, false, 0, true, false, false},
	{"pws", USE_PAIRS, false, false, false, false, 0, true, true, false},
	{"pwsf", USE_PAIRS, false, false, false, false, 0, true, true, false},
	{"get", USE_SWAPPED, false, false, false, false, 0, true, false, false},
	{"copy", USE_SUM, false, false, false, false, 1, false, false, false},
	{"re", USE_SUM, false, false, false, false, 1, false, false, false},
	{"res", USE_SUM, false, false, false, false, 1, true, false, false},
	{"rre", USE_SUM, false, false, false, false, 1, false, false, false},
	{"rres", USE_SUM, false, false, false, false, 1, true, false, false},
	{"ppkt", USE_PACKET_PAIRS, false, false, true, true, 0, true, false, false},
	{"rppkt", USE_ONE, true, true, true, true, 0, true, false, false},
	{"upkt", USE_SUM, true, true, false, false, 1, false, false, false},
	{"cpkt", USE_SUM, false, false, true, true, 1, false, false, false},
	{"repkt", USE_SUM, false, true, false, true, 1, false, false, false},
	{"respkt", USE_SUM, false, true, false, true, 1, true, false, false},
	{"recpkt", USE_SUM, false, true, false, true, 2, false, false, false},
	{"recspkt", USE_SUM, false, true, false, true, 2, true, false, false},
	{"glres", USE_SUM, false, false, false, false, 1, false, false, false},
	{"gstore", USE_SUM, false, false, false, false, 1, false, false, false},
	{"gstorepkt", USE_SUM, true, true, true, true, 1, false, false, false},
};

/* A source or destination: one span, or one in each rank of a switch channel's group. */
struct op_place {
	size_t n;
	struct plan_span *spans; /* owned */
	int size;                /* cells */
};

struct op_places {
	size_t n;
	struct op_place of[PLACES_OF_OP_MAX];
};

/* The op in hand. */
struct op_reading {
	struct mscclpp_reading *x;
	const struct block_channels *c;
	const struct op_type *type;
	int rank, share, shares; /* of its group */
	int piece, pieces;       /* of its pipeline; PIECES is 1 outside */
	enum channel_type channel;
	bool has_channel;
};

static void free_places(struct op_places *p)
{
	for (size_t i = 0; i < p->n; i++)
		free(p->of[i].spans);
}

static bool get_small(const struct json_place *at, const char *key, int low, int high, int *out, struct error *e)
{
	struct json_place v;
	return json_member_needed(at, key, &v, e) && json_get_int(&v, low, high, out, e);
}

/* The cells of INDEX and SIZE that this thread block does, in this piece. */
static bool range_of(const struct op_reading *r, const struct json_place *at, int *first, int *size, struct error *e)
{
	int cut = r->x->p->cut, index, chunks;

	if (!get_small(at, "index", 0, MSCCLPP_INT_MAX / MSCCLPP_CUT_MAX, &index, e) || !get_small(at, "size", 0, MSCCLPP_INT_MAX / MSCCLPP_CUT_MAX, &chunks, e))
		return false;
	int64_t all = (int64_t)chunks * cut, share = all / r->shares, piece = share / r->pieces;
	*first = index * cut + (int)(share * r->share + piece * r->piece);
	*size = (int)piece;
	return true;
}

static bool read_place(const struct op_reading *r, const struct json_place *at, bool packets, struct op_place *out, struct error *e)
{
	struct json_place type = json_member(at, "type"), remote = json_member(at, "buffer_id"), sw = json_member(at, "switch_channel_id");
	struct plan_span s = {.rank = r->rank};
	int id;

	if (!range_of(r, at, &s.at, &out->size, e))
		return false;
	if (sw.value) {
		if (!json_get_int(&sw, 0, MSCCLPP_INT_MAX, &id, e))
			return false;
		if ((size_t)id >= r->c->n[CHANNEL_SWITCH])
			return json_fault(&sw, e, "names a switch channel that the thread block does not have");
		const struct plan_channel *m = &r->x->ranks[r->rank].of[CHANNEL_SWITCH][r->c->of[CHANNEL_SWITCH][id]];
		out->spans = new_array(struct plan_span, m->n_group);
		for (size_t i = 0; i < m->n_group; i++)
			out->spans[out->n++] = (struct plan_span){m->group[i], packets ? PLAN_PACKETS : m->buffer, s.at};
		return true;
	}
	if (remote.value) {
		if (!json_get_int(&remote, 0, MSCCLPP_INT_MAX, &id, e))
			return false;
		if (!r->has_channel || (size_t)id >= r->c->n_buffers[r->channel])
			return json_fault(&remote, e, "names a remote buffer that the thread block does not have");
		const struct remote_buffer *b = &r->x->ranks[r->rank].buffers[r->c->buffers[r->channel][id]];
		s.rank = b->rank;
		s.buffer = b->buffer;
	} else if (!type.value)
		return json_fault(at, e, "must have a type, a buffer_id or a switch_channel_id");
	else if (!mscclpp_buffer(at, "type", &s.buffer, e))
		return false;
	if (packets)
		s.buffer = PLAN_PACKETS;
	out->spans = new_array(struct plan_span, 1);
	out->spans[out->n++] = s;
	return true;
}

static bool read_places(const struct op_reading *r, const struct json_place *op, const char *key, bool first, bool later, struct op_places *out,
			struct error *e)
{
	struct json_place list = json_member(op, key);
	size_t n;

	if (!list.value)
		return true;
	if (!json_array_length(&list, &n, e))
		return false;
	if (n > PLACES_OF_OP_MAX)
		return json_fault(&list, e, "has more than %d entries", PLACES_OF_OP_MAX);
	for (size_t i = 0; i < n; i++) {
		struct json_place one = json_element(&list, i);
		out->n++;
		if (!read_place(r, &one, i ? later : first, &out->of[i], e))
			return false;
	}
	return true;
}

static void pair(struct plan_op *o, const struct op_place *from, const struct op_place *to, int n)
{
	if (n == 0)
		return;
	struct plan_transfer *t = plan_add_transfer(o, n, from->n, to->n);
	memcpy(t->reads, from->spans, from->n * sizeof *from->spans);
	memcpy(t->writes, to->spans, to->n * sizeof *to->spans);
}

/* get: the local place at the offset of the source, the remote one at that of the destination. */
static void swapped(struct plan_op *o, const struct op_place *from, const struct op_place *to)
{
	size_t before = o->n_transfers;

	pair(o, from, to, from->size);
	if (o->n_transfers > before) {
		o->transfers[before].reads[0].at = to->spans[0].at;
		o->transfers[before].writes[0].at = from->spans[0].at;
	}
}

static void sum(const struct op_type *type, struct plan_op *o, const struct op_places *from, const struct op_places *to)
{
	size_t reads = 0, writes = 0, end = type->sends ? to->n : (size_t)type->own < to->n ? (size_t)type->own : to->n;

	for (size_t i = 0; i < from->n; i++)
		reads += from->of[i].n;
	for (size_t i = 0; i < end; i++)
		writes += to->of[i].n;
	if (from->of[0].size == 0)
		return;
	struct plan_transfer *t = plan_add_transfer(o, from->of[0].size, reads, writes);
	reads = writes = 0;
	for (size_t i = 0; i < from->n; i++)
		for (size_t k = 0; k < from->of[i].n; k++)
			t->reads[reads++] = from->of[i].spans[k];
	for (size_t i = 0; i < end; i++)
		for (size_t k = 0; k < to->of[i].n; k++)
			t->writes[writes++] = to->of[i].spans[k];
}

static bool add_transfers(const struct op_reading *r, const struct json_place *op, struct plan_op *o, const struct op_places *from,
			  const struct op_places *to, struct error *e)
{
	if (r->type->use == USE_NONE)
		return true;
	if (from->n == 0 || to->n == 0 || (r->type->use != USE_SUM && r->type->use != USE_ONE && from->n != to->n && from->n != 1))
		return json_fault(op, e, "has %zu sources and %zu destinations", from->n, to->n);
	if (r->type->use == USE_SUM) {
		if ((size_t)r->type->own > to->n)
			return json_fault(op, e, "needs %d destinations", r->type->own);
		sum(r->type, o, from, to);
		return true;
	}
	for (size_t i = 0; i < to->n; i++) {
		const struct op_place *source = &from->of[r->type->use == USE_ONE || from->n == 1 ? 0 : i];
		if (r->type->use == USE_SWAPPED)
			swapped(o, source, &to->of[i]);
		else
			pair(o, source, &to->of[i], r->type->use == USE_PAIRS ? to->of[i].size : source->size);
	}
	return true;
}

/* The semaphore that a signal over a channel raises: that of the peer's channel of the same ordinal; -1: it has none. */
static int other_end(const struct op_reading *r, const struct plan_channel *m)
{
	const struct rank_channels *peer = &r->x->ranks[m->peer];

	for (size_t i = 0; i < peer->n[r->channel]; i++)
		if (peer->of[r->channel][i].peer == r->rank && peer->of[r->channel][i].ordinal == m->ordinal)
			return peer->of[r->channel][i].semaphore;
	return -1;
}

static bool add_signals(const struct op_reading *r, const struct json_place *op, struct plan_op *o, struct error *e)
{
	struct json_place ids = json_member(op, "channel_ids");
	size_t n = 0;
	int id;

	if (!r->type->posts && !r->type->waits)
		return true;
	if (!r->has_channel || r->channel == CHANNEL_SWITCH)
		return json_fault(op, e, "needs a channel_type of memory or port");
	if (ids.value && !json_array_length(&ids, &n, e))
		return false;
	for (size_t i = 0; i < n; i++) {
		struct json_place one = json_element(&ids, i);
		if (!json_get_int(&one, 0, MSCCLPP_INT_MAX, &id, e))
			return false;
		if ((size_t)id >= r->c->n[r->channel])
			return json_fault(&one, e, "names a channel that the thread block does not have");
		const struct plan_channel *m = &r->x->ranks[r->rank].of[r->channel][r->c->of[r->channel][id]];
		int other = other_end(r, m);
		if (r->type->waits)
			plan_add_wait(o, m->semaphore);
		else if (other >= 0)
			plan_add_post(o, other);
	}
	return true;
}

static bool add_semaphores(const struct op_reading *r, const struct json_place *op, struct plan_op *o, struct error *e)
{
	struct json_place ids = json_member(op, "semaphore_ids");
	bool acquires = strcmp(r->type->name, "sem_acquire") == 0;
	size_t n = 0;
	int id;

	if (!acquires && strcmp(r->type->name, "sem_release") != 0)
		return true;
	if (ids.value && !json_array_length(&ids, &n, e))
		return false;
	for (size_t i = 0; i < n; i++) {
		struct json_place one = json_element(&ids, i);
		if (!json_get_int(&one, 0, MSCCLPP_INT_MAX, &id, e))
			return false;
		if ((size_t)id >= r->x->ranks[r->rank].n_semaphores)
			return json_fault(&one, e, "names a semaphore that the rank does not have");
		if (acquires)
			plan_add_wait(o, r->x->ranks[r->rank].semaphores[id]);
		else
			plan_add_post(o, r->x->ranks[r->rank].semaphores[id]);
	}
	return true;
}

static bool read_group(struct op_reading *r, const struct json_place *op, struct error *e)
{
	struct json_place group = json_member(op, "tbg_info");

	r->share = 0;
	r->shares = 1;
	return !group.value || (get_small(&group, "tbg_size", 1, MSCCLPP_CUT_MAX, &r->shares, e) && get_small(&group, "tb_id", 0, r->shares - 1, &r->share, e));
}

static bool find_type(struct op_reading *r, const struct json_place *op, struct error *e)
{
	struct json_place at;
	const char *name;

	if (!json_member_needed(op, "name", &at, e) || !json_get_string(&at, &name, e))
		return false;
	for (size_t i = 0; i < sizeof types / sizeof *types; i++)
		if (strcmp(types[i].name, name) == 0) {
			r->type = &types[i];
			return true;
		}
	return json_fault(&at, e, "is no op of MSCCL++");
}

static bool read_op(struct op_reading r, const struct json_place *op, struct plan_block *b, int number, struct error *e)
{
	struct op_places from = {0}, to = {0};
	struct json_place channel = json_member(op, "channel_type");
	const char *named = channel.value ? json_string_value(channel.value) : NULL;

	if (!find_type(&r, op, e) || !read_group(&r, op, e))
		return false;
	r.has_channel = named && strcmp(named, "none") != 0;
	if (r.has_channel && !mscclpp_channel_type(op, "channel_type", &r.channel, e))
		return false;
	struct plan_op *o = plan_add_op(b, r.type->name, number);
	o->sync = strcmp(r.type->name, "nop") == 0;
	o->proxied = r.has_channel && r.channel == CHANNEL_PORT;
	if (strcmp(r.type->name, "barrier") == 0 && (!get_small(op, "barrier_id", 0, MSCCLPP_INT_MAX, &o->barrier, e) ||
						     !get_small(op, "num_threadblocks", 1, MSCCLPP_INT_MAX, &o->barrier_blocks, e)))
		return false;
	bool ok = read_places(&r, op, "src_buff", r.type->first_source, r.type->later_sources, &from, e) &&
		  read_places(&r, op, "dst_buff", r.type->first_destination, r.type->later_destinations, &to, e) &&
		  add_transfers(&r, op, o, &from, &to, e) && add_signals(&r, op, o, e) && add_semaphores(&r, op, o, e);
	o->listed = from.n > to.n ? from.n : to.n;
	struct json_place ids = json_member(op, "channel_ids");
	if (ids.value && json_array_size(ids.value) + 2 > o->listed) /* an op has room for two places more than channels */
		o->listed = json_array_size(ids.value) + 2;
	free_places(&from);
	free_places(&to);
	return ok;
}

/* A pipeline does its ops for one piece of each range, then for the next; here there are two. */
static bool read_pipeline(struct op_reading r, const struct json_place *op, struct plan_block *b, int number, struct error *e)
{
	struct json_place ops;
	size_t n;

	if (!json_member_needed(op, "ops", &ops, e) || !json_array_length(&ops, &n, e))
		return false;
	r.pieces = 2;
	for (r.piece = 0; r.piece < r.pieces; r.piece++)
		for (size_t i = 0; i < n; i++) {
			struct json_place one = json_element(&ops, i);
			if (json_member(&one, "iter_context").value)
				return json_fault(&one, e, "a pipeline in a pipeline");
			if (!read_op(r, &one, b, number, e))
				return false;
		}
	return true;
}

bool mscclpp_read_ops(struct mscclpp_reading *x, const struct json_place *ops, int rank, const struct block_channels *c, struct plan_block *b,
		      struct error *e)
{
	struct op_reading r = {.x = x, .c = c, .rank = rank, .shares = 1, .pieces = 1};
	size_t n;

	if (!json_array_length(ops, &n, e))
		return false;
	for (size_t i = 0; i < n; i++) {
		struct json_place one = json_element(ops, i);
		bool pipeline = json_member(&one, "iter_context").value != NULL;
		if (!(pipeline ? read_pipeline : read_op)(r, &one, b, (int)i, e))
			return false;
		struct json_place inner = json_member(&one, "ops");
		b->listed_ops += 1 + (pipeline ? json_array_size(inner.value) : 0);
	}
	for (int t = 0; t < CHANNEL_TYPES; t++) {
		b->listed_channels = c->n[t] > b->listed_channels ? c->n[t] : b->listed_channels;
		b->listed_channels = c->n_buffers[t] > b->listed_channels ? c->n_buffers[t] : b->listed_channels;
	}
	return true;
}

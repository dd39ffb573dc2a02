/*
 * MSCCL++ JSON plans: the head, channels and buffers of each rank, and the cut of chunks into cells: as many as groups of
 * thread blocks share an op, and two where a pipeline takes chunks piece by piece.
 */

#include "interop/plans/read_mscclpp.h"

#include "core/base/error.h"
#include "core/base/memory.h"
#include "core/base/rational.h"

#include <stdlib.h>
#include <string.h>

enum { CHANNELS_MAX = 1 << 14 }; /* of a rank and a type; each is compared with those before it */

/* An absent list has no elements. */
static bool length_of(const struct json_place *at, size_t *n, struct error *e)
{
	*n = 0;
	return !at->value || json_array_length(at, n, e);
}

static struct plan_channel *add_channel(struct rank_channels *c, enum channel_type type)
{
	c->of[type] = grown(c->of[type], &c->capacity[type], c->n[type] + 1, sizeof *c->of[type]);
	c->of[type][c->n[type]] = (struct plan_channel){.peer = -1, .semaphore = -1};
	return &c->of[type][c->n[type]++];
}

static bool read_groups(struct mscclpp_reading *x, const struct json_place *at, struct rank_channels *c, struct error *e)
{
	struct json_place groups, ranks;
	enum plan_buffer buffer;
	size_t n, members;

	if (!mscclpp_buffer(at, "buffer_type", &buffer, e) || !json_member_needed(at, "rank_groups", &groups, e) || !json_array_length(&groups, &n, e))
		return false;
	for (size_t g = 0; g < n; g++) {
		struct json_place group = json_element(&groups, g);
		if (!json_member_needed(&group, "ranks", &ranks, e) || !json_array_length(&ranks, &members, e))
			return false;
		if (members == 0)
			return json_fault(&ranks, e, "must name a rank");
		struct plan_channel *s = add_channel(c, CHANNEL_SWITCH);
		s->buffer = buffer;
		s->group = new_array(int, members);
		for (size_t i = 0; i < members; i++) {
			struct json_place one = json_element(&ranks, i);
			if (!json_get_int(&one, 0, x->p->ranks - 1, &s->group[i], e))
				return false;
			s->n_group++;
		}
	}
	return true;
}

static bool read_channels(struct mscclpp_reading *x, const struct json_place *gpu, int rank, struct error *e)
{
	struct rank_channels *c = &x->ranks[rank];
	struct json_place list = json_member(gpu, "channels"), peers;
	enum channel_type type;
	size_t n, n_peers;

	if (!length_of(&list, &n, e))
		return false;
	for (size_t i = 0; i < n; i++) {
		struct json_place one = json_element(&list, i);
		if (!mscclpp_channel_type(&one, "channel_type", &type, e))
			return false;
		if (type == CHANNEL_SWITCH) {
			if (!read_groups(x, &one, c, e))
				return false;
			continue;
		}
		if (!json_member_needed(&one, "connected_to", &peers, e) || !json_array_length(&peers, &n_peers, e))
			return false;
		if (n_peers > CHANNELS_MAX - c->n[type])
			return json_fault(&peers, e, "gives the rank more than %d channels of a type", CHANNELS_MAX);
		for (size_t k = 0; k < n_peers; k++) {
			struct json_place place = json_element(&peers, k);
			int peer, ordinal = 0;
			if (!json_get_int(&place, 0, x->p->ranks - 1, &peer, e))
				return false;
			for (size_t before = 0; before < c->n[type]; before++)
				ordinal += c->of[type][before].peer == peer;
			struct plan_channel *m = add_channel(c, type);
			m->peer = peer;
			m->ordinal = ordinal;
			m->semaphore = plan_add_semaphore(x->p, 0);
		}
	}
	return true;
}

static bool read_buffers(struct mscclpp_reading *x, const struct json_place *gpu, int rank, struct error *e)
{
	struct rank_channels *c = &x->ranks[rank];
	struct json_place list = json_member(gpu, "remote_buffers"), semaphores = json_member(gpu, "semaphores");
	size_t n;

	if (!length_of(&list, &n, e))
		return false;
	c->buffers = new_array(struct remote_buffer, n);
	for (size_t i = 0; i < n; i++) {
		struct json_place one = json_element(&list, i), owner;
		if (!json_member_needed(&one, "rank", &owner, e) || !json_get_int(&owner, 0, x->p->ranks - 1, &c->buffers[i].rank, e) ||
		    !mscclpp_buffer(&one, "type", &c->buffers[i].buffer, e))
			return false;
		c->n_buffers++;
	}
	if (!length_of(&semaphores, &n, e))
		return false;
	c->semaphores = new_array(int, n);
	for (size_t i = 0; i < n; i++) {
		struct json_place one = json_element(&semaphores, i), value;
		int initial;
		if (!json_member_needed(&one, "init_value", &value, e) || !json_get_int(&value, 0, 1024, &initial, e))
			return false;
		c->semaphores[c->n_semaphores++] = plan_add_semaphore(x->p, initial);
	}
	return true;
}

static bool read_numbers(const struct json_place *at, size_t limit, int **out, size_t *n, struct error *e)
{
	if (!json_array_length(at, n, e))
		return false;
	int *all = *out = new_array(int, *n);
	for (size_t i = 0; i < *n; i++) {
		struct json_place one = json_element(at, i);
		if (limit == 0)
			return json_fault(&one, e, "names what does not exist");
		if (!json_get_int(&one, 0, (int)limit - 1, &all[i], e))
			return false;
	}
	return true;
}

/* The lists of a thread block; a later list of the same type continues an earlier one in the executor, so it is refused. */
static bool read_block_lists(struct mscclpp_reading *x, const struct json_place *block, int rank, struct block_channels *c, struct error *e)
{
	const struct rank_channels *r = &x->ranks[rank];
	struct json_place lists[2] = {json_member(block, "channels"), json_member(block, "remote_buffer_refs")}, ids;
	enum channel_type type;
	size_t n;

	for (int which = 0; which < 2; which++) {
		if (!length_of(&lists[which], &n, e))
			return false;
		for (size_t i = 0; i < n; i++) {
			struct json_place one = json_element(&lists[which], i);
			if (!mscclpp_channel_type(&one, which ? "access_channel_type" : "channel_type", &type, e) ||
			    !json_member_needed(&one, which ? "remote_buffer_ids" : "channel_ids", &ids, e))
				return false;
			int **list = which ? &c->buffers[type] : &c->of[type];
			if (*list)
				return json_fault(&one, e, "is the second list of its type");
			if (!read_numbers(&ids, which ? r->n_buffers : r->n[type], list, which ? &c->n_buffers[type] : &c->n[type], e))
				return false;
		}
	}
	return true;
}

static bool read_block(struct mscclpp_reading *x, const struct json_place *at, int rank, struct error *e)
{
	struct block_channels c = {0};
	struct json_place ops, id;
	struct plan_rank *r = &x->p->of[rank];
	int number;

	bool ok = json_member_needed(at, "id", &id, e) && json_get_int(&id, 0, MSCCLPP_INT_MAX, &number, e) &&
		  (number == (int)r->n || json_fault(&id, e, "must be %zu, its place in the list", r->n)) && json_member_needed(at, "ops", &ops, e) &&
		  read_block_lists(x, at, rank, &c, e) && mscclpp_read_ops(x, &ops, rank, &c, plan_add_block(r), e);
	for (int i = 0; i < CHANNEL_TYPES; i++) {
		free(c.of[i]);
		free(c.buffers[i]);
	}
	return ok;
}

static bool read_chunks(const struct json_place *gpu, bool packets, struct plan_rank *r, struct error *e)
{
	static const char *const keys[] = {"input_chunks", "output_chunks", "scratch_chunks"};

	for (int k = 0; k < 3; k++) {
		struct json_place at;
		if (!json_member_needed(gpu, keys[k], &at, e) || !json_get_int(&at, 0, MSCCLPP_INT_MAX, &r->chunks[k], e))
			return false;
	}
	r->chunks[PLAN_PACKETS] = r->chunks[PLAN_SCRATCH];
	if (packets) /* the loader makes scratch twice as large */
		r->chunks[PLAN_SCRATCH] *= 2;
	return true;
}

/* Twice through the ranks: what a channel's other end is must be known before ops. */
static bool read_ranks(struct mscclpp_reading *x, const struct json_place *gpus, struct error *e)
{
	for (int r = 0; r < x->p->ranks; r++) {
		struct json_place gpu = json_element(gpus, (size_t)r), id;
		int number;
		if (!json_member_needed(&gpu, "id", &id, e) || !json_get_int(&id, 0, MSCCLPP_INT_MAX, &number, e) ||
		    (number != r && !json_fault(&id, e, "must be %d, its place in the list", r)) || !read_chunks(&gpu, strcmp(x->p->protocol, "LL") == 0, &x->p->of[r], e) ||
		    !read_channels(x, &gpu, r, e) || !read_buffers(x, &gpu, r, e))
			return false;
	}
	for (int r = 0; r < x->p->ranks; r++) {
		struct json_place gpu = json_element(gpus, (size_t)r), blocks;
		size_t n;
		if (!json_member_needed(&gpu, "threadblocks", &blocks, e) || !json_array_length(&blocks, &n, e))
			return false;
		for (size_t b = 0; b < n; b++) {
			struct json_place block = json_element(&blocks, b);
			if (!read_block(x, &block, r, e))
				return false;
		}
	}
	return true;
}

/* The least number of cells of a chunk with which shares of groups and pieces of pipelines are whole cells. */
static bool find_cut(json_t *v, int *cut)
{
	json_t *inner;
	const char *key;
	size_t i;

	if (json_is_array(v)) {
		json_array_foreach(v, i, inner)
			if (!find_cut(inner, cut))
				return false;
		return true;
	}
	if (!json_is_object(v))
		return true;
	json_int_t size = json_integer_value(json_object_get(json_object_get(v, "tbg_info"), "tbg_size"));
	if (size > MSCCLPP_CUT_MAX)
		return false;
	if (size > 1)
		*cut = *cut / (int)common_divisor(*cut, size) * (int)size;
	if (*cut > MSCCLPP_CUT_MAX)
		return false;
	json_object_foreach(v, key, inner)
		if (!find_cut(inner, cut))
			return false;
	return true;
}

static bool has_pipeline(json_t *v)
{
	json_t *inner;
	const char *key;
	size_t i;

	if (json_is_array(v))
		json_array_foreach(v, i, inner)
			if (has_pipeline(inner))
				return true;
	if (json_is_object(v))
		json_object_foreach(v, key, inner)
			if (strcmp(key, "iter_context") == 0 || has_pipeline(inner))
				return true;
	return false;
}

static const struct mscclpp_collective {
	const char *name;
	enum plan_kind kind;
} collectives[] = {
	{"allreduce", PLAN_ALLREDUCE}, {"allgather", PLAN_ALLGATHER}, {"reducescatter", PLAN_REDUCESCATTER}, {"alltoall", PLAN_ALLTOALL},
	{"broadcast", PLAN_BROADCAST},
};

static bool read_text(const struct json_place *top, const char *key, char **out, struct error *e)
{
	struct json_place at;
	const char *s;

	if (!json_member_needed(top, key, &at, e) || !json_get_string(&at, &s, e))
		return false;
	*out = copy_string(s);
	return true;
}

static bool read_head(struct mscclpp_reading *x, const struct json_place *top, struct json_place *gpus, struct error *e)
{
	struct foreign_plan *p = x->p;
	struct json_place place, least = json_member(top, "min_message_size"), most = json_member(top, "max_message_size");
	struct json_place alignment = json_member(top, "buffer_alignment");
	size_t n;

	if (!json_member(top, "collective").value && json_member(top, "colletive").value)
		return json_fault(top, e, "is in an old format of MSCCL++ (\"colletive\"), which current loaders refuse");
	if (!read_text(top, "name", &p->name, e) || !read_text(top, "collective", &p->collective, e) || !read_text(top, "protocol", &p->protocol, e) ||
	    !json_member_needed(top, "inplace", &place, e) || !json_get_bool(&place, &p->in_place, e) || !json_member_needed(top, "gpus", gpus, e) ||
	    !json_array_length(gpus, &n, e) || (least.value && !json_get_integer(&least, 0, INT64_MAX, &p->least_bytes, e)) ||
	    (json_is_integer(most.value) && !json_get_integer(&most, 0, INT64_MAX, &p->most_bytes, e)))
		return false;
	if (p->most_bytes == INT64_MAX)
		p->most_bytes = 0;
	p->alignment = 16;
	if (alignment.value && !json_get_int(&alignment, 1, 1 << 20, &p->alignment, e))
		return false;
	if (n < 1 || n > MSCCLPP_RANKS_MAX)
		return json_fault(gpus, e, "must have 1 to %d entries", MSCCLPP_RANKS_MAX);
	p->out_of_place = !p->in_place;
	p->ranks = (int)n;
	p->kind = PLAN_OTHER;
	for (size_t i = 0; i < sizeof collectives / sizeof *collectives; i++)
		if (strcmp(collectives[i].name, p->collective) == 0)
			p->kind = collectives[i].kind;
	if (!find_cut(gpus->value, &p->cut))
		return json_fault(gpus, e, "groups of thread blocks cut chunks into more than %d parts", MSCCLPP_CUT_MAX);
	if (has_pipeline(gpus->value))
		p->cut *= 2;
	p->of = new_array(struct plan_rank, n);
	x->ranks = new_array(struct rank_channels, n);
	return true;
}

static void free_ranks(struct mscclpp_reading *x)
{
	for (int r = 0; x->ranks && r < x->p->ranks; r++) {
		struct rank_channels *c = &x->ranks[r];
		for (int t = 0; t < CHANNEL_TYPES; t++) {
			for (size_t i = 0; i < c->n[t]; i++)
				free(c->of[t][i].group);
			free(c->of[t]);
		}
		free(c->buffers);
		free(c->semaphores);
	}
	free(x->ranks);
}

/* MSCCL++ writes 2^64 - 1 for "no limit", which our reader of JSON does not hold; 2^63 - 1 means as much. */
static struct json_document *parse(const char *path, const char *bytes, size_t n, struct error *e)
{
	static const char most[] = "18446744073709551615", less[] = "9223372036854775807 ";
	char *copy = copy_bytes(bytes, n + 1);

	for (char *at = copy; (at = strstr(at, most)); at += strlen(most))
		memcpy(at, less, strlen(less));
	struct json_document *d = json_document_parse(copy, path, e);
	free(copy);
	return d;
}

struct foreign_plan *plan_read_mscclpp(const char *path, const char *bytes, size_t n, struct error *e)
{
	struct json_document *d = parse(path, bytes, n, e);
	struct mscclpp_reading x = {.p = foreign_plan_new(path, PLAN_MSCCLPP)};
	struct json_place top, gpus;

	if (d)
		top = json_top(d);
	bool ok = d && read_head(&x, &top, &gpus, e) && read_ranks(&x, &gpus, e);
	free_ranks(&x);
	json_document_close(d);
	if (ok)
		return x.p;
	foreign_plan_free(x.p);
	return NULL;
}

/*
 * Algorithms of msccl-tools (msccl/serialization.py): steps of sends [address, src, dst], and a collective whose chunks say
 * where they are before and after. Several chunks at one address are contributions to one sum; a send carries all that its
 * source has there, so whether it is a copy or is added up follows from what both ends have.
 */

#include "interop/schedules/schedules.h"

#include "interop/plans/to_algorithm.h"

#include "core/base/error.h"
#include "core/base/json.h"
#include "core/base/memory.h"
#include "core/machine/topology.h"
#include "core/schedule/algorithm.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { ADDRESSES_MAX = 1 << 20, LISTED_MAX = 1 << 22, SETS_MAX = 1 << 26 };

struct tools_chunk {
	int address;
	int pre, n_pre;   /* the first of the ranks that have it before, and how many do */
	int post, n_post; /* likewise after */
};

struct tools_reading {
	const struct schedule_request *r;
	int n;                      /* ranks */
	size_t n_chunks, capacity;
	struct tools_chunk *chunks; /* owned */
	int addresses, most_shared; /* the most chunks at one address */
	struct collective k;
	int parts;                  /* C */
	int *number_of;             /* [address]: our chunk; owned */
	size_t words;
	uint64_t *held;             /* [address * n + rank]: sets of ranks that contributed; only of sums; owned */
	struct plan_log log;
	int *rounds;                /* [step]; owned */
};

static bool read_ranks(const struct json_place *chunk, const char *key, int nodes, int *first, int *count, struct error *e)
{
	struct json_place list;
	size_t n;

	if (!json_member_needed(chunk, key, &list, e) || !json_array_length(&list, &n, e))
		return false;
	*first = nodes;
	*count = (int)(n <= (size_t)nodes ? n : (size_t)nodes + 1);
	for (size_t i = 0; i < n; i++) {
		struct json_place one = json_element(&list, i);
		int rank;
		if (!json_get_int(&one, 0, nodes - 1, &rank, e))
			return false;
		*first = rank < *first ? rank : *first;
	}
	return (n > 0 && n <= (size_t)nodes) || json_fault(&list, e, "must name from 1 to %d ranks", nodes);
}

/* The file lists the chunks of the collective; its instance says into how many parts each is cut, and sends are of parts. */
static bool read_cut(const struct json_place *top, int *cut, struct error *e)
{
	struct json_place instance = json_member(top, "instance"), chunks;

	*cut = 1;
	return !instance.value || (json_member_needed(&instance, "chunks", &chunks, e) && json_get_int(&chunks, 1, ADDRESSES_MAX, cut, e));
}

static bool add_chunk(struct tools_reading *x, const struct json_place *one, int cut, int *shared, struct error *e)
{
	struct json_place address;
	struct tools_chunk c;

	if (!json_member_needed(one, "addr", &address, e) || !json_get_int(&address, 0, ADDRESSES_MAX / cut - 1, &c.address, e) ||
	    !read_ranks(one, "pre", x->n, &c.pre, &c.n_pre, e) || !read_ranks(one, "post", x->n, &c.post, &c.n_post, e))
		return false;
	if (x->n_chunks + (size_t)cut > LISTED_MAX)
		return error_set(e, ERROR_LIMIT, x->r->of->path, "has more than %d parts of chunks", LISTED_MAX);
	x->chunks = grown(x->chunks, &x->capacity, x->n_chunks + (size_t)cut, sizeof *x->chunks);
	for (int part = 0; part < cut; part++) {
		struct tools_chunk *p = &x->chunks[x->n_chunks++];
		*p = c;
		p->address = c.address * cut + part;
		x->addresses = p->address >= x->addresses ? p->address + 1 : x->addresses;
		x->most_shared = ++shared[p->address] > x->most_shared ? shared[p->address] : x->most_shared;
	}
	return true;
}

static bool read_chunks(struct tools_reading *x, const struct json_place *top, const struct json_place *collective, struct error *e)
{
	struct json_place list, nodes;
	int n, cut, *shared = new_array(int, ADDRESSES_MAX);
	size_t listed = 0;
	bool ok = json_member_needed(collective, "nodes", &nodes, e) && json_get_int(&nodes, 1, NODES_MAX, &n, e) && read_cut(top, &cut, e) &&
		  json_member_needed(collective, "chunks", &list, e) && json_array_length(&list, &listed, e);

	if (ok && n != x->n)
		ok = json_fault(&nodes, e, "is %d, and %.60s has %d nodes", n, x->r->topology->name, x->n);
	for (size_t i = 0; ok && i < listed; i++) {
		struct json_place one = json_element(&list, i);
		ok = add_chunk(x, &one, cut, shared, e);
	}
	free(shared);
	return ok;
}

static bool all_chunks(const struct tools_reading *x, bool (*is)(const struct tools_reading *, const struct tools_chunk *))
{
	for (size_t i = 0; i < x->n_chunks; i++)
		if (!is(x, &x->chunks[i]))
			return false;
	return x->n_chunks > 0;
}

static bool to_all(const struct tools_reading *x, const struct tools_chunk *c)
{
	return c->n_post == x->n;
}

static bool to_one(const struct tools_reading *x, const struct tools_chunk *c)
{
	(void)x;
	return c->n_post == 1;
}

static bool from_first(const struct tools_reading *x, const struct tools_chunk *c)
{
	return c->pre == x->chunks[0].pre;
}

static bool to_first(const struct tools_reading *x, const struct tools_chunk *c)
{
	return c->post == x->chunks[0].post;
}

/* By who has chunks before and after. Whether that is so to the last chunk, the verifier says. */
static void find_kind(struct tools_reading *x)
{
	bool sums = x->most_shared > 1, all = all_chunks(x, to_all), one = all_chunks(x, to_one), from = all_chunks(x, from_first);
	bool to = all_chunks(x, to_first);

	x->k.kind = COLLECTIVE_KINDS;
	if (sums)
		x->k.kind = all ? ALLREDUCE : one && to ? REDUCE : one ? REDUCESCATTER : COLLECTIVE_KINDS;
	else if (all)
		x->k.kind = from ? BROADCAST : ALLGATHER;
	else if (one)
		x->k.kind = from ? SCATTER : to ? GATHER : ALLTOALL;
	if (x->k.kind == REDUCE || x->k.kind == GATHER)
		x->k.root = x->chunks[0].post;
	if (x->k.kind == BROADCAST || x->k.kind == SCATTER)
		x->k.root = x->chunks[0].pre;
}

/* Our number of part PART of the chunk that goes from PRE to POST. */
static int number(const struct tools_reading *x, const struct tools_chunk *c, int part)
{
	enum collective_kind kind = x->k.kind;

	if (kind == ALLGATHER || kind == GATHER)
		return part * x->n + c->pre;
	if (kind == SCATTER || kind == REDUCESCATTER)
		return part * x->n + c->post;
	return kind == ALLTOALL ? (part * x->n + c->post) * x->n + c->pre : part;
}

/* Parts are counted per pair of ends, in the order of addresses as the chunks are listed. */
static bool number_all(struct tools_reading *x, const struct json_place *at, struct error *e)
{
	int *parts = new_array(int, (size_t)x->n * (size_t)x->n), most = 0;
	bool ok = true, sums = x->most_shared > 1;

	x->number_of = new_array(int, (size_t)x->addresses);
	for (int i = 0; i < x->addresses; i++)
		x->number_of[i] = -1;
	for (size_t i = 0; ok && i < x->n_chunks; i++) {
		const struct tools_chunk *c = &x->chunks[i];
		if (x->number_of[c->address] >= 0)
			continue;
		int pre = sums ? 0 : c->pre, post = c->n_post == 1 ? c->post : 0, part = parts[pre * x->n + post]++;
		x->number_of[c->address] = number(x, c, part);
		most = part + 1 > most ? part + 1 : most;
	}
	free(parts);
	/* An input has a block for each other rank in these. */
	x->parts = most * (x->k.kind == REDUCESCATTER || x->k.kind == ALLTOALL || x->k.kind == SCATTER ? x->n : 1);
	struct error why = {0};
	if (!collective_check(&x->k, x->n, x->parts, &why))
		ok = json_fault(at, e, "%s", why.what);
	int limit = ok ? collective_global_chunks(&x->k, x->n, x->parts) : 0;
	for (int i = 0; ok && i < x->addresses; i++)
		ok = x->number_of[i] < limit || json_fault(at, e, "ends are not alike for all chunks");
	return ok;
}

static uint64_t *held_at(const struct tools_reading *x, int address, int rank)
{
	return &x->held[((size_t)address * (size_t)x->n + (size_t)rank) * x->words];
}

static bool start_sums(struct tools_reading *x, const struct json_place *at, struct error *e)
{
	x->words = ((size_t)x->n + 63) / 64;
	if (x->most_shared < 2)
		return true;
	if ((size_t)x->addresses * (size_t)x->n * x->words > SETS_MAX)
		return json_fault(at, e, "has too many chunks");
	x->held = new_array(uint64_t, (size_t)x->addresses * (size_t)x->n * x->words);
	for (size_t i = 0; i < x->n_chunks; i++) {
		const struct tools_chunk *c = &x->chunks[i];
		held_at(x, c->address, c->pre)[c->pre / 64] |= (uint64_t)1 << c->pre % 64;
	}
	return true;
}

/* A value that has nothing in common with what is there is added to it; any other replaces it. */
static bool replaces(const struct tools_reading *x, const uint64_t *comes, const uint64_t *there)
{
	bool empty = true;

	for (size_t w = 0; w < x->words; w++) {
		if (comes[w] & there[w])
			return true;
		empty = empty && !there[w];
	}
	return empty;
}

static bool read_send(struct tools_reading *x, const struct json_place *one, int step, struct error *e)
{
	struct json_place parts[3];
	int v[3];
	size_t n;

	if (!json_array_length(one, &n, e) || (n != 3 && !json_fault(one, e, "must be [address, src, dst]")))
		return false;
	for (size_t i = 0; i < 3; i++) {
		parts[i] = json_element(one, i);
		if (!json_get_int(&parts[i], 0, i ? x->n - 1 : x->addresses - 1, &v[i], e))
			return false;
	}
	if (x->number_of[v[0]] < 0)
		return json_fault(&parts[0], e, "is the address of no chunk");
	if (x->log.n == SCHEDULE_SENDS_MAX)
		return error_set(e, ERROR_LIMIT, x->r->of->path, "has more than %d sends", SCHEDULE_SENDS_MAX);
	/* What is added is decided here; the sets change after the step. An address stands for its chunk until then. */
	bool copy = !x->held || replaces(x, held_at(x, v[0], v[1]), held_at(x, v[0], v[2]));
	plan_log_add(&x->log, step, v[0], v[1], v[2], !copy);
	return true;
}

/* All sends of a step read the state before it, so the sources' sets are taken first. */
static void end_step(struct tools_reading *x, size_t first)
{
	size_t n = x->log.n - first;
	uint64_t *sent = new_array(uint64_t, n * x->words);

	for (size_t i = 0; i < n && x->held; i++)
		memcpy(&sent[i * x->words], held_at(x, x->log.of[first + i].datum, x->log.of[first + i].src), x->words * sizeof *sent);
	for (size_t i = 0; i < n && x->held; i++)
		for (size_t w = 0; w < x->words; w++)
			held_at(x, x->log.of[first + i].datum, x->log.of[first + i].dst)[w] |= sent[i * x->words + w];
	for (size_t i = 0; i < n; i++)
		x->log.of[first + i].datum = x->number_of[x->log.of[first + i].datum];
	free(sent);
}

static bool read_steps(struct tools_reading *x, const struct json_place *list, size_t n, struct error *e)
{
	if (n < 1 || n > SCHEDULE_STEPS_MAX)
		return json_fault(list, e, "must have from 1 to %d steps", SCHEDULE_STEPS_MAX);
	x->rounds = new_array(int, n);
	for (size_t s = 0; s < n; s++) {
		struct json_place step = json_element(list, s), rounds, sends;
		size_t n_sends, first = x->log.n;
		if (!json_member_needed(&step, "rounds", &rounds, e) || !json_get_int(&rounds, 1, ROUNDS_MAX, &x->rounds[s], e) ||
		    !json_member_needed(&step, "sends", &sends, e) || !json_array_length(&sends, &n_sends, e))
			return false;
		for (size_t i = 0; i < n_sends; i++) {
			struct json_place one = json_element(&sends, i);
			if (!read_send(x, &one, (int)s + 1, e))
				return false;
		}
		end_step(x, first);
	}
	return true;
}

static bool read(struct tools_reading *x, const struct json_place *top, struct error *e)
{
	struct json_place type, collective, steps;
	const char *s;
	size_t n;

	if (!json_member_needed(top, "msccl_type", &type, e) || !json_get_string(&type, &s, e))
		return false;
	if (strcmp(s, "algorithm") != 0)
		return json_fault(&type, e, "is \"%.20s\"; only algorithms are schedules", s);
	if (!json_member_needed(top, "collective", &collective, e) || !json_member_needed(top, "steps", &steps, e) || !json_array_length(&steps, &n, e) ||
	    !read_chunks(x, top, &collective, e))
		return false;
	find_kind(x);
	if (x->k.kind == COLLECTIVE_KINDS)
		return json_fault(&collective, e, "is none of ours, by where its chunks are before and after");
	return number_all(x, &collective, e) && start_sums(x, &collective, e) && read_steps(x, &steps, n, e);
}

struct algorithm *read_msccl_tools_schedule(const struct schedule_request *r, struct error *e)
{
	struct tools_reading x = {.r = r, .n = r->topology->nodes};
	struct json_document *d = json_document_parse(r->of->bytes, r->of->path, e);
	struct algorithm *a = NULL;

	if (d) {
		struct json_place top = json_top(d), steps = json_member(&top, "steps");
		if (read(&x, &top, e))
			a = sends_to_algorithm(r->of->path, &x.log, r->topology, &x.k, x.parts, x.rounds, json_array_size(steps.value), e);
	}
	json_document_close(d);
	free(x.chunks);
	free(x.number_of);
	free(x.held);
	free(x.log.of);
	free(x.rounds);
	return a;
}

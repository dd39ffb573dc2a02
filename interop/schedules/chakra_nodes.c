/*
 * The encoding of Protocol Buffers, by hand: a message is fields, each a key (number << 3 | wire type) and a value. Only what a
 * trace of a collective needs is kept; other fields are skipped, as the encoding intends.
 */

#include "interop/schedules/chakra_nodes.h"

#include "interop/schedules/schedules.h"

#include "core/base/error.h"
#include "core/base/memory.h"

#include <stdlib.h>
#include <string.h>

enum wire { VARINT = 0, EIGHT = 1, BYTES = 2, FOUR = 5 };

struct field {
	uint64_t number, value; /* VALUE: of a varint */
	enum wire wire;
	const unsigned char *bytes;
	size_t n;
};

struct cursor {
	const unsigned char *at, *end;
};

static bool take_varint(struct cursor *c, uint64_t *out)
{
	*out = 0;
	for (int shift = 0; shift < 64 && c->at < c->end; shift += 7) {
		unsigned char b = *c->at++;
		*out |= (uint64_t)(b & 0x7f) << shift;
		if (!(b & 0x80))
			return true;
	}
	return false;
}

/* 1: a field; 0: the end; -1: malformed. */
static int take_field(struct cursor *c, struct field *f)
{
	uint64_t key, n = 0;

	if (c->at == c->end)
		return 0;
	if (!take_varint(c, &key))
		return -1;
	*f = (struct field){.number = key >> 3, .wire = (enum wire)(key & 7)};
	if (f->wire == VARINT)
		return take_varint(c, &f->value) ? 1 : -1;
	if (f->wire == BYTES ? !take_varint(c, &n) : f->wire != EIGHT && f->wire != FOUR)
		return -1;
	n = f->wire == EIGHT ? 8 : f->wire == FOUR ? 4 : n;
	if (n > (size_t)(c->end - c->at))
		return -1;
	f->bytes = c->at;
	f->n = (size_t)n;
	c->at += n;
	return f->number ? 1 : -1;
}

/* What a field contains; empty if it is a number. */
static struct cursor inside(const struct field *f)
{
	return f->n ? (struct cursor){f->bytes, f->bytes + f->n} : (struct cursor){NULL, NULL};
}

/* An attribute: field 1 is its name, and the value is in the field of its type. */
struct attribute {
	const unsigned char *name, *text;
	size_t name_n, text_n;
	int64_t number;
	bool has_number;
};

static bool take_attribute(const struct field *f, struct attribute *out)
{
	struct cursor c = inside(f);
	struct field g;
	int more;

	*out = (struct attribute){0};
	while ((more = take_field(&c, &g)) > 0) {
		if (g.number == 1 && g.wire == BYTES) {
			out->name = g.bytes;
			out->name_n = g.n;
		} else if (g.number == 29 && g.wire == BYTES) { /* string_val */
			out->text = g.bytes;
			out->text_n = g.n;
		} else if (g.wire == VARINT && g.number >= 7 && g.number <= 27) {
			bool zigzag = g.number == 15 || g.number == 17; /* sint32_val, sint64_val */
			out->number = zigzag ? (int64_t)(g.value >> 1) ^ -(int64_t)(g.value & 1) : (int64_t)g.value;
			out->has_number = true;
		}
	}
	return more == 0 && out->name;
}

static bool is(const struct attribute *a, const char *name)
{
	return a->name_n == strlen(name) && memcmp(a->name, name, a->name_n) == 0;
}

static int small(int64_t v)
{
	return v >= 0 && v < 1 << 24 ? (int)v : -1;
}

static void use_attribute(struct et_node *o, const struct attribute *a)
{
	if (!a->has_number)
		return;
	if ((is(a, "comm_dst") && o->type == ET_SEND) || (is(a, "comm_src") && o->type == ET_RECEIVE))
		o->peer = small(a->number);
	else if (is(a, "comm_tag"))
		o->tag = a->number;
	else if (is(a, "msg_chunk_idx"))
		o->chunk = small(a->number);
	else if (is(a, "msg_chunk_cnt"))
		o->count = small(a->number);
	else if (is(a, "total_chunk_cnt"))
		o->total = small(a->number);
	else if (is(a, "local_time_step"))
		o->stated = small(a->number);
	else if (is(a, "is_rrc"))
		o->sum = a->number != 0;
}

static void add_dependence(struct et_node *o, uint64_t id)
{
	o->ids = grown(o->ids, &o->capacity, o->n_after + 1, sizeof *o->ids);
	o->ids[o->n_after++] = id;
}

/* Dependences are a packed list or single ones. */
static bool take_dependences(struct et_node *o, const struct field *f)
{
	struct cursor c = inside(f);
	uint64_t id;

	if (f->wire == VARINT) {
		add_dependence(o, f->value);
		return true;
	}
	while (f->wire == BYTES && c.at < c.end) {
		if (!take_varint(&c, &id))
			return false;
		add_dependence(o, id);
	}
	return f->wire == BYTES;
}

static bool take_node(struct et_node *o, struct cursor c)
{
	struct cursor again = c;
	struct attribute a;
	struct field f;
	int more;

	*o = (struct et_node){.peer = -1, .chunk = -1, .count = 1, .total = -1, .stated = -1, .message = -1, .ready = 1};
	while ((more = take_field(&c, &f)) > 0) { /* the type says what attributes mean, wherever it stands */
		if (f.number == 1 && f.wire == VARINT)
			o->id = f.value;
		if (f.number == 3 && f.wire == VARINT)
			o->type = (enum et_type)(f.value & 0xff);
		if ((f.number == 4 || f.number == 5) && !take_dependences(o, &f))
			return false;
	}
	while (more == 0 && take_field(&again, &f) > 0)
		if (f.number == 10 && f.wire == BYTES) {
			if (!take_attribute(&f, &a))
				return false;
			use_attribute(o, &a);
		}
	return more == 0;
}

static bool take_metadata(struct et_trace *t, struct cursor c)
{
	struct attribute a;
	struct field f;
	int more;

	while ((more = take_field(&c, &f)) > 0)
		if (f.number == 2 && f.wire == BYTES) {
			if (!take_attribute(&f, &a))
				return false;
			if (is(&a, "collective") && a.text && !t->collective) {
				t->collective = new_array(char, a.text_n + 1);
				memcpy(t->collective, a.text, a.text_n);
			}
		}
	return more == 0;
}

static int by_id(const void *va, const void *vb)
{
	const struct et_node *const *a = va, *const *b = vb;
	return ((*a)->id > (*b)->id) - ((*a)->id < (*b)->id);
}

static bool link_nodes(struct et_trace *t, struct error *e)
{
	const struct et_node **sorted = new_array(const struct et_node *, t->n);
	bool ok = true;

	for (size_t i = 0; i < t->n; i++)
		sorted[i] = &t->of[i];
	if (t->n)
		qsort(sorted, t->n, sizeof *sorted, by_id);
	for (size_t i = 1; ok && i < t->n; i++)
		ok = sorted[i - 1]->id != sorted[i]->id || error_set(e, ERROR_INPUT, t->path, "has two nodes %llu", (unsigned long long)sorted[i]->id);
	for (size_t i = 0; ok && i < t->n; i++) {
		struct et_node *o = &t->of[i];
		o->after = new_array(size_t, o->n_after);
		for (size_t k = 0; ok && k < o->n_after; k++) {
			const struct et_node key = {.id = o->ids[k]}, *wanted = &key;
			const struct et_node **found = bsearch(&wanted, sorted, t->n, sizeof *sorted, by_id);
			if (!found)
				ok = error_set(e, ERROR_INPUT, t->path, "node %llu depends on node %llu, which is not there", (unsigned long long)o->id,
					       (unsigned long long)o->ids[k]);
			else
				o->after[k] = (size_t)(*found - t->of);
		}
		free(o->ids);
		o->ids = NULL;
	}
	free(sorted);
	return ok;
}

/* Kahn's order. NEXT lists what depends on each node, in the places from FIRST[node] to FIRST[node + 1]. */
static bool order_nodes(struct et_trace *t, struct error *e)
{
	size_t *waits = new_array(size_t, t->n), *first = new_array(size_t, t->n + 2), *next, edges = 0, n = 0;

	for (size_t i = 0; i < t->n; i++)
		for (size_t k = 0; k < t->of[i].n_after; k++, edges++)
			first[t->of[i].after[k] + 2]++;
	for (size_t i = 0; i < t->n; i++)
		first[i + 2] += first[i + 1];
	next = new_array(size_t, edges);
	for (size_t i = 0; i < t->n; i++) {
		waits[i] = t->of[i].n_after;
		for (size_t k = 0; k < t->of[i].n_after; k++)
			next[first[t->of[i].after[k] + 1]++] = i;
	}
	t->order = new_array(size_t, t->n);
	t->place = new_array(size_t, t->n);
	t->stack = new_array(size_t, t->n + 1);
	t->seen = new_array(int64_t, t->n);
	for (size_t i = 0; i < t->n; i++)
		if (!waits[i])
			t->order[n++] = i;
	for (size_t done = 0; done < n; done++) {
		size_t i = t->order[done];
		t->place[i] = done;
		for (size_t k = first[i]; k < first[i + 1]; k++)
			if (--waits[next[k]] == 0)
				t->order[n++] = next[k];
	}
	free(waits);
	free(first);
	free(next);
	return n == t->n || error_set(e, ERROR_INPUT, t->path, "has nodes that depend on each other in a cycle");
}

/* A computation that depends on a receive adds what it brought. */
static void find_sums(struct et_trace *t)
{
	for (size_t i = 0; i < t->n; i++)
		for (size_t k = 0; t->of[i].type == ET_COMPUTE && k < t->of[i].n_after; k++) {
			struct et_node *d = &t->of[t->of[i].after[k]];
			if (d->type != ET_RECEIVE || d->adder)
				continue;
			d->sum = true;
			d->adder = (int)i + 1;
			t->of[i].brings = t->of[i].after[k];
			break;
		}
}

static bool take_records(struct et_trace *t, struct cursor c, struct error *e)
{
	for (size_t record = 0; c.at < c.end; record++) {
		uint64_t n;
		if (!take_varint(&c, &n) || n > (size_t)(c.end - c.at))
			return error_set(e, ERROR_INPUT, t->path, "ends within record %zu", record);
		struct cursor one = {c.at, c.at + n};
		c.at += n;
		if (record == 0) {
			if (!take_metadata(t, one))
				return error_set(e, ERROR_INPUT, t->path, "does not begin with the metadata of a trace");
			continue;
		}
		if (t->n == ET_NODES_MAX)
			return error_set(e, ERROR_LIMIT, t->path, "has more than %d nodes", ET_NODES_MAX);
		t->of = grown(t->of, &t->capacity, t->n + 1, sizeof *t->of);
		if (!take_node(&t->of[t->n++], one))
			return error_set(e, ERROR_INPUT, t->path, "record %zu is no node", record);
		if (t->of[t->n - 1].type < ET_COMPUTE || t->of[t->n - 1].type > ET_RECEIVE)
			return error_set(e, ERROR_INPUT, t->path, "node %llu neither computes, sends nor receives", (unsigned long long)t->of[t->n - 1].id);
	}
	return true;
}

bool et_read(struct et_trace *t, const char *path, const char *bytes, size_t n, struct error *e)
{
	const unsigned char *b = (const unsigned char *)bytes;

	t->path = path;
	if (!take_records(t, (struct cursor){b, b + n}, e) || !link_nodes(t, e) || !order_nodes(t, e))
		return false;
	find_sums(t);
	return true;
}

void et_free(struct et_trace *t)
{
	for (size_t i = 0; i < t->n; i++) {
		free(t->of[i].after);
		free(t->of[i].ids);
	}
	free(t->of);
	free(t->order);
	free(t->place);
	free(t->stack);
	free(t->seen);
	free(t->collective);
}

/* The first record is a message of one field or more, the metadata: a version (field 1) or attributes (field 2). */
bool is_chakra(const char *bytes, size_t n)
{
	const unsigned char *b = (const unsigned char *)bytes;
	struct cursor c = {b, b + n};
	struct field f;
	uint64_t length;

	if (n < 3 || !take_varint(&c, &length) || length < 2 || length > (size_t)(c.end - c.at))
		return false;
	c.end = c.at + length;
	int more;
	while ((more = take_field(&c, &f)) > 0)
		if (f.wire != BYTES || f.number > 2)
			return false;
	return more == 0;
}

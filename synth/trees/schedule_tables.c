/*
 * Sorts all sends by sender and step, and arrivals by receiver and chunk; a row's parent and children are then found by
 * binary search.
 */

#include "synth/trees/schedule_tables.h"

#include "core/schedule/algorithm.h"
#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/machine/topology.h"

#include <stdlib.h>

/* A send as seen by the node that sends (NODE is the source) or receives it. */
struct table_entry {
	int node, step, chunk, other;
	bool reduces;
};

struct entry_list {
	size_t n;
	struct table_entry *entries;
};

struct tables {
	const struct algorithm *a;
	struct entry_list out;      /* by node, step, kind, chunk, other */
	struct entry_list reduced;  /* arrivals that are added at a node: by node, chunk, step */
	struct entry_list received; /* arrivals that are copied there */
};

#define COMPARE(field)                                                                                                        \
	if (a->field != b->field)                                                                                             \
	return a->field < b->field ? -1 : 1

static int by_step(const void *va, const void *vb)
{
	const struct table_entry *a = va, *b = vb;
	COMPARE(node);
	COMPARE(step);
	if (a->reduces != b->reduces)
		return a->reduces ? -1 : 1;
	COMPARE(chunk);
	return (a->other > b->other) - (a->other < b->other);
}

static int by_chunk(const void *va, const void *vb)
{
	const struct table_entry *a = va, *b = vb;
	COMPARE(node);
	COMPARE(chunk);
	COMPARE(step);
	return (a->other > b->other) - (a->other < b->other);
}

static void add(struct entry_list *l, struct table_entry e)
{
	l->entries[l->n++] = e;
}

static void sort(struct entry_list *l, int (*order)(const void *, const void *))
{
	if (l->n)
		qsort(l->entries, l->n, sizeof *l->entries, order);
}

static struct tables collect(const struct algorithm *a)
{
	struct tables t = {.a = a};
	size_t copies = 0, reduces = 0;

	for (size_t s = 0; s < a->n_steps; s++) {
		copies += a->steps[s].n_sends;
		reduces += a->steps[s].n_reduces;
	}
	t.out.entries = new_array(struct table_entry, copies + reduces);
	t.reduced.entries = new_array(struct table_entry, reduces);
	t.received.entries = new_array(struct table_entry, copies);
	for (size_t s = 0; s < a->n_steps; s++) {
		const struct step *step = &a->steps[s];
		for (size_t i = 0; i < step->n_reduces; i++) {
			const struct send *x = &step->reduces[i];
			add(&t.out, (struct table_entry){x->src, (int)s, x->chunk, x->dst, true});
			add(&t.reduced, (struct table_entry){x->dst, (int)s, x->chunk, x->src, true});
		}
		for (size_t i = 0; i < step->n_sends; i++) {
			const struct send *x = &step->sends[i];
			add(&t.out, (struct table_entry){x->src, (int)s, x->chunk, x->dst, false});
			add(&t.received, (struct table_entry){x->dst, (int)s, x->chunk, x->src, false});
		}
	}
	sort(&t.out, by_step);
	sort(&t.reduced, by_chunk);
	sort(&t.received, by_chunk);
	return t;
}

/* Lower bound by binary search: the first entry of the node and chunk if they have one; at most l->n. */
static size_t first_of(const struct entry_list *l, int node, int chunk)
{
	size_t low = 0, high = l->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct table_entry *e = &l->entries[middle];
		if (e->node < node || (e->node == node && e->chunk < chunk))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool is_before(const struct entry_list *l, size_t i, const struct table_entry *e)
{
	return i < l->n && l->entries[i].node == e->node && l->entries[i].chunk == e->chunk && l->entries[i].step < e->step;
}

/* Nodes whose values must have arrived before this reduce. */
static void write_heard(const struct tables *t, const struct table_entry *e, struct text *into)
{
	size_t first = first_of(&t->reduced, e->node, e->chunk);

	for (size_t i = first; is_before(&t->reduced, i, e); i++)
		text_add(into, "%s%d", i == first ? "" : ", ", t->reduced.entries[i].other);
}

/* The node from which the sender received the chunk; null where it is its own, or the sum made there. */
static void write_source(const struct tables *t, const struct table_entry *e, struct text *into)
{
	int from = -1;

	for (size_t i = first_of(&t->received, e->node, e->chunk); is_before(&t->received, i, e); i++)
		from = t->received.entries[i].other;
	if (from < 0)
		text_add(into, "null");
	else
		text_add(into, "%d", from);
}

/* The chunk's start and size as fractions of the node's buffer; null where the node only forwards it. */
static void write_place(const struct tables *t, const struct table_entry *e, struct text *into)
{
	struct chunk_place p;
	char start[RATIONAL_TEXT], size[RATIONAL_TEXT];
	bool there = (e->reduces ? collective_input : collective_output)(&t->a->collective, t->a->topology->nodes, t->a->chunks,
									  e->chunk, e->node, &p);

	if (!there) {
		text_add(into, ", \"start\": null, \"size\": null}");
		return;
	}
	int64_t parts = (int64_t)p.blocks * p.parts;
	text_add(into, ", \"start\": \"%s\", \"size\": \"%s\"}",
		 rational_text(rational((int64_t)p.block * p.parts + p.part, parts), start), rational_text(rational(1, parts), size));
}

/*
 * Writes sends of one node, step, kind and chunk as one row; a reduce is a row of its own. Returns the index after
 * them.
 */
static size_t write_row(const struct tables *t, size_t i, struct text *into)
{
	const struct table_entry *e = &t->out.entries[i];
	size_t end = i + 1;

	text_add(into, "{\"step\": %d, \"op\": \"%s\", \"flow\": %d, \"parent\": ", e->step + 1, e->reduces ? "reduce" : "gather",
		 e->chunk);
	if (e->reduces) {
		text_add(into, "%d, \"children\": [", e->other);
		write_heard(t, e, into);
	} else {
		write_source(t, e, into);
		text_add(into, ", \"children\": [%d", e->other);
		for (; end < t->out.n && t->out.entries[end].node == e->node && t->out.entries[end].step == e->step &&
		       !t->out.entries[end].reduces && t->out.entries[end].chunk == e->chunk; end++)
			text_add(into, ", %d", t->out.entries[end].other);
	}
	text_add(into, "]");
	write_place(t, e, into);
	return end;
}

static size_t write_node(const struct tables *t, int node, size_t i, struct text *into)
{
	const char *comma = "";

	text_add(into, "    {\"node\": %d, \"rows\": [", node);
	for (int s = 0; s < (int)t->a->n_steps; s++) {
		bool sends = false;
		while (i < t->out.n && t->out.entries[i].node == node && t->out.entries[i].step == s) {
			text_add(into, "%s\n      ", comma);
			i = write_row(t, i, into);
			comma = ",";
			sends = true;
		}
		if (!sends)
			text_add(into, "%s\n      {\"step\": %d, \"op\": \"nop\"}", comma, s + 1);
		comma = ",";
	}
	text_add(into, "\n    ]}");
	return i;
}

void tables_write(const struct algorithm *a, struct text *into)
{
	struct tables t = collect(a);
	size_t i = 0;

	text_add(into, "{\n  \"format\": \"sccl-tables\", \"version\": 1,\n  \"algorithm\": ");
	text_add_json_string(into, a->name);
	text_add(into, ",\n  \"problem\": {\"collective\": ");
	collective_write(&a->collective, into, 2);
	text_add(into, ", \"chunks\": %d, \"topology\": ", a->chunks);
	topology_write(a->topology, into, 2);
	text_add(into, "},\n  \"collective\": \"%s\", \"flows\": %d, \"rounds\": [", collective_name(&a->collective), a->global_chunks);
	for (size_t s = 0; s < a->n_steps; s++)
		text_add(into, "%s%d", s ? ", " : "", a->steps[s].rounds);
	text_add(into, "],\n  \"nodes\": [\n");
	for (int node = 0; node < a->topology->nodes; node++) {
		i = write_node(&t, node, i, into);
		text_add(into, "%s\n", node + 1 < a->topology->nodes ? "," : "");
	}
	text_add(into, "  ]\n}\n");
	free(t.out.entries);
	free(t.reduced.entries);
	free(t.received.entries);
}

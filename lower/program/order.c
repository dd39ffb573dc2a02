/*
 * Interprets a program over expressions: a leaf is a rank, an inner node the sum of two expressions, and equal
 * expressions are one node (hash consing), so that comparing orders is comparing numbers.
 */

#include "lower/program/order.h"

#include "lower/program/execution.h"
#include "lower/program/locations.h"
#include "lower/program/program.h"

#include "core/base/error.h"
#include "core/base/memory.h"
#include "core/schedule/algorithm.h"

#include <stdint.h>
#include <stdlib.h>

/* The sum of two nodes, or, if the second is ROUNDED, the rounded first. Nodes below `ranks` are leaves; node i + ranks is
 * of[i]. */
enum { ROUNDED = -1 };
struct sum {
	int left, right;
};

struct additions {
	const struct program *p;
	bool rounding;
	struct locations locations;
	int *node;         /* [location] what it holds; -1: nothing */
	struct sum *of;
	size_t n, capacity;
	int *table;        /* [size] open addressing: index in `of`, or -1 */
	size_t size;       /* a power of two */
};

static size_t slot_of(const struct additions *o, struct sum s)
{
	uint64_t h = ((uint64_t)(uint32_t)s.left << 32 | (uint32_t)s.right) * 0x9e3779b97f4a7c15u;
	size_t at = (size_t)(h >> 32) & (o->size - 1);

	while (o->table[at] >= 0 && (o->of[o->table[at]].left != s.left || o->of[o->table[at]].right != s.right))
		at = (at + 1) & (o->size - 1);
	return at;
}

static void make_table(struct additions *o, size_t size)
{
	free(o->table);
	o->size = size;
	o->table = new_array(int, size);
	for (size_t i = 0; i < size; i++)
		o->table[i] = -1;
	for (size_t i = 0; i < o->n; i++)
		o->table[slot_of(o, o->of[i])] = (int)i;
}

static int sum_of(struct additions *o, int left, int right)
{
	size_t at = slot_of(o, (struct sum){left, right});

	if (o->table[at] < 0) {
		o->of = grown(o->of, &o->capacity, o->n + 1, sizeof *o->of);
		o->table[at] = (int)o->n;
		o->of[o->n++] = (struct sum){left, right};
		if (2 * o->n > o->size)
			make_table(o, 2 * o->size);
		return (int)o->n - 1 + o->p->ranks;
	}
	return o->table[at] + o->p->ranks;
}

static void start(struct additions *o)
{
	const struct algorithm *a = o->p->algorithm;

	for (size_t i = 0; i < o->locations.n; i++)
		o->node[i] = -1;
	for (int c = 0; c < a->global_chunks; c++)
		for (int r = 0; r < o->p->ranks; r++)
			if (collective_pre(&a->collective, o->p->ranks, c, r))
				o->node[location(&o->locations, (struct place){BUFFER_INPUT, r, 0}, c)] = r;
}

static bool visit(void *context, int rank, size_t i, struct error *e)
{
	struct additions *o = context;
	const struct instruction *in = &o->p->of[rank].instructions[i];

	(void)e;
	if (in->kind != INSTRUCTION_MOVE)
		return true;
	int sum = o->node[location(&o->locations, in->sources[0], in->chunk)];
	for (size_t k = 1; k < in->n_sources; k++)
		sum = sum_of(o, sum, o->node[location(&o->locations, in->sources[k], in->chunk)]);
	if (o->rounding && in->n_sources > 1)
		sum = sum_of(o, sum, ROUNDED);
	for (size_t k = 0; k < in->n_targets; k++)
		o->node[location(&o->locations, in->targets[k], in->chunk)] = sum;
	return true;
}

/* Sums are added from the left, so only those on the right of another need parentheses. */
static void print(const struct additions *o, int node, struct text *text)
{
	if (node < o->p->ranks) {
		text_add(text, "%d", node);
		return;
	}
	struct sum s = o->of[node - o->p->ranks];
	if (s.right == ROUNDED) {
		text_add(text, "[");
		print(o, s.left, text);
		text_add(text, "]");
		return;
	}
	bool inner = s.right >= o->p->ranks && o->of[s.right - o->p->ranks].right != ROUNDED;
	print(o, s.left, text);
	text_add(text, inner ? " + (" : " + ");
	print(o, s.right, text);
	if (inner)
		text_add(text, ")");
}

static bool same_parts(const struct algorithm *a, int ranks, int chunk, int rank, int other_chunk, int other)
{
	for (int r = 0; r < ranks; r++)
		if (collective_wants_part(&a->collective, ranks, chunk, rank, r) !=
		    collective_wants_part(&a->collective, ranks, other_chunk, other, r))
			return false;
	return true;
}

/* Outputs that are added in the order of NODE, and the first of them. */
struct same_sum {
	int rank, chunk, node;
};

/* The group of outputs that have the same parts as CHUNK at RANK; N: there is none. */
static size_t group_of(const struct additions *o, const struct same_sum *groups, size_t n, int chunk, int rank)
{
	const struct algorithm *a = o->p->algorithm;

	for (size_t g = 0; g < n; g++)
		if (same_parts(a, o->p->ranks, chunk, rank, groups[g].chunk, groups[g].rank))
			return g;
	return n;
}

/* Compares all outputs, rank by rank: of the same rank, chunks have the same parts. */
static bool compare(const struct additions *o, struct text *text)
{
	const struct algorithm *a = o->p->algorithm;
	struct same_sum *groups = new_array(struct same_sum, (size_t)o->p->ranks);
	size_t n = 0;
	bool same = true;

	for (int r = 0; r < o->p->ranks && same; r++) {
		size_t g = SIZE_MAX;
		for (int c = 0; c < a->global_chunks && same; c++) {
			if (!collective_post(&a->collective, o->p->ranks, c, r))
				continue;
			int node = o->node[location(&o->locations, (struct place){BUFFER_OUTPUT, r, 0}, c)];
			g = g == SIZE_MAX ? group_of(o, groups, n, c, r) : g;
			if (g == n)
				groups[n++] = (struct same_sum){r, c, node};
			same = groups[g].node == node;
			if (same)
				continue;
			text_add(text, "chunk %d is ", groups[g].chunk);
			print(o, groups[g].node, text);
			text_add(text, " at rank %d, and chunk %d is ", groups[g].rank, c);
			print(o, node, text);
			text_add(text, " at rank %d", r);
		}
	}
	for (size_t g = 0; g < n && same; g++) {
		text_add(text, g ? "; " : "");
		print(o, groups[g].node, text);
	}
	free(groups);
	return same;
}

bool program_order(const struct program *p, bool rounding, struct text *text)
{
	struct additions o = {.p = p, .rounding = rounding, .locations = locations_new(p, false)};
	struct error e = {0};

	if (!collective_row(&p->algorithm->collective)->combining) {
		locations_free(&o.locations);
		return true;
	}
	o.node = new_array(int, o.locations.n);
	make_table(&o, 1024);
	start(&o);
	bool same = program_execute(p, visit, &o, &e) && compare(&o, text); /* a checked program is executed to its end */
	free(o.node);
	free(o.of);
	free(o.table);
	locations_free(&o.locations);
	return same;
}

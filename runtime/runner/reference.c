/*
 * The definition of each collective as segments of its input and output buffers, in a table with one row per kind.
 */
#include "runtime/runner/reference.h"

#include <stdlib.h>
#include <string.h>

/* The collective of a call: P ranks, N elements of L. */
struct reference_job {
	const sccl_program_t *program;
	uint64_t ranks, root, n;
};

/* floor(n i / m) */
static uint64_t cut(uint64_t n, uint64_t i, uint64_t m)
{
	return n / m * i + n % m * i / m;
}

static void add(struct segments *s, uint64_t n, uint64_t key, uint64_t first, bool reduced)
{
	uint64_t begin = segments_length(s);
	s->of[s->n++] = (struct segment){begin, n, key, first, reduced};
}

static void put_block(const struct reference_job *j, uint64_t rank, uint64_t block, bool reduced, struct segments *s)
{
	uint64_t begin = cut(j->n, block, j->ranks), end = cut(j->n, block + 1, j->ranks);
	add(s, end - begin, rank, begin, reduced);
}

static void all_of_each(const struct reference_job *j, uint64_t rank, struct segments *s)
{
	(void)rank;
	for (uint64_t r = 0; r < j->ranks; r++)
		add(s, j->n, r, 0, false);
}

static void all_of_each_at_root(const struct reference_job *j, uint64_t rank, struct segments *s)
{
	if (rank == j->root)
		all_of_each(j, rank, s);
}

static void all_of_root(const struct reference_job *j, uint64_t rank, struct segments *s)
{
	(void)rank;
	add(s, j->n, j->root, 0, false);
}

static void block_of_root(const struct reference_job *j, uint64_t rank, struct segments *s)
{
	put_block(j, j->root, rank, false, s);
}

static void block_of_each(const struct reference_job *j, uint64_t rank, struct segments *s)
{
	for (uint64_t r = 0; r < j->ranks; r++)
		put_block(j, r, rank, false, s);
}

static void sum(const struct reference_job *j, uint64_t rank, struct segments *s)
{
	(void)rank;
	add(s, j->n, 0, 0, true);
}

static void sum_at_root(const struct reference_job *j, uint64_t rank, struct segments *s)
{
	if (rank == j->root)
		sum(j, rank, s);
}

static void block_of_sum(const struct reference_job *j, uint64_t rank, struct segments *s)
{
	put_block(j, 0, rank, true, s);
}

static void own(const struct reference_job *j, uint64_t rank, struct segments *s)
{
	add(s, j->n, rank, 0, false);
}

static void own_of_root(const struct reference_job *j, uint64_t rank, struct segments *s)
{
	if (rank == j->root)
		own(j, rank, s);
}

static double once(double p)
{
	(void)p;
	return 1;
}
static double others(double p) { return p - 1; }
static double part(double p) { return (p - 1) / p; }
static double part_twice(double p) { return 2 * (p - 1) / p; }

typedef void (*fill_t)(const struct reference_job *j, uint64_t rank, struct segments *s);

/* One row per kind: a rank's input and output, where an in-place input lies, and the load on each link. */
static const struct reference_kind {
	const char *name;
	fill_t input, output;
	bool in_own_block; /* an in-place input is the rank's own block of the output; otherwise it is at the
	                    * beginning */
	double (*bus)(double p);
	bool up_to_own; /* a rank's sums include only the ranks up to itself */
} kinds[] = {
	{"allgather", own, all_of_each, true, others, false},
	{"broadcast", own_of_root, all_of_root, false, once, false},
	{"gather", own, all_of_each_at_root, true, others, false},
	{"scatter", own_of_root, block_of_root, false, part, false},
	{"alltoall", own, block_of_each, false, part, false},
	{"reduce", own, sum_at_root, false, once, false},
	{"reducescatter", own, block_of_sum, false, part, false},
	{"allreduce", own, sum, false, part_twice, false},
	{"scan", own, sum, false, once, true},
};

static const struct reference_kind *kind_of(const sccl_program_t *p)
{
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (strcmp(kinds[i].name, p->collective) == 0)
			return &kinds[i];
	return NULL;
}

/* The key of a chunk's data in a custom collective: the chunk, wherever it lies; or, when combining, the rank, since
 * each has its own contribution. */
static uint64_t chunk_key(const sccl_program_t *p, const sccl_place_t *place)
{
	return p->combining ? place->rank : p->ranks + place->chunk;
}

/* Chunks are far apart in a rank's contribution, so that no two are equal. */
static uint64_t chunk_first(const sccl_program_t *p, const sccl_place_t *place)
{
	return p->combining ? (uint64_t)place->chunk * 1021 : 0;
}

static int by_begin(const void *va, const void *vb)
{
	const struct segment *a = va, *b = vb;
	return a->begin != b->begin ? (a->begin < b->begin ? -1 : 1) : (a->n > b->n) - (a->n < b->n);
}

static void custom(const struct reference_job *j, uint64_t rank, bool output, struct segments *s)
{
	const sccl_program_t *p = j->program;
	const sccl_place_t *places = output ? p->outputs : p->inputs;
	uint32_t n = output ? p->n_outputs : p->n_inputs;
	uint64_t length = (output ? p->output_count : p->input_count)((uint32_t)rank, j->n);

	for (uint32_t i = 0; i < n; i++) {
		const sccl_place_t *c = &places[i];
		if (c->rank != rank)
			continue;
		uint64_t base = cut(length, c->block, c->blocks), block = cut(length, c->block + 1, c->blocks) - base;
		uint64_t begin = cut(block, c->part, c->parts), end = cut(block, c->part + 1, c->parts);
		s->of[s->n++] = (struct segment){base + begin, end - begin, chunk_key(p, c), chunk_first(p, c),
		                                 output && p->combining};
	}
	qsort(s->of, s->n, sizeof *s->of, by_begin);
}

static bool describe(const sccl_program_t *p, uint32_t rank, uint64_t count, bool output, struct segments *out)
{
	const struct reference_kind *k = kind_of(p);
	struct reference_job j = {p, p->ranks, p->root < 0 ? 0 : (uint64_t)p->root, count};

	*out = (struct segments){0};
	if (!k && strcmp(p->collective, "custom") != 0)
		return false;
	out->of = calloc((size_t)p->ranks + p->n_inputs + p->n_outputs, sizeof *out->of);
	out->keys = calloc(p->ranks, sizeof *out->keys);
	if (!out->of || !out->keys) {
		segments_free(out);
		return false;
	}
	for (uint32_t r = 0; r < p->ranks && !(k && k->up_to_own && r > rank); r++)
		out->keys[out->n_keys++] = r;
	if (k)
		(output ? k->output : k->input)(&j, rank, out);
	else
		custom(&j, rank, output, out);
	return true;
}

bool reference_input(const sccl_program_t *p, uint32_t rank, uint64_t count, struct segments *out)
{
	return describe(p, rank, count, false, out);
}

bool reference_output(const sccl_program_t *p, uint32_t rank, uint64_t count, struct segments *out)
{
	return describe(p, rank, count, true, out);
}

void segments_free(struct segments *s)
{
	free(s->of);
	free(s->keys);
	*s = (struct segments){0};
}

uint64_t segments_length(const struct segments *s)
{
	return s->n ? s->of[s->n - 1].begin + s->of[s->n - 1].n : 0;
}

uint64_t reference_in_place(const sccl_program_t *p, uint32_t rank, uint64_t count)
{
	const struct reference_kind *k = kind_of(p);
	bool has_output = p->output_count(rank, count) > 0;
	return k && k->in_own_block && has_output ? rank * count : 0;
}

double reference_bus_factor(const sccl_program_t *p)
{
	const struct reference_kind *k = kind_of(p);
	return k ? k->bus((double)p->ranks) : 1;
}

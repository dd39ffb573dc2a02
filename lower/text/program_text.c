/* How a generated file describes itself: to readers in its title, and to the runtime in its sccl_program_t. */

#include "lower/text/emit.h"

#include "lower/program/geometry.h"
#include "lower/program/program.h"
#include "lower/program/execution.h"

#include "core/schedule/algorithm.h"
#include "core/base/sha256.h"
#include "core/base/text.h"
#include "core/machine/topology.h"
#include "build_config.h"

#include <stdlib.h>
#include <string.h>

/* Precedes the digest of the schedule in a header. */
#define SCHEDULE_MARK "Schedule: "

static bool combining(const struct program *p)
{
	return collective_row(&p->algorithm->collective)->combining;
}

static int root(const struct program *p)
{
	return collective_row(&p->algorithm->collective)->rooted ? p->algorithm->collective.root : -1;
}

void text_title(const struct programs *programs, const char *name, const char *target, struct text *into)
{
	const struct program *p = programs->plain;
	const struct algorithm *a = p->algorithm;
	char bandwidth[RATIONAL_TEXT];
	char *topology = identifier(a->topology->name);

	text_add(into, "/*\n * %s for %s, written by sccl-synth %s.\n *\n", name, target, SCCL_VERSION);
	text_add(into, " * %s", collective_name(&a->collective));
	if (root(p) >= 0)
		text_add(into, " with root %d", root(p));
	text_add(into, " on %s: %d ranks, %d chunk%s, %zu step%s, %d rounds.\n", topology, p->ranks, a->chunks,
		 plural(a->chunks), a->n_steps, plural((int64_t)a->n_steps), algorithm_rounds(a));
	text_add(into, " * Cost: %zu alpha + %s L beta, L the size of one rank's input.\n", a->n_steps,
		 rational_text(algorithm_bandwidth(a), bandwidth));
	text_add(into, " * Scratch: %d slot%s of one chunk each; with packets %d, and %d packet slots, twice as large.\n */\n\n",
		 program_slots(p), plural(program_slots(p)), program_slots(programs->packets),
		 program_packet_slots(programs->packets));
	free(topology);
}

static void text_counts(const struct program *p, const char *what, struct extent (*extent)(const struct algorithm *, int),
			struct text *into)
{
	text_add(into, "static const sccl_extent_t %ss[] = {\n", what);
	for (int r = 0; r < p->ranks; r++) {
		struct extent x = extent(p->algorithm, r);
		text_add(into, "\t{%d, %d, %d},\n", x.times, x.block, x.blocks);
	}
	text_add(into,
		 "};\n\n"
		 "static uint64_t %s_count(uint32_t rank, uint64_t count)\n"
		 "{\n"
		 "\treturn sccl_extent_count(&%ss[rank], count);\n"
		 "}\n\n",
		 what, what);
}

/* Returns the number of places. C has no empty arrays, so an empty list gets a dummy row that is not counted. */
static size_t text_places(const struct program *p, const char *what,
			  bool (*place_of)(const struct collective *, int, int, int, int, struct chunk_place *),
			  struct text *into)
{
	const struct algorithm *a = p->algorithm;
	size_t n = 0;

	text_add(into, "static const sccl_place_t %s_places[] = {\n", what);
	for (int r = 0; r < p->ranks; r++)
		for (int c = 0; c < a->global_chunks; c++) {
			struct chunk_place at;
			if (!place_of(&a->collective, p->ranks, a->chunks, c, r, &at))
				continue;
			text_add(into, "\t{%d, %d, %d, %d, %d, %d},\n", r, c, at.block, at.blocks, at.part, at.parts);
			n++;
		}
	text_add(into, n ? "};\n\n" : "\t{0, 0, 0, 1, 0, 1},\n};\n\n");
	return n;
}

static size_t text_connections(const struct program *p, struct text *into)
{
	struct connections c = program_connections(p);
	size_t n = c.n;

	text_add(into, "static const uint32_t connections[][2] = {\n");
	for (size_t i = 0; i < n; i++)
		text_add(into, "\t{%d, %d},\n", c.of[i].from, c.of[i].to);
	text_add(into, n ? "};\n\n" : "\t{0, 0},\n};\n\n");
	connections_free(&c);
	return n;
}

/* The bandwidth of the widest link, at least 1. */
static int width(const struct program *p)
{
	int widest = 1;

	for (size_t i = 0; i < p->algorithm->topology->n_links; i++)
		if (p->algorithm->topology->links[i].bandwidth > widest)
			widest = p->algorithm->topology->links[i].bandwidth;
	return widest;
}

/* P NULL: there is no such program. */
static void text_table(const struct program *p, const char *what, struct text *into)
{
	if (!p) {
		text_add(into, "\t\t{0, 0, 0, 0, 0, 0},\n");
		return;
	}
	text_add(into, "\t\t{%s_words, %s_lengths, %d, %d, %d, %d},\n", what, what, p->signals, program_slots(p),
		 program_packet_slots(p), p->shared);
}

void text_program(const struct programs *programs, const char *name, const char *target, const struct kernels *k,
		  struct text *into)
{
	const struct program *p = programs->plain;
	const struct algorithm *a = p->algorithm;
	struct chunk_cut cut = chunk_cut(a, 0);

	text_kernels(k, combining(p), name, into);
	text_add(into,
		 "static uint64_t chunk_limit(uint64_t count)\n"
		 "{\n"
		 "\treturn sccl_longest(count, %d, %d);\n"
		 "}\n\n",
		 cut.blocks, cut.parts);
	text_counts(p, "input", input_extent, into);
	text_counts(p, "output", output_extent, into);
	size_t n_connections = text_connections(p, into);
	size_t n_inputs = text_places(p, "input", collective_input, into);
	size_t n_outputs = text_places(p, "output", collective_output, into);

	text_add(into,
		 "#if !SCCL_DEVICE_PASS\n"
		 "SCCL_EXTERN const sccl_program_t %s;\n"
		 "const sccl_program_t %s = {\n",
		 name, name);
	text_add(into, "\tSCCL_ABI, \"%s\", \"%s\", \"%s\", %d,\n", name, target, collective_name(&a->collective), root(p));
	text_add(into, "\t%d, /* combining */\n", combining(p));
	text_add(into, "\t%d, /* wide */\n", combining(p) && k->wide);
	text_add(into, "\t%d, %d, %d, %zu, %d, /* ranks, chunks, global chunks, steps, rounds */\n", p->ranks, a->chunks,
		 a->global_chunks, a->n_steps, algorithm_rounds(a));
	text_add(into, "\t%d, /* width */\n", width(p));
	text_add(into, "\t{ /* words, their lengths, signals, scratch slots, packet slots, whether inputs are shared */\n");
	text_table(programs->plain, "plain", into);
	text_table(programs->packets, "packets", into);
	text_table(programs->shared, "shared", into);
	text_table(programs->multimem, "multimem", into);
	text_table(programs->pull, "pull", into);
	text_table(programs->packets, "packets", into); /* as lines */
	text_add(into, "\t},\n\tcuts,\n");
	text_add(into, "\tchunk_limit, input_count, output_count,\n");
	text_add(into, "\t%zu, connections, %zu, %zu, input_places, output_places,\n", n_connections, n_inputs, n_outputs);
	text_kernel_rows(k, combining(p), name, into);
	text_add(into, "};\n#endif\n");
}

/* The SHA-256 digest of everything that distinguishes schedules, whatever their names. */
static void schedule_digest(const struct algorithm *a, char hex[65])
{
	struct text t = {0};

	collective_write(&a->collective, &t, 0);
	text_add(&t, " %d %d", a->topology->nodes, a->chunks);
	for (size_t s = 0; s < a->n_steps; s++) {
		const struct step *step = &a->steps[s];
		text_add(&t, "\n%d:", step->rounds);
		for (size_t i = 0; i < step->n_sends; i++)
			text_add(&t, " %d %d>%d", step->sends[i].chunk, step->sends[i].src, step->sends[i].dst);
		for (size_t i = 0; i < step->n_reduces; i++)
			text_add(&t, " %d %d+%d", step->reduces[i].chunk, step->reduces[i].src, step->reduces[i].dst);
	}
	sha256_of(t.bytes, t.length, hex);
	text_free(&t);
}

void emit_header(const struct program *p, const char *name, struct text *into)
{
	char digest[65];

	schedule_digest(p->algorithm, digest);
	text_add(into,
		 "#ifndef SCCL_GENERATED_%s_H\n"
		 "#define SCCL_GENERATED_%s_H\n"
		 "\n"
		 "/* %s for %d ranks. " SCHEDULE_MARK "%s */\n"
		 "\n"
		 "#include <sccl/program.h>\n"
		 "\n"
		 "SCCL_EXTERN const sccl_program_t %s;\n"
		 "\n"
		 "#endif\n",
		 name, name, collective_name(&p->algorithm->collective), p->ranks, digest, name);
}

bool header_is_of_another(const char *header, const char *ours)
{
	const char *a = strstr(header, SCHEDULE_MARK), *b = strstr(ours, SCHEDULE_MARK);

	return a && b && strncmp(a, b, sizeof SCHEDULE_MARK - 1 + 64) != 0;
}

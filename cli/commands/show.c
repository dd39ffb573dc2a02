/* `show`: prints an algorithm as text, or as a picture in the language of Graphviz. */

#include "cli/output/command.h"
#include "cli/arguments/shared.h"
#include "cli/commands/pages.h"

#include "core/schedule/cost.h"
#include "core/schedule/step_overhead.h"
#include "core/base/memory.h"
#include "core/machine/network.h"
#include "core/schedule/symmetry.h"
#include "core/base/text.h"
#include "core/machine/topology.h"
#include "core/verify/verify.h"

#include <stdio.h>

struct show_options {
	int format;
	const char *out;
	struct operands files;
};

static const char *const format_names[] = {"text", "dot", "html", "svg", NULL};
static const struct option_row own_rows[] = {
	{"format", 0, "F", "output format: text, dot, html or svg (text)", OPTION_CHOICE(show_options, format, format_names)},
};

static const struct option_group groups[] = {
	OPTION_GROUP_OWN(own_rows),
	OPTION_GROUP(output_rows, show_options, out),
	OPTION_GROUP_OWN(directory_rows),
};

static const struct usage usage = {
	"Prints an algorithm in readable form: its collective, its cost, its proven optimality and, for each step, the chunks that "
	"cross each link. --format dot prints a graph for Graphviz, with one frame per step.\n\n"
	"--format html writes a page that needs no network: the steps played on a drawing of the machine, what each node holds, and the links "
	"over time. FILE may then also be a frontier file, whose points open in the page, a machine, or rows that simulate, run, best or explore --json "
	"printed to a file that ends in .jsonl. --format svg draws the steps of an algorithm, a frontier or a machine for a paper.\n\n"
	"Example: sccl-synth show algorithms/dgx1/allgather/c6-s3-r7.json --format html -o page.html\v"
	"Exit status: 0 done; 1 the algorithm does not verify; 2 bad input; 3 the algorithm is too large to be verified or drawn.",
	USAGE_GROUPS(groups), .operands = "FILE", .operands_at = offsetof(struct show_options, files), .least = 1, .most = 1,
	.operands_wrong = "takes one file",
};

static void print_within(const struct optimality *o)
{
	if (o->proof != PROOF_NONE && o->within == WITHIN_COMPOSITION)
		printf("; among compositions of reducescatter and allgather");
	if (o->proof != PROOF_NONE && o->within == WITHIN_ONE_VALUE)
		printf("; among algorithms in which each node keeps one value per chunk");
	putchar('\n');
}

static void print_proof(const struct algorithm *a)
{
	static const char *const words[] = {
		[CLASS_NONE] = "nothing",
		[CLASS_LATENCY] = "no algorithm has fewer steps",
		[CLASS_BANDWIDTH] = "no algorithm has a smaller R/C",
		[CLASS_BOTH] = "no algorithm has fewer steps or a smaller R/C",
		[CLASS_PARETO] = "no algorithm of the class is better in S or R/C and no worse in the other",
	};
	const struct optimality *o = &a->optimality;

	if (o->proof == PROOF_PROGRAM) {
		printf("  proved: %s; linear programs over timed trees show it for any C and R",
		       o->class == CLASS_LATENCY ? "no algorithm has fewer steps, and none with as few has a smaller R/C" :
						   "none is better in S or R/C and no worse in the other");
		print_within(o);
		return;
	}
	printf("  proved: %s", words[o->class]);
	if (o->proof == PROOF_BOUND)
		printf(": its cost meets a lower bound");
	if (o->proof == PROOF_EXHAUSTED)
		printf("%s; every better candidate with R - S <= %d was refuted (%zu)",
		       o->class == CLASS_LATENCY ? ", and none with as few steps has a smaller R/C in the class" : "", o->class_k, o->n_refuted);
	print_within(o);
}

static void print_terms(const struct algorithm *a)
{
	int rounds = 0;

	for (int s = 0; s < a->constraints.pipeline && s < (int)a->n_steps; s++)
		rounds += a->steps[s].rounds;
	if (a->constraints.pipeline)
		printf("  pipeline: a run can start every %d step%s, and then takes %d round%s\n", a->constraints.pipeline, plural(a->constraints.pipeline),
		       rounds, plural(rounds));
	if (a->constraints.is_short)
		printf("  memory: each node holds at most %d chunk%s in transit at a time\n", a->constraints.extra_memory,
		       plural(a->constraints.extra_memory));
}

static void print_cost(const struct algorithm *a)
{
	struct cost c = algorithm_cost(a);
	struct rational alpha, beta, latency;
	struct error unknown = {0};
	const struct step_overhead none = {.target = NULL};
	char ratio[RATIONAL_TEXT], bound[RATIONAL_TEXT];

	printf("  cost: S=%d step%s, R=%d round%s, C=%d chunk%s: %d α + %s L β", c.steps, plural(c.steps), c.rounds, plural(c.rounds),
	       a->chunks, plural(a->chunks), c.steps,
	       rational_text(c.bandwidth, ratio));
	if (a->has_bounds)
		printf("   (bounds: S >= %d, R/C >= %s)", a->bound_steps, rational_text(a->bound_bandwidth, bound));
	putchar('\n');
	if (!topology_alpha_beta(a->topology, &alpha, &beta) || !algorithm_latency(a, &none, &latency, &unknown))
		return;
	struct rational small = rational_add(latency, cost_time(&c, rational(0, 1), beta, 1 << 10));
	struct rational large = rational_add(latency, cost_time(&c, rational(0, 1), beta, 1 << 30));
	if (rational_ok(small) && rational_ok(large))
		printf("  at the speed of its links: %.3g us for an input of 1 KiB, %.4g ms for 1 GiB\n",
		       rational_double(small), rational_double(large) / 1e3);
}

/* The chunks that one edge carries, in the order of the sends. */
static void add_chunks(struct text *line, const struct send *sends, size_t n, int src, int dst)
{
	for (size_t i = 0; i < n; i++)
		if (sends[i].src == src && sends[i].dst == dst)
			text_add(line, " %d", sends[i].chunk);
}

static void print_edge(const struct step *s, const struct edge *e)
{
	struct text copies = {0}, sums = {0};

	add_chunks(&copies, s->sends, s->n_sends, e->src, e->dst);
	add_chunks(&sums, s->reduces, s->n_reduces, e->src, e->dst);
	if (copies.length)
		printf("    %2d -> %-2d  copies%s\n", e->src, e->dst, copies.bytes);
	if (sums.length)
		printf("    %2d -> %-2d  adds  %s\n", e->src, e->dst, sums.bytes);
	text_free(&copies);
	text_free(&sums);
}

static void show_text(const struct algorithm *a, const struct network *w)
{
	const struct custom *custom = a->collective.custom;
	const char *about = collective_row(&a->collective)->about;

	printf("%s: %s", printable(a->name), custom && custom->n_roots ? collective_rows()[custom->called].about : about);
	options_print_roots(&a->collective);
	printf("\n  on %s, %d node%s; %d chunk%s in all\n", printable(a->topology->name), a->topology->nodes, plural(a->topology->nodes),
	       a->global_chunks, plural(a->global_chunks));
	print_cost(a);
	print_terms(a);
	print_proof(a);
	if (a->symmetry)
		printf("  each send stands for all its images under the %zu relabelling%s of the file\n", a->symmetry->n,
		       plural((int64_t)a->symmetry->n));
	if (w->n_groups > 0)
		puts("  its switches copy and add: some sends of a chunk count once on a link (programs made from it send each by itself)");
	for (size_t s = 0; s < a->n_steps; s++) {
		const struct step *step = &a->steps[s];
		printf("  step %zu: %d round%s, %zu send%s\n", s + 1, step->rounds, plural(step->rounds),
		       step->n_sends + step->n_reduces, plural((int64_t)(step->n_sends + step->n_reduces)));
		for (size_t e = 0; e < w->n_edges && !ferror(stdout); e++)
			print_edge(step, &w->edges[e]);
	}
}

static void dot_sends(const char *style, size_t step, const struct send *sends, size_t n)
{
	for (size_t i = 0; i < n; i++)
		printf("    s%zun%d -> s%zun%d [label=\"%d\"%s];\n", step, sends[i].src, step, sends[i].dst, sends[i].chunk, style);
}

static void show_dot(const struct algorithm *a, const struct network *w)
{
	struct text name = {0};

	text_add_json_string(&name, a->name);
	printf("digraph %s {\n  label=%s;\n", name.bytes, name.bytes);
	text_free(&name);
	for (size_t s = 0; s < a->n_steps; s++) {
		printf("  subgraph cluster_%zu {\n    label=\"step %zu: %d round%s\";\n", s + 1, s + 1, a->steps[s].rounds,
		       plural(a->steps[s].rounds));
		for (int n = 0; n < w->nodes; n++)
			printf("    s%zun%d [label=\"%d\", shape=circle];\n", s, n, n);
		dot_sends("", s, a->steps[s].sends, a->steps[s].n_sends);
		dot_sends(", style=dashed", s, a->steps[s].reduces, a->steps[s].n_reduces);
		puts("  }");
	}
	puts("}");
}

/* By --format; html is a page, svg a picture. */
enum { FORMAT_HTML = 2, FORMAT_SVG };
static void (*const formats[])(const struct algorithm *a, const struct network *w) = {show_text, show_dot};

/* Opens an algorithm. A compact one is expanded only if the number of sends is still readable. */
static struct algorithm *open_readable(const char *path, struct error *e)
{
	enum { READABLE = 100000 };
	struct algorithm *a = algorithm_open_compact(path, e);

	if (a)
		algorithm_expand_few(a, READABLE);
	return a;
}

static int show(const char *path, void (*how)(const struct algorithm *a, const struct network *w))
{
	struct error e = {0};
	struct algorithm *a = open_readable(path, &e);
	struct network *w = a ? network_new(a->topology, &e) : NULL;

	if (!w) {
		algorithm_free(a);
		return fail(&e);
	}
	struct verdict v = algorithm_verify(a);
	int status = v.fault == FAULT_NONE ? STATUS_DONE : v.fault == FAULT_LIMIT ? STATUS_GAVE_UP : STATUS_NO;
	if (status == STATUS_DONE)
		how(a, w);
	else {
		error_set(&e, ERROR_INPUT, path, status == STATUS_NO ? "does not verify: %s" : "is not verified: %s", v.why);
		fail(&e);
	}
	network_free(w);
	algorithm_free(a);
	return status;
}

int cmd_show(int argc, char **argv)
{
	struct error e = {0};
	struct show_options o = {0};

	if (!options_read(argc, argv, &usage, &o, &e))
		return fail(&e);
	if (o.format >= FORMAT_HTML)
		return pages_show(o.files.at[0], o.out, o.format == FORMAT_SVG);
	if (o.out) {
		error_set(&e, ERROR_INPUT, "-o", "requires --format html or svg; other formats are printed");
		return fail(&e);
	}
	return show(o.files.at[0], formats[o.format]);
}

/* `trees`: prints a packing of spanning trees at the full rate of a machine, and an algorithm that uses it. */

#include "cli/output/command.h"
#include "cli/output/deadline.h"
#include "cli/output/progress.h"
#include "cli/arguments/shared.h"

#include "core/base/clock.h"
#include "core/base/stop.h"
#include "core/base/text.h"
#include "core/base/watch.h"
#include "core/machine/topology.h"
#include "synth/trees/forest_solve.h"

#include <inttypes.h>
#include <stdio.h>

struct trees_options {
	struct subject_options subject;
	int chunks; /* -C; 0: not given */
	double within; /* seconds; 0: no limit */
	const char *out;
	bool json;
};

static const struct option_row own_rows[] = {
	{"chunks", 'C', "C", "number of chunks into which each node's input is divided",
	 OPTION_WHOLE(trees_options, chunks, 1, CHUNKS_MAX)},
};

static const struct option_group groups[] = {
	SUBJECT_GROUPS(trees_options, subject),
	OPTION_GROUP_OWN(own_rows),
	OPTION_GROUP(seconds_rows, trees_options, within),
	OPTION_GROUP(output_rows, trees_options, out),
	OPTION_GROUP(json_rows, trees_options, json),
	OPTION_GROUP_OWN(directory_rows),
};

static const struct usage usage = {
	"Packs trees that achieve the full rate of a machine, with or without switches, and builds algorithms from them.\n\n"
	"The rate is exactly what the narrowest cut allows. The links are packed with as many trees from every node (or from the "
	"root) as this rate requires: no link exceeds its bandwidth, and no packing achieves a higher rate. With -o or -C, the "
	"trees are turned into an algorithm in which chunks follow each other down the trees; the more chunks (-C), the closer R/C "
	"comes to the rate. The collective must be allgather, reducescatter, allreduce, broadcast or reduce.\n\n"
	"--within ends in time with the trees and chunks found by then, which may be deeper and fewer; exit status 3 if there are no trees.\n\n"
	"Example: sccl-synth trees -t dgx-a100 -c allgather -o a.json\v"
	"Exit status: 0 done; 2 bad input, including a machine in which some node is unreachable; 3 the machine is too large, there "
	"are too many sends, or the time was too short.",
	USAGE_GROUPS(groups),
};

/* GB/s of the whole result if all links have the same speed; otherwise an invalid rational. */
static struct rational speed(const struct topology *t, const struct forest_half *h)
{
	for (size_t i = 0; i < t->n_links; i++) {
		int kind = t->links[i].kind;
		if (kind < 0 || rational_compare(t->kinds[kind].gigabytes_per_second, t->kinds[0].gigabytes_per_second) != 0)
			return (struct rational){0, 0};
	}
	struct rational unit = t->n_kinds ? t->kinds[0].gigabytes_per_second : (struct rational){0, 0};
	int inputs = h->collective.kind == ALLGATHER ? t->nodes : 1;
	return rational_div(rational_mul(unit, rational(inputs, 1)), h->bandwidth);
}

static void add_set(struct text *into, const struct forest *f, int begin, int end)
{
	const char *between = "";
	for (int v = begin; v < end; v++)
		if (f->cut[v]) {
			text_add(into, "%s%d", between, v);
			between = ", ";
		}
}

static void add_tree_json(struct text *into, const struct forest *f, const struct tree *t)
{
	const char *between = "";

	text_add(into, "{\"root\": %d, \"count\": %lld, \"depth\": %d, \"edges\": [", t->root, (long long)t->weight, t->depth);
	for (int v = 0; v < f->nodes; v++)
		if (v != t->root) {
			text_add(into, "%s[%d, %d]", between, t->parent[v], v);
			between = ", ";
		}
	text_add(into, "]}");
}

static void add_routes_json(struct text *into, const struct forest *f)
{
	for (size_t i = 0; i < f->n_routes; i++) {
		const struct forest_route *r = &f->routes[i];
		text_add(into, "%s{\"src\": %d, \"dst\": %d, \"count\": %lld, \"via\": [", i ? ", " : "", r->src, r->dst,
			 (long long)r->count);
		for (int k = 0; k < r->n_via; k++)
			text_add(into, "%s%d", k ? ", " : "", r->via[k]);
		text_add(into, "]}");
	}
}

static void add_ratio_json(struct text *into, const char *name, struct rational r)
{
	char ratio[RATIONAL_TEXT];

	if (rational_ok(r))
		text_add(into, "\"%s\": \"%s\", ", name, rational_text(r, ratio));
	else
		text_add(into, "\"%s\": null, ", name);
}

/* The R/C of the trees on the actual links. */
static struct rational by_trees(const struct forest_half *h)
{
	return rational_mul(h->bandwidth, rational_div(rational_div(h->forest.rounds, rational(h->forest.chunks, 1)), h->forest.bandwidth));
}

static void add_half_json(struct text *into, const struct topology *t, const struct forest_half *h)
{
	const struct forest *f = &h->forest;
	int real = t->nodes + t->switches;

	text_add(into, "{\"collective\": \"%s\", ", collective_name(&h->collective));
	add_ratio_json(into, "bandwidth", h->bandwidth);
	add_ratio_json(into, "gigabytes_per_second", speed(t, h));
	add_ratio_json(into, "by_routes", h->by_routes);
	add_ratio_json(into, "by_trees", by_trees(h));
	text_add(into, "\"limits_left_out\": %d, \"cut\": {\"roots\": %lld, \"capacity\": %lld, \"nodes\": [", f->limits_left_out,
		 (long long)f->cut_roots, (long long)f->cut_capacity);
	add_set(into, f, 0, t->nodes);
	text_add(into, "], \"switches\": [");
	add_set(into, f, t->nodes, real);
	text_add(into, "]}, \"chunks\": %d, \"trees_a_root\": %lld, ", h->unit, (long long)f->chunks);
	add_ratio_json(into, "rounds", f->rounds);
	text_add(into, "\"depth\": %d, \"trees\": [", trees_depth(&f->trees));
	for (size_t i = 0; i < f->trees.n; i++) {
		text_add(into, "%s", i ? ", " : "");
		add_tree_json(into, f, &f->trees.of[i]);
	}
	text_add(into, "], \"routes\": [");
	add_routes_json(into, f);
	text_add(into, "]}");
}

static void print_json(const struct trees_options *o, const struct topology *t, const struct collective *k, const struct forest_answer *a)
{
	struct text line = {0};

	text_add(&line, "{\"topology\": ");
	text_add_json_string(&line, t->name);
	text_add(&line, ", \"collective\": \"%s\", \"root\": ", collective_name(k));
	text_add(&line, collective_row(k)->rooted ? "%d" : "null", k->root);
	text_add(&line, ", \"halves\": [");
	for (int i = 0; i < a->n_halves; i++) {
		text_add(&line, "%s", i ? ", " : "");
		add_half_json(&line, t, &a->halves[i]);
	}
	text_add(&line, "], \"algorithm\": ");
	if (a->algorithm) {
		text_add(&line, "{\"chunks\": %d, \"steps\": %zu, \"rounds\": %d, ", a->algorithm->chunks, a->algorithm->n_steps,
			 algorithm_rounds(a->algorithm));
		add_ratio_json(&line, "bandwidth", algorithm_bandwidth(a->algorithm));
		text_add(&line, "\"file\": ");
		if (o->out)
			text_add_json_string(&line, o->out);
		else
			text_add(&line, "null");
		text_add(&line, "}");
	} else
		text_add(&line, "null");
	text_add(&line, "}");
	puts(line.bytes);
	text_free(&line);
}

static void add_trees(struct text *into, const struct forest *f)
{
	for (size_t i = 0; i < f->trees.n; i++) {
		const struct tree *t = &f->trees.of[i];
		text_add(into, "    %lld x root %d, depth %d:", (long long)t->weight, t->root, t->depth);
		for (int v = 0; v < f->nodes; v++)
			if (v != t->root)
				text_add(into, " %d>%d", t->parent[v], v);
		text_add(into, "\n");
	}
}

static void print_half(const struct topology *t, const struct forest_half *h)
{
	const struct forest *f = &h->forest;
	bool backwards = collective_solved_backwards(&h->collective);
	struct rational gigabytes = speed(t, h);
	char a[RATIONAL_TEXT], b[RATIONAL_TEXT];
	struct text s = {0};

	text_add(&s, "  rate    R/C = %s", rational_text(h->bandwidth, a));
	if (rational_ok(gigabytes))
		text_add(&s, ", %.2f GB/s of the whole result", rational_double(gigabytes));
	text_add(&s, "\n          the chunks of %lld root%s must get %s {", (long long)f->cut_roots, plural(f->cut_roots),
		 backwards ? "into" : "out of");
	add_set(&s, f, 0, t->nodes);
	if (t->switches) {
		text_add(&s, "} with switches {");
		add_set(&s, f, t->nodes, t->nodes + t->switches);
	}
	text_add(&s, "}, and %lld fit%s into a round\n", (long long)f->cut_capacity, plural_verb(f->cut_capacity));
	if (f->limits_left_out)
		text_add(&s, "          %d limit%s over several links %s not considered here\n", f->limits_left_out, plural(f->limits_left_out),
			 f->limits_left_out == 1 ? "is" : "are");
	if (f->above)
		text_add(&s, "  reached R/C = %s, %.1f %% above: the links into and out of the switches do not pair evenly\n",
			 rational_text(by_trees(h), a), 100 * (rational_double(rational_div(by_trees(h), h->bandwidth)) - 1));
	if (rational_compare(h->by_routes, h->bandwidth) > 0)
		text_add(&s, "  routes  R/C = %s if each pair of nodes has one route, as in algorithms\n",
			 rational_text(h->by_routes, a));
	text_add(&s, "  trees   %lld per root, all of them in %s round%s, depth %d%s\n", (long long)f->chunks,
		 rational_text(f->rounds, b), rational_compare(f->rounds, rational(1, 1)) > 0 ? "s" : "", trees_depth(&f->trees),
		 backwards ? "; chunks go from the leaves to the root" : "");
	if (f->one_way)
		text_add(&s, "          only one of two ways to split switches off gave trees; the other might have made them less deep\n");
	add_trees(&s, f);
	fwrite(s.bytes, 1, s.length, stdout);
	text_free(&s);
}

static void print_text(const struct trees_options *o, const struct topology *t, const struct collective *k, const struct forest_answer *a)
{
	for (int i = 0; i < a->n_halves; i++) {
		printf("%s on %s", collective_name(&a->halves[i].collective), printable(t->name));
		if (collective_row(k)->rooted)
			printf(", root %d", k->root);
		puts("");
		print_half(t, &a->halves[i]);
	}
	if (a->algorithm) {
		char ratio[RATIONAL_TEXT];
		printf("%s, R/C = %s, verified%s%s\n", printable(a->algorithm->name),
		       rational_text(algorithm_bandwidth(a->algorithm), ratio), o->out ? ": " : "", o->out ? printable(o->out) : "");
	}
}

/* Draws what is being done, ten times per second at most. */
struct trees_progress {
	struct progress line;
	const char *machine;
	double drawn; /* when, in clock_seconds */
};

static void draw(void *context, const char *doing, int64_t done, int64_t all)
{
	static const double pause = 0.1;
	struct trees_progress *p = context;
	struct text line = {0};

	if (clock_seconds() < p->drawn + pause)
		return;
	p->drawn = clock_seconds();
	text_add(&line, "%s: %s", printable(p->machine), doing);
	if (all)
		text_add(&line, ": %" PRId64 " of %" PRId64, done, all);
	progress_show(&p->line, line.bytes);
	text_free(&line);
}

/* The limit ends the process where a long computation does not look at the clock; those that do get less. */
static void begin_time(const struct trees_options *o, const struct topology *t)
{
	static const double early = 0.8;
	struct text message = {0};

	if (!(o->within > 0))
		return;
	text_add(&message, "sccl-synth: %s: gave up: there was not enough time to pack trees\n", printable(t->name));
	deadline_begin(o->within, "", message.bytes);
	stop_within(early * o->within);
	text_free(&message);
}

static bool pack(const struct trees_options *o, const struct topology *t, const struct collective *k, struct forest_answer *a,
		 struct error *e)
{
	struct trees_progress p = {.machine = t->name};

	begin_time(o, t);
	watch_with(draw, &p);
	bool ok = forest_solve(t, k, o->chunks, o->out || o->chunks, a, e);
	watch_with(NULL, NULL);
	progress_clear(&p.line);
	deadline_end();
	return ok;
}

static int answer(const struct trees_options *o, const struct topology *t, const struct collective *k)
{
	struct error e = {0};
	struct forest_answer a;

	if (!pack(o, t, k, &a, &e))
		return fail(&e);
	options_report_root(&o->subject.root, k);
	bool ok = !o->out || algorithm_save(a.algorithm, o->out, &e);
	if (ok)
		(o->json ? print_json : print_text)(o, t, k, &a);
	forest_answer_free(&a);
	return ok ? STATUS_DONE : fail(&e);
}

int cmd_trees(int argc, char **argv)
{
	struct error e = {0};
	struct trees_options o = {0};
	struct topology *t = NULL;
	struct collective k = {0};

	if (!options_read(argc, argv, &usage, &o, &e) || !options_one_root(&o.subject.root, &e) || !options_subject(&o.subject, &t, &k, &e))
		return fail(&e);
	if (o.subject.root.several)
		error_set(&e, ERROR_INPUT, "--root", "trees have only one root; give one node");
	int status = e.kind == ERROR_NONE ? answer(&o, t, &k) : fail(&e);
	collective_free(&k);
	topology_free(t);
	return status;
}

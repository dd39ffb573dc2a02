#include "cli/command.h"
#include "cli/options.h"

#include "core/bounds.h"
#include "core/text.h"
#include "core/topology.h"
#include "synth/problem.h"

#include <stdio.h>
#include <stdlib.h>

static const struct usage usage = {
	"tcrJd", NULL,
	"Lower bounds that no algorithm can beat on this machine, each with what shows it.\n\n"
	"The step bound S is the farthest that a chunk must go, in hops. The bandwidth bound is rounds per chunk, R/C: in a "
	"round a link of bandwidth b carries b chunks of 1/C of a node's input, so that an algorithm takes S latencies and R/C "
	"times the input over the speed of a link. It comes from a cut: what must cross it, over what can cross it in a round. "
	"In few steps less can cross; where that forces more than the cut does, the bounds of the first step counts follow.\n\n"
	"Example: sccl-synth bounds -t dgx1 -c allgather\v"
	"Exit status: 0 done; 2 bad input, also a machine on which some node cannot be reached."};

static void add_nodes(struct text *into, const struct bounds *b, int part)
{
	const char *between = "";
	for (int n = 0; n < b->nodes; n++)
		if (b->part[n] == part) {
			text_add(into, "%s%d", between, n);
			between = ", ";
		}
}

static void add_cut_json(struct text *into, const struct bounds *b)
{
	char demand[RATIONAL_TEXT];

	if (!b->part) {
		text_add(into, "null");
		return;
	}
	text_add(into, "{\"demand\": \"%s\", \"capacity\": %lld, ", rational_text(b->demand, demand), (long long)b->capacity);
	if (b->parts == 2) {
		text_add(into, "\"from\": [");
		add_nodes(into, b, !b->inward);
		text_add(into, "], \"to\": [");
		add_nodes(into, b, b->inward);
		text_add(into, "]}");
		return;
	}
	text_add(into, "\"parts\": [");
	for (int p = 0; p < b->parts; p++) {
		text_add(into, "%s[", p ? ", " : "");
		add_nodes(into, b, p);
		text_add(into, "]");
	}
	text_add(into, "]}");
}

/* R/C for the fewest steps and some more; nothing where little is known. */
struct in_steps {
	int first, n;
	struct rational bandwidth[5];
};

static struct in_steps bandwidth_in_steps(const struct topology *t, const struct collective *k, const struct bounds *b)
{
	struct in_steps in = {.first = b->steps > 1 ? b->steps : 1};
	struct error ignored = {0};
	struct problem p;

	if (!problem_open(t, k, &p, &ignored))
		return in;
	for (; in.n < 5; in.n++) {
		in.bandwidth[in.n] = problem_bandwidth_in(&p, in.first + in.n, TIMED_QUICK);
		if (rational_compare(in.bandwidth[in.n], b->bandwidth) <= 0)
			break;
	}
	problem_close(&p);
	return in;
}

static void print_json(const struct bounds *b, const struct in_steps *in)
{
	struct text line = {0};
	char ratio[RATIONAL_TEXT];

	text_add(&line, "{\"steps\": %d, \"bandwidth\": \"%s\", \"why\": {\"steps\": {\"chunk\": %d, \"from\": %d, \"to\": %d}, "
			"\"bandwidth\": ", b->steps, rational_text(b->bandwidth, ratio), b->far_chunk, b->far_from, b->far_to);
	add_cut_json(&line, b);
	text_add(&line, "}, \"in_steps\": [");
	for (int i = 0; i < in->n; i++)
		text_add(&line, "%s{\"steps\": %d, \"bandwidth\": \"%s\"}", i ? ", " : "", in->first + i,
			 rational_text(in->bandwidth[i], ratio));
	text_add(&line, "]}");
	puts(line.bytes);
	text_free(&line);
}

static void print_cut(const struct bounds *b)
{
	struct text line = {0};
	char demand[RATIONAL_TEXT];

	rational_text(b->demand, demand);
	if (b->parts == 0)
		text_add(&line, "chunks cross %s links per C of one, and all links carry %lld in a round", demand,
			 (long long)b->capacity);
	else if (b->parts == 2) {
		text_add(&line, "per C of one, %s chunks must get from {", demand);
		add_nodes(&line, b, !b->inward);
		text_add(&line, "} to {");
		add_nodes(&line, b, b->inward);
		text_add(&line, "}, and %lld fit into a round", (long long)b->capacity);
	} else {
		text_add(&line, "between {");
		for (int p = 0; p < b->parts; p++) {
			text_add(&line, "%s", p ? "} {" : "");
			add_nodes(&line, b, p);
		}
		text_add(&line, "} a chunk crosses %s times, and %lld fit into a round", demand, (long long)b->capacity);
	}
	printf("                   %s\n", line.bytes);
	text_free(&line);
}

static void print_text(const struct topology *t, const struct collective *k, const struct bounds *b, const struct in_steps *in)
{
	char ratio[RATIONAL_TEXT];

	printf("%s on %s", collective_called(k), t->name);
	options_print_roots(k);
	printf("\n  steps      S   >= %d", b->steps);
	if (b->steps)
		printf("   chunk %d must get from node %d to node %d", b->far_chunk, b->far_from, b->far_to);
	printf("\n  bandwidth  R/C >= %s\n", rational_text(b->bandwidth, ratio));
	if (b->part)
		print_cut(b);
	for (int i = 0; i < in->n; i++)
		printf("  in %d steps R/C >= %s\n", in->first + i, rational_text(in->bandwidth[i], ratio));
}

int cmd_bounds(int argc, char **argv)
{
	struct error e = {0};
	struct options o;
	struct topology *t = NULL;
	struct collective k = {0};
	struct bounds b;

	if (!options_read(argc, argv, &usage, &o, &e) || !options_one_root(&o, &e) || !options_subject(&o, &t, &k, &e))
		return fail(&e);
	bool ok = bounds_compute(t, &k, &b, &e);
	if (ok) {
		options_tell_root(&o, &k);
		const struct in_steps in = bandwidth_in_steps(t, &k, &b);
		if (o.json)
			print_json(&b, &in);
		else
			print_text(t, &k, &b, &in);
		bounds_free(&b);
	}
	collective_free(&k);
	topology_free(t);
	return ok ? STATUS_DONE : fail(&e);
}

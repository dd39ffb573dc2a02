/*
 * `bounds`: prints the lower bounds of core/bounds with their witnesses, and the bandwidth bounds for few steps; given sizes,
 * also bounds on the time of any schedule.
 */

#include "cli/output/command.h"
#include "cli/arguments/costs.h"
#include "cli/arguments/shared.h"
#include "cli/arguments/sizes.h"
#include "cli/commands/simulation.h"

#include "core/bounds/bounds.h"
#include "core/bounds/bounds_text.h"
#include "core/base/file.h"
#include "core/base/text.h"
#include "core/machine/topology.h"
#include "simulate/plot.h"
#include "simulate/time_bound.h"
#include "synth/problem/in_steps.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

struct bounds_options {
	struct subject_options subject;
	struct simulation how; /* only the speeds and the cost of a step */
	const char *sizes, *certificate;
	bool json;
};

static const struct option_row own_rows[] = {
	{"certificate", 0, "FILE", "with --sizes: write a certificate of the bounds on time, for check-proof",
	 OPTION(option_text, bounds_options, certificate)},
};

static const struct option_group groups[] = {
	SUBJECT_GROUPS(bounds_options, subject),
	OPTION_GROUP(sizes_rows, bounds_options, sizes),
	OPTION_GROUP(speed_rows, bounds_options, how),
	OPTION_GROUP(step_cost_rows, bounds_options, how.step),
	OPTION_GROUP_OWN(own_rows),
	OPTION_GROUP(json_rows, bounds_options, json),
	OPTION_GROUP_OWN(directory_rows),
};

static const struct usage usage = {
	"Prints lower bounds that no algorithm for a collective on a machine can beat, each with a witness.\n\n"
	"The step bound, on S, is the largest distance, in hops, that a chunk must travel. The bandwidth bound is on R/C, the "
	"number of rounds per chunk. In a round, a link of bandwidth b carries b chunks, each 1/C of a node's input, so an "
	"algorithm takes S latencies plus R/C times the time in which one input crosses a link of bandwidth 1. The witness is a "
	"cut: the number of chunks that must cross it, divided by the number that can cross it in one round. Fewer chunks can cross "
	"it in a small number of steps; where this gives a higher bound than the cut, the bounds for the smallest numbers of steps "
	"follow.\n\n"
	"With --sizes, also prints a lower bound in microseconds on the time of any schedule for so many bytes of one rank's input, in "
	"steps or not, with chunks as small and as many as one likes. It says what shows the bound: what must enter or leave a node, "
	"enter a set of nodes, be sent or added by a node unless others do so, a cut, R/C, or on small machines prices of links that change "
	"with time.\n\n"
	"Example: sccl-synth bounds -t dgx1 -c allgather --sizes 1K:1G --certificate time.json\v"
	"Exit status: 0 done; 2 bad input, including a machine in which some node is unreachable; 3 the machine is too large.",
	USAGE_GROUPS(groups),
};

/* What is printed of bounds on time; n is 0 unless there are sizes. Owned. */
struct sized_bounds {
	size_t n;
	int64_t *sizes;
	struct time_bound bound;
};

static void sized_close(struct sized_bounds *x)
{
	free(x->sizes);
	time_bound_free(&x->bound);
}

/* Computes them, and writes the certificate. */
static bool sized_open(const struct bounds_options *o, const struct topology *t, const struct collective *k, const struct bounds *b,
		       struct sized_bounds *out, struct error *e)
{
	const struct speeds speeds = {.alpha = o->how.alpha, .beta = o->how.beta, .step = &o->how.step};
	const struct time_subject of = {t, k, &speeds, b};
	struct text text = {0};

	*out = (struct sized_bounds){0};
	if (!o->sizes)
		return true;
	if (!sizes_read(o->sizes, &out->sizes, &out->n, e) || !time_bound_new(t, k, &speeds, b, &out->bound, e))
		return false;
	time_bound_expand(&out->bound, &of, out->n, out->sizes);
	bool ok = !o->certificate ||
		  (time_bound_write(&out->bound, &of, &text, e) && file_write(o->certificate, text.bytes, text.length, e));
	text_free(&text);
	return ok;
}

/* Six digits, rounded down. */
static const char *rounded_down(double x, char text[32])
{
	snprintf(text, 32, "%.6g", x);
	if (strtod(text, NULL) > x)
		snprintf(text, 32, "%.6g", x - 0.5 * pow(10, floor(log10(x)) - 5));
	return text;
}

static void add_times_json(const struct sized_bounds *x, struct text *into)
{
	char number[32];

	if (x->n)
		text_add(into, ", \"times\": [");
	for (size_t i = 0; i < x->n; i++) {
		const struct time_line *l = time_bound_line(&x->bound, (double)x->sizes[i]);
		text_add(into, "%s{\"bytes\": %" PRId64 ", \"microseconds\": %s, \"by\": \"%s\"}", i ? ", " : "", x->sizes[i],
			 rounded_down(time_bound_at(&x->bound, (double)x->sizes[i]), number), l ? time_reason_names[l->reason] : "expanded_time");
	}
	text_add(into, x->n ? "]" : "");
}

static void print_times(const struct sized_bounds *x)
{
	static const char *const whys[] = {[TIME_NOTHING] = "", [TIME_INTO] = "what must enter node %d",
					   [TIME_OUT_OF] = "what must leave node %d", [TIME_CUT] = "the cut", [TIME_ROUNDS] = "R/C",
					   [TIME_RELAYS_OUT_OF] = "what node %d must send, or others pass on",
					   [TIME_RELAYS_INTO] = "what node %d must add, or others before it",
					   [TIME_DIRECT_OUT_OF] = "what node %d must send far away, or others pass on",
					   [TIME_DIRECT_INTO] = "what node %d must get from far away, or others pass on"};
	char bytes[BYTES_TEXT];

	for (size_t i = 0; i < x->n; i++) {
		const struct time_line *l = time_bound_line(&x->bound, (double)x->sizes[i]);
		char why[80], number[32];
		if (!l)
			snprintf(why, sizeof why, "prices in expanded time");
		else if (l->node < 0)
			snprintf(why, sizeof why, "what must enter a set of nodes");
		else
			snprintf(why, sizeof why, whys[l->reason], l->node);
		printf("  %-10s time >= %-12s %s\n", bytes_text(x->sizes[i], bytes),
		       rounded_down(time_bound_at(&x->bound, (double)x->sizes[i]), number), why);
	}
}

static void print_json(const struct bounds *b, const struct in_steps *in, const struct sized_bounds *x)
{
	struct text line = {0};
	char ratio[RATIONAL_TEXT];

	text_add(&line, "{\"steps\": %d, \"bandwidth\": \"%s\", \"why\": {\"steps\": {\"chunk\": %d, \"from\": %d, \"to\": %d}, "
			"\"bandwidth\": ", b->steps, rational_text(b->bandwidth, ratio), b->far_chunk, b->far_from, b->far_to);
	bounds_add_cut_json(b, &line);
	text_add(&line, "}, \"in_steps\": [");
	for (int i = 0; i < in->n; i++)
		text_add(&line, "%s{\"steps\": %d, \"bandwidth\": \"%s\"}", i ? ", " : "", in->first + i,
			 rational_text(in->bandwidth[i], ratio));
	text_add(&line, "]");
	add_times_json(x, &line);
	text_add(&line, "}");
	puts(line.bytes);
	text_free(&line);
}

static void print_cut(const struct bounds *b)
{
	struct text line = {0};

	bounds_add_cut(b, &line);
	printf("                   %s\n", line.bytes);
	text_free(&line);
}

static void print_text(const struct topology *t, const struct collective *k, const struct bounds *b, const struct in_steps *in,
		       const struct sized_bounds *x)
{
	char ratio[RATIONAL_TEXT];

	printf("%s on %s", collective_called(k), printable(t->name));
	options_print_roots(k);
	printf("\n  steps      S   >= %d", b->steps);
	if (b->steps)
		printf("   chunk %d must get from node %d to node %d", b->far_chunk, b->far_from, b->far_to);
	printf("\n  bandwidth  R/C >= %s\n", rational_text(b->bandwidth, ratio));
	if (b->part)
		print_cut(b);
	for (int i = 0; i < in->n; i++)
		printf("  in %d step%s R/C >= %s\n", in->first + i, plural(in->first + i), rational_text(in->bandwidth[i], ratio));
	print_times(x);
}

static bool answer(const struct bounds_options *o, const struct topology *t, const struct collective *k, struct error *e)
{
	struct bounds b;
	struct sized_bounds x;

	if (!bounds_compute(t, k, &b, e))
		return false;
	bool ok = sized_open(o, t, k, &b, &x, e);
	if (ok) {
		options_report_root(&o->subject.root, k);
		const struct in_steps in = in_steps_new(t, k, &b);
		if (o->json)
			print_json(&b, &in, &x);
		else
			print_text(t, k, &b, &in, &x);
	}
	sized_close(&x);
	bounds_free(&b);
	return ok;
}

static bool check_options(const struct bounds_options *o, struct error *e)
{
	if (o->sizes)
		return true;
	const char *given = o->certificate ? "--certificate" : o->how.alpha >= 0 ? "--alpha" : o->how.beta > 0 ? "--beta" :
			    o->how.step.target || o->how.step.us.den ? "--step-cost" : NULL;
	return !given || error_set(e, ERROR_INPUT, given, "requires --sizes");
}

int cmd_bounds(int argc, char **argv)
{
	struct error e = {0};
	struct bounds_options o = {.how = simulation_defaults};
	struct topology *t = NULL;
	struct collective k = {0};

	if (!options_read(argc, argv, &usage, &o, &e) || !check_options(&o, &e) || !options_one_root(&o.subject.root, &e) ||
	    !options_subject(&o.subject, &t, &k, &e))
		return fail(&e);
	bool ok = answer(&o, t, &k, &e);
	collective_free(&k);
	topology_free(t);
	return ok ? STATUS_DONE : fail(&e);
}

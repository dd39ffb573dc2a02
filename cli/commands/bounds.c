/* `bounds`: prints the lower bounds of core/bounds with their witnesses, and the bandwidth bounds for few steps. */

#include "cli/output/command.h"
#include "cli/arguments/shared.h"

#include "core/bounds/bounds.h"
#include "core/bounds/bounds_text.h"
#include "core/base/text.h"
#include "core/machine/topology.h"
#include "synth/problem/in_steps.h"

#include <stdio.h>

struct bounds_options {
	struct subject_options subject;
	bool json;
};

static const struct option_group groups[] = {
	SUBJECT_GROUPS(bounds_options, subject),
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
	"Example: sccl-synth bounds -t dgx1 -c allgather\v"
	"Exit status: 0 done; 2 bad input, including a machine in which some node is unreachable; 3 the machine is too large.",
	USAGE_GROUPS(groups),
};

static void print_json(const struct bounds *b, const struct in_steps *in)
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
	text_add(&line, "]}");
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

static void print_text(const struct topology *t, const struct collective *k, const struct bounds *b, const struct in_steps *in)
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
}

int cmd_bounds(int argc, char **argv)
{
	struct error e = {0};
	struct bounds_options o = {0};
	struct topology *t = NULL;
	struct collective k = {0};
	struct bounds b;

	if (!options_read(argc, argv, &usage, &o, &e) || !options_one_root(&o.subject.root, &e) || !options_subject(&o.subject, &t, &k, &e))
		return fail(&e);
	bool ok = bounds_compute(t, &k, &b, &e);
	if (ok) {
		options_report_root(&o.subject.root, &k);
		const struct in_steps in = in_steps_new(t, &k, &b);
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

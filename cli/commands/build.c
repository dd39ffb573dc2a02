/* `build`: builds an algorithm by a method of the table (synth/builder/method.h), for one machine or two. */

#include "cli/commands/building.h"
#include "cli/output/command.h"
#include "cli/arguments/sizes.h"

#include "core/schedule/algorithm.h"
#include "core/schedule/collective.h"
#include "core/base/file.h"
#include "core/base/text.h"
#include "core/machine/topology.h"
#include "synth/builder/method.h"
#include "synth/trees/schedule_tables.h"

#include <stdlib.h>
#include <string.h>

static bool read_threshold(const struct option_row *r, const char *s, void *field, struct error *e)
{
	double percent;

	if (!option_decimal(r, s, &percent, e))
		return false;
	*(double *)field = percent / 100;
	return true;
}

static bool read_prefer(const struct option_row *r, const char *s, void *field, struct error *e)
{
	*(bool *)field = true;
	return strcmp(s, "height") == 0 || option_refuse(r, e, "must be height, not \"%.64s\"", s);
}

static const struct option_row own_rows[] = {
	{"method", 0, "METHOD", "how to build; see above", option_text, .field = offsetof(struct build_options, method)},
	{"chunks", 'C', "C", "into how many chunks the input of a node is cut", option_whole,
	 .field = offsetof(struct build_options, chosen.chunks), .low = 1, .high = CHUNKS_MAX},
	{"epsilon", 0, "E", "blink: how near to the optimum the weights come, from 0.001 to 0.5", option_decimal,
	 .field = offsetof(struct build_options, chosen.epsilon), .low = 0.001, .high = 0.5, .unit = "from 0.001 to 0.5"},
	{"threshold", 0, "PERCENT", "blink: so far below the optimum trees of weight 1, or of simple fractions, will do (0)", read_threshold,
	 .field = offsetof(struct build_options, chosen.threshold), .high = 50, .unit = "percent from 0 to 50"},
	{"prefer", 0, "height", "multitree: trees with the most height left to grow take their turns first", read_prefer,
	 .field = offsetof(struct build_options, chosen.prefer_height)},
	{"bytes", 0, "SIZE",
	 "what suits calls of this size best by S α + R/C L β, as in 64K: kernighan-lin's one tree, or one per node", option_bytes,
	 .field = offsetof(struct build_options, chosen.bytes)},
	{"tables", 0, "FILE", "write what each node does in each step, as tables in JSON, to this file", option_text,
	 .field = offsetof(struct build_options, tables)},
	{"beside", 0, "T", "a second machine, another network between the same nodes, that takes a share of the buffer", option_text,
	 .field = offsetof(struct build_options, beside.topology)},
	{"beside-output", 0, "FILE", "write its algorithm to this file", option_text, .field = offsetof(struct build_options, beside.out)},
	{"switching", 0, "US", "microseconds before the second network can begin (0)", option_decimal,
	 .field = offsetof(struct build_options, beside.switching), .high = 1e12, .unit = "microseconds, from 0 to 1e12"},
};

static const struct option_group groups[] = {
	SUBJECT_GROUPS(build_options, subject),
	OPTION_GROUP_OWN(own_rows),
	OPTION_GROUP(cost_rows, build_options, cost),
	OPTION_GROUP(sizes_rows, build_options, beside.sizes),
	OPTION_GROUP(output_rows, build_options, out),
	OPTION_GROUP(json_rows, build_options, json),
	OPTION_GROUP_OWN(directory_rows),
};

static const char about[] =
	"Builds an algorithm by a method that does not search: other systems' and the classics. It is verified as any other, and told "
	"with its gap to the bounds.\n\n"
	"--beside T builds it for a second machine too, another network between the same nodes, and tells for each size how a buffer is "
	"split between the two so that both end at once.\n\n"
	"Example: sccl-synth build -t dgx1 -c allreduce --method ring -o ring.json\v";

static const char status[] =
	"\nExit status: 0 done; 2 bad input, also a machine or collective that the method cannot serve; 3 too many sends.";

/* The text of --help, with the list of methods. The caller frees it. */
static char *usage_text(void)
{
	struct text s = {0};
	size_t n;
	const struct method *all = methods_all(&n);

	text_add(&s, "%sMethods:\n", about);
	for (size_t i = 0; i < n; i++)
		text_add(&s, "  %-20s %s\n", all[i].name, all[i].about);
	text_add(&s, "%s", status);
	return text_take(&s);
}

static bool check_tables(const struct build_options *o, struct error *e)
{
	return !o->out || !o->tables || strcmp(o->out, o->tables) != 0 ||
	       error_set(e, ERROR_INPUT, "--tables", "is the file of -o");
}

static bool save_tables(const struct algorithm *a, const char *path, struct error *e)
{
	struct text s = {0};

	tables_write(a, &s);
	bool ok = file_write(path, s.bytes, s.length, e);
	text_free(&s);
	return ok;
}

static int answer(const struct build_options *o, const struct topology *t, const struct collective *k)
{
	struct error e = {0};
	struct built b = {.path = o->out};
	bool ok = built_make(o, t, k, &b, &e) && built_save(&b, &e) && (!o->tables || save_tables(b.algorithm, o->tables, &e));

	if (ok) {
		options_report_root(&o->subject.root, k);
		built_print(o, &b);
	}
	built_free(&b);
	return ok ? STATUS_DONE : fail(&e);
}

int cmd_build(int argc, char **argv)
{
	struct error e = {0};
	struct build_options o = {.beside.switching = -1};
	struct topology *t = NULL;
	struct collective k = {0};
	char *text = usage_text();
	const struct usage usage = {text, USAGE_GROUPS(groups)};

	bool ok = options_read(argc, argv, &usage, &o, &e) && options_one_root(&o.subject.root, &e) && beside_check(&o, &e) && check_tables(&o, &e);
	if (ok && !o.method)
		ok = error_set(&e, ERROR_INPUT, "--method", "say which, as in --method ring");
	ok = ok && options_subject(&o.subject, &t, &k, &e);
	int result = !ok ? fail(&e) : o.beside.topology ? beside_build(&o, t, &k) : answer(&o, t, &k);
	collective_free(&k);
	topology_free(t);
	free(text);
	return result;
}

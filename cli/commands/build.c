/* `build`: builds an algorithm by a method of the table (synth/builder/method.h), for one machine or two. */

#include "cli/commands/building.h"
#include "cli/output/command.h"
#include "cli/output/deadline.h"
#include "cli/arguments/sizes.h"

#include "core/schedule/algorithm.h"
#include "core/schedule/collective.h"
#include "core/base/file.h"
#include "core/base/stop.h"
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
	{"method", 0, "METHOD", "method, as listed below (all that serve)", OPTION(option_text, build_options, method)},
	{"chunks", 'C', "C", "number of chunks into which each node's input is divided (chosen by the method); without --method at most this many",
	 OPTION_WHOLE(build_options, chosen.chunks, 1, CHUNKS_MAX)},
	{"steps", 'S', "S", "timed-trees: number of steps (the fewest, and more as long as that lowers R/C); without --method at most this many",
	 OPTION_WHOLE(build_options, chosen.steps, 1, STEPS_MAX)},
	{"epsilon", 0, "E", "blink: relative gap between the weights and the optimum, from 0.001 to 0.5 (0.03)",
	 OPTION_DECIMAL(build_options, chosen.epsilon, 0.001, 0.5, "from 0.001 to 0.5")},
	{"threshold", 0, "PERCENT",
	 "blink: accept trees of weight 1, or of simple fractions, whose rate is up to PERCENT below the optimum (0)",
	 OPTION(read_threshold, build_options, chosen.threshold), .high = 50, .unit = "percent from 0 to 50"},
	{"prefer", 0, "height", "multitree: grow the trees with the most remaining height first",
	 OPTION(read_prefer, build_options, chosen.prefer_height)},
	{"bytes", 0, "SIZE",
	 "input size in bytes, as in 64K, for which to choose by S α + R/C L β: without --method among all algorithms, with kernighan-lin "
	 "between one tree and one tree per node; exact-schedule: the size that it is made for",
	 OPTION(option_bytes, build_options, chosen.bytes)},
	{"fewest", 0, NULL, "linear-program: as few distinct trees of the optimum as are found, whatever their depth",
	 OPTION(option_flag, build_options, chosen.fewest)},
	{"tree-link-usage-penalty", 0, "P",
	 "kernighan-lin: a link's weight is multiplied by P for each tree that has it (0.7, MXNET_KVSTORE_TREE_LINK_USAGE_PENALTY)",
	 OPTION_DECIMAL(build_options, chosen.usage_penalty, 0.001, 1, "from 0.001 to 1")},
	{"tree-backtrack", 0, NULL, "kernighan-lin: search for the heaviest trees instead of clustering (MXNET_KVSTORE_TREE_BACKTRACK)",
	 OPTION(option_flag, build_options, chosen.backtrack)},
	{"tree-array-bound", 0, "N",
	 "kernighan-lin, with --bytes: one tree for less than N elements of 4 bytes, all from N on (MXNET_KVSTORE_TREE_ARRAY_BOUND; the faster)",
	 OPTION(option_bytes, build_options, chosen.array_bound)},
	{"tables", 0, "FILE", "write tables of what each node does in each step to FILE, as JSON",
	 OPTION(option_text, build_options, tables)},
	{"beside", 0, "T", "also build an algorithm for machine T, a second network between the same nodes, and split the buffer",
	 OPTION(option_text, build_options, beside.topology)},
	{"beside-output", 0, "FILE", "write the algorithm for the second machine to FILE",
	 OPTION(option_text, build_options, beside.out)},
	{"switching", 0, "US", "delay before the second network can start, in microseconds (0)",
	 OPTION_DECIMAL(build_options, beside.switching, 0, 1e12, "microseconds, from 0 to 1e12")},
};

static const struct option_group groups[] = {
	SUBJECT_GROUPS(build_options, subject),
	OPTION_GROUP_OWN(own_rows),
	OPTION_GROUP(cost_rows, build_options, cost),
	OPTION_GROUP(sizes_rows, build_options, beside.sizes),
	OPTION_GROUP(seconds_rows, build_options, within),
	OPTION_GROUP(output_rows, build_options, out),
	OPTION_GROUP(json_rows, build_options, json),
	OPTION_GROUP_OWN(directory_rows),
};

static const char about[] =
	"Builds an algorithm without a search, by a classic method or by that of another system. The algorithm is verified, and "
	"reported with its gap to the bounds.\n\n"
	"Without --method all methods that serve are tried, with several numbers of chunks and steps. A table lists the algorithms "
	"that no other beats in S and R/C, marked with *, and the best of each other method. The result is the one with the least "
	"R/C, or the fastest for the size of --bytes; with -S among those of at most S steps.\n\n"
	"--beside T also builds an algorithm for a second machine T, another network between the same nodes, and prints for each "
	"size how to split a buffer between the two networks so that both finish at the same time.\n\n"
	"Example: sccl-synth build -t dgx1 -c allreduce --method ring -o ring.json\v";

static const char status[] =
	"\nExit status: 0 done; 2 bad input, including a machine or collective that the method does not support; 3 too many sends, or "
	"nothing was built in the time of --within.";

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
	       error_set(e, ERROR_INPUT, "--tables", "is the same file as -o");
}

static bool save_tables(const struct algorithm *a, const char *path, struct error *e)
{
	struct text s = {0};

	tables_write(a, &s);
	bool ok = file_write(path, s.bytes, s.length, e);
	text_free(&s);
	return ok;
}

/* Limits a single method: one that looks at the clock should end a little earlier with the best so far. */
static void begin_time(const struct build_options *o, const struct topology *t)
{
	static const double early = 0.8;
	struct text message = {0};

	if (!o->method || !(o->within > 0))
		return;
	text_add(&message, "sccl-synth: %s: gave up: %s did not end within %g s\n", printable(t->name), o->method, o->within);
	deadline_begin(o->within, "", message.bytes);
	stop_within(early * o->within);
	text_free(&message);
}

static int answer(const struct build_options *o, const struct topology *t, const struct collective *k)
{
	struct error e = {0};
	struct built b = {.path = o->out};

	begin_time(o, t);
	bool ok = built_make(o, t, k, &b, &e);
	deadline_end();
	if (!ok && o->method && o->within > 0 && stop_is_due()) { /* whatever the method says: it was not given the time */
		e = (struct error){0};
		error_set(&e, ERROR_LIMIT, t->name, "gave up: %s did not end within %g s", o->method, o->within);
	}
	ok = ok && built_save(&b, &e) && (!o->tables || save_tables(b.algorithm, o->tables, &e));

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

	bool ok = options_read(argc, argv, &usage, &o, &e) && options_one_root(&o.subject.root, &e) && all_check(&o, &e) && beside_check(&o, &e) && check_tables(&o, &e);
	ok = ok && options_subject(&o.subject, &t, &k, &e);
	if (!o.method)
		catch_interrupts();
	int result = !ok ? fail(&e) : o.beside.topology ? beside_build(&o, t, &k) : answer(&o, t, &k);
	collective_free(&k);
	topology_free(t);
	free(text);
	return result;
}

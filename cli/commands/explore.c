/* `explore`: one row for each machine, change of a link, collective and root; then a report in several formats. */

#include "cli/output/command.h"
#include "cli/commands/exploring.h"
#include "cli/output/progress.h"

#include "core/base/file.h"
#include "core/base/memory.h"
#include "core/base/stop.h"
#include "core/machine/network.h"
#include "core/base/text.h"
#include "core/machine/topology.h"
#include "core/symmetry/automorphisms.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static const struct option_row own_rows[] = {
	{"topology", 't', "T",
	 "machines: names from `sccl-synth topology list`, files, or shapes such as torus:4x4; dgx1*4 is four copies joined by a switch; "
	 "edits as in dgx1@gpus=0,1,4,5, dgx1@drop=2-3, dgx1@add=0-4x2, dgx1@widen=0-1, dgx1@narrow=0-1",
	 OPTION(option_words, explore_command, topologies)},
	{"collective", 'c', "KIND",
	 "collectives: allgather, broadcast, gather, scatter, alltoall, reduce, reducescatter, allreduce, scan, or files with custom ones",
	 OPTION(option_words, explore_command, collectives)},
	{"method", 0, "METHOD,...", "methods to compare, as listed below (all)",
	 OPTION(option_text, explore_command, method)},
	{"timeout", 0, "SEC", "time limit for each search, in seconds (5)",
	 OPTION(option_seconds, explore_command, search.solve.timeout)},
	{"links", 0, "CHANGE,...", "also evaluate each machine with one link changed: add, remove, widen, degrade (one unit narrower), or all",
	 OPTION(option_text, explore_command, links)},
	{"by", 0, "WHAT", "rank changes by the bandwidth bound, the step bound, or the time for the largest size: bandwidth, steps or time (bandwidth)",
	 OPTION(option_text, explore_command, by)},
	{"format", 0, "F", "output format: table, csv, json or svg (table)",
	 OPTION(option_text, explore_command, format)},
};

static const struct option_group groups[] = {
	OPTION_GROUP_OWN(own_rows),
	OPTION_GROUP(root_rows, explore_command, root),
	OPTION_GROUP(frontier_rows, explore_command, search),
	OPTION_GROUP(memory_rows, explore_command, search.solve),
	OPTION_GROUP(seconds_rows, explore_command, within),
	OPTION_GROUP(sizes_rows, explore_command, sizes),
	OPTION_GROUP(cost_rows, explore_command, cost),
	OPTION_GROUP(folder_rows, explore_command, out),
	OPTION_GROUP(json_rows, explore_command, json),
	OPTION_GROUP_OWN(directory_rows),
};

static const char about[] =
	"Compares machines, collectives and methods: for each machine and collective, prints the bounds and the binding cut, what "
	"each method builds or why it cannot, and the fastest algorithm for each size by S α + R/C L β. The method smt takes the "
	"frontier from the catalog, or searches for it within --timeout (5 s each). All algorithms are verified.\n\n"
	"Lists and ranges in braces denote several machines: torus:{4..8}x8, dgx1@drop={0-1,2-3}. --links also evaluates each "
	"machine with one link added, removed, or made one unit wider or narrower. It evaluates one change from each class of "
	"equivalent changes, prints the size of the class, and ranks the changes. --root all takes one root from each orbit of the "
	"nodes under the automorphisms of the machine.\n\n"
	"--within ends the command in time: the rows share it, those for which it is over are left out and counted, and a row that has "
	"begun is finished.\n\n"
	"With -o DIR, all results are written to DIR as explore.txt, explore.csv, explore.jsonl and explore.svg; after an "
	"interrupt, the results obtained so far.\n\n"
	"Example: sccl-synth explore -t dgx1p dgx1v -c allgather,allreduce --links add\v";

static const char status[] =
	"\nExit status: 0 done, even if a limit left candidates open (which is reported); 2 bad input; 3 too many links to change.";

static char *usage_text(void)
{
	struct text s = {0};
	size_t n;
	const char *const *names = explore_methods(&n);

	text_add(&s, "%sMethods:", about);
	for (size_t i = 0; i < n; i++)
		text_add(&s, "%s%s", i ? ", " : " ", names[i]);
	text_add(&s, ".\n%s", status);
	return text_take(&s);
}

/* A study in progress. */
struct exploration {
	const struct explore_command *options;
	const struct exploring *exploring;
	struct rows rows;
	int first_of_machine; /* its first row, by index */
	size_t late;  /* rows that were left out for lack of time */
	time_t saved; /* when rows were last written to DIR */
	struct progress progress;
};

/* A ranked copy of the rows so far, whose array the caller frees. The rows themselves keep their order, since later
 * rows refer to them by index. */
static struct rows ranked(const struct exploration *s)
{
	struct rows shown = {s->rows.n, s->rows.n, copy_bytes(s->rows.at, s->rows.n * sizeof *s->rows.at)};

	rows_rank(&shown, s->exploring->options.n_sizes, s->exploring->by);
	return shown;
}

static struct report report_of(const struct exploration *s, const struct rows *rows)
{
	return (struct report){rows, s->exploring->options.n_sizes, s->exploring->sizes, s->exploring->by};
}

static bool save_form(const struct report *r, const struct report_form *form, const char *dir, struct error *e)
{
	struct text path = {0}, bytes = {0};

	text_add(&path, "%s/explore.%s", dir, form->ending);
	form->write(r, &bytes);
	bool ok = file_write(path.bytes, bytes.bytes ? bytes.bytes : "", bytes.length, e);
	text_free(&path);
	text_free(&bytes);
	return ok;
}

static bool save(const struct exploration *s, struct error *e)
{
	struct rows rows = ranked(s);
	const struct report r = report_of(s, &rows);
	size_t n;
	const struct report_form *forms = report_forms(&n);
	bool ok = true;

	for (size_t i = 0; ok && i < n; i++)
		ok = save_form(&r, &forms[i], s->options->out, e);
	free(rows.at);
	return ok;
}

static bool save_now_and_then(struct exploration *s, struct error *e)
{
	time_t now = time(NULL);

	if (!s->options->out || now == s->saved)
		return true;
	s->saved = now;
	return save(s, e);
}

static bool add_row(struct exploration *s, const char *spec, const struct topology *t, size_t collective,
		    const struct collective *k, const struct row *before, struct error *e)
{
	struct explore_options options = s->exploring->options;
	struct text subject = {0};

	if (interrupted)
		return error_set(e, ERROR_SYSTEM, "explore", "interrupted");
	const char *called = s->exploring->called.names[collective];
	text_add(&subject, "%s %s, after %zu row%s", t->name, called, s->rows.n, plural((int64_t)s->rows.n));
	progress_show(&s->progress, subject.bytes);
	s->progress.subject = subject.bytes;
	options.trying = progress_doing;
	options.search.progress = progress_callback();
	options.search.context = &s->progress;
	bool ok = explore_row(&options, spec, t, called, k, before, &s->rows, e);
	progress_clear(&s->progress);
	text_free(&subject);
	return ok;
}

/* Adds the row of a changed machine, which takes over the list of equivalent links. */
static bool add_change(struct exploration *s, struct link_class *c, size_t collective, const struct collective *k, int base,
		       struct error *e)
{
	if (!add_row(s, c->spec, c->topology, collective, k, &s->rows.at[base], e))
		return false;
	struct row *row = &s->rows.at[s->rows.n - 1];
	row->base = base;
	row->change = c->change;
	row->n_isomorphic = c->n_isomorphic;
	row->isomorphic = c->isomorphic;
	c->isomorphic = NULL;
	return save_now_and_then(s, e);
}

static bool add_changes(struct exploration *s, size_t machine, size_t collective, const struct collective *k, struct error *e)
{
	const struct exploring *x = s->exploring;
	struct link_classes classes;
	int base = (int)s->rows.n - 1, root = collective_row(k)->rooted ? k->root : -1;

	progress_show(&s->progress, "finding equivalent changes");
	bool looked = link_classes_new(x->machines.names[machine], x->topologies[machine], x->changes, root, &interrupted, &classes, e);
	progress_clear(&s->progress);
	if (!looked)
		return false;
	if (classes.n_too_thin && base == s->first_of_machine)
		fprintf(stderr, "sccl-synth: %s: %zu link%s one unit wide and can be removed, but not degraded\n", printable(x->machines.names[machine]),
			classes.n_too_thin, classes.n_too_thin == 1 ? " is" : "s are");
	bool ok = true;
	for (size_t i = 0; ok && i < classes.n; i++)
		if (stop_left() <= 0)
			s->late++;
		else
			ok = add_change(s, &classes.at[i], collective, k, base, e);
	link_classes_free(&classes);
	return ok;
}

/* A row and those of its changes, within an even share of the time that is left. */
static bool add_subject(struct exploration *s, size_t machine, size_t collective, const struct collective *k, struct error *e)
{
	const struct exploring *x = s->exploring;
	size_t left = x->machines.n * x->called.n - (machine * x->called.n + collective);

	if (stop_left() <= 0) {
		s->late++;
		return true;
	}
	double deadline = stop_within(stop_left() / (double)left);
	bool ok = add_row(s, x->machines.names[machine], x->topologies[machine], collective, k, NULL, e) && save_now_and_then(s, e) &&
		  (!x->changes || add_changes(s, machine, collective, k, e));
	stop_restore(deadline);
	return ok;
}

/* Adds rows for one root of each orbit of nodes under the machine's automorphisms. If the machine is too large for a
 * network, there is only the row of node 0, which reports this. */
static bool add_roots(struct exploration *s, size_t machine, size_t collective, struct collective k, struct error *e)
{
	const struct topology *t = s->exploring->topologies[machine];
	struct error ignored = {0};
	struct network *w = network_new(t, &ignored);
	int *orbit = new_array(int, (size_t)t->nodes); /* all 0 if unknown, so that only root 0 remains */
	bool ok = true;

	if (w)
		automorphisms_node_orbits(w, orbit);
	for (k.root = 0; ok && k.root < t->nodes; k.root++)
		ok = orbit[k.root] != k.root || add_subject(s, machine, collective, &k, e);
	free(orbit);
	network_free(w);
	return ok;
}

static bool explore(struct exploration *s, struct error *e)
{
	const struct exploring *x = s->exploring;

	for (size_t i = 0; i < x->machines.n; i++) {
		s->first_of_machine = (int)s->rows.n;
		for (size_t c = 0; c < x->called.n; c++) {
			const struct collective *k = &x->collectives[i * x->called.n + c];
			bool all = s->options->root.is_all && collective_row(k)->rooted;
			if (!(all ? add_roots(s, i, c, *k, e) : add_subject(s, i, c, k, e)))
				return false;
		}
	}
	return true;
}

static void report_root(const struct explore_command *o, const struct exploring *x)
{
	for (size_t c = 0; c < x->called.n; c++)
		if (collective_row(&x->collectives[c])->rooted) {
			options_report_root(&o->root, &x->collectives[c]);
			return;
		}
}

/* What an interrupt leaves. */
static void say_if_interrupted(const char *out)
{
	struct text line = {0};

	if (out)
		text_add(&line, "sccl-synth: explore: interrupted: the rows so far are in %s", printable(out));
	else
		text_add(&line, "sccl-synth: explore: interrupted: no rows are kept; -o DIR keeps those so far");
	interrupts_say(line.bytes);
	text_free(&line);
}

static int answer(const struct explore_command *o, const struct exploring *x)
{
	struct exploration s = {.options = o, .exploring = x};
	struct error e = {0}, writing = {0};

	if (o->out && !folder_make(o->out, &e))
		return fail(&e);
	report_root(o, x);
	say_if_interrupted(o->out);
	stop_within(o->within > 0 ? o->within : INFINITY);
	bool done = explore(&s, &e), ok = !o->out || save(&s, &writing);
	if (done && ok) {
		struct rows rows = ranked(&s);
		const struct report r = report_of(&s, &rows);
		struct text text = {0};
		x->form->write(&r, &text);
		fwrite(text.bytes, 1, text.length, stdout);
		text_free(&text);
		free(rows.at);
	}
	if (done && s.late)
		fprintf(stderr, "sccl-synth: explore: time limit of %g s: %zu row%s left out\n", o->within, s.late, s.late == 1 ? " was" : "s were");
	bool none = s.rows.n == 0;
	int worst = done && ok && none ? STATUS_GAVE_UP : !done ? fail(&e) : ok ? STATUS_DONE : fail(&writing);
	interrupts_say(NULL);
	rows_free(&s.rows);
	return worst;
}

int cmd_explore(int argc, char **argv)
{
	struct error e = {0};
	struct explore_command o = {.search = {.k = WITHOUT_K, .jobs = 1, .solve.engine = "auto"}};
	struct exploring x = {0};
	char *text = usage_text();
	const struct usage usage = {text, USAGE_GROUPS(groups), .operands = "T...", .extends = true};

	bool ok = options_read(argc, argv, &usage, &o, &e) && exploring_read(&o, &x, &e);
	if (ok)
		catch_interrupts();
	int result = ok ? answer(&o, &x) : fail(&e);
	exploring_free(&x);
	free(text);
	return result;
}

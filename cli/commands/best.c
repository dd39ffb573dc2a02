/*
 * `best`: the fastest algorithm for each size, by simulation, of all that the methods, the catalog and a search find
 * within a time; compared with a bound and with NCCL's ring and trees. With -o also the files that an application needs.
 */

#include "cli/output/command.h"
#include "cli/arguments/shared.h"
#include "cli/arguments/sizes.h"
#include "cli/commands/simulation.h"
#include "cli/commands/tuning.h"
#include "cli/output/progress.h"

#include "core/base/file.h"
#include "core/base/memory.h"
#include "core/base/stop.h"
#include "core/machine/topology.h"
#include "explore/best/report.h"
#include "lower/lower.h"
#include "simulate/plot.h"
#include "synth/frontier/catalog.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct best_options {
	struct subject_options subject;
	struct simulation how;
	const char *sizes, *format, *out;
	double within;
	bool json;
};

/* "30" or "30s". */
static bool read_within(const struct option_row *r, const char *s, void *field, struct error *e)
{
	size_t n = strlen(s);
	char *digits = copy_string(s);

	if (n > 1 && digits[n - 1] == 's')
		digits[n - 1] = '\0';
	struct error ignored = {0};
	bool ok = option_seconds(r, digits, field, &ignored);
	free(digits);
	return ok || option_refuse(r, e, "must be seconds, more than 0 and at most 1e8, not \"%.64s\"", s);
}

static const struct option_row own_rows[] = {
	{"within", 0, "SEC", "end within so many seconds, as in 30 or 30s, with the best so far (30)",
	 OPTION(read_within, best_options, within)},
	{"format", 0, "F", "output format: table, csv, json or svg (table)", OPTION(option_text, best_options, format)},
};

static const struct option_group groups[] = {
	SUBJECT_GROUPS(best_options, subject),
	OPTION_GROUP_OWN(own_rows),
	OPTION_GROUP(sizes_rows, best_options, sizes),
	OPTION_GROUP(speed_rows, best_options, how),
	OPTION_GROUP(simulation_rows, best_options, how),
	OPTION_GROUP(step_cost_rows, best_options, how.step),
	OPTION_GROUP(folder_rows, best_options, out),
	OPTION_GROUP(json_rows, best_options, json),
	OPTION_GROUP_OWN(directory_rows),
};

static const struct usage usage = {
	"Finds the fastest algorithm for each size. All methods with several numbers of chunks, the catalog, and a search for the "
	"frontier run for at most --within seconds; everything that they find is verified, and simulated on the machine's links as by "
	"`sccl-synth simulate`. For each range of sizes of one rank's input, prints which algorithm is the fastest, and for the "
	"smallest and largest size of the range: the time, algbw and busbw in GB/s as nccl-tests defines them, how far the time is "
	"above a lower bound on the time of any schedule, in steps or not, and how many times as long NCCL's ring and double binary "
	"trees take, each with the number of chunks that suits it best.\n\n"
	"-o writes to DIR/TOPOLOGY/COLLECTIVE/ the algorithms, a table of choices as `sccl-synth tune` writes it, and the results as "
	"best.txt, best.csv, best.jsonl and best.svg. It also writes time-bound.json, a certificate of the lower bounds for `sccl-synth "
	"check-proof`. After an interrupt, the results so far are printed and written.\n\n"
	"Example: sccl-synth best -t dgx-h100 -c allreduce --within 10 -o out\v"
	"Exit status: 0 done; 2 bad input, including a machine whose links have no latency and speed, unless --alpha and --beta "
	"are given; 3 nothing was found in time, nor one classic algorithm within a second more.",
	USAGE_GROUPS(groups),
};

/* ---- progress ---- */

static void show(void *context, const struct best_news *news)
{
	struct progress *p = context;
	struct text line = {0};
	char from[BYTES_TEXT], to[BYTES_TEXT];

	if (news->is_new) {
		interrupts_say(NULL);
		const struct best_entry *x = news->is_new;
		text_add(&line, "%s .. %s: %s (%d,%d,%d)", bytes_text(news->from, from), bytes_text(news->to, to), x->method, x->cost.chunks,
			 x->cost.steps, x->cost.rounds);
		progress_print(p, line.bytes);
	} else {
		text_add(&line, "trying %s, %zu simulated, %.0f s left", news->doing, news->n_simulated, news->seconds_left);
		progress_show(p, line.bytes);
	}
	text_free(&line);
}

/* ---- files ---- */

/* What a study writes: the folder, and the algorithms in it. Owned. */
struct best_files {
	char *folder;
	char **algorithms; /* [entry]: paths */
};

/* The name of an algorithm without its machine and collective, as a file name. */
static void add_file_name(const struct best_question *q, const char *name, struct text *into)
{
	name += strlen(q->topology->name) + strlen(collective_called(q->collective)) + 2;
	for (const char *c = name; *c; c++)
		text_add(into, "%c", isalnum((unsigned char)*c) || strchr("-+,_", *c) ? *c : '_');
	text_add(into, ".json");
}

static struct best_files files_of(const struct best_question *q, const struct best_study *b, const char *out)
{
	struct best_files f = {catalog_folder(out, q->topology, q->collective), new_array(char *, b->n)};

	for (size_t i = 0; i < b->n; i++) {
		struct text path = {0};
		text_add(&path, "%s/", f.folder);
		add_file_name(q, b->entries[i].name, &path);
		f.algorithms[i] = text_take(&path);
	}
	return f;
}

static void files_free(struct best_files *f, size_t n)
{
	for (size_t i = 0; i < n && f->algorithms; i++)
		free(f->algorithms[i]);
	free(f->algorithms);
	free(f->folder);
}

/* FOLDER/NAME[-rootN].ENDING, or without an ending. */
static bool save_text(const struct best_question *q, const char *folder, const char *name, const char *ending, const struct text *t,
		      struct error *e)
{
	struct text path = {0};

	text_add(&path, "%s/%s", folder, name);
	catalog_add_roots(q->collective, &path);
	text_add(&path, "%s%s", *ending ? "." : "", ending);
	bool ok = file_write(path.bytes, t->bytes, t->length, e);
	text_free(&path);
	return ok;
}

/* The table of choices, by the simulated times. */
static void add_choices(const struct best_question *q, const struct best_study *b, struct text *into)
{
	struct contender *all = new_array(struct contender, b->n);
	struct algorithm *named = new_array(struct algorithm, b->n); /* only these members are needed */
	struct times t = {b->n_sizes, copy_bytes(q->sizes, b->n_sizes * sizeof *q->sizes), new_array(double, b->n * VARIANTS * b->n_sizes)};

	for (size_t i = 0; i < b->n * VARIANTS * b->n_sizes; i++)
		t.at[i] = -1;
	for (size_t i = 0; i < b->n; i++) {
		named[i] = (struct algorithm){.name = b->entries[i].name, .topology = (struct topology *)q->topology, .collective = *q->collective};
		all[i] = (struct contender){.algorithm = &named[i], .program = lower_name(&named[i])};
		memcpy(t.at + i * VARIANTS * b->n_sizes, b->entries[i].microseconds, b->n_sizes * sizeof *t.at);
	}
	text_add(into, "# Choices of sccl-synth best, simulated.\n# program, largest bytes of L (-: any), protocol, kernels, blocks (-: open), "
		 "in turns\n");
	tune_rows(all, b->n, &t, false, into);
	for (size_t i = 0; i < b->n; i++)
		free(all[i].program);
	free(all);
	free(named);
	times_free(&t);
}

/* Writes the table of choices last, so that it never names what is not there. */
static bool save(const struct best_question *q, const struct best_report *r, const char *folder, struct error *e)
{
	size_t n;
	const struct best_form *forms = best_forms(&n);
	bool ok = true;

	for (size_t i = 0; i < r->best->n && ok; i++)
		ok = file_write(r->files[i], r->best->entries[i].text.bytes, r->best->entries[i].text.length, e);
	for (size_t i = 0; i < n && ok; i++) {
		struct text text = {0};
		forms[i].write(r, &text);
		ok = save_text(q, folder, "best", forms[i].ending, &text, e);
		text_free(&text);
	}
	if (r->best->certificate.length)
		ok = ok && save_text(q, folder, "time-bound", "json", &r->best->certificate, e);
	struct text choices = {0};
	add_choices(q, r->best, &choices);
	ok = ok && save_text(q, folder, "choices", "", &choices, e);
	text_free(&choices);
	return ok;
}

/* Reports the sources that were cut off or died. */
static void tell_late(const struct best_options *o, const struct best_study *b)
{
	if (b->died.length)
		fprintf(stderr, "sccl-synth: best: %s; there may be faster algorithms\n", b->died.bytes);
	if (b->late.length)
		fprintf(stderr, "sccl-synth: --within: %g s were not enough for %s\n", o->within, b->late.bytes);
	for (int i = 0; i < BEST_BASELINES; i++)
		if (b->is_late[i])
			fprintf(stderr, "sccl-synth: --within: %g s were not enough for %s with all numbers of chunks; it may be faster than stated with others\n",
				o->within, best_baseline_names[i]);
}

/* ---- the command ---- */

static const struct best_form *form_of(const struct best_options *o, struct error *e)
{
	size_t n;
	const struct best_form *forms = best_forms(&n);
	const char *name = o->format ? o->format : o->json ? "json" : "table";

	for (size_t i = 0; i < n; i++)
		if (strcmp(forms[i].name, name) == 0 && !(o->json && strcmp(name, "json") != 0))
			return &forms[i];
	if (o->json)
		error_set(e, ERROR_INPUT, "--json", "contradicts --format %.64s", name);
	else
		error_set(e, ERROR_INPUT, "--format", "must be table, csv, json or svg, not \"%.64s\"", name);
	return NULL;
}

/* Can the files be written? This is asked before the search, which may take long. */
static bool check_folder(const struct best_options *o, const struct best_question *q, struct error *e)
{
	if (!o->out)
		return true;
	char *folder = catalog_folder(o->out, q->topology, q->collective);
	bool ok = folder_check(folder, e) && catalog_check(o->out, q->topology, q->collective, e);
	free(folder);
	return ok;
}

/* If the files cannot be written, the answer is printed nevertheless, and names none. */
static int report(const struct best_options *o, const struct best_question *q, const struct best_study *b, const struct best_form *form)
{
	struct best_files f = {0};
	struct error e = {0};
	struct text text = {0};

	if (o->out)
		f = files_of(q, b, o->out);
	struct best_report r = {q, b, (const char *const *)f.algorithms};
	bool ok = !o->out || (catalog_check(o->out, q->topology, q->collective, &e) && save(q, &r, f.folder, &e));
	r.files = ok ? r.files : NULL;
	form->write(&r, &text);
	fwrite(text.bytes, 1, text.length, stdout);
	fflush(stdout);
	text_free(&text);
	if (!b->is_interrupted)
		tell_late(o, b);
	files_free(&f, b->n);
	return !ok ? fail(&e) : b->is_interrupted ? STATUS_INTERRUPTED : STATUS_DONE;
}

static int answer(const struct best_options *o, struct best_question *q, const struct best_form *form)
{
	struct progress progress = {0};
	struct error e = {0};
	struct best_study b;
	struct text nothing = {0};

	text_add(&nothing, "sccl-synth: %s: interrupted: nothing was found yet", printable(q->topology->name));
	interrupts_say(nothing.bytes);
	text_free(&nothing);
	q->progress = show;
	q->context = &progress;
	q->interrupted = &interrupted;
	q->within = stop_left();
	bool ok = check_folder(o, q, &e) && best_find(q, &b, &e);
	progress_clear(&progress);
	if (!ok)
		return fail(&e);
	interrupts_say(NULL);
	int status = report(o, q, &b, form);
	best_free(&b);
	return status;
}

static int find(const struct best_options *o, const struct best_form *form)
{
	struct error e = {0};
	struct topology *t;
	struct collective k;
	int64_t *sizes = NULL;
	struct best_question q = {.how = o->how, .most_sends = LOWERED_SENDS_MAX};

	stop_within(o->within);
	bool ok = options_one_root(&o->subject.root, &e) && simulation_check(&o->how, &e) &&
		  sizes_read(o->sizes ? o->sizes : "1K:1G", &sizes, &q.n_sizes, &e);
	if (!ok || !options_subject(&o->subject, &t, &k, &e)) {
		free(sizes);
		return fail(&e);
	}
	options_report_root(&o->subject.root, &k);
	catch_interrupts();
	q.topology = t;
	q.collective = &k;
	q.sizes = sizes;
	int status = answer(o, &q, form);
	topology_free(t);
	collective_free(&k);
	free(sizes);
	return status;
}

int cmd_best(int argc, char **argv)
{
	struct error e = {0};
	struct best_options o = {.how = simulation_defaults, .within = 30};
	bool ok = options_read(argc, argv, &usage, &o, &e);
	const struct best_form *form = ok ? form_of(&o, &e) : NULL;

	return form ? find(&o, form) : fail(&e);
}

/* `report`: what there is to know about a machine, as a page: its links, bounds, frontiers, and the fastest algorithm of each
 * collective for each size against NCCL's ring and trees. */

#include "cli/output/command.h"
#include "cli/output/progress.h"
#include "cli/arguments/shared.h"
#include "cli/commands/pages.h"
#include "cli/commands/simulation.h"

#include "core/base/file.h"
#include "core/base/memory.h"
#include "core/base/stop.h"
#include "core/machine/topology.h"
#include "explore/best/best.h"
#include "lower/lower.h"
#include "simulate/plot.h"
#include "simulate/simulator.h"
#include "synth/frontier/pareto.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct report_options {
	const char *topology, *out;
	double within;
};

static const struct option_row own_rows[] = {
	{"topology", 't', "T", "machine: a name from `sccl-synth topology list`, a file, or a shape", OPTION(option_text, report_options, topology)},
};

static const struct option_group groups[] = {
	OPTION_GROUP_OWN(own_rows),
	OPTION_GROUP(seconds_rows, report_options, within),
	OPTION_GROUP(output_rows, report_options, out),
	OPTION_GROUP_OWN(directory_rows),
};

static const struct usage usage = {
	"Writes a page about a machine that needs no network: its links and the bounds of all collectives; for allreduce, allgather, "
	"reducescatter, alltoall and broadcast the fastest algorithm for each size, in time and GB/s, against a lower bound and against "
	"NCCL's ring and double binary trees; the Pareto frontiers, whose points open; and what could not be found.\n\n"
	"The time of --within (60 s) is shared by the collectives.\n\n"
	"Example: sccl-synth report -t dgx1 --within 60 -o dgx1.html\v"
	"Exit status: 0 done, even if some collective has no algorithm, which the page says; 2 bad input; 4 the page cannot be written.",
	USAGE_GROUPS(groups),
};

static const enum collective_kind kinds[] = {ALLREDUCE, ALLGATHER, REDUCESCATTER, ALLTOALL, BROADCAST};
enum { KINDS = sizeof kinds / sizeof *kinds, SIZES = 21, FIRST_SIZE = 1024 };

/* ---- the fastest for each size ---- */

static double rate(const struct collective *k, const struct topology *t, double bytes, double us)
{
	const struct algorithm named = {.topology = (struct topology *)t, .collective = *k};

	return us > 0 ? bus_factor(&named) * bytes / us / 1e3 : 0;
}

static void add_times(struct page *p, const struct topology *t, const struct collective *k, const struct best_study *b, const int64_t *sizes)
{
	static const char *const head[] = {"bytes", "method", "(C,S,R)", "us", "busbw GB/s", "-above bound", "-over ring", "-over trees", NULL};
	char text[BYTES_TEXT];

	page_table(p, NULL, "us: the time simulated on the machine's links. Above bound: how much longer than a time that no schedule can beat. Over ring, over trees: how "
			    "many times as long NCCL's algorithms take.", head);
	for (size_t s = 0; s < b->n_sizes; s++) {
		const struct best_entry *x = b->fastest[s] < 0 ? NULL : &b->entries[b->fastest[s]];
		if (!x)
			continue;
		double us = best_time(b, s);
		page_row(p);
		page_cell(p, "%s", bytes_text(sizes[s], text));
		page_cell(p, "%s", strcmp(x->method, "smt") == 0 ? "search" : x->method);
		page_cell(p, "(%d,%d,%d)", x->cost.chunks, x->cost.steps, x->cost.rounds);
		page_cell(p, "%.4g", us);
		page_cell(p, "%.4g", rate(k, t, (double)sizes[s], us));
		page_cell(p, b->bound[s] > 0 ? "%.1f %%" : "not known", 100 * (us / b->bound[s] - 1));
		for (int i = 0; i < BEST_BASELINES; i++)
			page_cell(p, isfinite(b->baselines[i][s]) ? "%.2f" : "-", b->baselines[i][s] / us);
	}
	page_table_end(p);
}

static void add_curves(struct page *p, const struct best_study *b, const int64_t *sizes)
{
	static const char *const names[] = {"fastest found", "lower bound", "NCCL's ring", "NCCL's trees"};
	enum { CURVES = 4 };
	double *values = new_array(double, CURVES * b->n_sizes);

	for (size_t s = 0; s < b->n_sizes; s++) {
		double best = best_time(b, s);
		values[s] = isfinite(best) ? best : 0;
		values[b->n_sizes + s] = b->bound[s];
		for (int i = 0; i < BEST_BASELINES; i++)
			values[(2 + (size_t)i) * b->n_sizes + s] = isfinite(b->baselines[i][s]) ? b->baselines[i][s] : 0;
	}
	page_chart(p, &(struct page_chart){"Time in us", b->n_sizes, CURVES, sizes, names, values});
	free(values);
}

static void add_best(struct page *p, const struct topology *t, const struct collective *k, double seconds)
{
	struct error e = {0};
	struct best_study b;
	int64_t sizes[SIZES];

	for (int i = 0; i < SIZES; i++)
		sizes[i] = (int64_t)FIRST_SIZE << i;
	const struct best_question q = {.topology = t, .collective = k, .n_sizes = SIZES, .sizes = sizes, .how = simulation_defaults, .most_sends = LOWERED_SENDS_MAX,
					.within = seconds, .interrupted = &interrupted};
	if (!best_find(&q, &b, &e)) {
		struct text why = {0};
		text_add(&why, "No times: %s: %s.", e.where, e.what);
		page_line(p, why.bytes);
		text_free(&why);
		return;
	}
	add_curves(p, &b, sizes);
	add_times(p, t, k, &b, sizes);
	if (b.late.length) {
		struct text late = {0};
		text_add(&late, "There was not enough time for: %s.", b.late.bytes);
		page_line(p, late.bytes);
		text_free(&late);
	}
	best_free(&b);
}

/* ---- frontiers ---- */

static struct frontier *search(const struct topology *t, const struct collective *k, double seconds, struct error *e)
{
	const struct pareto_options o = {.k = WITHOUT_K, .jobs = 1, .beyond = true, .solve = {.engine = "auto", .timeout = seconds}, .interrupted = &interrupted};
	struct problem p, direct;
	struct frontier *f = NULL;

	if (!problem_open(t, k, &p, e))
		return NULL;
	if (k->kind != ALLREDUCE)
		f = pareto_search(&p, &o, e);
	else if (problem_open_direct(t, k, &direct, e)) {
		f = pareto_search_both(&p, &direct, &o, e);
		problem_close(&direct);
	}
	problem_close(&p);
	return f;
}

static void add_frontier(struct page *p, const struct topology *t, const struct collective *k, double seconds)
{
	struct error e = {0};
	double before = stop_within(seconds);
	struct frontier *f = search(t, k, seconds, &e);

	stop_restore(before);
	if (f && f->n_points && page_frontier(p, f, &e)) {
		if (f->ended == ENDED_TIME || f->ended == ENDED_LIMIT || f->n_open)
			page_line(p, "The time ended before the frontier was complete; more may find better points.");
	} else {
		struct text why = {0};
		text_add(&why, "No frontier: %s.", e.kind != ERROR_NONE ? e.what : "no point was found in the time");
		page_line(p, why.bytes);
		text_free(&why);
	}
	frontier_free(f);
}

/* ---- the page ---- */

static int report(const struct report_options *o, const struct topology *t)
{
	static const double share = 0.6; /* of a collective's time: for the fastest algorithms, the rest for the frontier */
	struct error e = {0};
	struct text title = {0};
	struct progress progress = {.subject = t->name};
	double each = o->within / KINDS;

	text_add(&title, "%s: what its links can do", t->name);
	struct page p = page_new(title.bytes);
	text_free(&title);
	pages_add_machine(&p, t);
	for (int i = 0; i < KINDS && !interrupted; i++) {
		const struct collective k = {.kind = kinds[i]};
		progress_doing(&progress, collective_name(&k));
		page_heading(&p, collective_name(&k));
		page_line(&p, collective_row(&k)->about);
		add_best(&p, t, &k, share * each);
		add_frontier(&p, t, &k, (1 - share) * each);
	}
	progress_clear(&progress);
	if (interrupted)
		page_line(&p, "Interrupted: the collectives after this were not tried.");
	int status = page_finish(&p, o->out, &e) ? STATUS_DONE : fail(&e);
	return interrupted ? STATUS_INTERRUPTED : status;
}

int cmd_report(int argc, char **argv)
{
	struct error e = {0};
	struct report_options o = {.within = 60};

	if (!options_read(argc, argv, &usage, &o, &e))
		return fail(&e);
	if (!o.topology)
		error_set(&e, ERROR_INPUT, "-t", "missing; give a machine, as in -t dgx1");
	struct topology *t = o.topology ? topology_open(o.topology, &e) : NULL;
	if (!t)
		return fail(&e);
	catch_interrupts();
	int status = report(&o, t);
	topology_free(t);
	return status;
}

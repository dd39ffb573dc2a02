/* `pareto`: the Pareto frontier of a machine and collective, from the catalog or by search, for one root or several. */

#include "cli/output/command.h"
#include "cli/output/deadline.h"
#include "cli/arguments/shared.h"
#include "cli/output/progress.h"
#include "cli/commands/frontier_table.h"
#include "cli/commands/replay.h"
#include "cli/commands/remote_search.h"
#include "cli/commands/so_far.h"
#include "cli/commands/value_proofs.h"

#include "core/base/clock.h"
#include "core/base/memory.h"
#include "core/machine/network.h"
#include "core/base/stop.h"
#include "core/base/text.h"
#include "core/machine/topology.h"
#include "core/symmetry/automorphisms.h"
#include "synth/frontier/atlas.h"
#include "synth/frontier/catalog.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct pareto_command {
	struct subject_options subject;
	struct pareto_options search;
	struct schedule_constraints constraints;
	struct class_or_seconds within;
	bool fresh, json;
	double end; /* of --within, in clock_seconds */
	int n_searches; /* of roots or collectives */
	struct known_frontiers known;
};

static const struct option_row own_rows[] = {
	{"max-chunks", 0, "N", "use at most N chunks (1024, for each block of a reducescatter or alltoall); with -k no point is then "
			       "claimed to be optimal by exhaustion",
	 OPTION_WHOLE(pareto_options, max_chunks, 1, CHUNKS_MAX)},
	{"least-steps", 0, NULL, "stop at the first point, which has the fewest steps",
	 OPTION(option_flag, pareto_options, least_steps)},
	{"resume", 0, NULL, "with -k: continue from the journal that an interrupted search left in the folder given by -o",
	 OPTION(option_flag, pareto_options, resume)},
};
static const struct option_row fresh_rows[] = {
	{"fresh", 0, NULL, "search even if the catalog contains the frontier", option_flag, .field = 0},
};

static const struct option_group groups[] = {
	SUBJECT_GROUPS(pareto_command, subject),
	OPTION_GROUP(frontier_rows, pareto_command, search),
	OPTION_GROUP(own_rows, pareto_command, search),
	OPTION_GROUP(engine_rows, pareto_command, search.solve),
	OPTION_GROUP(timeout_rows, pareto_command, search.solve),
	OPTION_GROUP(memory_rows, pareto_command, search.solve),
	OPTION_GROUP(expand_rows, pareto_command, search.expand),
	OPTION_GROUP(folder_rows, pareto_command, search.out),
	OPTION_GROUP(constraint_rows, pareto_command, constraints),
	OPTION_GROUP(class_or_seconds_rows, pareto_command, within),
	OPTION_GROUP(fresh_rows, pareto_command, fresh),
	OPTION_GROUP(json_rows, pareto_command, json),
	OPTION_GROUP_OWN(directory_rows),
};

static const struct usage usage = {
	"Finds the Pareto frontier of a collective on a machine: for each number of steps S, starting from the fewest possible, the "
	"algorithm with the lowest R/C (rounds per chunk), until additional steps no longer lower it.\n\n"
	"The least R/C that any algorithm with S steps has, whatever its C and R, is the value of a linear program; an algorithm that "
	"attains it is looked for with few chunks. With -o, each point is written to DIR/TOPOLOGY/COLLECTIVE/ as soon as it is found, "
	"followed by the frontier and by the certificates of its values.\n\n"
	"With -k K only algorithms with R - S <= K are searched for, as in the SCCL paper, and a point is optimal in that class: either "
	"it meets a lower bound (`sccl-synth bounds`), or every better candidate was refuted, by a solver or by the bound for its "
	"number of steps; the file lists the refuted candidates. Such a search keeps a journal, and --resume continues it after an "
	"interruption. A scan, --pipeline and --extra-memory are always "
	"searched this way (K = 4 unless given). --root all takes one root from each orbit of the nodes under the automorphisms of the machine.\n\n"
	"If the catalog contains the frontier of an isomorphic machine, that frontier is relabelled, verified along with its "
	"proofs, and printed; if it has no proofs, the frontier is searched for instead. --fresh always searches, and so do "
	"--resume, --engine, --within, --max-chunks and --least-steps.\n\n"
	"With --pipeline or --extra-memory, all points satisfy these constraints, and the files are written to a subfolder of DIR "
	"named after them.\n\n"
	"-c all searches allgather, reducescatter, allreduce, alltoall, broadcast, reduce, gather and scatter, one after the other; each "
	"takes what the ones before it found: a reduce is a broadcast run backwards where the machine equals its reverse, and an allreduce "
	"has the first two as halves.\n\n"
	"Example: sccl-synth pareto -t dgx1 -c allgather -o algorithms\v"
	"Exit status: 0 done, or the time of --within ended with at least one point; 2 bad input; 3 the time ran out, or a limit left "
	"some candidates undecided, which are listed as open.",
	USAGE_GROUPS(groups),
};

static void note(const char *path, const char *line)
{
	fprintf(stderr, "sccl-synth: %s: %s\n", printable(path), printable(line));
}

static void report_source(const struct frontier *f, const struct atlas_source *from)
{
	fprintf(stderr, "sccl-synth: %s: taken from the catalog, relabelled for %s, and verified with its proofs (%s)%s\n",
		printable(from->path), printable(f->topology->name), from->shown,
		f->n_open ? "; --fresh searches again, including the open candidates" : "");
}

/* The frontier from the catalog, unless the options require a search. NULL without an error: it is not there. */
static struct frontier *look_up(const struct pareto_command *o, const struct problem *p, const struct problem *direct,
				const struct pareto_options *search, struct error *e)
{
	const struct atlas_question question = {p, direct, search, replay_doubt, replay_proofs};
	struct atlas_source from = {0};

	if (o->fresh || search->resume || constraints_any(&o->constraints) || o->within.class != WITHIN_BOTH || strcmp(search->solve.engine, "auto") != 0)
		return NULL;
	struct frontier *f = atlas_find(&question, &from);
	if (f && ((search->expand && !frontier_expand(f, e)) || (search->out && !catalog_store_all(f, search->out, e)))) {
		frontier_free(f);
		f = NULL;
	} else if (f)
		report_source(f, &from);
	free(from.path);
	return f;
}

/* Searches one class of algorithms: for an allreduce, that of P. */
static struct frontier *search_class(const struct pareto_command *o, const struct problem *p, const struct pareto_options *search, struct error *e)
{
	struct frontier *f = p->composed || p->direct ? NULL : look_up(o, p, NULL, search, e);

	return f || e->kind != ERROR_NONE ? f : pareto_search(p, search, e);
}

static struct frontier *search_both(const struct pareto_command *o, const struct problem *p, const struct problem *direct,
				  const struct pareto_options *search, struct error *e)
{
	struct frontier *f = look_up(o, p, direct, search, e);

	return f || e->kind != ERROR_NONE ? f : pareto_search_both(p, direct, search, e);
}

/* An allreduce of which both classes are searched has algorithms of one chunk. */
static bool check_chunks(const struct problem *p, enum options_within classes, int most, struct error *e)
{
	int least = p->collective.kind == ALLREDUCE && classes == WITHIN_BOTH ? 1 : p->unit;

	return !most || most >= least ||
	       error_set(e, ERROR_INPUT, "--max-chunks", "must be at least %d, the fewest chunks of %s on %s, not %d", least,
			 collective_called(&p->collective), p->topology->name, most);
}

static struct frontier *search_classes(const struct pareto_command *o, enum options_within classes, const struct topology *t,
				     const struct collective *k, const struct pareto_options *search, struct error *e)
{
	struct problem p, direct;
	struct frontier *f = NULL;

	if (!(classes == WITHIN_DIRECT ? problem_open_direct : problem_open)(t, k, &p, e))
		return NULL;
	p.constraints = o->constraints;
	if (!constraints_check(&p.constraints, k, e) || !check_chunks(&p, classes, search->max_chunks, e))
		f = NULL;
	else if (k->kind != ALLREDUCE || classes != WITHIN_BOTH)
		f = search_class(o, &p, search, e);
	else if (problem_open_direct(t, k, &direct, e)) {
		f = search_both(o, &p, &direct, search, e);
		problem_close(&direct);
	}
	problem_close(&p);
	return f;
}

static bool has_open(const struct frontier *f)
{
	return f->n_open || (f->composed && f->composed->n_open);
}

/* Was the time over before all step counts were searched? */
static bool ended_early(const struct frontier *f)
{
	return f->ended == ENDED_TIME || (f->composed && f->composed->ended == ENDED_TIME);
}

/* Prints the reason of the first class that has one, which is enough to know what to change. */
static void print_given_up(const struct frontier *f)
{
	const char *why = f->given_up[0] || !f->composed ? f->given_up : f->composed->given_up;

	if (*why)
		fprintf(stderr, "sccl-synth: %s: candidates stay open: %s\n", printable(f->topology->name), why);
}

/* The folder of -o, with a subfolder named after the schedule constraints, if any: DIR/pipeline1-memory2. The caller
 * frees it. NULL: no -o. */
static char *folder_of(const struct pareto_command *o)
{
	struct text folder = {0}, constraints = {0};

	if (!o->search.out)
		return NULL;
	text_add(&folder, "%s", o->search.out);
	constraints_add(&o->constraints, &constraints);
	if (constraints.length)
		text_add(&folder, "/%s", constraints.bytes + 1);
	text_free(&constraints);
	return text_take(&folder);
}

/* The part of the time that is kept for what follows the search: of --within for verifying, writing and printing too. */
static const double spare = 0.1;

static bool makes_proofs(const struct pareto_command *o)
{
	return o->search.k == WITHOUT_K && o->search.out;
}

static bool keeps_spare(const struct pareto_command *o)
{
	return o->within.seconds > 0 || makes_proofs(o);
}

/* Seconds for the whole command; INFINITY: no limit. */
static double time_given(const struct pareto_command *o)
{
	double within = o->within.seconds > 0 ? o->within.seconds : INFINITY, timeout = o->search.solve.timeout > 0 ? o->search.solve.timeout : INFINITY;

	return fmin(within, timeout);
}

/*
 * Computations that do not poll core/base/stop.h (routes, automorphisms, verification) may exceed --timeout by as much
 * again and a little more, but never --within; then the command ends with the points found by then.
 */
static void begin_deadline(const struct pareto_command *o, const struct topology *t)
{
	static const double beyond = 3, least = 1e-3; /* 0 would mean no limit */
	struct text message = {0};
	double seconds = time_given(o);

	if (isinf(seconds))
		return;
	text_add(&message, "sccl-synth: %s: gave up: time limit of %g s, and no frontier yet\n", printable(t->name), seconds);
	deadline_begin(fmax(least, o->within.seconds > 0 ? o->end - clock_seconds() : stop_left() + o->search.solve.timeout + beyond), "", message.bytes);
	text_free(&message);
}

/* Makes the certificates in the time that is left and, of what is kept for them, an equal part for each search. False with *e set: they
 * cannot be written. */
static bool store_proofs(const struct pareto_command *o, const struct frontier *f, const char *dir, struct error *e)
{
	static const double most = 0.8; /* the rest is for writing the answer */

	return value_proofs_store(f, dir, stop_left() + most * spare * time_given(o) / o->n_searches, e);
}

static int status_of(const struct pareto_command *o, const struct frontier *f)
{
	bool early = has_open(f) || ended_early(f), enough = f->n_points && o->within.seconds > 0;

	return early && !enough ? STATUS_GAVE_UP : STATUS_DONE;
}

/* Prints the frontier and returns the exit status. The answer is ready before the certificates are made, in case these take too long. */
static int finish(const struct pareto_command *o, const struct frontier *f, const char *out)
{
	int status = status_of(o, f);
	bool proofs = f->k == WITHOUT_K && out;
	struct error unwritten = {0};
	struct text answer = {0}, late = {0};

	(o->json ? frontier_json : frontier_table)(f, &answer);
	if (proofs)
		text_add(&late, "sccl-synth: %s: time limit of %g s: the frontier is stored, its certificates may be missing; `sccl-synth prove` makes them\n",
			 printable(f->topology->name), time_given(o));
	deadline_answer(answer.bytes, proofs ? late.bytes : "", status);
	if (proofs)
		store_proofs(o, f, out, &unwritten);
	deadline_end();
	fputs(answer.bytes, stdout);
	fflush(stdout);
	text_free(&answer);
	text_free(&late);
	if (has_open(f))
		print_given_up(f);
	if (f->lacked_memory || (f->composed && f->composed->lacked_memory))
		fprintf(stderr, "sccl-synth: %s: solvers ended for lack of memory (--memory), so points may have more chunks than necessary, or be missing\n",
			printable(f->topology->name));
	if (unwritten.kind != ERROR_NONE)
		return fail(&unwritten);
	return interrupted ? STATUS_INTERRUPTED : status;
}

/* With -c all the line also names the collective. */
static int fail_for(const struct pareto_command *o, const struct collective *k, const struct error *e)
{
	struct error named = {0};
	struct text where = {0};

	text_add(&where, "%s: %s", collective_called(k), e->where);
	error_set(&named, e->kind, where.bytes, "%s", e->what);
	text_free(&where);
	return fail(o->n_searches > 1 ? &named : e);
}

static int search_one(const struct pareto_command *o, const struct topology *t, const struct collective *k, struct remote_pool *remote)
{
	struct error e = {0};
	struct text subject = {0};
	enum options_within classes;

	if (!options_classes(o->within.class, o->search.solve.engine, k, &classes, &e) || !options_pipeline(&o->constraints, k, classes, &e))
		return fail(&e);
	char *out = folder_of(o);
	text_add(&subject, "%s %s", t->name, collective_called(k));
	struct progress progress = {.subject = subject.bytes};
	struct so_far found = {.topology = t, .collective = k, .out = out, .json = o->json, .keeps_journal = o->search.k != WITHOUT_K,
			       .seconds = time_given(o), .status = o->within.seconds > 0 ? STATUS_DONE : STATUS_GAVE_UP};
	struct pareto_options search = o->search;
	search.out = out;
	search.progress = progress_callback();
	search.context = &progress;
	search.found = so_far_take;
	search.found_context = &found;
	search.note = note;
	search.interrupted = &interrupted;
	search.remote = remote;
	search.solve.share_of = isinf(time_given(o)) ? 0 : time_given(o);
	begin_deadline(o, t);
	so_far_begin(&found);
	progress_show(&progress, subject.bytes);
	struct frontier *f = search_classes(o, classes, t, k, &search, &e);
	progress_clear(&progress);
	int status = f ? finish(o, f, out) : STATUS_FAILED;
	deadline_end();
	if (!f)
		status = fail_for(o, k, &e);
	so_far_end(&found);
	frontier_free(f);
	text_free(&subject);
	free(out);
	return status;
}

/* [node]: the first node of its orbit. The caller frees it. NULL with *e set. */
static int *find_orbits(const struct pareto_command *o, const struct topology *t, struct error *e)
{
	begin_deadline(o, t);
	struct network *w = network_new(t, e);
	int *orbit = w ? new_array(int, (size_t)t->nodes) : NULL;

	if (w)
		automorphisms_node_orbits(w, orbit);
	deadline_end();
	network_free(w);
	return orbit;
}

/* Searches for one root of each orbit, each with an equal part of the remaining time. Returns the worst status. */
static int search_roots(struct pareto_command *o, const struct topology *t, struct collective *k, struct remote_pool *remote)
{
	struct error e = {0};
	int worst = STATUS_DONE, left = 0, *orbit = find_orbits(o, t, &e);

	if (!orbit)
		return fail(&e);
	for (int n = 0; n < t->nodes; n++)
		left += orbit[n] == n;
	o->n_searches *= left;
	for (int n = 0; n < t->nodes && (worst == STATUS_DONE || worst == STATUS_GAVE_UP); n++) {
		if (orbit[n] != n)
			continue;
		k->root = n;
		double deadline = stop_within(stop_left() / left--);
		int status = search_one(o, t, k, remote);
		stop_restore(deadline);
		worst = status > worst ? status : worst;
	}
	free(orbit);
	return worst;
}

/* A schedule constraint and a scan have no programs over timed trees: they are searched in the class of the paper. */
static void choose_class(struct pareto_command *o, const struct collective *k)
{
	if (o->search.k == WITHOUT_K && (constraints_any(&o->constraints) || k->kind == SCAN))
		o->search.k = PAPER_K;
}

static bool check(const struct pareto_command *o, const struct remote_pool *remote, struct error *e)
{
	if (remote && o->search.k == WITHOUT_K)
		return error_set(e, ERROR_INPUT, "-k", "missing; mpirun distributes the candidates of a class");
	if (remote && o->search.jobs > 1)
		return error_set(e, ERROR_INPUT, "-j", "cannot be combined with mpirun, whose processes solve one candidate each, except the first");
	if (remote && constraints_any(&o->constraints))
		return error_set(e, ERROR_INPUT, o->constraints.pipeline ? "--pipeline" : "--extra-memory", "cannot be combined with mpirun; use -j");
	if (o->search.resume && o->search.out && o->search.k == WITHOUT_K)
		return error_set(e, ERROR_INPUT, "--resume", "requires -k: only the search of a class keeps a journal");
	if (o->search.jobs > 1 && o->search.k == WITHOUT_K)
		return error_set(e, ERROR_INPUT, "-j", "requires -k: only the search of a class solves several candidates at once");
	return !o->search.resume || o->search.out || error_set(e, ERROR_INPUT, "--resume", "requires -o with the folder of the interrupted search");
}

static int search_all_roots_or_one(struct pareto_command *o, const struct topology *t, struct collective *k, struct remote_pool *remote)
{
	if (o->subject.root.is_all)
		return search_roots(o, t, k, remote);
	options_report_root(&o->subject.root, k);
	return search_one(o, t, k, remote);
}

/* *IS_ASKED: the options and the machine are right, whatever is said of the collective. */
static int search_subject(struct pareto_command *o, struct remote_pool *remote, bool *is_asked)
{
	struct error e = {0};
	struct topology *t = NULL;
	struct collective k = {0};

	*is_asked = false;
	if (!options_subject(&o->subject, &t, &k, &e))
		return fail(&e);
	choose_class(o, &k);
	*is_asked = check(o, remote, &e);
	int status = *is_asked ? search_all_roots_or_one(o, t, &k, remote) : fail(&e);
	collective_free(&k);
	topology_free(t);
	return status;
}

/* The kinds of -c all, each after those whose frontiers it takes. */
static const enum collective_kind all_kinds[] = {ALLGATHER, REDUCESCATTER, ALLREDUCE, ALLTOALL, BROADCAST, REDUCE, GATHER, SCATTER};
enum { ALL_KINDS = sizeof all_kinds / sizeof *all_kinds };

/*
 * One after the other; each has an equal part of the time that is left. Roots are for those that have one. Links that do not
 * allow a collective, as an allgather if they lead in one direction, may allow the next.
 */
static int search_kinds(struct pareto_command *o, struct remote_pool *remote)
{
	const struct root_options root = o->subject.root;
	int worst = STATUS_DONE;
	bool goes_on = true;

	o->search.known = &o->known;
	for (int i = 0; i < ALL_KINDS && goes_on; i++) {
		const struct collective_row *row = &collective_rows()[all_kinds[i]];
		o->subject.collective = row->name;
		o->n_searches = ALL_KINDS; /* times its roots */
		o->subject.root = row->rooted ? root : (struct root_options){0};
		double deadline = stop_within(stop_left() / (ALL_KINDS - i));
		int status = search_subject(o, remote, &goes_on);
		stop_restore(deadline);
		goes_on = goes_on && (status == STATUS_DONE || status == STATUS_INPUT || status == STATUS_GAVE_UP);
		worst = status > worst ? status : worst;
	}
	known_frontiers_free(&o->known);
	return worst;
}

int cmd_pareto(int argc, char **argv)
{
	struct error e = {0};
	struct pareto_command o = {.n_searches = 1, .search = {.k = WITHOUT_K, .jobs = 1, .solve.engine = "auto"}};
	struct remote_pool *remote = remote_search_begin(&e);

	if (e.kind != ERROR_NONE || !options_read(argc, argv, &usage, &o, &e))
		return fail(&e);
	catch_interrupts();
	o.end = clock_seconds() + o.within.seconds;
	stop_within(time_given(&o) * (keeps_spare(&o) ? 1 - spare : 1));
	bool all = o.subject.collective && strcmp(o.subject.collective, "all") == 0;
	bool unused;
	return all ? search_kinds(&o, remote) : search_subject(&o, remote, &unused);
}

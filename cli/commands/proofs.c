/* Finds the proofs of frontiers and algorithms in a catalog, and compares their claims. */

#include "cli/commands/proofs.h"

#include "cli/output/command.h"

#include "core/base/json.h"
#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/machine/topology.h"
#include "prove/time_proof.h"
#include "synth/frontier/catalog.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const struct option_row replay_limit_rows[2] = {
	{"timeout", 0, "SEC", "time limit for generating each missing trace, in seconds",
	 OPTION(option_seconds, replay_limits, timeout)},
	{"budget", 0, "STEPS", "limit on the work for checking one proof, in steps (4e9)",
	 OPTION_DECIMAL(replay_limits, budget, 1, 1e15, "steps, from 1 to 1e15")},
};

static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

char *proofs_path(const char *frontier_path)
{
	static const char usual[] = "frontier";
	const char *base = base_of(frontier_path);
	bool is_usual = strncmp(base, usual, sizeof usual - 1) == 0;
	struct text path = {0};

	text_add_bytes(&path, frontier_path, (size_t)(base - frontier_path));
	text_add(&path, "proofs%s%s", is_usual ? "" : "-", is_usual ? base + sizeof usual - 1 : base);
	return text_take(&path);
}

char *proofs_path_of(const char *algorithm_path, const struct algorithm *a)
{
	struct text path = {0};

	text_add_bytes(&path, algorithm_path, (size_t)(base_of(algorithm_path) - algorithm_path));
	text_add(&path, "proofs");
	catalog_add_roots(&a->collective, &path);
	text_add(&path, ".json");
	return text_take(&path);
}

struct point proofs_point(const struct algorithm *a)
{
	static const unsigned by_class[] = {
		[CLASS_NONE] = 0,
		[CLASS_LATENCY] = POINT_BY_STEPS,
		[CLASS_BANDWIDTH] = POINT_BY_CUT,
		[CLASS_BOTH] = POINT_BY_STEPS | POINT_BY_CUT,
		[CLASS_PARETO] = 0,
	};
	unsigned by = by_class[a->optimality.class];

	if (a->optimality.proof == PROOF_EXHAUSTED)
		by |= POINT_BY_REFUSALS;
	if (a->optimality.proof == PROOF_PROGRAM)
		by |= POINT_BY_PROGRAM;
	return (struct point){{a->chunks, (int)a->n_steps, algorithm_rounds(a)}, by};
}

struct proof *proofs_of_frontier(const struct frontier *f, const char *path)
{
	struct proof *p = proof_new(f->topology, &f->collective);

	p->frontier = copy_string(base_of(path));
	p->n_points = f->n_points;
	p->points = new_array(struct point, f->n_points);
	for (size_t i = 0; i < f->n_points; i++)
		p->points[i] = proofs_point(f->points[i]);
	return p;
}

struct make_lists proofs_lists(const struct frontier *f)
{
	const struct frontier *composed = f->within == WITHIN_COMPOSITION ? f : f->composed;
	struct make_lists lists = {0};

	if (composed != f) {
		lists.all = f->refuted;
		lists.n_all = f->n_refuted;
	}
	if (composed) {
		lists.composed = composed->refuted;
		lists.n_composed = composed->n_refuted;
	}
	return lists;
}

bool proofs_serve(const struct schedule_constraints *constraints, char *why, size_t size)
{
	if (!constraints_any(constraints))
		return true;
	snprintf(why, size, "refutations under a pipeline or memory constraint have no certificates");
	return false;
}

static bool cover_list(const struct proof *p, enum optimality_within within, const struct candidate *list, size_t n, char *why,
		       size_t size)
{
	for (size_t i = 0; i < n; i++)
		if (!proof_refusal(p, within, list[i])) {
			snprintf(why, size, "no certificate refutes (%d,%d,%d)", list[i].chunks, list[i].steps, list[i].rounds);
			return false;
		}
	return true;
}

static bool cover_subject(const struct proof *p, const struct topology *t, const struct collective *k, char *why, size_t size)
{
	if (topology_same(p->topology, t) && collective_same(&p->collective, k))
		return true;
	snprintf(why, size, "its proof file is for another machine or collective");
	return false;
}

/*
 * What a verified side shows for R/C with at most STEPS steps; not a number: so few are impossible. PATTERNS: among algorithms
 * with one value of a chunk at a node.
 */
static struct rational side_least(const struct side *s, int steps, bool patterns)
{
	struct rational least = s->cut.at_least;

	if (steps < s->steps)
		return rational(1, 0);
	for (size_t i = 0; i < s->n_programs; i++)
		if (s->programs[i].steps >= steps && (patterns || !s->programs[i].patterns) && rational_compare(s->programs[i].at_least, least) > 0)
			least = s->programs[i].at_least;
	for (size_t i = 0; i < s->n_timed; i++)
		if (s->timed[i].steps >= steps && rational_compare(s->timed[i].at_least, least) > 0)
			least = s->timed[i].at_least;
	return least;
}

/* The same among all algorithms, or among compositions. */
static struct rational proof_least(const struct proof *p, enum optimality_within within, int steps)
{
	struct rational least = rational(1, 0);

	if (within != WITHIN_COMPOSITION)
		return side_least(&p->sides[WHOLE], steps, within == WITHIN_ONE_VALUE);
	for (int s = p->sides[SCATTERS].steps; s <= steps - p->sides[GATHERS].steps; s++) {
		struct rational sum = rational_add(side_least(&p->sides[SCATTERS], s, false),
						   rational_div(side_least(&p->sides[GATHERS], steps - s, false), rational(p->topology->nodes, 1)));
		if (rational_ok(sum) && (!rational_ok(least) || rational_compare(sum, least) < 0))
			least = sum;
	}
	return least;
}

/* Does the proof show what the algorithm claims: that R/C is the least for its steps, and larger for fewer? */
static bool cover_value(const struct proof *p, const struct algorithm *a, char *why, size_t size)
{
	const struct optimality *o = &a->optimality;
	struct rational ratio = algorithm_bandwidth(a), least = proof_least(p, o->within, (int)a->n_steps),
			before = proof_least(p, o->within, (int)a->n_steps - 1);
	bool ok = rational_ok(least) && rational_compare(least, ratio) == 0 && (!rational_ok(before) || rational_compare(before, ratio) > 0);

	if (!ok)
		snprintf(why, size, "no program shows that (%d,%zu,%d) is optimal", a->chunks, a->n_steps, algorithm_rounds(a));
	return ok;
}

/* If a value is said to be that of a broadcast from a node: does a program of this broadcast show it? */
static bool cover_root(const struct side *s, const struct step_value *v)
{
	for (size_t i = 0; i < s->n_programs; i++)
		if (s->programs[i].root == v->root && s->programs[i].steps >= v->steps &&
		    rational_compare(s->programs[i].at_least, v->at_least) >= 0)
			return true;
	return v->root < 0;
}

/* LEAST is shown. A smaller value may be a bound, but no algorithm attains it. */
static bool cover_step_value(const struct proof *p, const struct step_value *v, struct rational least, char *why, size_t size)
{
	char said[RATIONAL_TEXT], shown[RATIONAL_TEXT];
	int order = rational_ok(least) ? rational_compare(least, v->at_least) : 0;

	rational_text(v->at_least, said);
	if (order < 0)
		snprintf(why, size, "nothing shows that R/C is at least %s in %d step%s", said, v->steps, plural(v->steps));
	else if (order > 0 && v->attained)
		snprintf(why, size, "R/C is at least %s in %d step%s, so that %s is not attained", rational_text(least, shown), v->steps,
			 plural(v->steps), said);
	else if (!cover_root(&p->sides[WHOLE], v))
		snprintf(why, size, "no program from root %d shows that R/C is at least %s in %d step%s", v->root, said, v->steps,
			 plural(v->steps));
	else
		return true;
	return false;
}

static bool cover_values(const struct proof *p, const struct frontier *f, char *why, size_t size)
{
	for (size_t i = 0; i < f->values.n; i++) {
		const struct step_value *v = &f->values.of[i];
		enum optimality_within within = f->within == WITHIN_ONE_VALUE && !v->patterns ? WITHIN_ALL : f->within;
		if (!cover_step_value(p, v, proof_least(p, within, v->steps), why, size))
			return false;
	}
	return true;
}

bool proofs_cover(const struct proof *p, const struct algorithm *a, char *why, size_t size)
{
	const struct optimality *o = &a->optimality;
	return proofs_serve(&a->constraints, why, size) && cover_subject(p, a->topology, &a->collective, why, size) &&
	       cover_list(p, o->within, o->refuted, o->n_refuted, why, size) &&
	       (o->proof != PROOF_PROGRAM || cover_value(p, a, why, size));
}

static bool cover_points(const struct proof *p, const struct frontier *f, char *why, size_t size)
{
	bool ok = p->n_points == f->n_points;

	for (size_t i = 0; ok && i < f->n_points; i++) {
		struct point point = proofs_point(f->points[i]);
		ok = candidate_same(point.candidate, p->points[i].candidate) && point.by == p->points[i].by;
	}
	if (!ok)
		snprintf(why, size, "its points, or how they are proved, differ from its proof file");
	return ok;
}

/* The bounds that the cuts prove must be those of the frontier. For a composition, they are the sum of those of its
 * halves. */
static bool cover_bounds(const struct proof *p, const struct frontier *f, char *why, size_t size)
{
	const struct side *side = &p->sides[f->within == WITHIN_COMPOSITION ? SCATTERS : WHOLE], *gathers = &p->sides[GATHERS];
	int steps = side->steps;
	struct rational bandwidth = side->cut.at_least;

	if (f->within == WITHIN_COMPOSITION) {
		steps += gathers->steps;
		bandwidth = rational_add(bandwidth, rational_div(gathers->cut.at_least, rational(p->topology->nodes, 1)));
	}
	if (steps == f->bound_steps && rational_ok(bandwidth) && rational_compare(bandwidth, f->bound_bandwidth) == 0)
		return true;
	snprintf(why, size, "its bounds differ from those of its proof file");
	return false;
}

static bool cover_class(const struct proof *p, const struct frontier *f, char *why, size_t size)
{
	return cover_list(p, f->within, f->refuted, f->n_refuted, why, size) && cover_bounds(p, f, why, size) &&
	       cover_values(p, f, why, size);
}

static bool names_it(const struct proof *p, const char *frontier_path, char *why, size_t size)
{
	if (p->frontier && strcmp(p->frontier, base_of(frontier_path)) == 0)
		return true;
	snprintf(why, size, "its proof file is not for a frontier called %.100s", base_of(frontier_path));
	return false;
}

bool proofs_cover_frontier(const struct proof *p, const struct frontier *f, const char *path, char *why, size_t size)
{
	return proofs_serve(&f->constraints, why, size) && names_it(p, path, why, size) &&
	       cover_subject(p, f->topology, &f->collective, why, size) && cover_class(p, f, why, size) &&
	       (!f->composed || cover_class(p, f->composed, why, size)) && cover_points(p, f, why, size);
}

/* Is PATH the place where the proofs of this frontier belong? */
static bool is_found_from(const char *frontier_path, const char *path, char *why, size_t size)
{
	char *proofs = proofs_path(frontier_path);
	bool same = strcmp(proofs, path) == 0;

	if (!same)
		snprintf(why, size, "the proofs of this frontier are in %.150s", base_of(proofs));
	free(proofs);
	return same;
}

bool proofs_check_frontier(const struct proof *p, const char *path, struct check_report *report, struct error *e)
{
	char why[300];
	struct text named = {0};

	if (!p->frontier || report->fault[0])
		return true;
	text_add_bytes(&named, path, (size_t)(base_of(path) - path));
	text_add(&named, "%s", p->frontier);
	struct frontier *f = frontier_open(named.bytes, e);
	bool ok = f && is_found_from(named.bytes, path, why, sizeof why) && frontier_judge(f, why, sizeof why) &&
		  proofs_cover_frontier(p, f, named.bytes, why, sizeof why);
	if (f && !ok) {
		snprintf(report->fault, sizeof report->fault, "%.90s: %s", p->frontier, why);
		report->holds = false;
	}
	bool read = f != NULL;
	frontier_free(f);
	text_free(&named);
	return read;
}

bool proofs_is_time(const struct json_document *d)
{
	const char *format = json_string_value(json_object_get(d->root, "format"));
	return format && strcmp(format, time_proof_format) == 0;
}

bool proofs_check_time(const struct json_document *d, double budget, struct check_report *report, struct error *e)
{
	struct time_proof *p = time_proof_read(d, e);
	bool ok = p && time_proof_check(p, budget, report, e);

	time_proof_free(p);
	return ok;
}

void proofs_summary(const struct check_report *r, char *line, size_t size)
{
	struct text t = {0};
	const struct {
		size_t n;
		const char *what, *of_one;
	} parts[] = {
		{r->replayed, "replayed", NULL}, {r->solved, "solved again and replayed", NULL},
		{r->implied, "follow from these", "follows from these"}, {r->below, "below the bounds", NULL},
		{r->halves, "by their halves", "by its halves"}, {r->left_out, "left out", NULL},
		{r->lines, "bounds on time", "bound on time"},
	};

	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		if (parts[i].n)
			text_add(&t, "%s%zu %s", t.length ? ", " : "", parts[i].n,
				 parts[i].n == 1 && parts[i].of_one ? parts[i].of_one : parts[i].what);
	if (r->programs)
		text_add(&t, "%s%zu program%s over timed trees", t.length ? ", " : "", r->programs, plural((int64_t)r->programs));
	if (r->too_large)
		text_add(&t, "%sgave up: a program over timed trees is too large to verify", t.length ? ", " : "");
	else if (r->gave_up)
		text_add(&t, "%sgave up: more than %.0f steps (see --budget)", t.length ? ", " : "", r->budget);
	else if (!t.length)
		text_add(&t, r->is_time ? "no bounds on time" : "bounds alone");
	snprintf(line, size, "%s", t.bytes);
	text_free(&t);
}

static void draw(void *context, const struct check_news *news)
{
	struct proofs_line *d = context;

	fprintf(stderr, "\r\033[K%.40s: %s (%d,%d,%d), %zu of %zu", printable(d->subject), d->verb, news->candidate.chunks, news->candidate.steps,
		news->candidate.rounds, news->n_done + 1, news->n_all);
	fflush(stderr);
	d->drawn = true;
}

void (*proofs_progress(void))(void *context, const struct check_news *news)
{
	return isatty(STDERR_FILENO) ? draw : NULL;
}

void proofs_progress_clear(struct proofs_line *d)
{
	if (d->drawn)
		fputs("\r\033[K", stderr);
	d->drawn = false;
}

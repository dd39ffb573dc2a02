/*
 * Makes certificates: for each candidate the cheapest refutation that works, in the order bounds, implication by
 * another refutation, a trace from the existing proof, a new trace.
 */

#include "prove/make.h"

#include "core/bounds/bounds.h"
#include "core/bounds/timed_cuts.h"
#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/memory.h"
#include "core/base/sha256.h"
#include "core/base/text.h"
#include "core/machine/topology.h"
#include "prove/cut.h"
#include "prove/question.h"
#include "prove/rup.h"
#include "prove/timed.h"
#include "prove/trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum made { MADE, MADE_FOUND, MADE_AT_CONFLICTS, MADE_GAVE_UP, MADE_FAULT };

struct making {
	struct proof *proof;
	const struct make_options *options;
	struct make_report *report;
	struct question questions[SIDES_MAX];
	size_t n_found[SIDES_MAX], found_capacity[SIDES_MAX];
	struct candidate *found[SIDES_MAX]; /* candidates of halves that have algorithms */
	size_t n_done, n_all;
	struct error *e;
};

/* ---- bounds ---- */

static void fill_cut(const struct topology *t, struct side *s, const struct bounds *b)
{
	struct cut *k = &s->cut;
	bool partition = b->crossing == CROSSING_BOTH;

	if (b->bandwidth.num == 0)
		return;
	k->kind = b->n_prices ? CUT_PRICES : b->parts == 0 ? CUT_HOPS : partition ? CUT_PARTS : CUT_SIDES;
	k->parts = b->parts;
	k->n_prices = b->n_prices;
	k->prices = copy_bytes(b->prices, b->n_prices * sizeof *b->prices);
	k->part = new_array(int, (size_t)t->nodes);
	for (int n = 0; n < t->nodes && b->parts; n++)
		k->part[n] = partition ? b->part[n] : (b->part[n] == 1) == (b->crossing == CROSSING_IN);
}

static bool fill_bounds(const struct topology *t, struct side *s, struct error *e)
{
	struct bounds b;

	if (!bounds_compute(t, &s->collective, &b, e))
		return false;
	s->steps = b.steps;
	s->cut.at_least = b.bandwidth;
	fill_cut(t, s, &b);
	bounds_free(&b);
	return true;
}

bool proof_bounds(struct proof *p, struct error *e)
{
	for (int i = 0; i < p->n_sides; i++)
		if (!fill_bounds(p->topology, &p->sides[i], e))
			return false;
	return true;
}

/* ---- traces ---- */

static char *beside(const char *path, const char *name)
{
	struct text t = {0};
	const char *slash = strrchr(path, '/');

	if (slash)
		text_add_bytes(&t, path, (size_t)(slash + 1 - path));
	text_add(&t, "%s", name);
	return text_take(&t);
}

static bool keep_trace(struct making *k, struct recipe *r, const struct text *trace)
{
	struct text name = {0};

	r->bytes = trace->length;
	sha256_of(trace->bytes, trace->length, r->trace);
	if (trace->length > k->options->longest) {
		k->report->recipes++;
		return true;
	}
	text_add(&name, "%s/%.16s.drat", k->options->folder, r->trace);
	r->file = text_take(&name);
	k->report->bytes += trace->length;
	char *path = beside(k->options->path, r->file);
	bool ok = file_write(path, trace->bytes, trace->length, k->e);
	free(path);
	return ok;
}

/* Trims the trace to what the refutation needs, and verifies the result by replaying it independently. */
static bool trim(const struct cnf *f, const struct text *trace, struct text *trimmed, const volatile int *interrupted, struct error *e)
{
	struct replay got = rup_trim(f, trace->bytes, trace->length, trimmed, interrupted);
	if (got.refuted)
		got = rup_check(f, trimmed->bytes, trimmed->length, interrupted);
	return got.refuted || error_set(e, ERROR_SYSTEM, "trace", "the solver's trace does not refute the formula: at byte %zu, %s", got.byte,
					got.why);
}

static enum made solve(struct making *k, const struct cnf *f, const struct trace_limits *limits, struct recipe *r)
{
	struct text trimmed = {0};
	struct trace t;

	if (!trace_solve(f, limits, &t, k->e))
		return MADE_FAULT;
	if (t.answer == TRACE_FOUND)
		return MADE_FOUND;
	if (t.answer == TRACE_GAVE_UP) {
		snprintf(k->report->why, sizeof k->report->why, "%s", t.why);
		return t.at_conflicts ? MADE_AT_CONFLICTS : MADE_GAVE_UP;
	}
	r->solver = copy_string(trace_solver());
	bool ok = trim(f, &t.bytes, &trimmed, k->options->interrupted, k->e) && keep_trace(k, r, &trimmed);
	text_free(&t.bytes);
	text_free(&trimmed);
	return ok ? MADE : MADE_FAULT;
}

/* The formula for all chunks, or (SHARE not negative) for one chunk with its share of all sends. */
static bool write_formula(const struct instance *i, const struct orders *o, int64_t share, struct cnf *f, struct error *e)
{
	return share < 0 ? cnf_write(i, o, f, e) : cnf_write_share(i, (size_t)share, f, e);
}

static bool fill_formula(struct making *k, const struct instance *i, int64_t share, struct recipe *r)
{
	struct cnf f;

	if (!write_formula(i, NULL, share, &f, k->e))
		return false;
	r->variables = f.variables;
	r->clauses = f.n_clauses;
	cnf_digest(&f, r->formula);
	cnf_free(&f);
	return true;
}

/* One attempt: chunks ordered at up to NODES nodes, within LIMITS. */
static enum made try_recipe(struct making *k, const struct instance *i, int64_t share, size_t nodes, const struct trace_limits *limits,
			    struct recipe *r)
{
	struct cnf f;

	orders_free(&r->orders);
	if (share < 0)
		r->orders = orders_of(i, nodes);
	if (!write_formula(i, &r->orders, share, &f, k->e))
		return MADE_FAULT;
	enum made made = solve(k, &f, limits, r);
	cnf_free(&f);
	return made;
}

/*
 * Some instances are easy when chunks are ordered at one node, others only when they are ordered at all nodes: both are
 * tried alternately, with four times the conflicts in each turn, until more conflicts would not help. A formula for a share has no orders; it is either easy
 * or of no use, so it is tried once.
 */
static enum made make_recipe(struct making *k, const struct instance *i, int64_t share, struct recipe *r)
{
	enum { FIRST_CONFLICTS = 20000, MOST_CONFLICTS = 1 << 30 };
	static const size_t nodes[] = {1, SIZE_MAX};
	double timeout = k->options->timeout, deadline = clock_seconds() + timeout;
	bool undecided = true;

	if (!fill_formula(k, i, share, r))
		return MADE_FAULT;
	for (int conflicts = FIRST_CONFLICTS; undecided; conflicts = conflicts < MOST_CONFLICTS / 4 ? 4 * conflicts : MOST_CONFLICTS) {
		undecided = false;
		for (size_t n = 0; n < sizeof nodes / sizeof *nodes; n++) {
			double left = timeout > 0 ? deadline - clock_seconds() : 0;
			if (left < 0) {
				snprintf(k->report->why, sizeof k->report->why, "time limit of %g s", timeout);
				return MADE_GAVE_UP;
			}
			enum made made = try_recipe(k, i, share, nodes[n], &(struct trace_limits){.timeout = left, .conflicts = conflicts, .interrupted = k->options->interrupted}, r);
			if (made != MADE_AT_CONFLICTS && made != MADE_GAVE_UP)
				return made;
			if (share >= 0)
				return MADE_GAVE_UP;
			undecided = undecided || made == MADE_AT_CONFLICTS;
		}
	}
	return MADE_GAVE_UP;
}

/* ---- refutations ---- */

static bool save(struct making *k)
{
	struct text text = {0};
	proof_write(k->proof, &text);
	bool ok = file_write(k->options->path, text.bytes, text.length, k->e);
	text_free(&text);
	return ok;
}

static void add(struct side *s, struct refusal r)
{
	refusal_add(&s->refused, &s->n_refused, &s->capacity, r);
}

static struct recipe *copy_recipe(const struct recipe *from)
{
	struct recipe *r = copy_bytes(from, sizeof *from);

	r->solver = copy_string(from->solver);
	r->file = copy_string(from->file);
	r->orders.all = copy_bytes(from->orders.all, from->orders.n * sizeof *from->orders.all);
	for (size_t i = 0; i < r->orders.n; i++) {
		const struct chunk_order *o = &from->orders.all[i];
		r->orders.all[i].chunks = copy_bytes(o->chunks, o->n_chunks * sizeof *o->chunks);
		r->orders.all[i].nodes = copy_bytes(o->nodes, o->n_nodes * sizeof *o->nodes);
	}
	return r;
}

/* A refutation of the existing proof is reused if it verifies on its own, with its trace present. */
static bool take_old(struct making *k, int side, struct candidate c)
{
	const struct proof *old = k->options->old;
	struct check_report report;
	struct error ignored = {0};
	bool taken = false;

	for (size_t i = 0; old && side < old->n_sides && i < old->sides[side].n_refused && !taken; i++) {
		const struct refusal *r = &old->sides[side].refused[i];
		if (!r->recipe || !candidate_same(r->candidate, c))
			continue;
		struct proof *alone = proof_new(k->proof->topology, &k->proof->sides[side].collective);
		add(&alone->sides[0], (struct refusal){c, r->by, {0}, copy_recipe(r->recipe)});
		taken = proof_check(alone, k->options->path, &(struct check_options){.interrupted = k->options->interrupted}, &report,
				    &ignored) && report.holds;
		proof_free(alone);
		if (taken) {
			add(&k->proof->sides[side], (struct refusal){c, r->by, {0}, copy_recipe(r->recipe)});
			k->report->kept++;
			k->report->bytes += r->recipe->bytes;
		}
	}
	return taken;
}

static enum made make_trace(struct making *k, int side, struct candidate c, enum refused_by by)
{
	const struct question *q = &k->questions[side];
	struct recipe *r = new(struct recipe);
	struct instance i;
	struct candidate asked = c;
	enum made made = MADE_FAULT;

	if (by == BY_SHARE)
		asked.chunks = 1;
	if (question_instance(q, asked, &i, k->e)) {
		made = make_recipe(k, &i, by == BY_SHARE ? cut_share(q, c) : -1, r);
		question_done(&i);
	}
	if (made != MADE) {
		recipe_free(r);
		return made;
	}
	add(&k->proof->sides[side], (struct refusal){c, by, {0}, r});
	k->report->traced++;
	return save(k) ? MADE : MADE_FAULT;
}

/* What the search for timed cuts finds; false: the collective has none. */
static bool find_timed(const struct question *q, int steps, struct timed_bound *out)
{
	struct instance i;
	struct error ignored = {0};

	if (q->asked.kind == ALLREDUCE) {
		bounds_allreduce_in(q->network, steps, out);
		return true;
	}
	if (collective_row(&q->asked)->combining || !question_instance(q, (struct candidate){q->unit, steps, steps}, &i, &ignored))
		return false;
	struct topology *asked = q->backwards ? topology_reversed(q->topology) : topology_copy(q->topology);
	bounds_timed(asked, &i, TIMED_FULL, out);
	topology_free(asked);
	question_done(&i);
	return true;
}

bool side_add_timed(struct side *s, const struct question *q, int steps, struct rational over)
{
	struct timed_bound b;

	if (timed_of(s, steps) || !find_timed(q, steps, &b))
		return false;
	struct rational bandwidth = rational_div(b.rounds, rational(q->unit, 1));
	if (rational_ok(bandwidth) && rational_compare(over, bandwidth) < 0) {
		s->timed = grown(s->timed, &s->timed_capacity, s->n_timed + 1, sizeof *s->timed);
		s->timed[s->n_timed++] = (struct timed){steps, bandwidth, b.n_cuts, b.cuts, b.n_prices, b.prices, b.n_symmetries, b.symmetries};
		return true;
	}
	timed_bound_free(&b);
	return false;
}

static enum refused_by below_what(const struct side *s, struct candidate c)
{
	const struct rational bandwidth = rational(c.rounds, c.chunks);
	const struct timed *t = timed_of(s, c.steps);

	if (c.steps < s->steps)
		return BY_STEPS;
	if (rational_compare(bandwidth, s->cut.at_least) < 0)
		return BY_CUT;
	return t && rational_compare(bandwidth, t->at_least) < 0 ? BY_TIMED : BY_PROGRAM;
}

/* Refutes C without a trace: by the bounds, or by implication from a refutation that is not itself implied. */
static bool make_without(struct making *k, int side, struct candidate c)
{
	struct side *s = &k->proof->sides[side];

	if (!side_below(s, c) && !k->options->traces)
		side_add_timed(s, &k->questions[side], c.steps, rational(c.rounds, c.chunks));
	if (side_below(s, c)) {
		add(s, (struct refusal){c, below_what(s, c), {0}, NULL});
		k->report->below++;
		return true;
	}
	for (size_t i = 0; i < s->n_refused; i++)
		if (s->refused[i].by != BY_IMPLIED && candidate_gives(c, s->refused[i].candidate)) {
			add(s, (struct refusal){c, BY_IMPLIED, s->refused[i].candidate, NULL});
			k->report->implied++;
			return true;
		}
	return false;
}

static enum made refute(struct making *k, int side, struct candidate c)
{
	if (k->options->progress)
		k->options->progress(k->options->context, &(struct check_news){c, k->n_done, k->n_all, true});
	k->n_done++;
	if (make_without(k, side, c) || take_old(k, side, c))
		return MADE;
	bool shared = k->questions[side].asked.kind == ALLREDUCE && c.chunks > 1 && cut_share(&k->questions[side], c) >= 0;
	enum made made = shared ? make_trace(k, side, c, BY_SHARE) : MADE_FOUND;
	if (made == MADE_FOUND || made == MADE_GAVE_UP)
		made = make_trace(k, side, c, BY_TRACE);
	if (made == MADE_GAVE_UP) {
		k->report->n_open++;
		k->report->open = c;
	}
	return made;
}

/* ---- lists ---- */

/*
 * Does candidate I follow from another one of the list? If two follow from each other, the first does not count as
 * following.
 */
static bool follows(const struct candidate *list, size_t n, size_t i)
{
	for (size_t j = 0; j < n; j++)
		if (j != i && candidate_gives(list[i], list[j]) && (j < i || !candidate_gives(list[j], list[i])))
			return true;
	return false;
}

/* Restores the order of the list. */
static void put_in_order(struct side *s, const struct candidate *list, size_t n)
{
	size_t done = 0;

	for (size_t i = 0; i < n; i++)
		for (size_t j = done; j < s->n_refused; j++)
			if (candidate_same(s->refused[j].candidate, list[i])) {
				struct refusal r = s->refused[j];
				s->refused[j] = s->refused[done];
				s->refused[done++] = r;
				break;
			}
}

static bool make_list(struct making *k, const struct candidate *list, size_t n)
{
	for (int rest = 0; rest < 2; rest++)
		for (size_t i = 0; i < n; i++) {
			if (follows(list, n, i) != (rest == 1))
				continue;
			enum made made = refute(k, WHOLE, list[i]);
			if (made == MADE_FAULT)
				return false;
			if (made == MADE_FOUND) {
				k->report->found = list[i];
				return true;
			}
		}
	put_in_order(&k->proof->sides[WHOLE], list, n);
	return true;
}

/* Does an algorithm that is already known to exist imply one for C? */
static bool is_found(const struct making *k, int side, struct candidate c)
{
	for (size_t i = 0; i < k->n_found[side]; i++)
		if (candidate_gives(k->found[side][i], c))
			return true;
	return false;
}

static enum made refute_half(struct making *k, int side, struct candidate c)
{
	if (is_found(k, side, c))
		return MADE_FOUND;
	enum made made = refute(k, side, c);
	if (made == MADE_FOUND) {
		k->found[side] = grown(k->found[side], &k->found_capacity[side], k->n_found[side] + 1, sizeof c);
		k->found[side][k->n_found[side]++] = c;
	}
	return made;
}

/* Refutes one half for each split of S and R, or finds a split with algorithms for both. */
static enum made refute_composition(struct making *k, struct candidate c)
{
	struct candidate shares[SIDES_MAX];

	while (!composition_refused(k->proof, c, shares)) {
		enum made made = refute_half(k, GATHERS, shares[GATHERS]);
		enum made other = made == MADE || made == MADE_FAULT ? made : refute_half(k, SCATTERS, shares[SCATTERS]);
		if (other != MADE)
			return made == MADE_GAVE_UP && other == MADE_FOUND ? MADE_GAVE_UP : other;
	}
	refusal_add(&k->proof->refused, &k->proof->n_refused, &k->proof->capacity, (struct refusal){c, BY_HALVES, {0}, NULL});
	k->report->halves++;
	return MADE;
}

static bool make_compositions(struct making *k, const struct candidate *list, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		enum made made = refute_composition(k, list[i]);
		if (made == MADE_FAULT)
			return false;
		if (made == MADE_FOUND) {
			k->report->found = list[i];
			return true;
		}
	}
	return true;
}

bool proof_make(struct proof *p, const struct make_lists *lists, const struct make_options *o, struct make_report *out,
		struct error *e)
{
	struct making k = {.proof = p, .options = o, .report = out, .n_all = lists->n_all + lists->n_composed, .e = e};
	bool ok = proof_bounds(p, e);

	*out = (struct make_report){0};
	for (int i = 0; ok && i < p->n_sides; i++)
		ok = question_open(p->topology, &p->sides[i].collective, &k.questions[i], e);
	ok = ok && make_list(&k, lists->all, lists->n_all);
	ok = ok && (out->found.chunks || make_compositions(&k, lists->composed, lists->n_composed));
	ok = ok && (out->found.chunks || save(&k));
	for (int i = 0; i < p->n_sides; i++) {
		question_close(&k.questions[i]);
		free(k.found[i]);
	}
	return ok;
}

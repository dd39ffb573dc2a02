#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/stop.h"
#include "core/base/text.h"
#include "core/machine/topology.h"
#include "core/verify/verify.h"
#include "simulate/simulator.h"
#include "synth/methods/attempts.h"
#include "synth/methods/constructions.h"
#include "synth/methods/program_attempts.h"
#include "synth/problem/problem.h"
#include "synth/timed/list_schedule.h"
#include "tests/synth/methods/built.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

TestSuite(constructions, .description = "all constructions at once", .timeout = 100);

/* What was reported. */
struct heard {
	int found, refused, late;
	int scattered; /* found reducescatters */
	struct text methods; /* that gave something, each followed by a space */
};

static void hear(void *context, const struct construction_try *what)
{
	struct heard *h = context;
	int begun = 0, *counts[] = {[CONSTRUCTION_BEGINS] = &begun, [CONSTRUCTION_FOUND] = &h->found, [CONSTRUCTION_REFUSED] = &h->refused,
			 [CONSTRUCTION_LATE] = &h->late};

	++*counts[what->state];
	h->scattered += what->state == CONSTRUCTION_FOUND && what->kind == REDUCESCATTER;
	if (what->state == CONSTRUCTION_FOUND)
		text_add(&h->methods, "%s ", what->method);
	else if (what->state != CONSTRUCTION_BEGINS)
		cr_expect(ne(ptr, (void *)what->why, NULL));
}

static struct constructions found_on(const struct topology *t, enum collective_kind kind, struct constructions_options o, struct heard *h)
{
	const struct collective k = {.kind = kind};
	struct error e = {0};
	struct constructions c;

	o.report = hear;
	o.context = h;
	*h = (struct heard){0};
	cr_assert(constructions_find(t, &k, &o, &c, &e), "%s: %s: %s", t->name, e.where, e.what);
	return c;
}

static struct constructions found(const char *machine, enum collective_kind kind, struct constructions_options o,
				  struct heard *h)
{
	struct error e = {0};
	struct topology *t = topology_open(machine, &e);

	cr_assert(t != NULL, "%s: %s: %s", machine, e.where, e.what);
	struct constructions c = found_on(t, kind, o, h);
	topology_free(t);
	return c;
}

/* Is each point verified, in order, and beaten by no other? */
static void check_points(const struct constructions *c)
{
	for (size_t i = 0; i < c->n; i++) {
		struct verdict v = algorithm_verify(c->of[i]);
		cr_expect(eq(int, v.fault, FAULT_NONE), "%s: %s", c->of[i]->name, v.why);
		cr_expect(c->of[i]->has_bounds, "%s", c->of[i]->name);
		if (i == 0)
			continue;
		cr_expect(c->of[i - 1]->n_steps < c->of[i]->n_steps, "%s", c->of[i]->name);
		cr_expect(rational_compare(algorithm_bandwidth(c->of[i - 1]), algorithm_bandwidth(c->of[i])) > 0, "%s",
			  c->of[i]->name);
	}
}

static bool beats(const struct algorithm *a, const struct algorithm *b)
{
	return a->n_steps <= b->n_steps && rational_compare(algorithm_bandwidth(a), algorithm_bandwidth(b)) <= 0;
}

/* Is something as good as what each method of the table builds by itself? */
static void check_against_methods(const struct constructions *c, const char *machine, enum collective_kind kind)
{
	size_t n;
	const struct method *all = methods_all(&n);

	for (size_t m = 0; m < n; m++) {
		struct error e = {0};
		struct algorithm *a = built(all[m].name, machine, kind, 0, &e);
		bool is_met = !a;
		for (size_t i = 0; i < c->n && a; i++)
			is_met |= beats(c->of[i], a);
		cr_expect(is_met, "%s is better than all", a ? a->name : "");
		algorithm_free(a);
	}
}

static void check(const char *machine, enum collective_kind kind)
{
	struct heard h;
	struct constructions c = found(machine, kind, (struct constructions_options){0}, &h);

	cr_expect(gt(sz, c.n, 0), "%s", machine);
	cr_expect(h.found >= (int)c.n && h.late == 0 && c.n_late == 0);
	check_points(&c);
	check_against_methods(&c, machine, kind);
	constructions_free(&c);
	text_free(&h.methods);
}

Test(constructions, are_never_worse_than_a_method)
{
	for (int kind = 0; kind < SCAN; kind++) {
		check("dgx1", (enum collective_kind)kind);
		check("fat-tree:2x2", (enum collective_kind)kind);
	}
	check("torus:4x4", ALLGATHER);
	check("amd-z52", ALLREDUCE);
}

Test(constructions, have_symmetric_schedules_trees_and_methods_among_them)
{
	struct heard h;
	struct constructions c = found("dgx-h100*2x2", REDUCESCATTER, (struct constructions_options){0}, &h);

	for (size_t i = 0; i < 5; i++) {
		static const char *const names[] = {"ring", "orbits", "forest", "timed-trees", "multitree"};
		cr_expect(ne(ptr, strstr(h.methods.bytes, names[i]), NULL), "%s is not in \"%s\"", names[i], h.methods.bytes);
	}
	cr_expect(eq(sz, c.of[0]->n_steps, 1));
	cr_expect(rational_compare(algorithm_bandwidth(c.of[c.n - 1]), rational(3, 64)) == 0);
	constructions_free(&c);
	text_free(&h.methods);
}

Test(constructions, leave_slow_methods_out_where_nothing_can_be_better)
{
	struct heard h;
	struct constructions c = found("torus:4x4", ALLGATHER, (struct constructions_options){0}, &h);

	cr_assert(eq(sz, c.n, 1));
	cr_expect(eq(sz, c.of[0]->n_steps, 4));
	cr_expect(rational_compare(algorithm_bandwidth(c.of[0]), rational(15, 4)) == 0);
	cr_expect(eq(ptr, strstr(h.methods.bytes, "timed-trees"), NULL));
	constructions_free(&c);
	text_free(&h.methods);
}

Test(constructions, join_halves_of_different_methods)
{
	struct heard h;
	struct constructions c = found("dgx1", ALLREDUCE, (struct constructions_options){0}, &h);

	cr_expect(ne(ptr, strstr(h.methods.bytes, "+"), NULL), "\"%s\" has no pair", h.methods.bytes);
	cr_expect(eq(sz, c.of[0]->n_steps, 3)); /* of recursive doubling, which is no pair */
	constructions_free(&c);
	text_free(&h.methods);
}

static void find_an_allreduce(const struct topology *t, struct heard *h)
{
	struct constructions c = found_on(t, ALLREDUCE, (struct constructions_options){0}, h);

	check_points(&c);
	cr_expect(gt(sz, c.n, 0));
	constructions_free(&c);
	text_free(&h->methods);
}

/* A ring is equal to its reverse; without one of its links it is not. */
Test(constructions, construct_only_one_half_where_the_other_is_its_reverse)
{
	struct heard h;
	struct error e = {0};
	struct topology *t = topology_open("ring:4", &e);

	find_an_allreduce(t, &h);
	cr_expect(eq(int, h.scattered, 0));
	t->n_links--;
	find_an_allreduce(t, &h);
	cr_expect(gt(int, h.scattered, 0));
	topology_free(t);
}

/* The topology of a dragonfly is equal to its reverse, but the routes between its switches are not. */
Test(constructions, construct_both_halves_where_routes_differ_backwards)
{
	struct heard h;
	struct error e = {0};
	struct topology *t = topology_open("dragonfly:2x2x2", &e);
	double before = stop_within(20);

	find_an_allreduce(t, &h);
	cr_expect(gt(int, h.scattered, 0));
	stop_restore(before);
	topology_free(t);
}

Test(constructions, keep_the_limits)
{
	static const struct constructions_options limits[] = {{.max_steps = 3}, {.max_chunks = 2}, {.max_steps = 4,
												    .max_chunks = 4}};

	for (size_t l = 0; l < 3; l++) {
		struct heard h;
		struct constructions c = found("dgx1", ALLGATHER, limits[l], &h);
		cr_expect(gt(sz, c.n, 0));
		check_points(&c);
		for (size_t i = 0; i < c.n; i++) {
			cr_expect(limits[l].max_steps == 0 || (int)c.of[i]->n_steps <= limits[l].max_steps, "%s",
				  c.of[i]->name);
			cr_expect(limits[l].max_chunks == 0 || c.of[i]->chunks <= limits[l].max_chunks, "%s", c.of[i]->name);
		}
		constructions_free(&c);
		text_free(&h.methods);
	}
	struct heard h;
	struct constructions none = found("dgx1", ALLGATHER, (struct constructions_options){.max_steps = 1}, &h);
	cr_expect(eq(sz, none.n, 0));
	cr_expect(h.found == 0 && h.refused > 0);
	constructions_free(&none);
	text_free(&h.methods);
}

static struct algorithm *met(const char *machine, enum collective_kind kind, struct candidate c)
{
	const struct collective k = {.kind = kind};
	struct error e = {0};
	struct topology *t = topology_open(machine, &e);
	struct problem p;

	cr_assert(t && problem_open(t, &k, &p, &e), "%s", e.what);
	struct algorithm *a = constructions_meet(&p, c, 0, &e);
	cr_expect(eq(int, e.kind, ERROR_NONE), "%s", e.what);
	problem_close(&p);
	topology_free(t);
	return a;
}

static void check_met(const char *machine, enum collective_kind kind, struct candidate c)
{
	struct algorithm *a = met(machine, kind, c);

	cr_assert(ne(ptr, a, NULL), "%s: (%d,%d,%d)", machine, c.chunks, c.steps, c.rounds);
	cr_expect(a->chunks == c.chunks && (int)a->n_steps <= c.steps && algorithm_rounds(a) <= c.rounds, "%s", a->name);
	cr_expect(eq(int, algorithm_verify(a).fault, FAULT_NONE), "%s", a->name);
	cr_expect(kind != ALLREDUCE || algorithm_is_composed(a), "%s", a->name);
	algorithm_free(a);
}

Test(constructions, meet_a_candidate_with_as_much_or_better)
{
	check_met("dgx1", ALLGATHER, (struct candidate){6, 7, 7});
	check_met("dgx1", ALLGATHER, (struct candidate){6, 9, 12});
	check_met("dgx1", REDUCESCATTER, (struct candidate){16, 2, 3});
	check_met("dgx1", ALLREDUCE, (struct candidate){48, 14, 14});
	check_met("mesh:5x5", ALLGATHER, (struct candidate){1, 12, 12});
	check_met("dgx1v", BROADCAST, (struct candidate){576, 102, 102});
	/* Below the bound of its steps, and a C that is no multiple of P. */
	cr_expect(eq(ptr, met("dgx1", ALLGATHER, (struct candidate){6, 6, 7}), NULL));
	cr_expect(eq(ptr, met("dgx1", ALLREDUCE, (struct candidate){9, 20, 20}), NULL));
}

/* Without a limit blink and the linear program take a minute here. */
Test(constructions, are_the_same_for_a_problem_that_is_open)
{
	const struct collective k = {.kind = ALLGATHER};
	struct error e = {0};
	struct topology *t = topology_open("dgx1", &e);
	struct constructions there, here;
	struct problem p;

	cr_assert(t && problem_open(t, &k, &p, &e), "%s: %s", e.where, e.what);
	cr_assert(constructions_find(t, &k, &(struct constructions_options){.max_steps = 7}, &here, &e), "%s", e.what);
	cr_assert(constructions_find(t, &k, &(struct constructions_options){.max_steps = 7, .opened = &p, .least_share = 3600}, &there, &e), "%s", e.what);
	cr_assert(eq(sz, there.n, here.n));
	for (size_t i = 0; i < here.n; i++)
		cr_expect(eq(str, there.of[i]->name, here.of[i]->name));
	constructions_free(&there);
	constructions_free(&here);
	problem_close(&p);
	topology_free(t);
}

Test(constructions, end_in_time_with_what_they_have)
{
	struct heard h;
	double start = clock_seconds(), before = stop_within(4);
	struct constructions c = found("dgx-h100*2x2", ALLREDUCE, (struct constructions_options){0}, &h);

	stop_restore(before);
	cr_expect(lt(dbl, clock_seconds() - start, 8));
	cr_expect(gt(sz, c.n, 0));
	cr_expect(gt(sz, c.n_late, 0));
	cr_expect(eq(int, (int)c.n_late, h.late));
	check_points(&c);
	constructions_free(&c);
	text_free(&h.methods);
}

Test(constructions, try_nothing_after_the_deadline)
{
	struct heard h;
	double before = stop_within(0);
	struct constructions c = found("dgx1", BROADCAST, (struct constructions_options){0}, &h);

	stop_restore(before);
	cr_expect(c.n == 0 && h.found == 0 && h.late == (int)c.n_late && c.n_late > 0);
	constructions_free(&c);
	text_free(&h.methods);
}

Test(constructions, refuse_a_machine_that_cannot_perform_it)
{
	const struct collective k = {.kind = BROADCAST};
	const struct constructions_options o = {0};
	struct error e = {0};
	struct topology *t = topology_open("line:4@drop=1-2", &e);
	struct constructions c;

	cr_assert(ne(ptr, t, NULL), "%s", e.what);
	bool ok = constructions_find(t, &k, &o, &c, &e);
	cr_expect(eq(int, ok, false));
	cr_expect(eq(int, e.kind, ERROR_INPUT));
	topology_free(t);
}

/* ---- with a measure ---- */

/* Values: S, R/C, C, and C R, which no pair of S and R/C determines. */
enum { VALUES = 4 };

static bool count(const void *context, const struct algorithm *a, double *values)
{
	(void)context;
	values[0] = (double)a->n_steps;
	values[1] = rational_double(algorithm_bandwidth(a));
	values[2] = a->chunks;
	values[3] = (double)a->chunks * algorithm_rounds(a);
	return a->chunks <= 64;
}

static bool count_steps(const void *context, const struct algorithm *a, double *values)
{
	(void)context;
	values[0] = (double)a->n_steps;
	return true;
}

/* In terms of the C of an allreduce. */
static bool count_rate(const void *context, const struct algorithm *a, double *values)
{
	const int *nodes = context;
	values[0] = rational_double(algorithm_bandwidth(a)) / (a->collective.kind == ALLGATHER ? *nodes : 1);
	return true;
}

/* The least of each value that was reported, and of what was kept. */
struct measured {
	double least[VALUES];
	int values, found, found_by_bruck, late_of_bruck, chunks_most;
	int chunks_of_blink; /* of the first algorithm */
	int steps_of_timed_trees; /* most */
	char first[32]; /* the way that began first */
};

static void hear_values(void *context, const struct construction_try *what)
{
	struct measured *m = context;

	if (what->state == CONSTRUCTION_BEGINS && !*m->first)
		snprintf(m->first, sizeof m->first, "%s", what->method);
	m->late_of_bruck += what->state == CONSTRUCTION_LATE && strcmp(what->method, "bruck") == 0;
	if (what->state != CONSTRUCTION_FOUND)
		return;
	if (!m->chunks_of_blink && strcmp(what->method, "blink") == 0)
		m->chunks_of_blink = what->cost.chunks;
	m->found_by_bruck += strcmp(what->method, "bruck") == 0;
	if (strcmp(what->method, "timed-trees") == 0 && what->cost.steps > m->steps_of_timed_trees)
		m->steps_of_timed_trees = what->cost.steps;
	cr_expect(eq(int, what->is_kept, what->text != NULL));
	for (int v = 0; v < m->values; v++)
		m->least[v] = m->found && m->least[v] < what->values[v] ? m->least[v] : what->values[v];
	m->found++;
	m->chunks_most = what->cost.chunks > m->chunks_most ? what->cost.chunks : m->chunks_most;
}

static struct constructions measured(const char *machine, enum collective_kind kind, struct constructions_options o, struct measured *m)
{
	static const char *const first[] = {"ring", NULL};
	const struct collective k = {.kind = kind};
	struct error e = {0};
	struct topology *t = topology_open(machine, &e);
	struct constructions c;

	*m = (struct measured){.values = (int)o.measure->n};
	o.report = hear_values;
	o.context = m;
	o.first = first;
	cr_assert(t && constructions_find(t, &k, &o, &c, &e), "%s: %s: %s", machine, e.where, e.what);
	topology_free(t);
	return c;
}

Test(constructions, keep_what_is_least_by_a_measure)
{
	const struct construction_measure by = {.n = VALUES, .of = count};
	struct measured m;
	struct constructions c = measured("dgx1", BROADCAST, (struct constructions_options){.measure = &by}, &m);

	cr_assert(c.n > 1 && m.found > 10);
	cr_expect(eq(str, m.first, "ring"));
	cr_expect(le(int, m.chunks_most, 64), "what cannot be measured does not count");
	for (int v = 0; v < VALUES; v++) {
		double least = INFINITY;
		for (size_t i = 0; i < c.n; i++)
			least = fmin(least, c.values[i * VALUES + (size_t)v]);
		cr_expect(epsilon_eq(dbl, least, m.least[v], 1e-6), "value %d", v);
	}
	for (size_t i = 0; i < c.n; i++) {
		double values[VALUES];
		cr_expect(eq(int, algorithm_verify(c.of[i]).fault, FAULT_NONE));
		count(NULL, c.of[i], values);
		cr_expect(eq(int, memcmp(values, c.values + i * VALUES, sizeof values), 0));
	}
	constructions_free(&c);
}

/* What a slow method chooses itself may take all the time that there is. */
Test(constructions, try_slow_methods_with_few_chunks_first)
{
	const struct construction_measure by = {.n = 1, .of = count_steps};
	struct measured m;
	struct constructions c = measured("dgx1", BROADCAST, (struct constructions_options){.measure = &by, .only_reports = true}, &m);

	cr_expect(eq(int, m.chunks_of_blink, 4));
	constructions_free(&c);
}

Test(constructions, join_the_halves_that_are_least_by_a_measure)
{
	static const int nodes = 4;
	const struct construction_measure by = {.n = 1, .of = count_rate, .context = &nodes};
	struct measured m;
	struct constructions c = measured("ring:4", ALLREDUCE, (struct constructions_options){.measure = &by}, &m);

	cr_assert(c.n == 1, "%zu", c.n);
	cr_expect(epsilon_eq(dbl, c.values[0], 3. / 4, 1e-9), "two halves at their bounds");
	constructions_free(&c);
}

/* A line of 3 passes 16 chunks on in 17 steps, each of which saves something; the next does not. */
Test(constructions, go_on_with_more_steps_while_they_help)
{
	static const int nodes = 3;
	const struct construction_measure by = {.n = 1, .of = count_rate, .context = &nodes};
	const struct constructions_options o = {.measure = &by, .only_reports = true, .max_chunks = 16};
	struct measured m;
	struct constructions c = measured("line:3", BROADCAST, o, &m);

	cr_expect(eq(int, m.steps_of_timed_trees, 18));
	constructions_free(&c);
}

static bool is_always(const void *context, const double *values)
{
	(void)context;
	(void)values;
	return true;
}

static bool helps_always(const void *context)
{
	(void)context;
	return true;
}

static bool beats_none(const void *context, int steps, struct rational bandwidth)
{
	(void)context;
	(void)steps;
	(void)bandwidth;
	return false;
}

static void take_finest(void *context, struct algorithm *a)
{
	int *finest = context;
	*finest = a->chunks > *finest ? a->chunks : *finest;
	algorithm_free(a);
}

/* The most chunks of the attempt called NAME at a broadcast on MACHINE, if each algorithm were better than the one before. */
static int finest_of(const char *name, const char *machine, int max_chunks)
{
	static const int nodes = 1;
	const struct collective k = {.kind = BROADCAST};
	const struct construction_measure by = {.n = 1, .of = count_rate, .context = &nodes};
	struct error e = {0};
	struct topology *t = topology_open(machine, &e);
	struct problem p;
	size_t n;
	int finest = 0;
	bool is_cut = false;

	cr_assert(t && problem_open(t, &k, &p, &e), "%s", e.what);
	const struct attempt_subject subject = {.topology = t, .collective = &k, .problem = &p, .max_chunks = max_chunks, .measured = true};
	const struct attempt_sink to = {.take = take_finest, .measure = &by, .is_wanted = is_always, .has_helped = helps_always,
					.is_beaten = beats_none, .context = &finest, .is_cut = &is_cut};
	struct attempt *all = attempts_for(&subject, &n);
	for (size_t i = 0; i < n; i++)
		if (strcmp(all[i].name, name) == 0)
			all[i].run(&all[i], &subject, &to, &e);
	free(all);
	problem_close(&p);
	topology_free(t);
	return finest;
}

/* Are programs of a broadcast begun early, as what gives something at once? */
static bool begins_soon(const char *machine)
{
	const struct collective k = {.kind = BROADCAST};
	struct error e = {0};
	struct topology *t = topology_open(machine, &e);
	struct problem p;

	cr_assert(t && problem_open(t, &k, &p, &e), "%s", e.what);
	bool soon = attempt_programs_begin_soon(&(struct attempt_subject){.topology = t, .collective = &k, .problem = &p, .measured = true});
	problem_close(&p);
	topology_free(t);
	return soon;
}

Test(constructions, begin_programs_soon_where_they_are_small_or_refined)
{
	cr_expect(begins_soon("ring:64"));
	cr_expect(not(begins_soon("ring:65")));
	cr_expect(begins_soon("ring:129"));
}

static void take_any(void *context, struct algorithm *a)
{
	int *fewest = context;

	cr_expect(eq(int, algorithm_verify(a).fault, FAULT_NONE));
	*fewest = *fewest && *fewest < a->chunks ? *fewest : a->chunks;
	algorithm_free(a);
}

/* A solver decides what is best in time for a few chunks, for each size. */
Test(constructions, schedule_few_chunks_exactly)
{
	static const struct simulation how = {.start = START_DATAFLOW, .sharing = SHARING_ORDER, .alpha = 1, .beta = 1e-3};
	static const int64_t sizes[] = {1000, 100000};
	const struct timed_question q = {.n = 2, .sizes = sizes, .share = 1, .how = &how};
	const struct collective k = {.kind = BROADCAST};
	const struct construction_measure by = {.n = 2, .of = count, .timed = &q};
	struct error e = {0};
	struct topology *t = topology_open("line:3", &e);
	struct problem p;
	bool is_cut = false;
	int fewest = 0;
	size_t n, exact = 0;

	cr_assert(t && problem_open(t, &k, &p, &e), "%s", e.what);
	const struct attempt_subject subject = {.topology = t, .collective = &k, .problem = &p, .max_chunks = 1, .measured = true, .timed = true};
	const struct attempt_sink to = {.take = take_any, .measure = &by, .is_wanted = is_always, .has_helped = helps_always,
					.is_beaten = beats_none, .context = &fewest, .is_cut = &is_cut};
	struct attempt *all = attempts_for(&subject, &n);
	for (size_t i = 0; i < n; i++)
		if (strcmp(all[i].name, "exact-schedule") == 0) {
			all[i].run(&all[i], &subject, &to, &e);
			exact++;
		}
	cr_expect(eq(sz, exact, 1));
	cr_expect(eq(int, fewest, 1), "%s", e.what);
	cr_expect(not(is_cut));
	free(all);
	problem_close(&p);
	topology_free(t);
}

Test(constructions, refine_forests_up_to_a_limit_of_chunks)
{
	cr_expect(eq(int, finest_of("forest", "ring:4", 16), 16));
	cr_expect(eq(int, finest_of("forest", "ring:4", 4100), 4096));
}

/* An allreduce that is put together has no instance of its own, of which programs ask how long they take on so many nodes. */
Test(constructions, try_no_program_on_sums_of_more_than_64_nodes)
{
	const struct collective k = {.kind = ALLREDUCE};
	struct error e = {0};
	struct topology *t = topology_open("complete:65", &e);
	struct problem p;
	size_t n;
	bool by_halves = false;

	cr_assert(t && problem_open(t, &k, &p, &e), "%s", e.what);
	const struct attempt_subject subject = {.topology = t, .collective = &k, .problem = &p, .measured = true};
	struct attempt *all = attempts_for(&subject, &n);
	for (size_t i = 0; i < n; i++) {
		by_halves |= strcmp(all[i].name, "halves") == 0;
		cr_expect(strcmp(all[i].name, "timed-trees") != 0);
	}
	cr_expect(by_halves);
	free(all);
	problem_close(&p);
	topology_free(t);
}

Test(constructions, end_where_no_value_can_be_less)
{
	static const double floor[] = {2}; /* the diameter */
	const struct construction_measure by = {.n = 1, .of = count_steps, .floor = floor};
	const struct constructions_options o = {.measure = &by, .only_reports = true};
	struct measured all, some;
	struct construction_measure without = by;
	without.floor = NULL;
	struct constructions c = measured("dgx1", ALLGATHER, (struct constructions_options){.measure = &without, .only_reports = true}, &all);
	constructions_free(&c);
	c = measured("dgx1", ALLGATHER, o, &some);
	cr_expect(eq(sz, c.n, 0), "all is in the reports");
	cr_expect(some.found < all.found && some.least[0] == 2, "%d of %d", some.found, all.found);
	constructions_free(&c);
}

/* What begins while others run, and would not have begun after them, is dropped: as many are found. */
Test(constructions, find_the_same_however_many_run_at_once)
{
	static const double floor[] = {2};
	const struct construction_measure by[] = {{.n = 1, .of = count_steps, .floor = floor}, {.n = 1, .of = count_steps}};
	const int at_once[] = {1, 3};
	struct constructions c[2];
	struct measured m[2];

	for (int test = 0; test < 2; test++) {
		for (int i = 0; i < 2; i++)
			c[i] = measured("ring:4", ALLGATHER, (struct constructions_options){.measure = &by[test], .at_once = &at_once[i]}, &m[i]);
		cr_assert(c[0].n && c[0].n == c[1].n && m[0].found == m[1].found, "%d, %d", m[0].found, m[1].found);
		for (size_t k = 0; k < c[0].n; k++)
			cr_expect(eq(str, c[0].of[k]->name, c[1].of[k]->name));
		constructions_free(&c[0]);
		constructions_free(&c[1]);
	}
}

/* Never done with the first algorithms of "bruck": its first two attempts are ended when their time is over. */
static bool stop_at_first(const void *context, const struct algorithm *a, double *values)
{
	int *seen = *(int *const *)context;

	values[0] = (double)a->n_steps;
	if (strcmp(a->method, "bruck") == 0 && (*seen)++ < 2)
		for (;;)
			pause();
	return true;
}

/* What had too little time in the first turn is tried again. */
Test(constructions, try_again_what_had_too_little_time)
{
	enum { SECONDS = 30 };
	FILE *file = tmpfile();
	cr_assert(file && ftruncate(fileno(file), sizeof(int)) == 0);
	int *seen = mmap(NULL, sizeof *seen, PROT_READ | PROT_WRITE, MAP_SHARED, fileno(file), 0); /* by all workers */
	cr_assert(seen != MAP_FAILED);
	const struct construction_measure by = {.n = 1, .of = stop_at_first, .context = &seen};
	struct measured m;
	double before = stop_within(SECONDS);
	struct constructions c = measured("ring:4", ALLGATHER, (struct constructions_options){.measure = &by, .only_reports = true}, &m);

	stop_restore(before);
	cr_expect(gt(int, *seen, 2), "it was not tried again");
	cr_expect(gt(int, m.found_by_bruck, 0));
	munmap(seen, sizeof *seen);
	fclose(file);
	constructions_free(&c);
}

static bool stop_at_all(const void *context, const struct algorithm *a, double *values)
{
	(void)context;
	values[0] = (double)a->n_steps;
	while (strcmp(a->method, "bruck") == 0)
		pause();
	return true;
}

/* However often it was begun. */
Test(constructions, report_once_what_never_ends)
{
	enum { SECONDS = 10, ATTEMPTS = 3 }; /* with its own number of chunks, with few, and with more and more */
	const struct construction_measure by = {.n = 1, .of = stop_at_all};
	struct measured m;
	double before = stop_within(SECONDS);
	struct constructions c = measured("ring:4", ALLGATHER, (struct constructions_options){.measure = &by, .only_reports = true}, &m);

	stop_restore(before);
	cr_expect(gt(int, m.found, 0));
	cr_expect(eq(int, m.found_by_bruck, 0));
	cr_expect(eq(int, m.late_of_bruck, ATTEMPTS));
	constructions_free(&c);
}

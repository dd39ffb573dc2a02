#include "core/base/error.h"
#include "core/base/json.h"
#include "core/base/memory.h"
#include "core/base/stop.h"
#include "core/bounds/bounds.h"
#include "core/machine/topology.h"
#include "core/verify/verify.h"
#include "simulate/fabric.h"
#include "simulate/simulator.h"
#include "simulate/time_bound.h"
#include "synth/builder/method.h"
#include "synth/problem/problem.h"
#include "synth/timed/list_schedule.h"
#include "synth/timed/matched_sends.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

TestSuite(list_schedule, .description = "schedules in time", .timeout = 100);

static const double rounding = 1e-9;
static const struct simulation flows = {.start = START_DATAFLOW, .alpha = 1, .beta = 1e-3};

static struct topology *machine(const char *name)
{
	struct error e = {0};
	struct topology *t = topology_open(name, &e);
	cr_assert(t != NULL, "%s: %s", e.where, e.what);
	return t;
}

static double play(const struct algorithm *a, const struct simulation *how, int64_t bytes)
{
	struct error e = {0};
	struct simulated run;
	struct simulator *s = simulator_new(a, how, &e);
	cr_assert(s != NULL, "%s: %s", e.where, e.what);
	simulator_run(s, (double)bytes, &run);
	simulator_free(s);
	return run.microseconds;
}

static struct algorithm *scheduled(const struct topology *t, struct collective k, const struct simulation *how, int64_t bytes,
				   int max_chunks, struct error *e)
{
	const struct timed_question q = {.n = 1, .sizes = &bytes, .share = 1, .how = how};
	bool is_cut = false, is_limited = isfinite(stop_left());
	struct problem p;
	cr_assert(problem_open(t, &k, &p, e), "%s: %s", e->where, e->what);
	struct algorithm *a = timed_schedule(&p, &q, 0, max_chunks, &is_cut, e);
	cr_expect(eq(int, is_cut, is_limited), "cut off by its time, and by nothing else");
	problem_close(&p);
	return a;
}

static double bound_of(const struct topology *t, struct collective k, const struct simulation *how, int64_t bytes)
{
	const struct speeds speeds = {.alpha = how->alpha, .beta = how->beta};
	struct bounds cuts;
	struct time_bound b;
	struct error e = {0};
	cr_assert(bounds_compute(t, &k, &cuts, &e) && time_bound_new(t, &k, &speeds, &cuts, &b, &e), "%s", e.what);
	double bound = time_bound_at(&b, (double)bytes);
	bounds_free(&cuts);
	time_bound_free(&b);
	return bound;
}

static double direct_takes(const struct topology *t, struct collective k, const struct simulation *how, int64_t bytes)
{
	struct error e = {0};
	struct text report = {0};
	struct algorithm *a = method_build(method_find("direct", &e), t, &k, &(struct method_options){0}, &report, &e);
	cr_assert(a != NULL, "%s", e.what);
	double time = play(a, how, bytes);
	text_free(&report);
	algorithm_free(a);
	return time;
}

Test(list_schedule, is_between_the_bound_and_direct)
{
	static const char *const machines[] = {"ring:4", "line:3", "mesh:2x3", "dgx1"};
	static const struct collective kinds[] = {{.kind = ALLGATHER}, {.kind = ALLTOALL}, {.kind = BROADCAST, .root = 1},
						  {.kind = GATHER}, {.kind = REDUCESCATTER}, {.kind = SCATTER, .root = 2}, {.kind = REDUCE}};
	static const int64_t sizes[] = {24, 100000};

	for (size_t m = 0; m < sizeof machines / sizeof *machines; m++) {
		struct topology *t = machine(machines[m]);
		for (size_t c = 0; c < sizeof kinds / sizeof *kinds; c++)
			for (size_t s = 0; s < 2; s++)
				for (int sharing = 0; sharing < 3; sharing++) {
					struct simulation how = flows;
					struct error e = {0};
					how.sharing = (enum simulation_sharing)sharing;
					struct algorithm *a = scheduled(t, kinds[c], &how, sizes[s], 16, &e);
					cr_assert(a != NULL, "%s: %s", e.where, e.what);
					cr_expect(eq(int, algorithm_verify(a).fault, FAULT_NONE));
					double time = play(a, &how, sizes[s]);
					cr_expect(ge(dbl, time, bound_of(t, kinds[c], &how, sizes[s]) * (1 - rounding)), "%s", a->name);
					cr_expect(le(dbl, time, direct_takes(t, kinds[c], &how, sizes[s]) * (1 + rounding)), "%s", a->name);
					algorithm_free(a);
				}
		topology_free(t);
	}
}

/* Two boxes whose links differ: direct loads some of those between the boxes more than others. */
Test(list_schedule, an_alltoall_over_two_boxes_is_at_the_bound)
{
	static const struct simulation as_linked = {.start = START_DATAFLOW, .alpha = -1};
	const struct collective alltoall = {.kind = ALLTOALL};
	struct topology *t = machine("dgx2x2");
	struct error e = {0};
	struct algorithm *a = scheduled(t, alltoall, &as_linked, 1000000, 32, &e);

	cr_assert(a != NULL, "%s: %s", e.where, e.what);
	cr_expect(epsilon_eq(dbl, play(a, &as_linked, 1000000), bound_of(t, alltoall, &as_linked, 1000000), 1e-6));
	cr_expect(direct_takes(t, alltoall, &as_linked, 1000000) > 1.2 * play(a, &as_linked, 1000000));
	algorithm_free(a);
	topology_free(t);
}

/* The times that TE-CCL published for an allgather of 32 nodes: of one node's input in bytes, in µs. */
static const struct published {
	int64_t bytes;
	double microseconds;
} published[] = {{2000, 4.32}, {8000, 5.376}, {31250, 10.75}, {125000, 33}, {500000, 124 + 5}, {31250000, 7750 + 5}};

static const struct simulation in_order = {.start = START_DATAFLOW, .sharing = SHARING_ORDER, .alpha = -1};

Test(list_schedule, an_allgather_over_two_boxes_is_faster_than_published)
{
	const struct collective allgather = {.kind = ALLGATHER};
	struct topology *t = machine("dgx2x2");

	for (size_t i = 0; i < sizeof published / sizeof *published; i++) {
		struct error e = {0};
		struct algorithm *a = scheduled(t, allgather, &in_order, published[i].bytes, 16, &e);
		cr_assert(a != NULL, "%s", e.what);
		double time = play(a, &in_order, published[i].bytes), bound = bound_of(t, allgather, &in_order, published[i].bytes);
		cr_expect(le(dbl, time, published[i].microseconds), "%s", a->name);
		cr_expect(ge(dbl, time, bound * (1 - rounding)), "%s", a->name);
		if (published[i].bytes >= 125000) /* ports receive without a pause */
			cr_expect(le(dbl, time, bound * (1 + rounding)), "%s", a->name);
		algorithm_free(a);
	}
	topology_free(t);
}

/* When each resource is free, and each chunk at its node. */
struct replay {
	double *free_at, *there; /* [resource], [chunk * nodes + node] */
};

/* Starts the sends one after another, each as soon as it can. Returns when the last has arrived; negative: a chunk was not there. */
static double replayed(const struct algorithm *a, const struct fabric *f, double bytes)
{
	size_t nodes = (size_t)f->nodes, places = (size_t)a->global_chunks * nodes;
	struct replay r = {new_array(double, f->n_resources), new_array(double, places)};
	double end = 0;

	for (size_t p = 0; p < places; p++)
		r.there[p] = collective_pre(&a->collective, f->nodes, (int)(p / nodes), (int)(p % nodes)) ? 0 : INFINITY;
	for (size_t s = 0; s < a->n_steps; s++)
		for (size_t i = 0; i < a->steps[s].n_sends; i++) {
			const struct send *x = &a->steps[s].sends[i];
			int route = fabric_route(f, x->src, x->dst);
			double start = r.there[(size_t)x->chunk * nodes + (size_t)x->src];
			for (int k = f->begin[route]; k < f->begin[route + 1]; k++)
				start = fmax(start, r.free_at[f->over[k]]);
			double sent = start + bytes / a->chunks / f->routes[route].rate, arrives = sent + f->routes[route].latency;
			for (int k = f->begin[route]; k < f->begin[route + 1]; k++)
				r.free_at[f->over[k]] = sent;
			r.there[(size_t)x->chunk * nodes + (size_t)x->dst] = arrives;
			end = fmax(end, arrives);
		}
	free(r.free_at);
	free(r.there);
	return end < INFINITY ? end : -1;
}

Test(list_schedule, its_order_is_played)
{
	struct topology *t = machine("dgx2x2");
	const struct speeds speeds = {.alpha = -1};
	struct fabric f;
	struct error e = {0};

	cr_assert(fabric_open(t, &speeds, &f, &e));
	for (int kind = 0; kind < 2; kind++) {
		struct collective k = {.kind = kind ? ALLTOALL : ALLGATHER};
		struct algorithm *a = scheduled(t, k, &in_order, 31250, kind ? 32 : 4, &e);
		cr_assert(a != NULL, "%s", e.what);
		cr_expect(epsilon_eq(dbl, replayed(a, &f, 31250), play(a, &in_order, 31250), 1e-9));
		/* With its steps in another order it does not verify, nor is a chunk sent that is not there. */
		struct step last = a->steps[a->n_steps - 1];
		a->steps[a->n_steps - 1] = a->steps[0];
		a->steps[0] = last;
		cr_expect(ne(int, algorithm_verify(a).fault, FAULT_NONE));
		cr_expect(lt(dbl, replayed(a, &f, 31250), 0));
		algorithm_free(a);
	}
	fabric_close(&f);
	topology_free(t);
}

Test(list_schedule, is_the_same_every_time)
{
	static const struct simulation *const ways[] = {&flows, &in_order};
	struct topology *t = machine("dgx1");

	for (int way = 0; way < 2; way++) {
		struct error e = {0};
		struct text of[2] = {{0}, {0}};
		for (int i = 0; i < 2; i++) {
			struct algorithm *a = scheduled(t, (struct collective){.kind = ALLGATHER}, ways[way], 5000, 4, &e);
			cr_assert(a != NULL, "%s", e.what);
			algorithm_write(a, &of[i]);
			algorithm_free(a);
		}
		cr_expect(eq(str, of[0].bytes, of[1].bytes));
		text_free(&of[0]);
		text_free(&of[1]);
	}
	topology_free(t);
}

/* Whoever divides the time among methods must know. */
Test(list_schedule, says_that_it_was_cut_off)
{
	struct topology *t = machine("dgx1");
	struct error e = {0};
	double before = stop_within(0);
	struct algorithm *a = scheduled(t, (struct collective){.kind = ALLGATHER}, &flows, 5000, 0, &e);

	stop_restore(before);
	cr_assert(a != NULL, "one is made in any case: %s", e.what);
	algorithm_free(a);
	topology_free(t);
}

static double matched(const struct fabric *f, int chunks, double bytes, struct matched_style style)
{
	const struct collective broadcast = {.kind = BROADCAST};
	struct timed_sends s;
	struct error e = {0};
	double time;
	cr_assert(matched_sends_new(f, &broadcast, chunks, bytes, &style, &s, &time, &e), "%s", e.what);
	cr_expect(eq(sz, s.n, (size_t)chunks * 2));
	timed_sends_free(&s);
	return time;
}

/* Of two chunks node 2 gets the first over 0-2 in 5 µs; the second from there by 10, or over 1-2 from 1 to 11. */
Test(list_schedule, a_slow_link_may_stay_idle_at_the_end)
{
	static const char file[] = "{\"format\": \"sccl-topology\", \"version\": 1, \"name\": \"t\", \"nodes\": 3, \"links\": ["
				   "{\"src\": 0, \"dst\": 1, \"bandwidth\": 10}, {\"src\": 0, \"dst\": 2, \"bandwidth\": 2}, "
				   "{\"src\": 1, \"dst\": 2, \"bandwidth\": 1}]}";
	const struct speeds speeds = {.beta = 1};
	struct error e = {0};
	struct json_document *d = json_document_parse(file, "t.json", &e);
	struct json_place top = json_top(d);
	struct topology *t = topology_read(&top, &e);
	struct fabric f;

	cr_assert(t != NULL && fabric_open(t, &speeds, &f, &e), "%s", e.what);
	cr_expect(epsilon_eq(dbl, matched(&f, 2, 10, (struct matched_style){.is_patient = false}), 11, rounding));
	cr_expect(epsilon_eq(dbl, matched(&f, 2, 10, (struct matched_style){.is_patient = true}), 10, rounding));
	fabric_close(&f);
	topology_free(t);
	json_document_close(d);
}

/* The slow links between the boxes carry what they must and no more. */
Test(list_schedule, a_chunk_crosses_slow_links_once)
{
	struct topology *t = machine("dgx2x2");
	struct error e = {0};
	struct algorithm *a = scheduled(t, (struct collective){.kind = ALLGATHER}, &in_order, 31250, 4, &e);
	size_t crossing = 0;

	cr_assert(a != NULL, "%s", e.what);
	for (size_t s = 0; s < a->n_steps; s++)
		for (size_t i = 0; i < a->steps[s].n_sends; i++)
			crossing += (a->steps[s].sends[i].src < 16) != (a->steps[s].sends[i].dst < 16);
	cr_expect(eq(sz, crossing, (size_t)a->global_chunks));
	algorithm_free(a);
	topology_free(t);
}

Test(list_schedule, refuses_what_it_does_not_serve)
{
	struct topology *t = machine("ring:4");
	struct error e = {0};

	cr_expect(scheduled(t, (struct collective){.kind = ALLREDUCE}, &flows, 1000, 0, &e) == NULL);
	cr_expect(eq(int, e.kind, ERROR_INPUT), "%s", e.what);
	e = (struct error){0};
	cr_expect(scheduled(t, (struct collective){.kind = ALLTOALL}, &flows, 1000, 3, &e) == NULL, "a block for each node");
	cr_expect(eq(int, e.kind, ERROR_LIMIT), "%s", e.what);
	topology_free(t);
}

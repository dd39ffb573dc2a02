/*
 * Schedules by a solver against an exhaustive search, on machines with links or limits over which several messages fit at
 * once. The search puts one message after another where it first fits, in every order of the times at which they begin: some
 * such order gives a fastest schedule, since to begin earlier delays nothing. With messages alone on what they cross it must
 * take longer, or nothing was tested.
 */
#include "core/base/error.h"
#include "core/base/json.h"
#include "core/base/text.h"
#include "core/machine/topology.h"
#include "core/schedule/collective.h"
#include "core/verify/verify.h"
#include "simulate/fabric.h"
#include "simulate/simulator.h"
#include "synth/problem/problem.h"
#include "synth/timed/exact_schedule.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>

TestSuite(exact_exhaustive, .timeout = 100);

static const double precision = 1e-5;
static const struct simulation plainly = {.start = START_DATAFLOW, .sharing = SHARING_ORDER, .alpha = 1, .beta = 1e-3};

enum { NODES = 4, CHUNKS = 12, MESSAGES = 16, RESOURCES = 32 };

/* ---- the exhaustive search ---- */

struct placed {
	int chunk, route;
	double begin, end; /* on its resources */
};

struct tried {
	const struct fabric *f;
	int nodes, chunks;
	double bytes; /* of a chunk */
	bool alone;   /* a message fills what it crosses */
	bool wanted[CHUNKS][NODES];
	double arrives[CHUNKS][NODES]; /* INFINITY: not yet */
	struct placed of[MESSAGES];
	int n;
	double best;
};

/* Can this route's message begin then, beside those placed that are being sent? */
static bool fits_at(const struct tried *x, int route, double time)
{
	const struct fabric *f = x->f;
	double used[RESOURCES] = {0};

	for (int m = 0; m < x->n; m++)
		for (int i = f->begin[x->of[m].route]; i < f->begin[x->of[m].route + 1]; i++)
			if (x->of[m].begin <= time && time < x->of[m].end)
				used[f->over[i]] += f->routes[x->of[m].route].rate;
	for (int i = f->begin[route]; i < f->begin[route + 1]; i++)
		if (!fabric_has_room(f, f->over[i], used[f->over[i]], x->alone && used[f->over[i]] > 0 ? INFINITY : f->routes[route].rate))
			return false;
	return true;
}

static bool fits(const struct tried *x, int route, double begin, double end)
{
	bool ok = fits_at(x, route, begin);

	for (int m = 0; m < x->n && ok; m++)
		ok = x->of[m].begin <= begin || x->of[m].begin >= end || fits_at(x, route, x->of[m].begin);
	return ok;
}

/* The first time from FROM on: that, or when another message has been sent. */
static double earliest(const struct tried *x, int route, double from, double busy)
{
	double at = fits(x, route, from, from + busy) ? from : INFINITY;

	for (int m = 0; m < x->n; m++)
		if (x->of[m].end > from && x->of[m].end < at && fits(x, route, x->of[m].end, x->of[m].end + busy))
			at = x->of[m].end;
	return at;
}

static double end_of(const struct tried *x)
{
	double end = 0;

	for (int c = 0; c < x->chunks; c++)
		for (int v = 0; v < x->nodes; v++)
			if (x->wanted[c][v])
				end = fmax(end, x->arrives[c][v]);
	return end;
}

/* Of messages that begin at once one order is enough. */
static bool is_in_order(const struct tried *x, int chunk, int route, double begin)
{
	const struct placed *last = x->n ? &x->of[x->n - 1] : NULL;

	if (!last || begin > last->begin)
		return true;
	return begin == last->begin && (chunk > last->chunk || (chunk == last->chunk && route > last->route));
}

static void try_all(struct tried *x)
{
	double end = end_of(x);

	if (!isinf(end)) { /* more messages gain nothing */
		x->best = fmin(x->best, end);
		return;
	}
	for (int c = 0; c < x->chunks; c++)
		for (int r = 0; r < (int)x->f->n_routes; r++) {
			const struct route *way = &x->f->routes[r];
			double from = x->arrives[c][way->src], busy = x->bytes / way->rate;
			if (isinf(from) || !isinf(x->arrives[c][way->dst]))
				continue;
			double begin = earliest(x, r, from, busy), arrives = begin + busy + way->latency + way->step;
			if (arrives >= x->best || !is_in_order(x, c, r, begin))
				continue;
			cr_assert(x->n < MESSAGES);
			x->of[x->n++] = (struct placed){c, r, begin, begin + busy};
			x->arrives[c][way->dst] = arrives;
			try_all(x);
			x->arrives[c][way->dst] = INFINITY;
			x->n--;
		}
}

/* The time of the fastest schedule. */
static double exhaustive(const struct topology *t, const struct collective *k, int chunks, int64_t bytes, bool alone)
{
	const struct speeds speeds = {.alpha = plainly.alpha, .beta = plainly.beta};
	struct error e = {0};
	struct fabric f;

	cr_assert(fabric_open(t, &speeds, &f, &e), "%s", e.what);
	struct tried x = {.f = &f, .nodes = t->nodes, .chunks = collective_global_chunks(k, t->nodes, chunks), .bytes = (double)bytes / chunks,
			  .alone = alone, .best = INFINITY};
	cr_assert(x.nodes <= NODES && x.chunks <= CHUNKS && f.n_resources <= RESOURCES);
	for (int c = 0; c < x.chunks; c++)
		for (int v = 0; v < x.nodes; v++) {
			bool has = collective_pre(k, t->nodes, c, v);
			x.arrives[c][v] = has ? 0 : INFINITY;
			x.wanted[c][v] = collective_post(k, t->nodes, c, v) && !has;
		}
	try_all(&x);
	fabric_close(&f);
	return x.best;
}

/* ---- the solver's ---- */

static struct topology *machine(const char *links_and_limits, int nodes, int switches)
{
	struct error e = {0};
	struct text text = {0};

	text_add(&text, "{\"format\": \"sccl-topology\", \"version\": 1, \"name\": \"tiny\", \"nodes\": %d, \"switches\": %d, %s}", nodes, switches,
		 links_and_limits);
	struct topology *t = topology_read_document(json_document_parse(text.bytes, "tiny.json", &e), &e);
	cr_assert(t != NULL, "%s: %s", e.where, e.what);
	text_free(&text);
	return t;
}

static double solved(const struct topology *t, const struct collective *k, int chunks, int64_t bytes, struct exact_times *planned)
{
	const struct timed_question q = {.n = 1, .sizes = &bytes, .share = 1, .how = &plainly};
	struct error e = {0};
	struct problem p;
	struct simulated run;

	cr_assert(problem_open(t, k, &p, &e), "%s", e.what);
	struct algorithm *a = exact_schedule(&p, &q, 0, chunks, planned, &e);
	cr_assert(a != NULL, "%s: %s", e.where, e.what);
	cr_expect(eq(int, algorithm_verify(a).fault, FAULT_NONE));
	struct simulator *s = simulator_new(a, &plainly, &e);
	cr_assert(s != NULL, "%s", e.what);
	simulator_run(s, (double)bytes, &run);
	simulator_free(s);
	algorithm_free(a);
	problem_close(&p);
	return run.microseconds;
}

/* Parts of text that machines have in common: three nodes, each joined to the others. */
#define PAIRS(a, b, c) "\"duplex\": true, \"links\": [{\"src\": 0, \"dst\": 1, \"bandwidth\": " a "}, {\"src\": 1, \"dst\": 2, \"bandwidth\": " b \
	"}, {\"src\": 0, \"dst\": 2, \"bandwidth\": " c "}]"
#define ALL_PAIRS "[[0, 1], [1, 0], [1, 2], [2, 1], [0, 2], [2, 0]]"

struct tiny {
	const char *what;
	int nodes, switches;
	const char *links_and_limits;
	struct collective k;
	int chunks;
	int64_t bytes;
};

static const struct tiny tinies[] = {
	{"a limit that two of six messages fit under", 3, 0, PAIRS("1", "1", "1") ", \"limits\": [{\"edges\": " ALL_PAIRS ", \"bandwidth\": 2}]",
	 {.kind = ALLGATHER}, 1, 3000},
	{"a limit under which a wide message fits beside a narrow one, but not beside a wide one", 3, 0,
	 PAIRS("2", "1", "2") ", \"limits\": [{\"edges\": " ALL_PAIRS ", \"bandwidth\": 3}]", {.kind = ALLGATHER}, 1, 4000},
	{"a link between switches that carries two messages", 4, 2,
	 "\"duplex\": true, \"links\": [{\"src\": 0, \"dst\": 4, \"bandwidth\": 1}, {\"src\": 1, \"dst\": 4, \"bandwidth\": 2}, {\"src\": 2, \"dst\": 5, "
	 "\"bandwidth\": 1}, {\"src\": 3, \"dst\": 5, \"bandwidth\": 1}, {\"src\": 4, \"dst\": 5, \"bandwidth\": 2}]",
	 {.kind = BROADCAST, .root = 1}, 1, 4000},
	{"a wide link to a switch, and narrow ones behind it", 4, 1,
	 "\"duplex\": true, \"links\": [{\"src\": 0, \"dst\": 4, \"bandwidth\": 3}, {\"src\": 1, \"dst\": 4, \"bandwidth\": 1}, {\"src\": 2, \"dst\": 4, "
	 "\"bandwidth\": 2}, {\"src\": 3, \"dst\": 4, \"bandwidth\": 1}]",
	 {.kind = SCATTER}, 4, 12000},
};

Test(exact_exhaustive, meets_what_trying_everything_finds)
{
	for (size_t i = 0; i < sizeof tinies / sizeof *tinies; i++) {
		const struct tiny *x = &tinies[i];
		struct topology *t = machine(x->links_and_limits, x->nodes, x->switches);
		struct exact_times planned = {0};
		double exact = solved(t, &x->k, x->chunks, x->bytes, &planned), least = exhaustive(t, &x->k, x->chunks, x->bytes, false);
		double alone = exhaustive(t, &x->k, x->chunks, x->bytes, true);

		cr_expect(epsilon_eq(dbl, exact, least, precision * least), "%s: %g us, by trying everything %g", x->what, exact, least);
		cr_expect(le(dbl, planned.at_least, least * (1 + precision)), "%s: refutes %g us, which there is", x->what, planned.at_least);
		cr_expect(ge(dbl, planned.at_least, least * (1 - precision)), "%s: refutes only what ends by %g us", x->what, planned.at_least);
		cr_expect(gt(dbl, alone, least * (1 + precision)), "%s: several at once gain nothing", x->what);
		topology_free(t);
	}
}

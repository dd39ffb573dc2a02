/*
 * Two networks between the same nodes, such as NVLink and PCIe: builds an algorithm for each, and computes how to split
 * a buffer between them so that both finish at the same time. Each algorithm is modeled as a fixed time plus a time per
 * byte, fitted to simulated times.
 */

#include "cli/commands/building.h"
#include "cli/output/command.h"
#include "cli/arguments/sizes.h"

#include "core/schedule/algorithm.h"
#include "core/schedule/collective.h"
#include "core/base/error.h"
#include "core/schedule/split.h"
#include "core/machine/topology.h"
#include "simulate/simulator.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool beside_check(const struct build_options *o, struct error *e)
{
	const struct {
		const char *name;
		bool given;
	} alone[] = {{"--beside-output", o->beside.out != NULL}, {"--switching", o->beside.switching >= 0}, {"--sizes", o->beside.sizes != NULL}};

	for (size_t i = 0; i < sizeof alone / sizeof *alone && !o->beside.topology; i++)
		if (alone[i].given)
			return error_set(e, ERROR_INPUT, alone[i].name, "requires --beside");
	if (!o->out != !o->beside.out)
		return !o->beside.topology ||
		       error_set(e, ERROR_INPUT, o->out ? "--beside-output" : "-o", "missing; --beside builds two algorithms: give both files or neither");
	if (o->out && strcmp(o->out, o->beside.out) == 0)
		return error_set(e, ERROR_INPUT, "--beside-output", "is the same file as -o");
	if (o->beside.topology && o->within > 0)
		return error_set(e, ERROR_INPUT, "--within", "cannot be combined with --beside, which builds two algorithms");
	return !o->beside.topology || !o->tables || error_set(e, ERROR_INPUT, "--tables", "cannot be combined with --beside, which builds two algorithms");
}

/* Only collectives in which every input and output is the whole buffer can be split into two contiguous pieces. */
static bool is_one_piece(const struct collective *k, struct error *e)
{
	static const bool pieces[COLLECTIVE_KINDS] = {[BROADCAST] = true, [REDUCE] = true, [ALLREDUCE] = true};

	return pieces[k->kind] || error_set(e, ERROR_INPUT, "--beside", "can only split the buffers of broadcast, reduce and allreduce; those of %s have a block per node",
					    collective_called(k));
}

static bool has_speeds(const struct topology *t, struct error *e)
{
	for (size_t i = 0; i < t->n_links; i++)
		if (t->links[i].kind < 0 || !rational_ok(t->kinds[t->links[i].kind].latency_us) || !rational_ok(t->kinds[t->links[i].kind].gigabytes_per_second))
			return error_set(e, ERROR_INPUT, t->name, "has no latency and speed for link %d-%d, which a split needs", t->links[i].src,
					 t->links[i].dst);
	return true;
}

/* The line through the simulated times of two large sizes, which account for all hops of a route and for links of
 * different speeds. SWITCHING, in microseconds, is added to the fixed time. */
static bool pace_of(const struct algorithm *a, double switching, struct pace *out, struct error *e)
{
	static const struct simulation plainly = {.alpha = -1};
	static const double less = 1 << 24, more = 1 << 30, rounding = 1e-9; /* more than a sum of latencies makes */
	struct simulated at_less, at_more;
	struct simulator *s = simulator_new(a, &plainly, e);

	if (!s)
		return false;
	simulator_run(s, less, &at_less);
	simulator_run(s, more, &at_more);
	simulator_free(s);
	out->per_byte = (at_more.microseconds - at_less.microseconds) / (more - less);
	out->fixed = switching + fmax(0, at_less.microseconds - less * out->per_byte);
	return at_more.microseconds - at_less.microseconds > rounding * at_more.microseconds ||
	       error_set(e, ERROR_INPUT, a->topology->name, "has latencies so long that the time per byte is lost in rounding, so a split cannot be computed");
}

/* The algorithms of both machines with their linear models, and the sizes to split. */
struct machine_pair {
	struct built of[2];
	struct pace pace[2];
	int64_t *sizes;
	size_t n_sizes;
};

static bool open_second(const struct build_options *o, const struct topology *first, struct topology **second, struct error *e)
{
	*second = topology_open(o->beside.topology, e);
	return *second && ((*second)->nodes == first->nodes ||
			   error_set(e, ERROR_INPUT, "--beside", "%s has %d nodes, and %s has %d", (*second)->name, (*second)->nodes, first->name, first->nodes));
}

static bool make_both(const struct build_options *o, const struct topology *first, const struct collective *k, struct machine_pair *p, struct error *e)
{
	struct topology *second = NULL;
	bool ok = is_one_piece(k, e) &&
		  sizes_read(o->beside.sizes ? o->beside.sizes : "1M,16M,256M,1G", &p->sizes, &p->n_sizes, e) && open_second(o, first, &second, e) && has_speeds(first, e) && has_speeds(second, e) &&
		  built_make(o, first, k, &p->of[0], e) && built_make(o, second, k, &p->of[1], e) &&
		  pace_of(p->of[0].algorithm, 0, &p->pace[0], e) && pace_of(p->of[1].algorithm, fmax(0, o->beside.switching), &p->pace[1], e) &&
		  built_save(&p->of[0], e) && built_save(&p->of[1], e);

	topology_free(second);
	return ok;
}

static double gigabytes_per_second(const struct pace *p)
{
	return 1 / p->per_byte / 1000;
}

static void print_json(const struct machine_pair *p)
{
	printf("{\"gigabytes_per_second\": [%.4f, %.4f], \"begins_us\": [%.4f, %.4f], \"pays_from\": %.0f}\n", gigabytes_per_second(&p->pace[0]),
	       gigabytes_per_second(&p->pace[1]), p->pace[0].fixed, p->pace[1].fixed, split_pays_from(&p->pace[0], &p->pace[1]));
	for (size_t i = 0; i < p->n_sizes; i++) {
		struct split s = split_bytes(&p->pace[0], &p->pace[1], p->sizes[i]);
		printf("{\"bytes\": %" PRId64 ", \"shares\": [%" PRId64 ", %" PRId64 "], \"microseconds\": %.4f, \"alone\": %.4f}\n", p->sizes[i], s.first, s.second,
		       s.together, s.alone);
	}
}

static void print_text(const struct machine_pair *p)
{
	double from = split_pays_from(&p->pace[0], &p->pace[1]);

	for (int i = 0; i < 2; i++)
		printf("%s: %.3f GB/s after %.3f us\n", printable(p->of[i].algorithm->topology->name), gigabytes_per_second(&p->pace[i]), p->pace[i].fixed);
	if (from > 0)
		printf("the second network pays off above %.0f bytes\n", from);
	printf("%14s %14s %14s %14s %14s %8s\n", "bytes", "first", "second", "time us", "alone us", "gain");
	for (size_t i = 0; i < p->n_sizes; i++) {
		struct split s = split_bytes(&p->pace[0], &p->pace[1], p->sizes[i]);
		printf("%14" PRId64 " %14" PRId64 " %14" PRId64 " %14.3f %14.3f %7.1f %%\n", p->sizes[i], s.first, s.second, s.together, s.alone,
		       100 * (s.alone / s.together - 1));
	}
}

int beside_build(const struct build_options *o, const struct topology *t, const struct collective *k)
{
	struct error e = {0};
	struct machine_pair p = {.of = {{.path = o->out}, {.path = o->beside.out}}};
	bool ok = make_both(o, t, k, &p, &e);

	if (ok) {
		options_report_root(&o->subject.root, k);
		built_print(o, &p.of[0]);
		built_print(o, &p.of[1]);
		if (o->json)
			print_json(&p);
		else
			print_text(&p);
	}
	for (int i = 0; i < 2; i++)
		built_free(&p.of[i]);
	free(p.sizes);
	return ok ? STATUS_DONE : fail(&e);
}

/*
 * From GB/s to chunks per round. Searches grow with the numbers of units, so speeds that have no large common divisor,
 * as measured ones do, are rounded to multiples of a part of the slowest.
 */

#include "interop/machines/speeds.h"

#include "core/base/error.h"
#include "core/base/json.h"
#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/machine/topology.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Latencies where a format states none: those of the machines in topologies/. */
static const struct {
	const char *kind;
	struct rational latency_us;
} assumed[] = {
	{"nvlink", {7, 10}}, {"nvswitch", {7, 20}}, {"pcie", {1, 1}}, {"xgmi", {1, 1}}, {"link", {1, 1}}, {"network", {13, 10}},
};

enum { LATENCY_US_MAX = 1000000000 };

static struct rational latency_of(const struct speed_link *l)
{
	if (rational_ok(l->latency_us))
		return l->latency_us;
	for (size_t i = 0; i < sizeof assumed / sizeof *assumed; i++)
		if (strcmp(assumed[i].kind, l->kind) == 0)
			return assumed[i].latency_us;
	return rational(1, 1);
}

bool speeds_latency_us(struct rational stated, int64_t num, int64_t den, struct rational *us)
{
	*us = rational_mul(stated, rational(num, den));
	return rational_ok(*us) && us->num >= 0 && rational_compare(*us, rational(LATENCY_US_MAX, 1)) <= 0;
}

void speeds_add(struct speed_links *l, int src, int dst, struct rational speed, struct rational latency, const char *kind)
{
	l->of = grown(l->of, &l->capacity, l->n + 1, sizeof *l->of);
	l->of[l->n++] = (struct speed_link){src, dst, speed, latency, kind};
}

void speeds_add_both(struct speed_links *l, int a, int b, struct rational speed, struct rational latency, const char *kind)
{
	speeds_add(l, a, b, speed, latency, kind);
	speeds_add(l, b, a, speed, latency, kind);
}

void speeds_free(struct speed_links *l)
{
	free(l->of);
	*l = (struct speed_links){0};
}

static int by_ends(const void *va, const void *vb)
{
	const struct speed_link *a = va, *b = vb;

	return a->src != b->src ? (a->src > b->src) - (a->src < b->src) : (a->dst > b->dst) - (a->dst < b->dst);
}

static void sum_pairs(struct speed_links *l)
{
	size_t n = 0;

	if (l->n)
		qsort(l->of, l->n, sizeof *l->of, by_ends);
	for (size_t i = 0; i < l->n; i++) {
		struct speed_link *last = n ? &l->of[n - 1] : NULL;
		if (last && by_ends(last, &l->of[i]) == 0)
			last->gigabytes_per_second = rational_add(last->gigabytes_per_second, l->of[i].gigabytes_per_second);
		else
			l->of[n++] = l->of[i];
	}
	l->n = n;
}

/* gcd(a/b, c/d) = gcd(a d, c b) / (b d). */
static struct rational common(struct rational a, struct rational b)
{
	struct rational q;

	if (!rational_ok(a) || !rational_ok(b))
		return (struct rational){0, 0};
	while (b.num) {
		q = rational_div(a, b);
		if (!rational_ok(q))
			return q;
		struct rational rest = rational_sub(a, rational_mul(rational(rational_floor(q), 1), b));
		a = b;
		b = rest;
		if (!rational_ok(b))
			return b;
	}
	return a;
}

enum { PARTS_MAX = 16, TOLERANCE = 100 }; /* an accepted unit is off by at most a 100th for every speed */

/* Is every speed a multiple of UNIT, up to the tolerance? */
static bool nearly_divides(const struct speed_links *l, struct rational unit)
{
	for (size_t i = 0; i < l->n; i++) {
		double units = rational_double(l->of[i].gigabytes_per_second) / rational_double(unit);
		if (fabs(units - floor(units + 0.5)) * TOLERANCE > units)
			return false;
	}
	return true;
}

/*
 * The unit in GB/s; *exact tells whether all speeds are multiples of it. Otherwise the largest part of the slowest that
 * nearly divides all, or an eighth of it.
 */
static struct rational unit_of(const struct speed_links *l, bool *exact)
{
	struct rational unit = l->of[0].gigabytes_per_second, slowest = unit, fastest = unit;

	for (size_t i = 1; i < l->n; i++) {
		struct rational s = l->of[i].gigabytes_per_second;
		unit = common(unit, s);
		if (rational_compare(s, slowest) < 0)
			slowest = s;
		if (rational_compare(s, fastest) > 0)
			fastest = s;
	}
	struct rational most = rational_div(fastest, unit);
	*exact = rational_ok(most) && rational_compare(most, rational(UNITS_MAX, 1)) <= 0;
	if (*exact)
		return unit;
	for (int parts = 1; parts <= PARTS_MAX; parts++)
		if (nearly_divides(l, rational_div(slowest, rational(parts, 1))))
			return rational_div(slowest, rational(parts, 1));
	return rational_div(slowest, rational(8, 1));
}

/* The index of the kind of this name and latency, added if there is none; kinds differ in latency or in name. */
static int kind_of(struct topology *t, const struct speed_link *l, struct rational unit)
{
	struct rational latency = latency_of(l);
	struct text name = {0};
	char ratio[RATIONAL_TEXT];
	bool taken = false;

	for (size_t i = 0; i < t->n_kinds; i++) {
		bool called = strncmp(t->kinds[i].name, l->kind, strlen(l->kind)) == 0;
		if (called && rational_compare(t->kinds[i].latency_us, latency) == 0)
			return (int)i;
		taken |= called;
	}
	text_add(&name, "%s", l->kind);
	if (taken)
		text_add(&name, " of %s us", rational_text(latency, ratio));
	t->kinds[t->n_kinds] = (struct link_kind){text_take(&name), latency, unit};
	return (int)t->n_kinds++;
}

enum { SPEED_KINDS_MAX = 64 };

static bool fill(struct topology *t, const struct speeds_head *head, const struct speed_links *l, struct text *notes, struct error *e)
{
	bool exact;
	struct rational unit = unit_of(l, &exact);
	char ratio[RATIONAL_TEXT];

	if (!rational_ok(unit))
		return error_set(e, ERROR_INPUT, head->path, "speeds that differ so much have no common unit");
	if (!exact)
		text_add(notes, "%s: rates have no coarse common unit; they are rounded to multiples of %s GB/s\n", head->path,
			 rational_text(unit, ratio));
	for (size_t i = 0; i < l->n; i++) {
		struct rational units = rational_add(rational_div(l->of[i].gigabytes_per_second, unit), rational(exact ? 0 : 1, 2));
		if (!rational_ok(units) || rational_floor(units) > BANDWIDTH_MAX)
			return error_set(e, ERROR_INPUT, head->path, "one link is more than %d times as fast as another", BANDWIDTH_MAX / 8);
		if (t->n_kinds == SPEED_KINDS_MAX)
			return error_set(e, ERROR_INPUT, head->path, "links have more than %d latencies", SPEED_KINDS_MAX);
		int width = (int)rational_floor(units);
		t->links[t->n_links++] = (struct link){l->of[i].src, l->of[i].dst, width > 0 ? width : 1, kind_of(t, &l->of[i], unit)};
	}
	return true;
}

/* Does every link exist in both directions? Then each is listed once. */
static bool is_duplex(const struct topology *t)
{
	for (size_t i = 0; i < t->n_links; i++) {
		const struct link *back = topology_link(t, t->links[i].dst, t->links[i].src);
		if (!back || back->bandwidth != t->links[i].bandwidth || back->kind != t->links[i].kind)
			return false;
	}
	return true;
}

static int by_name(const void *va, const void *vb)
{
	const struct link_kind *const *a = va, *const *b = vb;
	return strcmp((*a)->name, (*b)->name);
}

static void sort_kinds(struct topology *t)
{
	const struct link_kind **order = new_array(const struct link_kind *, t->n_kinds);
	struct link_kind *sorted = new_array(struct link_kind, t->n_kinds);
	int *rank = new_array(int, t->n_kinds);

	for (size_t i = 0; i < t->n_kinds; i++)
		order[i] = &t->kinds[i];
	if (t->n_kinds)
		qsort(order, t->n_kinds, sizeof *order, by_name);
	for (size_t i = 0; i < t->n_kinds; i++) {
		rank[order[i] - t->kinds] = (int)i;
		sorted[i] = *order[i];
	}
	for (size_t i = 0; i < t->n_links; i++)
		t->links[i].kind = rank[t->links[i].kind];
	free(t->kinds);
	t->kinds = sorted;
	free(order);
	free(rank);
}

struct topology *machines_judged(const struct topology *t, const char *path, struct error *e)
{
	struct text json = {0};

	topology_write(t, &json, 0);
	struct topology *read = topology_read_document(json_document_parse(json.bytes, path, e), e);
	text_free(&json);
	return read;
}

struct topology *speeds_topology(const struct speeds_head *head, struct speed_links *l, struct text *notes, struct error *e)
{
	if (head->nodes < 1 || head->nodes > NODES_MAX || head->switches > SWITCHES_MAX || l->n > LINKS_MAX) {
		error_set(e, ERROR_INPUT, head->path, "a machine has 1 to %d nodes and at most %d switches and %d links; this one has %d, %d and %zu",
			  NODES_MAX, SWITCHES_MAX, LINKS_MAX, head->nodes, head->switches, l->n);
		return NULL;
	}
	struct topology *t = new(struct topology), *read = NULL;
	t->name = copy_string(head->name);
	t->description = copy_string(head->description);
	t->source = copy_string(head->source);
	t->nodes = head->nodes;
	t->switches = head->switches;
	sum_pairs(l);
	t->links = new_array(struct link, l->n);
	t->kinds = new_array(struct link_kind, SPEED_KINDS_MAX);
	if (l->n == 0 || fill(t, head, l, notes, e)) {
		sort_kinds(t);
		t->duplex = is_duplex(t);
		read = machines_judged(t, head->path, e);
	}
	topology_free(t);
	return read;
}

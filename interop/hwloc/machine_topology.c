/*
 * Converts speeds to chunks per round: whole numbers, in units of the greatest common divisor of all speeds, or of the
 * slowest link if that divisor is too small.
 */

#include "interop/hwloc/machine.h"

#include "core/base/error.h"
#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/machine/topology.h"

#include <stdlib.h>

/* No source gives latencies; these are those of the machines in topologies/. */
static const struct {
	const char *name;
	struct rational latency_us;
} kinds[KINDS] = {
	[KIND_NVLINK] = {"nvlink", {7, 10}},
	[KIND_NVSWITCH] = {"nvswitch", {7, 20}},
	[KIND_PCIE] = {"pcie", {1, 1}},
	[KIND_XELINK] = {"xelink", {1, 1}},
	[KIND_XGMI] = {"xgmi", {1, 1}},
};

enum { WIDTH_MAX = 16 }; /* units in the slowest link; if it were more, the slowest link becomes the unit */

static uint64_t common(uint64_t a, uint64_t b)
{
	while (b) {
		uint64_t rest = a % b;
		a = b;
		b = rest;
	}
	return a;
}

/* Taken from the links before those of a pair are summed: so six links into a switch are six units. */
static uint64_t unit_of(const struct machine *m)
{
	uint64_t shared = 0, slowest = 0;

	for (size_t i = 0; i < m->n_links; i++) {
		uint64_t s = m->links[i].speed;
		shared = common(shared, s);
		if (s && (!slowest || s < slowest))
			slowest = s;
	}
	return shared && slowest / shared <= WIDTH_MAX ? shared : slowest;
}

static int by_ends(const void *va, const void *vb)
{
	const struct machine_link *a = va, *b = vb;
	if (a->src != b->src)
		return a->src < b->src ? -1 : 1;
	if (a->dst != b->dst)
		return a->dst < b->dst ? -1 : 1;
	return (a->kind > b->kind) - (a->kind < b->kind);
}

static void sum_pairs(struct machine *m)
{
	size_t n = 0;

	if (m->n_links)
		qsort(m->links, m->n_links, sizeof *m->links, by_ends);
	for (size_t i = 0; i < m->n_links; i++) {
		struct machine_link *last = n ? &m->links[n - 1] : NULL;
		if (last && last->src == m->links[i].src && last->dst == m->links[i].dst)
			last->speed += m->links[i].speed;
		else
			m->links[n++] = m->links[i];
	}
	m->n_links = n;
}

/* Rounded down, with a tolerance of 1 % for speeds of PCIe, which hwloc rounds; at least 1. */
static bool width_of(const struct machine *m, const struct machine_link *l, uint64_t unit, int *width, struct error *e)
{
	uint64_t w = unit ? (l->speed + l->speed / 100) / unit : 1;

	if (w > BANDWIDTH_MAX)
		return error_set(e, ERROR_INPUT, m->where, "a link of %llu MB/s next to one of %llu MB/s is implausible",
				 (unsigned long long)l->speed, (unsigned long long)unit);
	*width = w ? (int)w : 1;
	return true;
}

/* One unit has the same speed in all kinds, that of the slowest link per unit of width: widths are rounded down, and so
 * are speeds. A kind of unknown speed is left out. */
static void add_kinds(const struct machine *m, struct topology *t)
{
	struct rational unit = {0};
	bool known[KINDS] = {false};
	int index[KINDS];

	for (size_t i = 0; i < m->n_links; i++) {
		struct rational speed = rational((int64_t)m->links[i].speed, (int64_t)1000 * t->links[i].bandwidth);
		if (!m->links[i].speed)
			continue;
		known[m->links[i].kind] = true;
		if (!rational_ok(unit) || rational_compare(speed, unit) < 0)
			unit = speed;
	}
	t->kinds = new_array(struct link_kind, KINDS);
	for (int k = 0; k < KINDS; k++) {
		index[k] = known[k] ? (int)t->n_kinds : -1;
		if (known[k])
			t->kinds[t->n_kinds++] = (struct link_kind){copy_string(kinds[k].name), kinds[k].latency_us, unit};
	}
	for (size_t i = 0; i < t->n_links; i++)
		t->links[i].kind = index[m->links[i].kind];
}

static char *description(const struct machine *m, bool tree)
{
	struct text d = {0};

	text_add(&d, "%d accelerator%s", m->n, plural(m->n));
	if (m->model && *m->model)
		text_add(&d, ", %s", m->model);
	if (m->nvswitch)
		text_add(&d, "; the NVSwitches, which do not block, are one switch here");
	if (tree)
		text_add(&d, "; accelerators without a direct link communicate over PCIe, in its tree of bridges");
	return text_take(&d);
}

static char *assumptions(const char *source, bool tree)
{
	struct text s = {0};

	text_add(&s, "%s; latencies assumed", source);
	if (tree)
		text_add(&s, "; links whose speed is not reported are assumed to be as fast as the slowest of the tree");
	return text_take(&s);
}

struct topology *machine_topology(struct machine *m, const char *name, const char *source, struct error *e)
{
	struct topology *t = new(struct topology);
	bool tree = !machine_is_joined(m);

	t->name = copy_string(name);
	t->description = description(m, tree);
	t->source = assumptions(source, tree);
	t->nodes = m->n;
	t->switches = m->n_hubs + (tree ? machine_add_tree(m) : 0);
	t->duplex = true; /* if every link exists in both directions, each is listed once */
	uint64_t unit = unit_of(m);
	sum_pairs(m);
	t->n_links = m->n_links;
	t->links = new_array(struct link, m->n_links);
	for (size_t i = 0; i < m->n_links; i++) {
		t->links[i] = (struct link){m->links[i].src, m->links[i].dst, 1, -1};
		if (!width_of(m, &m->links[i], unit, &t->links[i].bandwidth, e)) {
			topology_free(t);
			return NULL;
		}
	}
	add_kinds(m, t);
	return t;
}

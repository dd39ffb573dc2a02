/*
 * The verifier for compact schedules, which list at least one send of each orbit. The meaning of such a schedule is its
 * full list of sends. Where the group preserves the machine and the collective, it maps the whole schedule to itself,
 * so it is enough to play one chunk of each orbit and to count the load of one edge of each orbit. Otherwise, or if the
 * group is too large for that, or if there are few sends, the schedule is expanded and verified in full; so it is where
 * switches copy or add, since the sends that count once there may be of several orbits.
 */

#include "core/verify/verify_parts.h"

#include "core/base/error.h"
#include "core/base/memory.h"
#include "core/machine/network.h"
#include "core/schedule/send_orbits.h"
#include "core/schedule/symmetry.h"
#include "core/base/text.h"
#include "core/machine/topology.h"

#include <stdlib.h>
#include <string.h>

struct orbits {
	const struct algorithm *a;
	const struct network *w;
	struct send_orbits sends;
	int *edge_orbit; /* [edge]: number of its orbit */
	int *size;       /* [edge orbit]: number of edges */
	int n_edge_orbits;
};

static const struct verdict fine = {FAULT_NONE, -1, -1, -1, -1, ""};

/*
 * Does the group preserve the collective? The built-in collectives look the same from every node except the root; a
 * scan depends on the order of the nodes.
 */
static bool keeps_collective(const struct algorithm *a)
{
	const struct symmetry *y = a->symmetry;
	const struct custom *c = a->collective.custom;

	if (a->collective.kind == SCAN)
		return false;
	for (size_t g = 0; g < y->n; g++) {
		const struct generator *x = &y->generators[g];
		if (collective_row(&a->collective)->rooted && x->nodes[a->collective.root] != a->collective.root)
			return false;
		for (size_t i = 0; c && i < c->n_pre + c->n_post; i++) {
			struct placement at = i < c->n_pre ? c->pre[i] : c->post[i - c->n_pre];
			if (!(i < c->n_pre ? collective_pre : collective_post)(&a->collective, y->nodes, x->parts[at.chunk],
									       x->nodes[at.node]))
				return false;
		}
	}
	return true;
}

/* One list of a step: sends must be in range, over links, and not listed twice. */
static struct verdict check_list(const struct algorithm *a, const struct network *w, int step, const struct send *list, size_t n)
{
	struct send_set listed = {0};
	struct verdict v = fine;

	for (size_t i = 0; i < n && v.fault == FAULT_NONE; i++) {
		const struct send *x = &list[i];
		if (x->chunk < 0 || x->chunk >= a->global_chunks || x->src < 0 || x->src >= a->topology->nodes || x->dst < 0 ||
		    x->dst >= a->topology->nodes)
			v = fault_at(FAULT_RANGE, step, x, "step %d sends chunk %d from node %d to node %d, but not all of these exist",
				     step + 1, x->chunk, x->src, x->dst);
		else if (w && network_edge(w, x->src, x->dst) < 0)
			v = fault_at(FAULT_NO_LINK, step, x, "step %d sends chunk %d from node %d to node %d, but no link joins them",
				     step + 1, x->chunk, x->src, x->dst);
		else if (w && !send_set_add(&listed, *x))
			v = fault_at(FAULT_TWICE, step, x, "step %d lists the send of chunk %d from node %d to node %d twice", step + 1,
				     x->chunk, x->src, x->dst);
	}
	send_set_free(&listed);
	return v;
}

/* Checks the listed sends as they stand; without a network W only that they are in range. */
static struct verdict check_listed(const struct algorithm *a, const struct network *w)
{
	struct verdict v = fine;

	for (int s = 0; s < (int)a->n_steps && v.fault == FAULT_NONE; s++) {
		const struct step *step = &a->steps[s];
		v = check_list(a, w, s, step->sends, step->n_sends);
		if (v.fault == FAULT_NONE)
			v = check_list(a, w, s, step->reduces, step->n_reduces);
	}
	return v;
}

/*
 * Computes the orbit of EDGE under the generators, breadth first, and gives it the next number. REACHED is scratch
 * space for all edges.
 */
static void find_edge_orbit(struct orbits *o, int edge, int *reached)
{
	const struct symmetry *y = o->a->symmetry;
	int n = 0, number = o->n_edge_orbits++;

	o->edge_orbit[edge] = number;
	reached[n++] = edge;
	for (int i = 0; i < n; i++)
		for (size_t g = 0; g < y->n; g++) {
			const int *nodes = y->generators[g].nodes;
			int image = network_edge(o->w, nodes[o->w->edges[reached[i]].src], nodes[o->w->edges[reached[i]].dst]);
			if (o->edge_orbit[image] >= 0)
				continue;
			o->edge_orbit[image] = number;
			reached[n++] = image;
		}
	o->size[number] = n;
}

static void find_edge_orbits(struct orbits *o)
{
	int *reached = new_array(int, o->w->n_edges);

	o->edge_orbit = new_array(int, o->w->n_edges);
	o->size = new_array(int, o->w->n_edges);
	for (size_t e = 0; e < o->w->n_edges; e++)
		o->edge_orbit[e] = -1;
	for (size_t e = 0; e < o->w->n_edges; e++)
		if (o->edge_orbit[e] < 0)
			find_edge_orbit(o, (int)e, reached);
	free(reached);
}

/* Each orbit counts once, however many of its sends are listed. */
static void unfold_list(struct orbits *o, const struct send *from, size_t n, struct send **to, size_t *n_to, int64_t *loads)
{
	struct send_set known = {0};
	size_t room = 0;

	for (size_t i = 0; i < n; i++) {
		int orbit = o->edge_orbit[network_edge(o->w, from[i].src, from[i].dst)];
		loads[orbit] += send_orbits_add(&o->sends, from[i], &known, to, n_to, &room) / o->size[orbit];
	}
	send_set_free(&known);
}

static struct verdict check_loads(const struct orbits *o, int step, const int64_t *loads)
{
	int64_t rounds = o->a->steps[step].rounds;

	for (size_t e = 0; e < o->w->n_edges; e++) {
		int64_t load = loads[o->edge_orbit[e]], room = o->w->edges[e].bandwidth * rounds;
		struct send at = {-1, o->w->edges[e].src, o->w->edges[e].dst};
		if (load > room)
			return fault_at(FAULT_OVERLOAD, step, &at, "step %d sends %lld chunk%s from node %d to node %d, but only %lld fit%s into its "
					"%lld round%s", step + 1, (long long)load, plural(load), at.src, at.dst, (long long)room, plural_verb(room),
					(long long)rounds, plural(rounds));
	}
	for (size_t l = 0; l < o->w->n_limits; l++) {
		const struct network_limit *limit = &o->w->limits[l];
		int64_t load = 0, room = limit->bandwidth * rounds;
		for (size_t i = 0; i < limit->n_edges; i++)
			load += loads[o->edge_orbit[limit->edges[i]]];
		if (load > room)
			return fault_at(FAULT_OVERLOAD, step, NULL, "step %d sends %lld chunk%s under the limit \"%.64s\", but only %lld fit%s into its "
					"%lld round%s", step + 1, (long long)load, plural(load), limit->name ? limit->name : "",
					(long long)room, plural_verb(room), (long long)rounds, plural(rounds));
	}
	return fine;
}

/* Writes to *OUT the schedule restricted to the chunks that are played, and checks the loads of each step. */
static struct verdict unfold_steps(struct orbits *o, struct algorithm *out)
{
	int64_t *loads = new_array(int64_t, o->w->n_edges);
	struct verdict v = fine;

	for (size_t s = 0; s < o->a->n_steps && v.fault == FAULT_NONE; s++) {
		const struct step *from = &o->a->steps[s];
		struct step *to = &out->steps[s];
		memset(loads, 0, o->w->n_edges * sizeof *loads);
		to->rounds = from->rounds;
		if (from->rounds < 1 || from->rounds > ROUNDS_MAX)
			v = fault_at(FAULT_RANGE, (int)s, NULL, "step %zu has %d rounds", s + 1, from->rounds);
		if (from->n_reduces && !collective_row(&o->a->collective)->combining)
			v = fault_at(FAULT_REDUCES, (int)s, &from->reduces[0], "step %zu adds values, but %s does not combine", s + 1,
				     collective_name(&o->a->collective));
		unfold_list(o, from->sends, from->n_sends, &to->sends, &to->n_sends, loads);
		unfold_list(o, from->reduces, from->n_reduces, &to->reduces, &to->n_reduces, loads);
		if (v.fault == FAULT_NONE)
			v = check_loads(o, (int)s, loads);
	}
	free(loads);
	return v;
}

static struct verdict judge(struct orbits *o)
{
	struct algorithm played = *o->a;

	find_edge_orbits(o);
	played.steps = new_array(struct step, o->a->n_steps);
	struct verdict v = unfold_steps(o, &played);
	if (v.fault == FAULT_NONE)
		v = verify_play(&played, (int)played.n_steps, o->sends.is_first);
	steps_free(played.steps, played.n_steps);
	free(o->edge_orbit);
	free(o->size);
	return v;
}

bool verify_orbits(const struct algorithm *a, const struct network *w, struct verdict *out)
{
	struct orbits o = {.a = a, .w = w};
	size_t which;

	*out = check_listed(a, w);
	if (out->fault != FAULT_NONE)
		return true;
	if (w->n_groups > 0 || !keeps_collective(a) || !symmetry_keeps_machine(a->symmetry, w, &which) ||
	    !send_orbits_new(a->symmetry, a->global_chunks, algorithm_listed(a), &o.sends))
		return false;
	*out = judge(&o);
	send_orbits_free(&o.sends);
	return true;
}

/* Expanding a few sends is cheaper than analysing the group. */
static bool verify_few(const struct algorithm *a, const struct network *w, struct verdict *out)
{
	enum { FEW = 1 << 16 };
	struct algorithm *full = algorithm_copy(a);
	bool few = algorithm_expand_few(full, FEW);

	if (few)
		*out = verify_schedule(full, w);
	algorithm_free(full);
	return few;
}

static struct verdict verify_all(const struct algorithm *a, const struct network *w)
{
	struct algorithm *full = algorithm_copy(a);
	struct error e = {0};
	struct verdict v = algorithm_expand(full, &e) ? verify_schedule(full, w) : fault_at(FAULT_LIMIT, -1, NULL, "it %.240s", e.what);

	algorithm_free(full);
	return v;
}

struct verdict verify_compact(const struct algorithm *a, const struct network *w)
{
	struct verdict v = check_listed(a, NULL);

	if (v.fault != FAULT_NONE || verify_few(a, w, &v) || verify_orbits(a, w, &v))
		return v;
	return verify_all(a, w);
}

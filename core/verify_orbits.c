/*
 * The judge of schedules that are told by one send of each orbit. A group that keeps the machine and the collective carries
 * the whole schedule to itself, so one chunk of each orbit is played, and the load of one link of each orbit is counted.
 */

#include "core/verify_parts.h"

#include "core/memory.h"
#include "core/network.h"
#include "core/symmetry.h"
#include "core/text.h"
#include "core/topology.h"

#include <stdlib.h>
#include <string.h>

enum { ELEMENTS_MAX = 1 << 20 };

struct orbits {
	const struct algorithm *a;
	const struct network *w;
	struct elements group;
	int *first;            /* [chunk]: the least of its orbit */
	size_t *by;            /* [chunk]: an element that carries the first there */
	unsigned char *played; /* [chunk]: it is the first of its orbit */
	size_t *keepers;       /* elements that keep the first of the orbit at hand */
	int *edge_orbit;       /* [edge] */
	int *size;             /* [edge orbit]: edges */
	int n_edge_orbits;
	uint16_t *inverse;     /* of element inverted, on nodes */
	size_t inverted;
};

static const struct verdict fine = {FAULT_NONE, -1, -1, -1, -1, ""};

/* The collectives of the table look alike from every node but the root. */
static struct verdict check_collective(const struct algorithm *a)
{
	const struct symmetry *y = a->symmetry;
	const struct custom *c = a->collective.custom;

	if (a->collective.kind == SCAN)
		return fault_at(FAULT_COST, -1, NULL, "a symmetry moves nodes, and a scan counts them in their order");
	for (size_t g = 0; g < y->n; g++) {
		const struct generator *x = &y->generators[g];
		if (collective_row(&a->collective)->rooted && x->nodes[a->collective.root] != a->collective.root)
			return fault_at(FAULT_COST, -1, NULL, "generator %zu of the symmetry moves the root", g);
		for (size_t i = 0; c && i < c->n_pre + c->n_post; i++) {
			struct placement at = i < c->n_pre ? c->pre[i] : c->post[i - c->n_pre];
			bool kept = (i < c->n_pre ? collective_pre : collective_post)(&a->collective, y->nodes, x->parts[at.chunk],
										       x->nodes[at.node]);
			if (!kept)
				return fault_at(FAULT_COST, -1, NULL, "generator %zu of the symmetry does not keep the collective", g);
		}
	}
	return fine;
}

static struct verdict check_range(const struct algorithm *a, const struct network *w)
{
	for (size_t s = 0; s < a->n_steps; s++)
		for (size_t i = 0; i < a->steps[s].n_sends + a->steps[s].n_reduces; i++) {
			const struct step *step = &a->steps[s];
			const struct send *x = i < step->n_sends ? &step->sends[i] : &step->reduces[i - step->n_sends];
			if (x->chunk < 0 || x->chunk >= a->global_chunks || x->src < 0 || x->src >= w->nodes || x->dst < 0 ||
			    x->dst >= w->nodes)
				return fault_at(FAULT_RANGE, (int)s, x, "step %zu sends chunk %d from node %d to node %d, and not all of "
						"these are there", s + 1, x->chunk, x->src, x->dst);
			if (network_edge(w, x->src, x->dst) < 0)
				return fault_at(FAULT_NO_LINK, (int)s, x, "step %zu sends chunk %d from node %d to node %d, and no link "
						"joins them", s + 1, x->chunk, x->src, x->dst);
		}
	return fine;
}

static void find_chunk_orbits(struct orbits *o)
{
	int chunks = o->a->global_chunks;

	o->first = new_array(int, (size_t)chunks);
	o->by = new_array(size_t, (size_t)chunks);
	o->played = new_array(unsigned char, (size_t)chunks);
	for (int c = 0; c < chunks; c++)
		o->first[c] = -1;
	for (int c = 0; c < chunks; c++) {
		if (o->first[c] >= 0)
			continue;
		o->played[c] = 1;
		for (size_t i = 0; i < o->group.n; i++) {
			int image = elements_chunk(o->a->symmetry, &o->group, i, c);
			if (o->first[image] < 0) {
				o->first[image] = c;
				o->by[image] = i;
			}
		}
	}
}

static int image_of_edge(const struct orbits *o, size_t element, size_t edge)
{
	const uint16_t *nodes = o->group.nodes + element * (size_t)o->w->nodes;
	return network_edge(o->w, nodes[o->w->edges[edge].src], nodes[o->w->edges[edge].dst]);
}

static void find_edge_orbits(struct orbits *o)
{
	o->edge_orbit = new_array(int, o->w->n_edges);
	o->size = new_array(int, o->w->n_edges);
	for (size_t e = 0; e < o->w->n_edges; e++)
		o->edge_orbit[e] = -1;
	for (size_t e = 0; e < o->w->n_edges; e++) {
		if (o->edge_orbit[e] >= 0)
			continue;
		for (size_t i = 0; i < o->group.n; i++) {
			int image = image_of_edge(o, i, e);
			o->size[o->n_edge_orbits] += o->edge_orbit[image] < 0;
			o->edge_orbit[image] = o->n_edge_orbits;
		}
		o->n_edge_orbits++;
	}
}

/* Elements that keep a chunk, the first of its orbit. */
static size_t find_keepers(struct orbits *o, int chunk)
{
	size_t n = 0;
	for (size_t i = 0; i < o->group.n; i++)
		if (elements_chunk(o->a->symmetry, &o->group, i, chunk) == chunk)
			o->keepers[n++] = i;
	return n;
}

/* The node that the element carries to N. */
static int back(struct orbits *o, size_t element, int n)
{
	const uint16_t *nodes = o->group.nodes + element * (size_t)o->w->nodes;

	if (element != o->inverted)
		for (int i = 0; i < o->w->nodes; i++)
			o->inverse[nodes[i]] = (uint16_t)i;
	o->inverted = element;
	return o->inverse[n];
}

/* The sends of the first chunk of its orbit that S stands for, each once, behind those in LIST. Returns into how many of
 * all sends S is carried. */
static int64_t unfold(struct orbits *o, struct send s, struct send **list, size_t *n, size_t *room)
{
	size_t by = o->by[s.chunk], begin = *n, same = 0;
	struct send at = {o->first[s.chunk], back(o, by, s.src), back(o, by, s.dst)};
	bool free_group = o->group.n == 1 || o->keepers[1] == SIZE_MAX;
	size_t keepers = free_group ? 1 : find_keepers(o, at.chunk);

	for (size_t k = 0; k < keepers; k++) {
		const uint16_t *nodes = o->group.nodes + (free_group ? 0 : o->keepers[k]) * (size_t)o->w->nodes;
		struct send image = {at.chunk, nodes[at.src], nodes[at.dst]};
		bool known = false;
		same += image.src == at.src && image.dst == at.dst;
		for (size_t i = begin; i < *n && !known; i++)
			known = (*list)[i].src == image.src && (*list)[i].dst == image.dst;
		if (known)
			continue;
		*list = grown(*list, room, *n + 1, sizeof image);
		(*list)[(*n)++] = image;
	}
	return (int64_t)(o->group.n / same);
}

/* Does only the identity keep a chunk? Then nothing has to be looked for. */
static void find_freedom(struct orbits *o)
{
	bool moves_all = true;

	o->keepers = new_array(size_t, o->group.n + 1);
	for (int c = 0; c < o->a->global_chunks && moves_all; c++)
		moves_all = !o->played[c] || find_keepers(o, c) == 1;
	if (moves_all)
		o->keepers[1] = SIZE_MAX;
}

static void unfold_list(struct orbits *o, const struct send *from, size_t n, struct send **to, size_t *n_to, int64_t *loads)
{
	size_t room = 0;

	for (size_t i = 0; i < n; i++) {
		int orbit = o->edge_orbit[network_edge(o->w, from[i].src, from[i].dst)];
		loads[orbit] += unfold(o, from[i], to, n_to, &room) / o->size[orbit];
	}
}

static struct verdict check_loads(const struct orbits *o, int step, const int64_t *loads)
{
	int64_t rounds = o->a->steps[step].rounds;

	for (size_t e = 0; e < o->w->n_edges; e++)
		if (loads[o->edge_orbit[e]] > o->w->edges[e].bandwidth * rounds) {
			struct send at = {-1, o->w->edges[e].src, o->w->edges[e].dst};
			return fault_at(FAULT_OVERLOAD, step, &at, "step %d sends %lld chunk%s from node %d to node %d, and %lld fit%s into its "
					"%lld round%s", step + 1, (long long)loads[o->edge_orbit[e]], plural(loads[o->edge_orbit[e]]), at.src,
					at.dst, (long long)(o->w->edges[e].bandwidth * rounds),
					plural_verb(o->w->edges[e].bandwidth * rounds), (long long)rounds, plural(rounds));
		}
	for (size_t l = 0; l < o->w->n_limits; l++) {
		const struct network_limit *limit = &o->w->limits[l];
		int64_t load = 0;
		for (size_t i = 0; i < limit->n_edges; i++)
			load += loads[o->edge_orbit[limit->edges[i]]];
		if (load > limit->bandwidth * rounds)
			return fault_at(FAULT_OVERLOAD, step, NULL, "step %d sends %lld chunk%s under the limit \"%.64s\", and %lld fit%s into its "
					"%lld round%s", step + 1, (long long)load, plural(load), limit->name ? limit->name : "",
					(long long)(limit->bandwidth * rounds), plural_verb(limit->bandwidth * rounds), (long long)rounds,
					plural(rounds));
	}
	return fine;
}

/* The schedule of the played chunks alone, in *OUT; its loads are checked on the way. */
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
			v = fault_at(FAULT_REDUCES, (int)s, &from->reduces[0], "step %zu adds values, and %s does not combine", s + 1,
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

	find_chunk_orbits(o);
	find_edge_orbits(o);
	find_freedom(o);
	o->inverse = new_array(uint16_t, (size_t)o->w->nodes);
	o->inverted = SIZE_MAX;
	played.steps = new_array(struct step, o->a->n_steps);
	struct verdict v = unfold_steps(o, &played);
	if (v.fault == FAULT_NONE)
		v = verify_play(&played, (int)played.n_steps, o->played);
	steps_free(played.steps, played.n_steps);
	return v;
}

struct verdict verify_orbits(const struct algorithm *a, const struct network *w)
{
	struct orbits o = {.a = a, .w = w};
	struct verdict v = check_collective(a);
	size_t which;

	if (v.fault == FAULT_NONE && !symmetry_keeps_machine(a->symmetry, w, &which))
		v = fault_at(FAULT_COST, -1, NULL, "generator %zu of the symmetry does not keep the machine", which);
	if (v.fault == FAULT_NONE)
		v = check_range(a, w);
	if (v.fault == FAULT_NONE && !elements_new(a->symmetry, ELEMENTS_MAX, &o.group))
		v = fault_at(FAULT_COST, -1, NULL, "the symmetry's generators make too many elements");
	if (v.fault == FAULT_NONE)
		v = judge(&o);
	elements_free(&o.group);
	free(o.first);
	free(o.by);
	free(o.played);
	free(o.keepers);
	free(o.edge_orbit);
	free(o.size);
	free(o.inverse);
	return v;
}

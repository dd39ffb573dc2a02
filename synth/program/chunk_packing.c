/* Greedy: packs the demands again and again while there is room, after what images were given beforehand. */

#include "synth/program/chunk_packing.h"

#include "synth/program/late_tree.h"
#include "synth/program/room.h"

#include "core/base/memory.h"
#include "core/base/stop.h"
#include "core/schedule/instance.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A packing on the way. */
struct packer {
	const struct timed_program *q;
	struct images x;     /* by commodity: the images of the solution */
	struct images extra; /* trees of their own, a chunk each */
	struct room room;
	double *weight;      /* [step * capacities + capacity]: 1 over the square of its room */
	double *part;        /* [image]: of the chunks of its commodity */
	int64_t *ahead;      /* [commodity]: chunks that images carry before the demands are packed */
	size_t n, *chosen;   /* images taken for the demands once; x.n: the last extra one left */
};

static void load(struct packer *p, const struct image *x, int64_t chunks)
{
	for (int i = 0; i < x->n; i++)
		room_add(&p->room, x->of[i], chunks);
}

/*
 * How much a sum of squares of relative loads grows with one more chunk; INFINITY: by LIMIT or more, or there is no room
 * for it. A tree may load a capacity several times in a step, so that it is added for this, and taken away again.
 */
static double cost_of(struct packer *p, const struct image *x, double limit)
{
	struct room *r = &p->room;
	double sum = 0;
	int added = 0;

	while (added < x->n && sum < limit) {
		struct timed_edge e = x->of[added++];
		for (int k = r->of_edge.begin[e.edge]; k < r->of_edge.begin[e.edge + 1]; k++) {
			int at = e.step * r->n + r->of_edge.of[k];
			r->load[at]++;
			sum += r->load[at] > r->most[at] ? INFINITY : (2 * (double)r->load[at] - 1) * p->weight[at];
		}
	}
	for (int i = 0; i < added; i++)
		room_add(r, x->of[i], -1);
	return sum < limit ? sum : INFINITY;
}

/*
 * Of the images FIRST .. END - 1, all of one commodity, the one to carry its next chunk, after DONE: of those that have
 * less than their share the one with the least loads. With MORE, also of the others. END: there is no room.
 */
static size_t next_image(struct packer *p, size_t first, size_t end, int64_t done, bool more)
{
	size_t best = end;
	double least = INFINITY;

	for (size_t i = first; i < end; i++) {
		const struct image *x = &p->x.of[i];
		if (!more && x->taken >= p->part[i] * (double)(done + 1) + 0.5)
			continue;
		double cost = cost_of(p, x, least);
		if (cost < least) {
			least = cost;
			best = i;
		}
	}
	return best;
}

/* A tree of its own for a chunk of a commodity; false: none was found. */
static bool add_extra(struct packer *p, int commodity)
{
	const struct commodities *c = &p->q->commodities;
	struct image x = {.commodity = commodity, .column = p->q->n_columns, .taken = 1};
	struct timed_tree t;

	if (!late_tree_find(&p->room, &c->roles[(size_t)commodity * (size_t)c->nodes], &t))
		return false;
	x.of = t.of;
	x.n = t.n;
	images_add(&p->extra, x);
	return true;
}

/* Packs a chunk of the commodity of the images FIRST .. END - 1. False: there is no room. */
static bool pack_chunk(struct packer *p, size_t first, size_t end, int64_t done)
{
	size_t i = next_image(p, first, end, done, false);

	if (i == end)
		i = next_image(p, first, end, done, true);
	if (i == end) {
		if (!add_extra(p, p->x.of[first].commodity))
			return false;
		p->chosen[p->n++] = p->x.n;
		return true;
	}
	p->x.of[i].taken++;
	load(p, &p->x.of[i], 1);
	p->chosen[p->n++] = i;
	return true;
}

/* Takes back what was chosen last. */
static void unpack(struct packer *p)
{
	while (p->n-- > 0) {
		bool own = p->chosen[p->n] == p->x.n;
		struct image *x = own ? &p->extra.of[--p->extra.n] : &p->x.of[p->chosen[p->n]];
		load(p, x, -1);
		x->taken--;
		if (own)
			free(x->of);
	}
}

static int64_t demand_of(const struct packer *p, size_t commodity)
{
	return p->q->commodities.of[p->q->commodities.orbit[commodity]].demand;
}

/* Adds the demands once, after DONE times. False: there is no room, and nothing has changed. */
static bool pack_once(struct packer *p, int64_t done)
{
	size_t end;

	p->n = 0;
	for (size_t first = 0; first < p->x.n; first = end) {
		int k = p->x.of[first].commodity;
		int64_t demand = demand_of(p, (size_t)k);
		for (end = first; end < p->x.n && p->x.of[end].commodity == k; end++)
			;
		for (int64_t d = done * demand; d < (done + 1) * demand; d++)
			if (d >= p->ahead[k] && !pack_chunk(p, first, end, d)) {
				unpack(p);
				return false;
			}
	}
	return true;
}

static void packer_new(const struct timed_program *q, const struct images *x, const int *rounds, struct packer *p)
{
	int64_t all = 0;

	*p = (struct packer){.q = q};
	room_new(q->instance->network, q->steps, rounds, &p->room);
	for (size_t i = 0; i < x->n; i++) {
		struct image copy = x->of[i];
		copy.of = copy_bytes(copy.of, (size_t)copy.n * sizeof *copy.of);
		copy.taken = 0;
		images_add(&p->x, copy);
	}
	for (size_t k = 0; k < q->commodities.n; k++)
		all += q->commodities.of[k].demand * q->commodities.of[k].orbit;
	p->chosen = new_array(size_t, (size_t)all);
	p->ahead = new_array(int64_t, q->commodities.n_all);
	p->weight = new_array(double, (size_t)p->room.n * (size_t)q->steps);
	for (int i = 0; i < p->room.n * q->steps; i++)
		p->weight[i] = 1 / ((double)p->room.most[i] * (double)p->room.most[i]);
	p->part = new_array(double, p->x.n);
	for (size_t i = 0; i < p->x.n; i++)
		p->part[i] = rational_double(p->x.of[i].share) / (double)q->commodities.of[q->commodities.orbit[p->x.of[i].commodity]].demand;
}

/* Gives images the chunks TAKEN [image], as far as MOST times the demands. */
static void pack_ahead(struct packer *p, const int *taken, int most)
{
	for (size_t i = 0; i < p->x.n; i++) {
		size_t k = (size_t)p->x.of[i].commodity;
		int64_t left = most * demand_of(p, k) - p->ahead[k];
		p->x.of[i].taken = left < taken[i] ? (int)left : taken[i];
		p->ahead[k] += p->x.of[i].taken;
		load(p, &p->x.of[i], p->x.of[i].taken);
	}
}

/* Takes back what was packed ahead and is beyond DONE times the demands. */
static void drop_ahead(struct packer *p, int done)
{
	for (size_t i = p->x.n; i-- > 0;) {
		size_t k = (size_t)p->x.of[i].commodity;
		int64_t more = p->ahead[k] - done * demand_of(p, k);
		int drop = more <= 0 ? 0 : more < p->x.of[i].taken ? (int)more : p->x.of[i].taken;
		p->x.of[i].taken -= drop;
		p->ahead[k] -= drop;
		load(p, &p->x.of[i], -drop);
	}
}

/* Moves the images into *OUT, and releases the rest. */
static void packer_done(struct packer *p, struct chunk_packing *out)
{
	for (int s = 0; s < out->steps; s++)
		out->rounds[s] = room_rounds(&p->room, s);
	out->images = p->x;
	for (size_t i = 0; i < p->extra.n; i++)
		images_add(&out->images, p->extra.of[i]);
	images_sort(&out->images);
	free(p->extra.of);
	free(p->chosen);
	free(p->ahead);
	free(p->weight);
	free(p->part);
	room_free(&p->room);
}

void chunk_packing_new(const struct timed_program *q, const struct images *x, const int *rounds, const int *taken, int most,
		       struct chunk_packing *out)
{
	enum { ANY = 1 << 24 };
	struct packer p;

	*out = (struct chunk_packing){.steps = q->steps, .rounds = new_array(int, (size_t)q->steps)};
	for (int s = 0; s < q->steps; s++)
		out->rounds[s] = rounds ? rounds[s] : ANY;
	packer_new(q, x, out->rounds, &p);
	if (taken)
		pack_ahead(&p, taken, most);
	while (out->done < most && !(rounds && out->done && stop_is_due()) && pack_once(&p, out->done))
		out->done++;
	drop_ahead(&p, out->done);
	packer_done(&p, out);
}

void chunk_packing_free(struct chunk_packing *p)
{
	images_free(&p->images);
	free(p->rounds);
}

double chunk_packing_ratio(const struct chunk_packing *p)
{
	double rounds = 0;

	for (int s = 0; s < p->steps; s++)
		rounds += p->rounds[s];
	return rounds / p->done;
}

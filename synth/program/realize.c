/*
 * A program solved under a group of symmetries stands for its average over the group: each tree of a commodity is
 * replaced by all its images, with equal shares of its amount. What whole numbers of chunks these make is either exact,
 * where the number of chunks is a multiple of all denominators, or rounded: a chunk takes the image that has got least
 * of what it should have, and of those the one whose links are least loaded.
 */

#include "synth/program/realize.h"

#include "core/base/error.h"
#include "core/base/memory.h"
#include "core/base/csr.h"
#include "core/machine/limit_index.h"
#include "core/machine/network.h"
#include "core/schedule/algorithm.h"
#include "core/schedule/instance.h"
#include "core/schedule/symmetry.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* An image of a column's tree, for one commodity. */
struct image {
	int commodity;          /* among all */
	size_t column;
	struct timed_edge *of;  /* sorted; owned */
	int n;
	struct rational share;  /* of the demand of its commodity in the instance */
	int taken;              /* chunks that it carries */
};

struct images {
	size_t n, capacity;
	struct image *of;
};

static int by_step(const void *va, const void *vb)
{
	const struct timed_edge *a = va, *b = vb;
	return a->step != b->step ? (a->step > b->step) - (a->step < b->step) : (a->edge > b->edge) - (a->edge < b->edge);
}

static int by_image(const void *va, const void *vb)
{
	const struct image *a = va, *b = vb;

	if (a->commodity != b->commodity)
		return a->commodity < b->commodity ? -1 : 1;
	if (a->column != b->column)
		return a->column < b->column ? -1 : 1;
	return memcmp(a->of, b->of, (size_t)a->n * sizeof *a->of);
}

/* The image of a column under a permutation of the nodes. */
static struct image image_of(const struct timed_program *q, size_t column, const uint16_t *to, uint8_t *role)
{
	const struct timed_column *c = &q->columns[column];
	const struct network *w = q->instance->network;
	const uint8_t *from = q->commodities.of[c->commodity].role;
	struct image x = {.column = column, .n = c->tree.n, .of = new_array(struct timed_edge, (size_t)c->tree.n)};

	for (int v = 0; v < w->nodes; v++)
		role[to[v]] = from[v];
	x.commodity = (int)commodities_find(&q->commodities, role);
	for (int i = 0; i < x.n; i++) {
		const struct edge *e = &w->edges[c->tree.of[i].edge];
		x.of[i] = (struct timed_edge){c->tree.of[i].step, network_edge(w, to[e->src], to[e->dst])};
	}
	if (x.n)
		qsort(x.of, (size_t)x.n, sizeof *x.of, by_step);
	return x;
}

/* All images of a column, each once, with equal shares of its amount. */
static void add_column(const struct timed_program *q, size_t column, const struct elements *group, struct images *out)
{
	size_t nodes = (size_t)q->commodities.nodes, first = out->n, n = first;
	uint8_t *role = new_array(uint8_t, nodes);

	for (size_t g = 0; g < group->n; g++) {
		out->of = grown(out->of, &out->capacity, n + 1, sizeof *out->of);
		out->of[n++] = image_of(q, column, &group->nodes[g * nodes], role);
	}
	qsort(&out->of[first], n - first, sizeof *out->of, by_image);
	for (size_t i = first; i < n; i++)
		if (i > first && by_image(&out->of[i], &out->of[out->n - 1]) == 0)
			free(out->of[i].of);
		else
			out->of[out->n++] = out->of[i];
	int64_t each = (int64_t)(out->n - first) / q->commodities.of[q->columns[column].commodity].orbit;
	for (size_t i = first; i < out->n; i++)
		out->of[i].share = rational_div(q->columns[column].amount, rational(each, 1));
	free(role);
}

/* All images of all columns that carry anything, by commodity; false: the group is too large. */
static bool images_new(const struct timed_program *q, struct images *out)
{
	enum { ELEMENTS_MAX = 4096 };
	static const struct collective any = {.kind = BROADCAST};
	struct symmetry *y = symmetry_new(&any, q->commodities.nodes, 1);
	struct elements group;

	*out = (struct images){0};
	for (size_t g = 0; g < q->commodities.n_generators; g++)
		symmetry_add(y, &q->commodities.generators[g * (size_t)q->commodities.nodes], NULL);
	bool ok = elements_new(y, ELEMENTS_MAX, &group);
	for (size_t c = 0; ok && c < q->n_columns; c++)
		if (q->columns[c].amount.num)
			add_column(q, c, &group, out);
	if (ok && out->n)
		qsort(out->of, out->n, sizeof *out->of, by_image);
	if (ok)
		elements_free(&group);
	symmetry_free(y);
	return ok;
}

static void images_free(struct images *x)
{
	for (size_t i = 0; i < x->n; i++)
		free(x->of[i].of);
	free(x->of);
}

/* The least common multiple; 0: above MOST. */
static int64_t common_multiple(int64_t a, int64_t b, int64_t most)
{
	int64_t factor = b / common_divisor(a, b);
	return a == 0 || factor > most / a ? 0 : a * factor;
}

/* The least factor of the demands that makes all shares and rounds whole; 0: above MOST. */
static int64_t exact_factor(const struct timed_program *q, const struct images *x, int64_t most)
{
	int64_t n = 1;

	for (size_t i = 0; i < x->n; i++)
		n = common_multiple(n, x->of[i].share.den, most);
	for (int s = 0; s < q->steps; s++)
		n = common_multiple(n, q->rounds[s].den, most);
	return n;
}

/* A step of an algorithm has at least one round, also one in which the solution sends nothing. */
static int idle_steps(const struct timed_program *q)
{
	int idle = 0;

	for (int s = 0; s < q->steps; s++)
		idle += q->rounds[s].num == 0;
	return idle;
}

bool timed_program_expands(const struct timed_program *q)
{
	struct images x;

	if (!q->rounds || !images_new(q, &x))
		return false;
	images_free(&x);
	return true;
}

int timed_program_chunks(const struct timed_program *q, int most)
{
	int unit = q->instance->chunks;
	struct images x;

	if (!q->rounds || idle_steps(q) || !images_new(q, &x))
		return 0;
	int64_t n = exact_factor(q, &x, most / unit);
	images_free(&x);
	return (int)n * unit;
}

/* Loads of the capacities, edges before limits, in each step. */
struct packed_loads {
	const struct network *w;
	struct csr of_edge;
	int n, steps;
	int64_t *load, *room; /* [step * n + capacity]: chunks that it carries, and may carry */
};

static int capacity_of(const struct packed_loads *l, int i)
{
	int edges = (int)l->w->n_edges;
	return i < edges ? l->w->edges[i].bandwidth : l->w->limits[i - edges].bandwidth;
}

static void loads_new(const struct timed_program *q, struct packed_loads *l)
{
	const struct network *w = q->instance->network;
	int *number = orbits_apart((int)w->n_edges);

	*l = (struct packed_loads){.w = w, .n = (int)(w->n_edges + w->n_limits), .steps = q->steps,
			    .of_edge = limit_index(w, number, (int)w->n_edges)};
	l->load = new_array(int64_t, (size_t)l->n * (size_t)l->steps);
	l->room = new_array(int64_t, (size_t)l->n * (size_t)l->steps);
	free(number);
}

static void loads_free(struct packed_loads *l)
{
	csr_free(&l->of_edge);
	free(l->load);
	free(l->room);
}

/* No loads, and room for ROUNDS [step]. */
static void loads_begin(struct packed_loads *l, const int *rounds)
{
	for (int s = 0; s < l->steps; s++)
		for (int i = 0; i < l->n; i++) {
			l->load[s * l->n + i] = 0;
			l->room[s * l->n + i] = (int64_t)rounds[s] * capacity_of(l, i);
		}
}

static void loads_add(struct packed_loads *l, const struct image *x, int64_t chunks)
{
	for (int i = 0; i < x->n; i++)
		for (int k = l->of_edge.begin[x->of[i].edge]; k < l->of_edge.begin[x->of[i].edge + 1]; k++)
			l->load[x->of[i].step * l->n + l->of_edge.of[k]] += chunks;
}

/*
 * How much a sum of squares of relative loads grows with one more chunk; INFINITY: there is no room for it. A tree may
 * load a capacity several times in a step, so that it is added for this, and taken away again.
 */
static double loads_cost(struct packed_loads *l, const struct image *x)
{
	double sum = 0;

	loads_add(l, x, 1);
	for (int i = 0; i < x->n && sum < INFINITY; i++)
		for (int k = l->of_edge.begin[x->of[i].edge]; k < l->of_edge.begin[x->of[i].edge + 1]; k++) {
			int at = x->of[i].step * l->n + l->of_edge.of[k];
			double room = (double)l->room[at];
			sum += l->load[at] > l->room[at] ? INFINITY : (2 * (double)l->load[at] - 1) / (room * room);
		}
	loads_add(l, x, -1);
	return sum;
}

/*
 * Of the images FIRST .. END - 1, all of one commodity, the one to carry its next chunk, after DONE: of those that have
 * less than their share the one with the least loads. With MORE, also of the others. END: there is no room.
 */
static size_t next_image(struct packed_loads *l, const struct images *x, size_t first, size_t end, int64_t done, double demand,
			 bool more)
{
	size_t best = end;
	double least = INFINITY;

	for (size_t i = first; i < end; i++) {
		double should = rational_double(x->of[i].share) / demand * (double)(done + 1);
		if (!more && x->of[i].taken >= should + 0.5)
			continue;
		double cost = loads_cost(l, &x->of[i]);
		if (cost < least) {
			least = cost;
			best = i;
		}
	}
	return best;
}

/* Adds the demands once, after DONE times. False: there is no room, and nothing has changed. */
static bool pack_once(const struct timed_program *q, struct images *x, struct packed_loads *l, int64_t done, size_t *chosen)
{
	size_t end, n = 0;

	for (size_t first = 0; first < x->n; first = end) {
		int k = x->of[first].commodity;
		int64_t demand = q->commodities.of[q->commodities.orbit[k]].demand;
		for (end = first; end < x->n && x->of[end].commodity == k; end++)
			;
		for (int64_t d = 0; d < demand; d++) {
			size_t i = next_image(l, x, first, end, done * demand + d, (double)demand, false);
			if (i == end)
				i = next_image(l, x, first, end, done * demand + d, (double)demand, true);
			if (i == end) {
				while (n-- > 0) {
					x->of[chosen[n]].taken--;
					loads_add(l, &x->of[chosen[n]], -1);
				}
				return false;
			}
			x->of[i].taken++;
			loads_add(l, &x->of[i], 1);
			chosen[n++] = i;
		}
	}
	return true;
}

/* Packs as often the demands as there is room for in ROUNDS [step], but at most MOST times; how often. */
static int pack(const struct timed_program *q, struct images *x, struct packed_loads *l, const int *rounds, int most)
{
	int64_t all = 0;
	int done = 0;

	for (size_t k = 0; k < q->commodities.n; k++)
		all += q->commodities.of[k].demand * q->commodities.of[k].orbit;
	size_t *chosen = new_array(size_t, (size_t)all);
	loads_begin(l, rounds);
	for (size_t i = 0; i < x->n; i++)
		x->of[i].taken = 0;
	while (done < most && pack_once(q, x, l, done, chosen))
		done++;
	free(chosen);
	return done;
}

/* The rounds of each step in the proportions of the solution, TOTAL of them, each step at least one. */
static void split_rounds(const struct timed_program *q, int total, int *rounds)
{
	double all = 0, carried = 0;
	int given = 0;

	for (int s = 0; s < q->steps; s++)
		all += rational_double(q->rounds[s]);
	for (int s = 0; s < q->steps; s++) {
		carried += rational_double(q->rounds[s]);
		int upto = s == q->steps - 1 ? total : (int)lround(carried / all * total);
		rounds[s] = upto - given > 1 ? upto - given : 1;
		given += rounds[s];
	}
}

static int sum_of(const int *rounds, int steps)
{
	int sum = 0;

	for (int s = 0; s < steps; s++)
		sum += rounds[s];
	return sum;
}

/* Of packings of at most MOST times the demands the one of the least R/C; fills ROUNDS. 0: none fits. */
static int pack_most(const struct timed_program *q, struct images *x, struct packed_loads *l, int most, int *rounds)
{
	enum { TRIES = 8 };
	int total = (int)ceil(rational_double(q->attained) * most), best_total = 0;
	double best = INFINITY;

	for (int i = 0; i < TRIES && total - i >= q->steps; i++) {
		split_rounds(q, total - i, rounds);
		int n = pack(q, x, l, rounds, most);
		if (n && (double)sum_of(rounds, q->steps) / n < best) {
			best = (double)sum_of(rounds, q->steps) / n;
			best_total = total - i;
		}
	}
	if (!best_total)
		return 0;
	split_rounds(q, best_total, rounds);
	return pack(q, x, l, rounds, most);
}

/* Packs FACTOR times the demands into as few rounds as are found to be enough; fills ROUNDS. */
static int pack_exactly(const struct timed_program *q, struct images *x, struct packed_loads *l, int factor, int *rounds)
{
	int total = (int)ceil(rational_double(q->attained) * factor - 1e-9);

	for (total = total > q->steps ? total : q->steps;; total += 1 + total / 64) {
		split_rounds(q, total, rounds);
		if (pack(q, x, l, rounds, factor) == factor)
			return factor;
	}
}

/* Gives every image its exact share of FACTOR times the demands. */
static void share_out(const struct timed_program *q, struct images *x, int factor, int *rounds)
{
	for (size_t i = 0; i < x->n; i++)
		x->of[i].taken = (int)rational_mul(x->of[i].share, rational(factor, 1)).num;
	for (int s = 0; s < q->steps; s++) {
		rounds[s] = (int)rational_mul(q->rounds[s], rational(factor, 1)).num;
		rounds[s] = rounds[s] ? rounds[s] : 1;
	}
}

/* Sends of the chunks of instance I, which are numbered, along the images. */
static struct step *steps_of(const struct timed_program *q, const struct images *x, const int *rounds, const struct instance *i)
{
	const struct edge *edges = q->instance->network->edges;
	struct step *steps = new_array(struct step, (size_t)q->steps);
	size_t *capacity = new_array(size_t, (size_t)q->steps), *next = new_array(size_t, q->commodities.n_all);
	int *left = new_array(int, q->commodities.n_all);
	uint8_t *role = new_array(uint8_t, (size_t)q->commodities.nodes);

	for (size_t k = x->n; k-- > 0;)
		next[x->of[k].commodity] = k;
	for (size_t k = 0; k < q->commodities.n_all; k++)
		left[k] = x->of[next[k]].taken;
	for (int c = 0; c < i->global_chunks; c++) {
		if (!commodity_roles(i, c, role))
			continue;
		size_t k = commodities_find(&q->commodities, role);
		while (left[k] == 0)
			left[k] = x->of[++next[k]].taken;
		left[k]--;
		const struct image *of = &x->of[next[k]];
		for (int e = 0; e < of->n; e++) {
			struct step *s = &steps[of->of[e].step];
			s->sends = grown(s->sends, &capacity[of->of[e].step], s->n_sends + 1, sizeof *s->sends);
			s->sends[s->n_sends++] = (struct send){c, edges[of->of[e].edge].src, edges[of->of[e].edge].dst};
		}
	}
	for (int s = 0; s < q->steps; s++)
		steps[s].rounds = rounds[s];
	free(capacity);
	free(next);
	free(left);
	free(role);
	return steps;
}

/* As steps_of, for FACTOR times the demands. NULL with *e set. */
static struct step *scaled_steps(const struct timed_program *q, const struct images *x, const int *rounds, int factor,
				 struct error *e)
{
	const struct instance *i = q->instance;
	struct collective unscaled = collective_unscaled(&i->collective), k = collective_scaled(&unscaled, i->chunks * factor);
	struct step *steps = NULL;
	struct instance scaled;

	if (instance_new(i->network, &k, i->chunks * factor, q->steps, sum_of(rounds, q->steps), &scaled, e))
		steps = steps_of(q, x, rounds, &scaled);
	collective_free(&k);
	collective_free(&unscaled);
	return steps;
}

struct step *timed_program_steps(const struct timed_program *q, int most, bool exactly, int *chunks, struct error *e)
{
	int unit = q->instance->chunks, *rounds = new_array(int, (size_t)q->steps);
	struct step *steps = NULL;
	struct images x;

	if (!q->rounds || !images_new(q, &x)) {
		error_note(e, ERROR_LIMIT, "timed-trees", "%s",
			   q->rounds ? "the group of symmetries is too large" : "the columns have no amounts");
		free(rounds);
		return NULL;
	}
	int64_t factor = exact_factor(q, &x, most / unit);
	if (factor && (!exactly || most / unit % factor == 0)) {
		if (exactly || idle_steps(q)) /* where a step is idle: the more chunks, the less its round matters */
			factor *= most / unit / factor;
		share_out(q, &x, (int)factor, rounds);
	} else {
		struct packed_loads l;
		loads_new(q, &l);
		factor = (exactly ? pack_exactly : pack_most)(q, &x, &l, most / unit, rounds);
		loads_free(&l);
	}
	if (factor)
		steps = scaled_steps(q, &x, rounds, (int)factor, e);
	else
		error_note(e, ERROR_INPUT, "-C", "%d chunks are too few", most);
	*chunks = (int)factor * unit;
	images_free(&x);
	free(rounds);
	return steps;
}

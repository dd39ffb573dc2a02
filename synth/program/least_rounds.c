/*
 * The value comes from the program under all symmetries, which is the smallest. For the schedule the program is solved
 * again under smaller groups, whose trees have fewer images, and the one whose solution is whole for the fewest chunks
 * is taken.
 */

#include "synth/program/least_rounds.h"

#include "synth/program/images.h"
#include "synth/program/realize.h"
#include "synth/program/refinement.h"

#include "core/base/error.h"
#include "core/base/memory.h"
#include "core/base/stop.h"
#include "core/machine/network.h"
#include "core/schedule/algorithm.h"
#include "core/schedule/instance.h"

#include <math.h>
#include <string.h>

/* The node that all symmetries must fix, or -1. */
static int fixed_node(const struct instance *i)
{
	return collective_row(&i->collective)->rooted ? i->collective.root : -1;
}

bool least_rounds_find(const struct instance *i, int steps, const struct least_rounds *before, struct least_rounds *out,
		       struct error *e)
{
	return least_rounds_above(i, steps, before, rational(0, 1), out, e);
}

bool least_rounds_above(const struct instance *i, int steps, const struct least_rounds *before, struct rational above,
			struct least_rounds *out, struct error *e)
{
	static const double little = 0.05, enough = 2; /* a part of the time, where it is limited; else CPU seconds */
	struct node_group all = node_group_all(i->network, fixed_node(i));
	bool brief = refinement_may_serve(i), limited = isfinite(stop_left());
	double deadline = stop_within(brief ? little * stop_left() : INFINITY), cpu = stop_within_cpu(brief && !limited ? enough : INFINITY);
	struct least_rounds l;
	bool ok = timed_program_solve_above(i, &all, steps, before ? &before->program : NULL, rational_double(above) * i->chunks, &l.program, e);

	stop_restore(deadline);
	stop_restore_cpu(cpu);
	node_group_free(&all);
	if (!ok)
		return false;
	l.least = rational_div(l.program.at_least, rational(i->chunks, 1));
	l.most = rational_div(l.program.attained, rational(i->chunks, 1));
	l.attained = rational_ok(l.most) && rational_compare(l.program.at_least, l.program.attained) == 0;
	*out = l;
	return true;
}

void least_rounds_free(struct least_rounds *l)
{
	timed_program_free(&l->program);
}

static struct node_group regular(const struct network *w, int fixed)
{
	return fixed < 0 ? node_group_regular(w) : node_group_none();
}

/* Without any symmetry only small machines are quick. */
static struct node_group none(const struct network *w, int fixed)
{
	(void)w, (void)fixed;
	return node_group_none();
}

enum { SMALL = 8 };

/* Smaller groups under which a schedule is looked for. */
static struct node_group (*const groups[])(const struct network *w, int fixed) = {node_group_rotation, regular, none};

struct rational *least_rounds_prices(const struct least_rounds *l, size_t *n)
{
	const struct timed_program *p = &l->program;
	const struct machine_orbits *o = &p->commodities.orbits;
	const struct network *w = p->instance->network;
	size_t rows = w->n_edges + w->n_limits;

	*n = rows * (size_t)p->steps;
	struct rational *prices = new_array(struct rational, *n);
	for (int s = 0; s < p->steps; s++)
		for (size_t r = 0; r < rows; r++) {
			int orbit = r < w->n_edges ? o->edge[r] : o->n_edges + o->limit[r - w->n_edges];
			prices[(size_t)s * rows + r] = rational(p->price[s * p->n_rows + orbit], 1);
		}
	return prices;
}

/* Is a program under the group small enough? Not on larger machines that have many orbits of nodes. */
static bool is_quick(const struct node_group *g, const struct network *w)
{
	enum { ORBITS_MAX = 5 };
	struct machine_orbits o;

	if (w->nodes <= SMALL)
		return true;
	machine_orbits_new(w, g->generators, g->n, &o);
	bool quick = o.n_nodes <= ORBITS_MAX;
	machine_orbits_free(&o);
	return quick;
}

/* The choice of a program to make a schedule of. */
struct choice {
	const struct timed_program *best;
	struct timed_program smaller; /* holds it unless it is the one under all symmetries */
	int chunks;                   /* it is whole for; 0: for none up to the limit */
	bool listed;                  /* its group is small enough to list all images */
};

/* Is program Q, whole for CHUNKS, better to have? First what it attains, then whole chunks, then all images. */
static bool is_better(const struct timed_program *q, int chunks, const struct choice *than)
{
	static const double as_good = 1e-6;
	double a = rational_double(q->attained), b = rational_double(than->best->attained);

	if (fabs(a - b) > as_good * b)
		return a < b;
	if (chunks || than->chunks)
		return chunks && (!than->chunks || chunks < than->chunks);
	return !than->listed && images_are_listed(q);
}

/* Solves the program under group G, and takes it if it is better. */
static void try_group(const struct least_rounds *l, const struct node_group *g, int most, struct choice *c)
{
	struct error unused = {0};
	struct timed_program q;

	if (!timed_program_solve(l->program.instance, g, l->program.steps, NULL, &q, &unused))
		return;
	int whole = timed_program_chunks(&q, most);
	if (is_better(&q, whole, c)) {
		timed_program_free(&c->smaller);
		c->smaller = q;
		c->best = &c->smaller;
		c->chunks = whole;
		c->listed = images_are_listed(&q);
	} else {
		timed_program_free(&q);
	}
}

/* The program that is whole for the fewest chunks, of those that are quick to solve. */
static void choose(const struct least_rounds *l, int most, struct choice *c)
{
	const struct instance *i = l->program.instance;

	*c = (struct choice){.best = &l->program, .chunks = timed_program_chunks(&l->program, most),
			     .listed = images_are_listed(&l->program)};
	for (size_t g = 0; g < sizeof groups / sizeof *groups && l->program.commodities.n_generators && !stop_is_due(); g++) {
		struct node_group group = groups[g](i->network, fixed_node(i));
		if (is_quick(&group, i->network))
			try_group(l, &group, most, c);
		node_group_free(&group);
	}
}

/* A schedule of N steps. */
struct steps_found {
	struct step *steps;
	int n, chunks;
};

static double ratio_of(const struct steps_found *s)
{
	double rounds = 0;

	for (int i = 0; i < s->n; i++)
		rounds += s->steps[i].rounds;
	return rounds / s->chunks;
}

/* Is there none, or R/C more than 1 % above what the program attains? */
static bool is_far(const struct least_rounds *l, const struct steps_found *s)
{
	return !s->steps || ratio_of(s) > 1.01 * rational_double(l->most);
}

/* Keeps the better schedule in *S; takes OTHER. */
static void keep_better(struct steps_found *s, struct steps_found other)
{
	if (other.steps && (!s->steps || ratio_of(&other) < ratio_of(s))) {
		struct steps_found better = other;
		other = *s;
		*s = better;
	}
	if (other.steps)
		steps_free(other.steps, (size_t)other.n);
}

/* Packs the program under another group, even if it is slow to solve, and keeps the better schedule. */
static void repack(const struct least_rounds *l, const struct node_group *group, int most, struct steps_found *s)
{
	static const double seconds = 10;
	double deadline = stop_within_cpu(seconds);
	struct steps_found other = {.n = s->n};
	struct error unused = {0};
	struct timed_program q;

	if (timed_program_solve(l->program.instance, group, s->n, NULL, &q, &unused)) {
		other.steps = timed_program_steps(&q, most, false, &other.chunks, &unused);
		timed_program_free(&q);
	}
	stop_restore_cpu(deadline);
	keep_better(s, other);
}

static bool same_group(const struct node_group *a, const struct node_group *b, int nodes)
{
	return a->n == b->n && (!a->n || memcmp(a->generators, b->generators, a->n * (size_t)nodes * sizeof *a->generators) == 0);
}

static bool is_trivial(const struct node_group *g, int nodes)
{
	for (size_t i = 0; i < g->n * (size_t)nodes; i++)
		if (g->generators[i] != (int)(i % (size_t)nodes))
			return false;
	return true;
}

/* Is group number G among those before it? */
static bool is_repeated(const struct instance *i, size_t g, const struct node_group *group)
{
	bool repeated = false;

	for (size_t before = 0; before < g && !repeated; before++) {
		struct node_group other = groups[before](i->network, fixed_node(i));
		repeated = same_group(group, &other, i->network->nodes) ||
			   (is_trivial(group, i->network->nodes) && is_trivial(&other, i->network->nodes));
		node_group_free(&other);
	}
	return repeated;
}

/* The same under all groups, one after the other, until the schedule is near what the program attains. */
static void repack_all(const struct least_rounds *l, int most, struct steps_found *s)
{
	const struct instance *i = l->program.instance;

	for (size_t g = 0; g < sizeof groups / sizeof *groups && is_far(l, s) && !stop_is_due(); g++) {
		struct node_group group = groups[g](i->network, fixed_node(i));
		if (!is_repeated(i, g, &group))
			repack(l, &group, most, s);
		node_group_free(&group);
	}
}

/*
 * Under a smaller group a tree has fewer images, and each of them a larger share of the chunks: such a program comes first
 * where the one chosen has too many images to be packed well.
 */
struct step *least_rounds_steps(const struct least_rounds *l, int most, bool exactly, int *chunks, struct error *e)
{
	struct steps_found s = {.n = l->program.steps};
	struct choice c;

	if (refinement_serves(&l->program))
		return timed_program_steps(&l->program, most, exactly, chunks, e);
	choose(l, most, &c);
	bool other = !exactly && !c.chunks, late = other && l->program.commodities.n_generators && !timed_program_packs_well(c.best);
	if (late)
		repack_all(l, most, &s);
	if (!late || is_far(l, &s)) {
		struct steps_found chosen = {.n = s.n};
		struct error unused = {0};
		chosen.steps = timed_program_steps(c.best, most, exactly, &chosen.chunks, s.steps ? &unused : e);
		keep_better(&s, chosen);
	}
	if (other && !late && s.steps)
		repack_all(l, most, &s);
	timed_program_free(&c.smaller);
	*chunks = s.chunks;
	return s.steps;
}

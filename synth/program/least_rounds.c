/*
 * The value comes from the program under all symmetries, which is the smallest. For the schedule the program is solved
 * again under smaller groups, whose trees have fewer images, and the one whose solution is whole for the fewest chunks
 * is taken.
 */

#include "synth/program/least_rounds.h"

#include "synth/program/realize.h"

#include "core/base/error.h"
#include "core/machine/network.h"
#include "core/schedule/algorithm.h"
#include "core/schedule/instance.h"

/* The node that all symmetries must fix, or -1. */
static int fixed_node(const struct instance *i)
{
	return collective_row(&i->collective)->rooted ? i->collective.root : -1;
}

bool least_rounds_find(const struct instance *i, int steps, const struct least_rounds *before, struct least_rounds *out,
		       struct error *e)
{
	struct node_group all = node_group_all(i->network, fixed_node(i));
	struct least_rounds l;
	bool ok = timed_program_solve(i, &all, steps, before ? &before->program : NULL, &l.program, e);

	node_group_free(&all);
	if (!ok)
		return false;
	l.least = rational_div(l.program.at_least, rational(i->chunks, 1));
	l.attained = l.program.rounds && rational_compare(l.program.at_least, l.program.attained) == 0;
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

/* Is a schedule that is whole for A chunks (0: none is) better to have than one for B? */
static bool is_better(int a, int b)
{
	return a && (!b || a < b);
}

/* The choice of a program to make a schedule of. */
struct choice {
	const struct timed_program *best;
	struct timed_program smaller; /* holds it unless it is the one under all symmetries */
	int chunks;                   /* it is whole for; 0: for none up to the limit */
	bool expands;
};

/* Solves the program under group G, and takes it if it is better. */
static void try_group(const struct least_rounds *l, const struct node_group *g, int most, struct choice *c)
{
	struct error unused = {0};
	struct timed_program q;

	if (!timed_program_solve(l->program.instance, g, l->program.steps, NULL, &q, &unused))
		return;
	int whole = timed_program_chunks(&q, most);
	if (timed_program_expands(&q) && (!c->expands || is_better(whole, c->chunks))) {
		timed_program_free(&c->smaller);
		c->smaller = q;
		c->best = &c->smaller;
		c->chunks = whole;
		c->expands = true;
	} else {
		timed_program_free(&q);
	}
}

/* The program that is whole for the fewest chunks, or if none is, one that expands. Slow groups are tried only then. */
static void choose(const struct least_rounds *l, int most, struct choice *c)
{
	const struct instance *i = l->program.instance;

	*c = (struct choice){.best = &l->program, .chunks = timed_program_chunks(&l->program, most),
			     .expands = timed_program_expands(&l->program)};
	for (int slow = 0; slow < 2 && l->program.commodities.n_generators; slow++)
		for (size_t g = 0; g < sizeof groups / sizeof *groups && !(slow && c->expands); g++) {
			struct node_group group = groups[g](i->network, fixed_node(i));
			if (is_quick(&group, i->network) == !slow)
				try_group(l, &group, most, c);
			node_group_free(&group);
		}
}

struct step *least_rounds_steps(const struct least_rounds *l, int most, bool exactly, int *chunks, struct error *e)
{
	struct choice c;

	choose(l, most, &c);
	struct step *steps = c.expands ? timed_program_steps(c.best, most, exactly, chunks, e) : NULL;
	if (!c.expands)
		error_note(e, ERROR_LIMIT, "timed-trees", "no solution in exact fractions was found");
	timed_program_free(&c.smaller);
	return steps;
}

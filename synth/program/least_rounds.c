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

/* Without any symmetry only small machines are quick. */
static struct node_group no_symmetry(const struct network *w, int fixed)
{
	enum { SMALL = 8 };
	(void)fixed;
	return w->nodes <= SMALL ? node_group_none() : node_group_all(w, fixed);
}

static struct node_group regular(const struct network *w, int fixed)
{
	return fixed < 0 ? node_group_regular(w) : node_group_rotation(w, fixed);
}

/* Groups under which a schedule is looked for. */
static struct node_group (*const groups[])(const struct network *w, int fixed) = {
	node_group_rotation, regular, no_symmetry, node_group_all,
};

/* Is A better to make a schedule of: whole for fewer chunks, or if none is whole, does it have amounts at all? */
static bool is_better(int a_chunks, int b_chunks)
{
	return a_chunks && (!b_chunks || a_chunks < b_chunks);
}

struct step *least_rounds_steps(const struct least_rounds *l, int most, bool exactly, int *chunks, struct error *e)
{
	const struct instance *i = l->program.instance;
	struct timed_program best = {0};
	int best_chunks = 0;

	for (size_t g = 0; g < sizeof groups / sizeof *groups; g++) {
		struct node_group group = groups[g](i->network, fixed_node(i));
		struct timed_program q;
		struct error unused = {0};
		bool ok = timed_program_solve(i, &group, l->program.steps, NULL, &q, &unused);
		node_group_free(&group);
		if (!ok)
			continue;
		int whole = timed_program_chunks(&q, most);
		if (q.rounds && (!best.rounds || is_better(whole, best_chunks))) {
			timed_program_free(&best);
			best = q;
			best_chunks = whole;
		} else {
			timed_program_free(&q);
		}
	}
	struct step *steps = best.rounds ? timed_program_steps(&best, most, exactly, chunks, e) : NULL;
	if (!best.rounds)
		error_note(e, ERROR_LIMIT, "timed-trees", "no solution in exact fractions was found");
	timed_program_free(&best);
	return steps;
}

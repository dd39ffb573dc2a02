/*
 * Two descriptions of one machine. A pair that one gives a link of its own and the other a path through a switch is no
 * disagreement by itself: what each GPU can send in all tells whether one counted links a pair and the other links a GPU.
 */

#include "interop/machines/compare.h"

#include "core/base/rational.h"
#include "core/base/text.h"
#include "core/machine/topology.h"

#include <math.h>

struct comparison {
	const struct topology *a, *b;
	const char *a_path, *b_path;
	struct text *notes;
	int said, left;
};

static double speed_of(const struct topology *t, const struct link *l)
{
	return !l ? 0 : l->kind < 0 ? -1 : l->bandwidth * rational_double(t->kinds[l->kind].gigabytes_per_second);
}

/* GB/s that leave node V by links that are not of buses; -1: unknown. */
static double sent_by(const struct topology *t, int v)
{
	double sum = 0;

	for (size_t i = 0; i < t->n_links; i++) {
		if (t->links[i].src != v)
			continue;
		double s = speed_of(t, &t->links[i]);
		if (s < 0)
			return -1;
		sum += s;
	}
	return sum;
}

/* May the line be printed? Beyond the most, lines are only counted. */
static int may_say(struct comparison *c)
{
	if (c->said == COMPARED_MAX) {
		c->left++;
		return 0;
	}
	c->said++;
	return 1;
}

static int differ(double x, double y)
{
	return x >= 0 && y >= 0 && fabs(x - y) > 0.1 * fmax(x, y);
}

static void compare_pair(struct comparison *c, int src, int dst)
{
	const struct link *a = topology_link(c->a, src, dst), *b = topology_link(c->b, src, dst);
	double x = speed_of(c->a, a), y = speed_of(c->b, b);

	if (!a && !b)
		return;
	if (a && b) {
		if (differ(x, y) && may_say(c))
			text_add(c->notes, "%s: GPU %d to GPU %d at %g GB/s; %s: at %g GB/s\n", c->a_path, src, dst, x, c->b_path, y);
	} else if (c->a->switches == 0 && c->b->switches == 0 && may_say(c))
		text_add(c->notes, "%s: GPU %d is linked to GPU %d; %s: it is not\n", a ? c->a_path : c->b_path, src, dst, a ? c->b_path : c->a_path);
}

void machines_compare(const struct topology *a, const char *a_path, const struct topology *b, const char *b_path, struct text *notes)
{
	struct comparison c = {a, b, a_path, b_path, notes, 0, 0};

	if ((a->switches > 0) != (b->switches > 0) && may_say(&c))
		text_add(notes, "%s: GPUs meet in switches; %s: links join pairs of GPUs, or NV# was counted a pair\n", a->switches ? a_path : b_path,
			 a->switches ? b_path : a_path);
	for (int v = 0; v < a->nodes; v++) {
		double x = sent_by(a, v), y = sent_by(b, v);
		if (differ(x, y) && may_say(&c))
			text_add(notes, "%s: GPU %d sends %g GB/s in all; %s: %g GB/s\n", a_path, v, x, b_path, y);
		for (int w = 0; w < a->nodes; w++)
			if (v != w)
				compare_pair(&c, v, w);
	}
	if (c.left)
		text_add(notes, "%s: %d further differences from %s\n", a_path, c.left, b_path);
}

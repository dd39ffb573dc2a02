/* On a machine that equals its own reverse, the allgather run backwards is also the reducescatter. */

#include "synth/frontier/halves.h"

#include "core/machine/network.h"
#include "core/schedule/transform.h"

#include <string.h>

const struct collective half_collectives[HALVES] = {[SCATTERED] = {.kind = REDUCESCATTER}, [GATHERED] = {.kind = ALLGATHER}};

static bool same_groups(const struct network_limit *x, const struct network_limit *y)
{
	bool same = !x->groups == !y->groups;

	for (size_t k = 0; same && x->groups && k < x->n_edges; k++)
		same = x->groups[k].abilities == y->groups[k].abilities;
	return same;
}

static bool same_limits(const struct network *a, const struct network *b)
{
	if (a->n_limits != b->n_limits)
		return false;
	for (size_t i = 0; i < a->n_limits; i++) {
		const struct network_limit *x = &a->limits[i], *y = &b->limits[i];
		if (x->bandwidth != y->bandwidth || x->n_edges != y->n_edges ||
		    memcmp(x->edges, y->edges, x->n_edges * sizeof *x->edges) != 0 || !same_groups(x, y))
			return false;
	}
	return true;
}

static bool same_network(const struct network *a, const struct network *b)
{
	return a->n_edges == b->n_edges && (!a->n_edges || memcmp(a->edges, b->edges, a->n_edges * sizeof *a->edges) == 0) &&
	       same_limits(a, b);
}

bool halves_open(const struct topology *t, struct halves *h, struct error *e)
{
	if (!problem_open(t, &half_collectives[SCATTERED], &h->problems[SCATTERED], e))
		return false;
	if (!problem_open(t, &half_collectives[GATHERED], &h->problems[GATHERED], e)) {
		problem_close(&h->problems[SCATTERED]);
		return false;
	}
	h->mirrored = same_network(h->problems[SCATTERED].network, h->problems[GATHERED].network);
	return true;
}

void halves_close(struct halves *h)
{
	for (int i = 0; i < HALVES; i++)
		problem_close(&h->problems[i]);
}

struct algorithm *halves_join(const struct problem *p, struct algorithm *scattered, struct algorithm *gathered, struct error *e)
{
	struct algorithm *a = scattered && gathered ? algorithm_composed(scattered, gathered, e) : NULL;

	algorithm_free(scattered);
	algorithm_free(gathered);
	return problem_judged(p, a, e);
}

struct algorithm *halves_mirror(const struct algorithm *gathered, const struct topology *t, struct error *e)
{
	return algorithm_inverted(gathered, t, &half_collectives[SCATTERED], e);
}

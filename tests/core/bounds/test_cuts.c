#include "tests/support/drawn.h"

#include "core/bounds/cuts.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>

TestSuite(cuts, .description = "what can cross between sets of nodes in a round");

enum { NODES = 3, EDGES = NODES * (NODES - 1), LIMITS = 4 };

struct drawn {
	struct network w;
	struct edge edges[EDGES];
	struct network_limit limits[LIMITS];
	int of_limit[LIMITS][EDGES];
};

/* All pairs, and limits over any of them, which share edges. */
static void draw(struct drawn *d)
{
	*d = (struct drawn){.w = {.nodes = NODES, .n_edges = EDGES, .edges = d->edges, .limits = d->limits}};
	for (int a = 0, i = 0; a < NODES; a++)
		for (int b = 0; b < NODES; b++)
			if (a != b)
				d->edges[i++] = (struct edge){a, b, 1 + below(3)};
	d->w.n_limits = (size_t)below(LIMITS + 1);
	for (size_t l = 0; l < d->w.n_limits; l++) {
		d->limits[l] = (struct network_limit){.edges = d->of_limit[l], .bandwidth = 1 + below(4)};
		for (int i = 0; i < EDGES; i++)
			if (below(2))
				d->of_limit[l][d->limits[l].n_edges++] = i;
	}
}

static bool fits(const struct network *w, const int *sent)
{
	for (size_t l = 0; l < w->n_limits; l++) {
		int sum = 0;
		for (size_t i = 0; i < w->limits[l].n_edges; i++)
			sum += sent[w->limits[l].edges[i]];
		if (sum > w->limits[l].bandwidth)
			return false;
	}
	return true;
}

/* By trying everything: the most that crosses edges I and later. */
static int64_t most(const struct network *w, const int *part, int *sent, int i)
{
	if (!fits(w, sent))
		return -1;
	if (i == EDGES)
		return 0;
	if (part[w->edges[i].src] == part[w->edges[i].dst])
		return most(w, part, sent, i + 1);
	int64_t best = -1;
	for (sent[i] = 0; sent[i] <= w->edges[i].bandwidth; sent[i]++) {
		int64_t rest = most(w, part, sent, i + 1);
		if (rest >= 0 && rest + sent[i] > best)
			best = rest + sent[i];
	}
	sent[i] = 0;
	return best;
}

Test(cuts, are_never_said_to_be_narrower_than_what_crosses_them)
{
	static const int parts[][NODES] = {{0, 1, 2}, {0, 1, 1}, {1, 0, 1}};
	int met = 0;

	for (int round = 0; round < 300; round++) {
		struct drawn d;
		int sent[EDGES] = {0}, p = below(3);
		draw(&d);
		int64_t crosses = most(&d.w, parts[p], sent, 0), said = cut_capacity(&d.w, parts[p]);
		cr_expect(le(i64, crosses, said), "machine %d", round);
		met += crosses == said;
	}
	cr_expect(gt(int, met, 200), "and are mostly as narrow: %d", met);
}

/* Four nodes, each with a link to one of two switches that are joined: the link between saves most at first, those of the nodes in all. */
Test(cuts, heed_what_each_node_can_send_where_a_link_in_the_middle_saves_more_at_first)
{
	struct edge edges[12];
	int middle[2][4], out[4][3], n_middle[2] = {0, 0}, n_out[4] = {0}, apart[4] = {0, 1, 2, 3};
	struct network_limit limits[6];
	struct network w = {.nodes = 4, .n_edges = 12, .edges = edges, .n_limits = 6, .limits = limits};

	for (int a = 0, i = 0; a < 4; a++)
		for (int b = 0; b < 4; b++)
			if (a != b) {
				edges[i] = (struct edge){a, b, 1};
				out[a][n_out[a]++] = i;
				if (a / 2 != b / 2)
					middle[a / 2][n_middle[a / 2]++] = i;
				i++;
			}
	for (int i = 0; i < 2; i++)
		limits[i] = (struct network_limit){.n_edges = 4, .edges = middle[i], .bandwidth = 1};
	for (int i = 0; i < 4; i++)
		limits[2 + i] = (struct network_limit){.n_edges = 3, .edges = out[i], .bandwidth = 1};
	cr_expect(eq(i64, cut_capacity(&w, apart), 4));
}

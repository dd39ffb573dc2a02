#include "tests/encode/random_instance.h"

#include "core/base/error.h"
#include "core/base/memory.h"
#include "core/machine/network.h"
#include "core/machine/topology.h"
#include "tests/support/random.h"

#include <stdio.h>
#include <stdlib.h>

static uint64_t state;

void random_seed(uint64_t seed)
{
	state = random_start(seed);
}

static int below(int n)
{
	return random_below(&state, n);
}

static void add_link(struct topology *t, int src, int dst)
{
	t->links[t->n_links++] = (struct link){src, dst, 1 + below(2), -1};
}

static int by_ends(const void *va, const void *vb)
{
	const struct link *a = va, *b = vb;
	return a->src != b->src ? a->src - b->src : a->dst - b->dst;
}

static void add_limits(struct topology *t)
{
	t->n_limits = (size_t)below(3);
	t->limits = new_array(struct limit, 2);
	for (size_t i = 0; i < t->n_limits; i++) {
		struct limit *l = &t->limits[i];
		*l = (struct limit){copy_string("limit"), (enum limit_of)below(3), below(t->nodes), 0, NULL, 1 + below(2)};
		if (l->of != LIMIT_EDGES)
			continue;
		l->edges = new_array(struct edge_ends, t->n_links);
		for (size_t k = 0; k < t->n_links; k++)
			if (below(2))
				l->edges[l->n_edges++] = (struct edge_ends){t->links[k].src, t->links[k].dst};
	}
}

static struct topology *random_topology(void)
{
	struct topology *t = new(struct topology);

	t->name = copy_string("random");
	t->nodes = 3 + below(3);
	t->switches = below(4) == 0;
	t->links = new_array(struct link, 64);
	for (int a = 0; a < t->nodes; a++) {
		for (int b = 0; b < t->nodes; b++)
			if (a != b && below(3) != 0)
				add_link(t, a, b);
		if (t->switches && below(4))
			add_link(t, a, t->nodes);
		if (t->switches && below(4))
			add_link(t, t->nodes, a);
	}
	qsort(t->links, t->n_links, sizeof *t->links, by_ends);
	add_limits(t);
	return t;
}

struct random_question random_question(void)
{
	static const enum collective_kind kinds[] = {ALLGATHER, BROADCAST, GATHER, SCATTER, ALLTOALL};
	struct error e = {0};
	struct random_question q = {.topology = random_topology()};

	q.network = network_new(q.topology, &e);
	q.collective.kind = kinds[below(5)];
	bool rooted = collective_row(&q.collective)->rooted, blocks = collective_row(&q.collective)->chunks_in_blocks;
	q.collective.root = rooted ? below(q.topology->nodes) : 0;
	int chunks = blocks ? q.topology->nodes : 1 + below(q.collective.kind == BROADCAST ? 4 : 2);
	int steps = 1 + below(3);
	if (!instance_new(q.network, &q.collective, chunks, steps, steps + below(3), &q.instance, &e))
		abort();
	return q;
}

struct random_question question_about(const char *machine, struct collective k, int chunks, int steps, int rounds)
{
	struct error e = {0};
	struct random_question q = {.topology = topology_open(machine, &e), .collective = k};

	q.network = q.topology ? network_new(q.topology, &e) : NULL;
	if (!q.network || !instance_new(q.network, &q.collective, chunks, steps, rounds, &q.instance, &e)) {
		fprintf(stderr, "%s: %s: %s\n", machine, e.where, e.what);
		abort();
	}
	return q;
}

void question_free(struct random_question *q)
{
	network_free(q->network);
	topology_free(q->topology);
}

/* ---- everything ---- */

enum { CELLS_MAX = 16, SENDS_MAX = 40, WORK_MAX = 3000000 };

struct trial {
	const struct instance *i;
	uint32_t wanted;
	unsigned char *failed; /* [(held * 4 + steps) * 8 + rounds]: known to lead nowhere */
	long work;
};

static uint32_t cell(const struct instance *i, int chunk, int node)
{
	return (uint32_t)1 << (chunk * i->network->nodes + node);
}

/* The sends of one step, chosen one after another. */
struct choice {
	struct trial *t;
	int steps_left, rounds_left; /* after this step */
	int n, edge[SENDS_MAX];
	uint32_t comes[SENDS_MAX]; /* the cell that a send fills */
	int *room;                 /* what still fits on each edge and limit */
};

static bool search(struct trial *t, uint32_t held, int steps, int rounds);

static bool take_room(const struct network *w, int *room, int edge, int sign)
{
	bool fits = (room[edge] -= sign) >= 0;
	for (size_t l = 0; l < w->n_limits; l++)
		for (size_t k = 0; k < w->limits[l].n_edges; k++)
			if (w->limits[l].edges[k] == edge)
				fits = (room[w->n_edges + l] -= sign) >= 0 && fits;
	return fits;
}

static bool choose(struct choice *c, int at, uint32_t held)
{
	if (++c->t->work > WORK_MAX)
		return false;
	if (at == c->n)
		return search(c->t, held, c->steps_left, c->rounds_left);
	if (!(held & c->comes[at])) {
		bool fits = take_room(c->t->i->network, c->room, c->edge[at], 1);
		bool found = fits && choose(c, at + 1, held | c->comes[at]);
		take_room(c->t->i->network, c->room, c->edge[at], -1);
		if (found)
			return true;
	}
	return choose(c, at + 1, held);
}

static bool try_step(struct trial *t, uint32_t held, int steps, int rounds, int now)
{
	const struct network *w = t->i->network;
	struct choice c = {.t = t, .steps_left = steps - 1, .rounds_left = rounds - now};

	for (int chunk = 0; chunk < t->i->global_chunks; chunk++)
		for (int e = 0; e < (int)w->n_edges; e++)
			if ((held & cell(t->i, chunk, w->edges[e].src)) && !(held & cell(t->i, chunk, w->edges[e].dst))) {
				if (c.n == SENDS_MAX) {
					t->work = WORK_MAX + 1;
					return false;
				}
				c.edge[c.n] = e;
				c.comes[c.n++] = cell(t->i, chunk, w->edges[e].dst);
			}
	c.room = new_array(int, w->n_edges + w->n_limits);
	for (size_t e = 0; e < w->n_edges; e++)
		c.room[e] = w->edges[e].bandwidth * now;
	for (size_t l = 0; l < w->n_limits; l++)
		c.room[w->n_edges + l] = w->limits[l].bandwidth * now;
	bool found = choose(&c, 0, held);
	free(c.room);
	return found;
}

static bool search(struct trial *t, uint32_t held, int steps, int rounds)
{
	if ((held & t->wanted) == t->wanted)
		return true;
	unsigned char *failed = &t->failed[((size_t)held * 4 + (size_t)steps) * 8 + (size_t)rounds];
	if (steps == 0 || *failed)
		return false;
	for (int now = 1; now <= rounds - (steps - 1); now++)
		if (try_step(t, held, steps, rounds, now))
			return true;
	*failed = 1;
	return false;
}

enum tried try_everything(const struct instance *i)
{
	int cells = i->global_chunks * i->network->nodes;
	struct trial t = {.i = i};
	uint32_t held = 0;

	if (cells > CELLS_MAX || i->steps > 3 || i->rounds > 7)
		return TRIED_TOO_LARGE;
	t.failed = new_array(unsigned char, ((size_t)1 << cells) * 32);
	for (int c = 0; c < i->global_chunks; c++)
		for (int n = 0; n < i->network->nodes; n++) {
			held |= instance_pre(i, c, n) ? cell(i, c, n) : 0;
			t.wanted |= instance_post(i, c, n) ? cell(i, c, n) : 0;
		}
	bool found = search(&t, held, i->steps, i->rounds);
	free(t.failed);
	return found ? TRIED_FOUND : t.work > WORK_MAX ? TRIED_TOO_LARGE : TRIED_NONE;
}

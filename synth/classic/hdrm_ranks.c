/* Ranks for hdrm: the rounds that halving-doubling takes are made few. */

#include "synth/classic/ranks.h"

#include "core/base/memory.h"
#include "core/machine/network.h"
#include "core/machine/topology.h"
#include "synth/builder/schedule_builder.h"

#include <stdlib.h>
#include <string.h>

enum { LOADS_MAX = 60000000 }; /* edges and limits looked at by the search */

/* What is on its way: chunks at a node, bound for another. */
struct load {
	int at, to;
	int64_t chunks;
};

/* Rounds of one phase, hop by hop; the loads come to rest. LOADS [edge] is scratch. */
static int64_t phase_rounds(const struct network *w, struct load *moves, int n, int64_t *loads)
{
	int64_t rounds = 0;

	for (bool any = true; any;) {
		any = false;
		memset(loads, 0, w->n_edges * sizeof *loads);
		for (int i = 0; i < n; i++) {
			struct load *m = &moves[i];
			if (m->at == m->to)
				continue;
			int next = network_distance(w, m->at, m->to) == 1 ? m->to : builder_next_hop(w, m->at, m->to, m->at);
			loads[network_edge(w, m->at, next)] += m->chunks;
			m->at = next;
			any = true;
		}
		rounds += network_rounds(w, loads);
	}
	return rounds;
}

/* Rounds of all exchanges; those of bit b move 2^b chunks, before and after them are those above the largest power of two. */
static int64_t rounds_of(const struct network *w, const struct ranks *r, struct load *moves, int64_t *loads)
{
	int64_t rounds = 0;
	int above = r->nodes - r->core;

	for (int b = 0; b < r->bits; b++) {
		for (int rank = 0; rank < r->core; rank++)
			moves[rank] = (struct load){r->node[rank], r->node[rank ^ 1 << b], INT64_C(1) << b};
		rounds += phase_rounds(w, moves, r->core, loads);
	}
	for (int i = 0; i < above; i++)
		moves[i] = (struct load){r->node[r->core + i], r->node[i], 1};
	rounds += phase_rounds(w, moves, above, loads);
	for (int i = 0; i < above; i++)
		moves[i] = (struct load){r->node[i], r->node[r->core + i], r->nodes - 1};
	return rounds + phase_rounds(w, moves, above, loads);
}

static size_t work_of(const struct network *w, const struct ranks *r)
{
	size_t limits = 0;
	for (size_t l = 0; l < w->n_limits; l++)
		limits += w->limits[l].n_edges;
	return (size_t)(r->bits + 1) * (w->n_edges * 2 + limits + (size_t)r->nodes * 8);
}

static void swap(int *a, int *b)
{
	int was = *a;
	*a = *b;
	*b = was;
}

/* Two ranks change nodes wherever that saves rounds, until nothing does or the work is done. */
static void improve(const struct network *w, struct ranks *r)
{
	struct load *moves = new_array(struct load, (size_t)r->nodes);
	int64_t *loads = new_array(int64_t, w->n_edges), best = rounds_of(w, r, moves, loads);
	size_t work = work_of(w, r), done = 0;
	bool better = true;

	while (better && done < LOADS_MAX) {
		better = false;
		for (int a = 0; a < r->nodes; a++)
			for (int b = a + 1; b < r->nodes && done < LOADS_MAX; b++, done += work) {
				swap(&r->node[a], &r->node[b]);
				int64_t rounds = rounds_of(w, r, moves, loads);
				if (rounds < best) {
					best = rounds;
					better = true;
				} else
					swap(&r->node[a], &r->node[b]);
			}
	}
	free(moves);
	free(loads);
}

/* Two rows of switches, each joined to all of the other row, and equally many nodes on each. */
struct two_rows {
	int switches, each; /* in a row; nodes on a switch */
	int *node;          /* [(row * switches + s) * each + i] */
};

static int bits_of(int n)
{
	int bits = 0;
	while (1 << bits < n)
		bits++;
	return 1 << bits == n ? bits : -1;
}

/* The row of each switch: 0 with the first one, 1 where the first has a link to. */
static bool find_rows(const struct topology *t, struct two_rows *rows)
{
	int *filled = new_array(int, (size_t)t->switches), *row = new_array(int, (size_t)t->switches);
	int *place = new_array(int, (size_t)t->switches), counts[2] = {0, 0};
	bool ok = true;

	for (int s = 0; s < t->switches; s++) {
		row[s] = topology_link(t, t->nodes, t->nodes + s) != NULL;
		place[s] = counts[row[s]]++;
	}
	ok = counts[0] == rows->switches && counts[1] == rows->switches;
	for (int a = 0; a < t->switches && ok; a++)
		for (int b = 0; b < t->switches && ok; b++)
			ok = (row[a] != row[b]) == (topology_link(t, t->nodes + a, t->nodes + b) != NULL);
	for (size_t i = 0; i < t->n_links && ok; i++) {
		int s = t->links[i].dst - t->nodes;
		if (t->links[i].src >= t->nodes)
			continue;
		ok = s >= 0 && filled[s] < rows->each;
		if (ok)
			rows->node[(row[s] * rows->switches + place[s]) * rows->each + filled[s]++] = t->links[i].src;
	}
	for (int s = 0; s < t->switches && ok; s++)
		ok = filled[s] == rows->each;
	free(filled);
	free(row);
	free(place);
	return ok;
}

/*
 * EFLOPS' BiGraph. A rank's row is the parity of its bits, so that partners are always in different rows. In row 0 the lowest bits
 * name the switch and the others the node on it, in row 1 the highest below the top bit do: then partners of one switch's nodes sit on
 * as many switches as there are, and each link between switches carries as little as can be.
 */
static bool map_bigraph(const struct topology *t, struct ranks *r)
{
	struct two_rows rows = {t->switches / 2, t->switches ? t->nodes / t->switches : 0, NULL};
	int s_bits = rows.switches ? bits_of(rows.switches) : -1, i_bits = rows.each ? bits_of(rows.each) : -1;

	if (t->switches % 2 || s_bits < 0 || i_bits < 0 || t->nodes != rows.each * t->switches || r->core != r->nodes)
		return false;
	rows.node = new_array(int, (size_t)t->nodes);
	bool ok = find_rows(t, &rows);
	for (int rank = 0; rank < r->nodes && ok; rank++) {
		int low = rank & ((1 << (s_bits + i_bits)) - 1), row = 0;
		for (int x = rank; x; x &= x - 1)
			row ^= 1;
		int s = row ? low >> i_bits : low & (rows.switches - 1), i = row ? low & (rows.each - 1) : low >> s_bits;
		r->node[rank] = rows.node[(row * rows.switches + s) * rows.each + i];
	}
	free(rows.node);
	return ok;
}

struct ranks hdrm_ranks(const struct topology *t, const struct network *w, const char **how)
{
	struct ranks r = ranks_joined(w);

	*how = map_bigraph(t, &r) ? "ranks of a BiGraph" : "ranks that a search has found";
	improve(w, &r);
	return r;
}

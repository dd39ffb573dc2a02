/*
 * The mapping of ranks to nodes for `hdrm`. On a BiGraph it is EFLOPS' own; local search (pairwise swaps) then lowers
 * the rounds that halving-doubling takes, starting from that mapping or, on other machines, from one in which partners
 * are linked.
 */

#include "synth/classic/ranks.h"

#include "core/base/memory.h"
#include "core/machine/network.h"
#include "core/machine/topology.h"
#include "synth/builder/schedule_builder.h"

#include <stdlib.h>
#include <string.h>

enum { LOADS_MAX = 60000000 }; /* edges and limits that the search may examine */

/* Chunks in transit: at one node, bound for another. */
struct load {
	int at, to;
	int64_t chunks;
};

/* Rounds of one phase, hop by hop, until every load has arrived. LOADS [edge] is scratch. */
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

/*
 * Rounds of all exchanges: those of bit b move 2^b chunks; the ranks beyond the largest power of two add a phase before
 * and one after.
 */
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

/* Swaps the nodes of two ranks wherever that saves rounds, until no swap does or the work limit is reached. */
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

/* Two rows of switches, each switch linked to all of the other row, with equally many nodes on every switch. */
struct two_rows {
	int switches, each; /* switches in a row; nodes on a switch */
	int *node;          /* [(row * switches + s) * each + i] */
};

static int bits_of(int n)
{
	int bits = 0;
	while (1 << bits < n)
		bits++;
	return 1 << bits == n ? bits : -1;
}

/*
 * Assigns each switch its row: 1 to those that the first switch has a link to, 0 to the others. False: not such a
 * machine.
 */
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
 * EFLOPS' BiGraph mapping. A rank's row is the parity of its bits, so that partners are always in different rows. In
 * row 0 the lowest bits name the switch and the following ones the node on it; in row 1 it is the other way round. The
 * partners of one switch's nodes are then spread over as many switches as possible, and links between switches carry
 * the least.
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

	*how = map_bigraph(t, &r) ? "ranks of a BiGraph" : "ranks found by a search";
	improve(w, &r);
	return r;
}

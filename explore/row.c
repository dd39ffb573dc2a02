/*
 * Fills one row: digest, bounds, tree rate, the entries of all methods, and the best of them at each size. A machine
 * without bounds for the collective gets a row that says why.
 */

#include "explore/explore.h"

#include "core/schedule/cost.h"
#include "core/base/error.h"
#include "core/base/memory.h"
#include "core/machine/network.h"
#include "core/machine/topology.h"
#include "synth/trees/forest.h"

#include <stdlib.h>

static void row_free(struct row *row)
{
	if (!row->why_not)
		bounds_free(&row->bounds);
	for (size_t i = 0; i < row->n_refusals; i++)
		free(row->refusals[i].why);
	for (size_t i = 0; i < row->n_entries; i++)
		algorithm_free(row->entries[i].algorithm);
	free(row->spec);
	free(row->name);
	free(row->collective);
	free(row->why_not);
	free(row->entries);
	free(row->refusals);
	free(row->best);
	free(row->isomorphic);
}

void rows_free(struct rows *r)
{
	for (size_t i = 0; i < r->n; i++)
		row_free(&r->at[i]);
	free(r->at);
	*r = (struct rows){0};
}

/* Only machines of moderate size get a digest, as canonical forms of larger ones can take too long. */
static void fill_digest(const struct topology *t, struct row *row)
{
	enum { NODES_COMPARED = 256 };
	struct error ignored = {0};
	struct network *w = t->nodes <= NODES_COMPARED ? network_new(t, &ignored) : NULL;

	if (!w)
		return;
	struct canonical form = canonical_new(w, row->root);
	canonical_digest(&form, row->digest);
	canonical_free(&form);
	network_free(w);
}

/*
 * R/C of trees from the root, or from all nodes if ROOT is -1; of trees in the opposite direction if BACKWARDS. Not
 * rational_ok: there are none.
 */
static struct rational rate(const struct topology *t, int root, bool backwards)
{
	struct topology *on = backwards ? topology_reversed(t) : topology_copy(t);
	struct forest f = {0};
	struct error ignored = {0};
	struct rational rate = {0, 0};

	if (forest_rate(on, root, &f, &ignored)) {
		rate = f.bandwidth;
		forest_free(&f);
	}
	topology_free(on);
	return rate;
}

/*
 * R/C of the best trees; an allreduce needs both directions. Where a node has one block for each node, C counts the
 * chunks of all blocks and a tree's rate those of one block, hence the division by P.
 */
static struct rational rate_of_trees(const struct topology *t, const struct collective *k)
{
	static const struct {
		bool out, in, blocks;
	} directions[COLLECTIVE_KINDS] = {
		[ALLGATHER] = {true, false, false}, [BROADCAST] = {true, false, false}, [REDUCE] = {false, true, false},
		[REDUCESCATTER] = {false, true, true}, [ALLREDUCE] = {true, true, true},
	};
	int root = collective_row(k)->rooted ? k->root : -1;
	struct rational sum = {0, 1};

	if (!directions[k->kind].out && !directions[k->kind].in)
		return (struct rational){0, 0};
	if (directions[k->kind].out)
		sum = rational_add(sum, rate(t, root, false));
	if (directions[k->kind].in)
		sum = rational_add(sum, rate(t, root, true));
	return rational_div(sum, rational(directions[k->kind].blocks ? t->nodes : 1, 1));
}

static void fill_times(const struct explore_options *o, const struct topology *t, struct row *row)
{
	struct rational alpha, beta;

	row->timed = topology_alpha_beta(t, &alpha, &beta) || (o->has_alpha && o->has_beta);
	if (!row->timed)
		return;
	row->alpha = o->has_alpha ? o->alpha : alpha;
	row->beta = o->has_beta ? o->beta : beta;
}

static struct best best_at(const struct row *row, int64_t bytes)
{
	struct best best = {.entry = -1};

	for (size_t i = 0; row->timed && i < row->n_entries; i++) {
		const struct entry *e = &row->entries[i];
		const struct cost cost = {e->steps, e->rounds, e->bandwidth};
		struct rational time = cost_time(&cost, row->alpha, row->beta, bytes);
		if (rational_ok(time) && (best.entry < 0 || rational_compare(time, best.microseconds) < 0))
			best = (struct best){(int)i, time};
	}
	return best;
}

static void fill_best(const struct explore_options *o, struct row *row)
{
	row->least = -1;
	for (size_t i = 0; i < row->n_entries; i++)
		if (row->least < 0 || rational_compare(row->entries[i].bandwidth, row->entries[row->least].bandwidth) < 0)
			row->least = (int)i;
	row->best = new_array(struct best, o->n_sizes);
	for (size_t s = 0; s < o->n_sizes; s++)
		row->best[s] = best_at(row, o->sizes[s]);
}

static bool fill(const struct explore_options *o, const struct topology *t, const struct collective *k,
		 const struct row *before, struct row *row, struct error *e)
{
	struct error why = {0};

	fill_digest(t, row);
	if (!bounds_compute(t, k, &row->bounds, &why)) {
		row->why_not = copy_string(why.what);
		row->least = -1;
		row->best = new_array(struct best, o->n_sizes);
		for (size_t s = 0; s < o->n_sizes; s++)
			row->best[s].entry = -1;
		if (why.kind == ERROR_SYSTEM)
			*e = why;
		return why.kind != ERROR_SYSTEM;
	}
	row->in_steps = in_steps_new(t, k, &row->bounds);
	row->trees = rate_of_trees(t, k);
	if (!explore_entries(o, t, k, before, row, e))
		return false;
	fill_times(o, t, row);
	fill_best(o, row);
	return true;
}

bool explore_row(const struct explore_options *o, const char *spec, const struct topology *t, const char *called,
		 const struct collective *k, const struct row *before, struct rows *rows, struct error *e)
{
	struct row row = {
		.spec = copy_string(spec), .name = copy_string(t->name), .nodes = t->nodes, .switches = t->switches,
		.root = collective_row(k)->rooted ? k->root : -1, .collective = copy_string(called), .base = -1,
	};

	if (!fill(o, t, k, before, &row, e)) {
		row_free(&row);
		return false;
	}
	rows->at = grown(rows->at, &rows->capacity, rows->n + 1, sizeof *rows->at);
	rows->at[rows->n++] = row;
	return true;
}

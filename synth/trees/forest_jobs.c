/*
 * Lists the sends of all waves of all trees as jobs, tree by tree from the root down, then counting-sorts them by
 * height, the order in which the scheduler looks at them. Loads are counted per edge and per limit through one index.
 */

#include "synth/trees/forest_jobs.h"

#include "core/base/memory.h"
#include "core/machine/limit_index.h"
#include "core/machine/network.h"

#include <stdlib.h>
#include <string.h>

static void index_loads(struct forest_jobs *j)
{
	const struct network *w = j->network;
	int *number = new_array(int, w->n_edges);

	j->n_widths = w->n_edges + w->n_limits;
	j->widths = new_array(int64_t, j->n_widths);
	for (size_t i = 0; i < w->n_edges; i++) {
		j->widths[i] = w->edges[i].bandwidth;
		number[i] = (int)i;
	}
	for (size_t l = 0; l < w->n_limits; l++)
		j->widths[w->n_edges + l] = w->limits[l].bandwidth;
	j->loaded = limit_index(w, number, (int)w->n_edges);
	free(number);
}

/* A tree's nodes from the root down; of each its depth, the height of its subtree, and its job. */
struct tree_shape {
	int *order, *depth, *height, *job;
};

static void measure(const struct forest *f, const struct forest_tree *t, struct tree_shape *s)
{
	int n = 0;

	for (int depth = 0; depth <= t->depth; depth++)
		for (int v = 0; v < f->nodes; v++)
			if (depth == 0 ? v == t->root : v != t->root && s->depth[t->parent[v]] == depth - 1) {
				s->depth[v] = depth;
				s->order[n++] = v;
			}
}

static void shape_tree(const struct forest *f, const struct forest_tree *t, struct tree_shape *s)
{
	for (int v = 0; v < f->nodes; v++) {
		s->depth[v] = f->nodes;
		s->height[v] = 1;
	}
	measure(f, t, s);
	for (int i = f->nodes - 1; i > 0; i--) {
		int v = s->order[i], up = t->parent[v];
		if (s->height[up] < s->height[v] + 1)
			s->height[up] = s->height[v] + 1;
	}
}

static void add_tree(struct forest_jobs *j, const struct forest *f, const struct forest_tree *t, struct tree_shape *s, int wave, int chunk)
{
	for (int i = 0; i < f->nodes; i++) {
		int v = s->order[i];
		if (v == t->root) {
			s->job[v] = -1;
			continue;
		}
		j->of[j->n] = (struct forest_job){chunk, network_edge(j->network, t->parent[v], v), s->job[t->parent[v]], wave,
					   s->depth[v], s->height[v]};
		s->job[v] = (int)j->n++;
	}
}

/* Part p of root r is chunk p * P + r of an allgather, p of a broadcast. */
static void add_all(struct forest_jobs *j, const struct forest *f)
{
	size_t n = (size_t)f->nodes;
	struct tree_shape s = {new_array(int, n), new_array(int, n), new_array(int, n), new_array(int, n)};
	int64_t part = 0;

	for (size_t i = 0; i < f->n_trees; i++) {
		const struct forest_tree *t = &f->trees[i];
		if (i > 0 && f->trees[i - 1].root != t->root)
			part = 0;
		shape_tree(f, t, &s);
		for (int64_t k = 0; k < t->count; k++, part++)
			for (int wave = 0; wave < j->waves; wave++) {
				int at = (int)(wave * f->chunks + part);
				add_tree(j, f, t, &s, wave, f->root < 0 ? at * f->nodes + t->root : at);
			}
	}
	free(s.order);
	free(s.depth);
	free(s.height);
	free(s.job);
}

/* Highest first, otherwise stable. */
static void sort_by_height(struct forest_jobs *j)
{
	size_t *begin = new_array(size_t, (size_t)j->depth + 2);
	int *now = new_array(int, j->n);
	struct forest_job *sorted = new_array(struct forest_job, j->n);

	for (size_t i = 0; i < j->n; i++)
		begin[j->depth - j->of[i].height + 1]++;
	for (int h = 0; h <= j->depth; h++)
		begin[h + 1] += begin[h];
	for (size_t i = 0; i < j->n; i++)
		now[i] = (int)begin[j->depth - j->of[i].height]++;
	for (size_t i = 0; i < j->n; i++) {
		sorted[now[i]] = j->of[i];
		if (j->of[i].before >= 0)
			sorted[now[i]].before = now[j->of[i].before];
	}
	free(begin);
	free(now);
	free(j->of);
	j->of = sorted;
}

void forest_jobs_new(const struct network *w, const struct forest *f, int waves, struct forest_jobs *out)
{
	size_t roots = f->root < 0 ? (size_t)f->nodes : 1;

	*out = (struct forest_jobs){.network = w, .depth = f->depth, .waves = waves};
	out->of = new_array(struct forest_job, roots * (size_t)f->chunks * (size_t)waves * (size_t)(f->nodes - 1));
	index_loads(out);
	add_all(out, f);
	sort_by_height(out);
}

void forest_jobs_free(struct forest_jobs *j)
{
	free(j->of);
	free(j->widths);
	csr_free(&j->loaded);
}

void forest_jobs_load(const struct forest_jobs *j, int edge, int64_t by, int64_t *loads)
{
	for (int i = j->loaded.begin[edge]; i < j->loaded.begin[edge + 1]; i++)
		loads[j->loaded.of[i]] += by;
}

int64_t forest_jobs_rounds(const struct forest_jobs *j, const int64_t *loads)
{
	int64_t rounds = 0;

	for (size_t i = 0; i < j->n_widths; i++) {
		int64_t need = (loads[i] + j->widths[i] - 1) / j->widths[i];
		rounds = need > rounds ? need : rounds;
	}
	return rounds;
}

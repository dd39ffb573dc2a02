/*
 * Broadcast, gather, scatter and reduce with several roots at once: one group of chunks per root, by ascending root,
 * with one chunk per node in it if the collective has a block per node, otherwise one chunk. Apart from its name the
 * result is a custom collective like any other.
 */

#include "core/schedule/collective.h"
#include "core/schedule/collective_custom.h"

#include "core/base/error.h"
#include "core/base/memory.h"
#include "core/base/text.h"

#include <stdint.h>
#include <string.h>

static bool check_roots(const char *name, int nodes, const int *roots, int n_roots, struct error *e)
{
	for (int i = 0; i < n_roots; i++) {
		if (roots[i] < 0 || roots[i] >= nodes)
			return error_set(e, ERROR_INPUT, name, "there is no node %d: the nodes are 0 to %d", roots[i], nodes - 1);
		if (i > 0 && roots[i] <= roots[i - 1])
			return error_set(e, ERROR_INPUT, name, "several roots must be in ascending order, and %d comes after %d", roots[i], roots[i - 1]);
	}
	return true;
}

/* All (chunk, node) pairs for which TEST holds in the collective with one root, for each root in turn. */
static struct placement *listed(bool (*test)(const struct collective *k, int nodes, int chunk, int node), enum collective_kind kind,
				int nodes, int block, const int *roots, int n_roots, size_t *n)
{
	struct placement *list = NULL;
	size_t capacity = 0;

	*n = 0;
	for (int r = 0; r < n_roots; r++)
		for (int c = 0; c < block; c++)
			for (int node = 0; node < nodes; node++) {
				struct collective one = {.kind = kind, .root = roots[r]};
				if (!test(&one, nodes, c, node))
					continue;
				list = grown(list, &capacity, *n + 1, sizeof *list);
				list[(*n)++] = (struct placement){r * block + c, node};
			}
	return list;
}

bool collective_of_roots(enum collective_kind kind, int nodes, const int *roots, int n_roots, struct collective *out,
			 struct error *e)
{
	const struct collective_row *row = &collective_rows()[kind];
	int block = row->node_digits ? nodes : 1;
	size_t n_pre, n_post;

	if (!check_roots(row->name, nodes, roots, n_roots, e))
		return false;
	if ((int64_t)n_roots * block * nodes > PLACEMENTS_MAX)
		return error_set(e, ERROR_LIMIT, row->name, "%d roots of %d nodes make too many chunks", n_roots, nodes);
	struct placement *pre = listed(collective_pre, kind, nodes, block, roots, n_roots, &n_pre);
	struct placement *post = listed(collective_post, kind, nodes, block, roots, n_roots, &n_post);
	struct custom *c = custom_new(nodes, 1, row->combining, pre, n_pre, post, n_post);
	c->called = kind;
	c->n_roots = n_roots;
	c->roots = copy_bytes(roots, (size_t)n_roots * sizeof *roots);
	*out = (struct collective){CUSTOM, 0, c};
	return true;
}

bool collective_open_roots(const char *name, int nodes, const int *roots, int n_roots, struct collective *out, struct error *e)
{
	const struct collective_row *rows = collective_rows();

	*out = (struct collective){0};
	for (int k = 0; k < COLLECTIVE_KINDS; k++)
		if (rows[k].rooted && strcmp(rows[k].name, name) == 0)
			return collective_of_roots((enum collective_kind)k, nodes, roots, n_roots, out, e);
	return error_set(e, ERROR_INPUT, "--root", "several roots are only for broadcast, gather, scatter and reduce, not \"%.64s\"", name);
}

const int *collective_roots(const struct collective *k, int *n)
{
	if (k->custom && k->custom->n_roots) {
		*n = k->custom->n_roots;
		return k->custom->roots;
	}
	*n = collective_row(k)->rooted;
	return *n ? &k->root : NULL;
}

const char *collective_called(const struct collective *k)
{
	return k->custom && k->custom->n_roots ? collective_rows()[k->custom->called].name : collective_name(k);
}

static void add_joined(const int *roots, int n, const char *between, struct text *into)
{
	for (int i = 0; i < n; i++)
		text_add(into, "%s%d", i ? between : "", roots[i]);
}

void collective_add_roots(const struct collective *k, struct text *into)
{
	int n;
	const int *roots = collective_roots(k, &n);

	add_joined(roots, n, ",", into);
}

void collective_add_roots_json(const struct collective *k, struct text *into)
{
	int n;
	const int *roots = collective_roots(k, &n);

	if (n == 0)
		text_add(into, "null");
	else if (roots == &k->root)
		text_add(into, "%d", k->root);
	else {
		text_add(into, "[");
		add_joined(roots, n, ", ", into);
		text_add(into, "]");
	}
}

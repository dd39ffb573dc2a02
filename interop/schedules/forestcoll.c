/*
 * ForestColl's trees (spanning_trees_to_xml): <Algo nchunkspernode><tree root index nchunks height><send src dst path/>. Each
 * tree carries NCHUNKS chunks of its root to all others. GPUs have names such as "(0, 'GPU', 3)", which count as ranks in
 * their order: by the numbers in them. A file says no collective: the trees are those of an allgather, backwards of a
 * reducescatter, and both of an allreduce.
 */

#include "interop/schedules/schedules.h"

#include "interop/input/xml.h"
#include "interop/plans/to_algorithm.h"

#include "core/base/error.h"
#include "core/base/memory.h"
#include "core/machine/topology.h"
#include "core/schedule/algorithm.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct forest_edge {
	int src, dst;
};

struct forest_reading {
	const struct schedule_request *r;
	const char *path;
	int n;
	const char **names; /* [rank], in order; borrowed from the XML */
	size_t n_names, names_capacity;
	int *chunks;        /* [rank]: of its trees so far */
};

/* Numbers in names compare by value. */
static int name_order(const void *va, const void *vb)
{
	const char *a = *(const char *const *)va, *b = *(const char *const *)vb;

	while (*a && *b) {
		if (isdigit((unsigned char)*a) && isdigit((unsigned char)*b)) {
			size_t zeros_a = strspn(a, "0"), zeros_b = strspn(b, "0");
			size_t n = strspn(a + zeros_a, "0123456789"), m = strspn(b + zeros_b, "0123456789");
			int c = n != m ? (n < m ? -1 : 1) : strncmp(a + zeros_a, b + zeros_b, n);
			if (c)
				return c;
			a += zeros_a + n;
			b += zeros_b + m;
		} else if (*a != *b)
			return (unsigned char)*a < (unsigned char)*b ? -1 : 1;
		else {
			a++;
			b++;
		}
	}
	return (*a != 0) - (*b != 0);
}

/* The roots are the ranks: every GPU has trees. */
static bool find_names(struct forest_reading *f, const struct xml_element *top, struct error *e)
{
	for (const struct xml_element *t = xml_first(top, "tree"); t; t = xml_next(t, "tree")) {
		const char *root = xml_get(t, "root");
		if (!root)
			return xml_fault(f->path, t, e, "lacks the attribute \"root\"");
		f->names = grown(f->names, &f->names_capacity, f->n_names + 1, sizeof *f->names);
		f->names[f->n_names++] = root;
	}
	if (f->n_names)
		qsort(f->names, f->n_names, sizeof *f->names, name_order);
	size_t n = 0;
	for (size_t i = 0; i < f->n_names; i++)
		if (n == 0 || name_order(&f->names[n - 1], &f->names[i]) != 0)
			f->names[n++] = f->names[i];
	f->n_names = n;
	return n == (size_t)f->n || xml_fault(f->path, top, e, "has trees of %zu roots, and %.60s has %d nodes", n, f->r->topology->name, f->n);
}

static bool find_rank(const struct forest_reading *f, const struct xml_element *at, const char *attribute, int *out, struct error *e)
{
	const char *name = xml_get(at, attribute);
	const char **found = name ? bsearch(&name, f->names, f->n_names, sizeof *f->names, name_order) : NULL;

	if (!found)
		return xml_fault(f->path, at, e, "%s must be a GPU that is the root of a tree, not \"%.60s\"", attribute, name ? name : "");
	*out = (int)(found - f->names);
	return true;
}

/* The depth of each rank, by repeated passes in whatever order the sends are listed. */
static bool depths(const struct forest_reading *f, const struct xml_element *tree, const struct forest_edge *edges, int n, int root, int *depth, struct error *e)
{
	int *parent = new_array(int, (size_t)f->n);
	bool ok = true;

	for (int i = 0; i < f->n; i++)
		parent[i] = -1;
	for (int i = 0; ok && i < n; i++) {
		ok = (edges[i].dst != root && parent[edges[i].dst] < 0) ||
		     xml_fault(f->path, tree, e, "is no tree: %.60s is reached twice", f->names[edges[i].dst]);
		parent[edges[i].dst] = edges[i].src;
	}
	for (int i = 0; ok && i < f->n; i++) {
		int up = i;
		depth[i] = 0;
		while (up != root && up >= 0 && depth[i] <= f->n) {
			up = parent[up];
			depth[i]++;
		}
		ok = up == root || xml_fault(f->path, tree, e, "does not reach %.60s from its root", f->names[i]);
	}
	free(parent);
	return ok;
}

static void add_sends(struct forest_reading *f, const struct forest_edge *edges, int n, int root, int count, const int *depth, bool sums, int first,
		      int height, struct plan_log *log)
{
	for (int c = 0; c < count; c++)
		for (int i = 0; i < n; i++) {
			int chunk = (f->chunks[root] + c) * f->n + root, step = depth[edges[i].dst];
			plan_log_add(log, first + (sums ? height - step : step - 1), chunk, sums ? edges[i].dst : edges[i].src,
				     sums ? edges[i].src : edges[i].dst, sums);
		}
}

static bool read_tree(struct forest_reading *f, const struct xml_element *tree, enum collective_kind kind, int height, struct plan_log *log, struct error *e)
{
	struct forest_edge *edges = new_array(struct forest_edge, (size_t)f->n);
	int *depth = new_array(int, (size_t)f->n), n = 0, root = 0, count = 0;
	bool ok = find_rank(f, tree, "root", &root, e) && xml_get_int(f->path, tree, "nchunks", 1, 1 << 16, &count, e);

	for (const struct xml_element *s = xml_first(tree, "send"); ok && s; s = xml_next(s, "send")) {
		ok = n < f->n - 1 || xml_fault(f->path, s, e, "is one send too many for a tree of %d GPUs", f->n);
		ok = ok && find_rank(f, s, "src", &edges[n].src, e) && find_rank(f, s, "dst", &edges[n].dst, e);
		n += ok;
	}
	ok = ok && depths(f, tree, edges, n, root, depth, e);
	if (ok && log->n + 2 * (size_t)count * (size_t)n > SCHEDULE_SENDS_MAX)
		ok = error_set(e, ERROR_LIMIT, f->path, "stands for more than %d sends", SCHEDULE_SENDS_MAX);
	if (ok) {
		if (kind != ALLGATHER)
			add_sends(f, edges, n, root, count, depth, true, 1, height, log);
		if (kind != REDUCESCATTER)
			add_sends(f, edges, n, root, count, depth, false, kind == ALLREDUCE ? height + 1 : 1, height, log);
		f->chunks[root] += count;
	}
	free(edges);
	free(depth);
	return ok;
}

static struct algorithm *read(struct forest_reading *f, const struct xml_element *top, struct error *e)
{
	struct collective k = {.kind = f->r->asked == COLLECTIVE_KINDS ? ALLGATHER : f->r->asked};
	struct plan_log log = {0};
	struct algorithm *a = NULL;
	bool ok = find_names(f, top, e);

	f->chunks = new_array(int, (size_t)f->n);
	for (const struct xml_element *t = ok ? xml_first(top, "tree") : NULL; ok && t; t = xml_next(t, "tree"))
		ok = read_tree(f, t, k.kind, f->n, &log, e);
	for (int r = 1; ok && r < f->n; r++)
		ok = f->chunks[r] == f->chunks[0] || xml_fault(f->path, top, e, "%.60s has %d chunks and %.60s %d", f->names[0], f->chunks[0], f->names[r],
							       f->chunks[r]);
	if (ok)
		a = sends_to_algorithm(f->path, &log, f->r->topology, &k, f->chunks[0] * (k.kind == ALLGATHER ? 1 : f->n), NULL, 0, e);
	free(log.of);
	free(f->chunks);
	free(f->names);
	return a;
}

struct algorithm *read_forestcoll(const struct schedule_request *r, struct error *e)
{
	struct forest_reading f = {.r = r, .path = r->of->path, .n = r->topology->nodes};
	struct xml_element *top = xml_parse(f.path, r->of->bytes, r->of->n, e);
	struct algorithm *a = top ? read(&f, top, e) : NULL;

	xml_free(top);
	return a;
}

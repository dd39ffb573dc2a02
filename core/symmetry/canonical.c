/*
 * The canonical form is the list of edges, then of limits, written with the node numbers of nauty's canonical order and
 * sorted. Two machines are isomorphic exactly if these texts are equal.
 */

#include "core/symmetry/canonical.h"

#include "core/base/memory.h"
#include "core/machine/network.h"
#include "core/base/text.h"
#include "core/symmetry/automorphisms.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An edge with the canonical numbers of its ends. */
struct placed {
	int src, dst, bandwidth;
	int edge; /* in the network */
};

static int by_ends(const void *va, const void *vb)
{
	const struct placed *a = va, *b = vb;
	if (a->src != b->src)
		return a->src < b->src ? -1 : 1;
	return (a->dst > b->dst) - (a->dst < b->dst);
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Also fills NUMBER[edge]: an edge's position in the form. */
static void add_edges(struct text *form, const struct network *w, const int *place, int *number)
{
	struct placed *edges = new_array(struct placed, w->n_edges);

	for (size_t i = 0; i < w->n_edges; i++)
		edges[i] = (struct placed){place[w->edges[i].src], place[w->edges[i].dst], w->edges[i].bandwidth, (int)i};
	if (w->n_edges)
		qsort(edges, w->n_edges, sizeof *edges, by_ends);
	for (size_t i = 0; i < w->n_edges; i++) {
		text_add(form, "%d %d %d\n", edges[i].src, edges[i].dst, edges[i].bandwidth);
		number[edges[i].edge] = (int)i;
	}
	free(edges);
}

/* A crossing of a limit, by the position of its edge in the form. */
struct crossed {
	int edge, group;
	unsigned abilities;
};

static int by_edge_then_group(const void *va, const void *vb)
{
	const struct crossed *a = va, *b = vb;
	if (a->edge != b->edge)
		return a->edge < b->edge ? -1 : 1;
	return (a->group > b->group) - (a->group < b->group);
}

/*
 * Numbers the groups of N crossings anew, as they first occur. The order of nodes and of groups ignores what switches can do.
 * So isomorphic machines whose switches copy or add may get different forms, but machines that are not isomorphic never the
 * same.
 */
static void add_groups(struct text *line, const struct crossed *all, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		size_t first = 0;
		while (all[first].group != all[i].group)
			first++;
		text_add(line, " %u.%zu", all[i].abilities, first);
	}
}

static char *limit_line(const struct network_limit *l, const int *number)
{
	struct text line = {0};
	struct crossed *all = new_array(struct crossed, l->n_edges);

	for (size_t i = 0; i < l->n_edges; i++)
		all[i] = l->groups ? (struct crossed){number[l->edges[i]], l->groups[i].group, l->groups[i].abilities}
				   : (struct crossed){number[l->edges[i]], 0, 0};
	if (l->n_edges)
		qsort(all, l->n_edges, sizeof *all, by_edge_then_group);
	text_add(&line, "limit %d:", l->bandwidth);
	for (size_t i = 0; i < l->n_edges; i++)
		text_add(&line, " %d", all[i].edge);
	if (l->groups)
		add_groups(&line, all, l->n_edges);
	free(all);
	return text_take(&line);
}

static void add_limits(struct text *form, const struct network *w, const int *number)
{
	char **lines = new_array(char *, w->n_limits);

	for (size_t i = 0; i < w->n_limits; i++)
		lines[i] = limit_line(&w->limits[i], number);
	if (w->n_limits)
		qsort(lines, w->n_limits, sizeof *lines, by_text);
	for (size_t i = 0; i < w->n_limits; i++) {
		text_add(form, "%s\n", lines[i]);
		free(lines[i]);
	}
	free(lines);
}

struct canonical canonical_new(const struct network *w, int root)
{
	struct canonical c = {.place = new_array(int, (size_t)w->nodes)};
	int *number = new_array(int, w->n_edges);
	struct text form = {0};

	automorphisms_canonical_order(w, root, c.place);
	text_add(&form, "%d nodes", w->nodes);
	if (root >= 0)
		text_add(&form, ", root %d", c.place[root]);
	text_add(&form, "\n");
	add_edges(&form, w, c.place, number);
	add_limits(&form, w, number);
	c.form = text_take(&form);
	free(number);
	return c;
}

void canonical_free(struct canonical *c)
{
	free(c->place);
	free(c->form);
	*c = (struct canonical){0};
}

/* FNV-1a: stable across versions and platforms, because digests name folders. */
void canonical_digest(const struct canonical *c, char digest[CANONICAL_DIGEST + 1])
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (const char *s = c->form; *s; s++)
		hash = (hash ^ (unsigned char)*s) * UINT64_C(0x100000001b3);
	snprintf(digest, CANONICAL_DIGEST + 1, "%016" PRIx64, hash);
}

bool network_isomorphism(const struct network *a, int root_a, const struct network *b, int root_b, int *to)
{
	if (a->nodes != b->nodes || a->n_edges != b->n_edges || a->n_limits != b->n_limits)
		return false;
	struct canonical of_a = canonical_new(a, root_a), of_b = canonical_new(b, root_b);
	bool isomorphic = strcmp(of_a.form, of_b.form) == 0;
	if (isomorphic) {
		int *at = new_array(int, (size_t)b->nodes);
		for (int n = 0; n < b->nodes; n++)
			at[of_b.place[n]] = n;
		for (int n = 0; n < a->nodes; n++)
			to[n] = at[of_a.place[n]];
		free(at);
	}
	canonical_free(&of_a);
	canonical_free(&of_b);
	return isomorphic;
}

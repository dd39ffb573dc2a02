/*
 * The topology object of msccl-tools (the synthesizer of the SCCL paper), alone or in one of its algorithm files:
 * links[dst][src] are chunks per round, and each "switch" is a limit on what its sources send to its destinations.
 */

#include "interop/machines/readers.h"

#include "interop/machines/speeds.h"

#include "core/base/error.h"
#include "core/base/json.h"
#include "core/base/memory.h"
#include "core/machine/topology.h"

#include <stdlib.h>

static bool read_links(const struct json_place *links, struct topology *t, struct error *e)
{
	size_t n, width;

	if (!json_array_length(links, &n, e))
		return false;
	if (n < 1 || n > NODES_MAX)
		return json_fault(links, e, "must have 1 to %d rows", NODES_MAX);
	t->nodes = (int)n;
	size_t capacity = 0;
	for (size_t src = 0; src < n; src++)
		for (size_t dst = 0; dst < n; dst++) {
			struct json_place row = json_element(links, dst);
			int width_of_link;
			if (!json_array_length(&row, &width, e))
				return false;
			if (width != n)
				return json_fault(&row, e, "must have %zu entries, as many as there are rows", n);
			struct json_place cell = json_element(&row, src);
			if (!json_get_int(&cell, 0, BANDWIDTH_MAX, &width_of_link, e))
				return false;
			if (!width_of_link)
				continue;
			if (src == dst)
				return json_fault(&cell, e, "links a node to itself");
			t->links = grown(t->links, &capacity, t->n_links + 1, sizeof *t->links);
			t->links[t->n_links++] = (struct link){(int)src, (int)dst, width_of_link, -1};
		}
	return true;
}

/* The nodes of a list, with repetitions refused by the reader of topology files. */
static bool read_nodes(const struct json_place *at, int nodes, int **list, size_t *n, struct error *e)
{
	if (!json_array_length(at, n, e))
		return false;
	if (*n > (size_t)nodes)
		return json_fault(at, e, "lists more than the %d nodes", nodes);
	*list = new_array(int, *n);
	for (size_t i = 0; i < *n; i++) {
		struct json_place v = json_element(at, i);
		if (!json_get_int(&v, 0, nodes - 1, &(*list)[i], e))
			return false;
	}
	return true;
}

enum { PAIRS_MAX = 1 << 22 }; /* of sources and destinations, in all limits */

static bool add_limit(struct topology *t, const struct json_place *at, size_t *pairs, struct error *e)
{
	struct limit *l = &t->limits[t->n_limits++];
	struct json_place ends[2], bandwidth = json_element(at, 2), name = json_element(at, 3);
	int *list[2] = {NULL, NULL};
	size_t n[2], length, capacity = 0;
	const char *called;
	bool ok = json_array_length(at, &length, e) && (length == 4 || json_fault(at, e, "must be [sources, destinations, bandwidth, name]"));

	l->of = LIMIT_EDGES;
	for (int i = 0; ok && i < 2; i++) {
		ends[i] = json_element(at, (size_t)i);
		ok = read_nodes(&ends[i], t->nodes, &list[i], &n[i], e);
	}
	if (ok && (*pairs += n[0] * n[1]) > PAIRS_MAX)
		ok = json_fault(at, e, "brings limits to more than %d pairs of nodes", PAIRS_MAX);
	ok = ok && json_get_int(&bandwidth, 1, BANDWIDTH_MAX, &l->bandwidth, e) && json_get_string(&name, &called, e);
	if (ok)
		l->name = copy_string(called);
	for (size_t i = 0; ok && i < n[0]; i++)
		for (size_t k = 0; k < n[1]; k++) {
			if (!topology_link(t, list[0][i], list[1][k]))
				continue;
			l->edges = grown(l->edges, &capacity, l->n_edges + 1, sizeof *l->edges);
			l->edges[l->n_edges++] = (struct edge_ends){list[0][i], list[1][k]};
		}
	if (ok && l->n_edges == 0) { /* a limit on nothing */
		free(l->name);
		t->n_limits--;
	}
	free(list[0]);
	free(list[1]);
	return ok;
}

static bool read_switches(const struct json_place *at, struct topology *t, struct error *e)
{
	size_t n, pairs = 0;

	if (!at->value)
		return true;
	if (!json_array_length(at, &n, e))
		return false;
	if (n > LIMITS_MAX)
		return json_fault(at, e, "has more than %d entries", LIMITS_MAX);
	t->limits = new_array(struct limit, n);
	for (size_t i = 0; i < n; i++) {
		struct json_place one = json_element(at, i);
		if (!add_limit(t, &one, &pairs, e))
			return false;
	}
	return true;
}

struct topology *read_msccl_tools_topology(const struct machine_source *s, struct error *e)
{
	struct json_document *d = json_document_parse(s->bytes, s->path, e);
	struct topology *t = new(struct topology), *read = NULL;

	t->name = copy_string(s->name);
	t->source = copy_string("msccl-tools, in units of its links");
	if (d) {
		struct json_place top = json_top(d), inner = json_member(&top, "topology"), links;
		const struct json_place *at = inner.value ? &inner : &top;
		struct json_place switches = json_member(at, "switches");
		if (json_member_needed(at, "links", &links, e) && read_links(&links, t, e) && read_switches(&switches, t, e))
			read = machines_judged(t, s->path, e);
		text_add(s->notes, "%s: links have no speeds; times need --alpha and --beta\n", s->path);
	}
	topology_free(t);
	json_document_close(d);
	return read;
}

/*
 * A graph as networkx writes it (node_link_data), the form in which ForestColl's and other Python tools' machines leave
 * them: "nodes" with ids, "links" or "edges" with source, target and a capacity in GB/s. A node is a switch if it says
 * so ("type": "switch", "switch": true) or its id does ("NVSwitch", "IB", "mlx5").
 */

#include "interop/machines/readers.h"

#include "interop/machines/speeds.h"

#include "core/base/error.h"
#include "core/base/json.h"
#include "core/base/memory.h"
#include "core/machine/topology.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct node_graph {
	const struct machine_source *s;
	size_t n;
	json_t **ids; /* borrowed */
	int *number;  /* of each: nodes first, then switches */
	int nodes, switches;
	struct speed_links links;
};

static const char *const switch_words[] = {"switch", "ib", "mlx5", "nic", "spine", "leaf", "hub"};

/* Does a text inside the id, or the type, name a switch? */
static bool names_switch(json_t *v)
{
	json_t *inner;
	size_t i;

	if (json_is_array(v)) {
		json_array_foreach(v, i, inner)
			if (json_is_string(inner) && names_switch(inner))
				return true;
		return false;
	}
	const char *s = json_string_value(v);
	size_t whole = s ? strlen(s) : 0;
	for (size_t w = 0; s && w < sizeof switch_words / sizeof *switch_words; w++) {
		size_t length = strlen(switch_words[w]);
		for (const char *at = s; *at; at++)
			if (strncasecmp(at, switch_words[w], length) == 0 && (length > 3 || whole == length || !((at[length] >= 'a' && at[length] <= 'z'))))
				return true;
	}
	return false;
}

static bool read_nodes(struct node_graph *g, const struct json_place *nodes, struct error *e)
{
	if (!json_array_length(nodes, &g->n, e))
		return false;
	if (g->n < 2 || g->n > NODES_MAX)
		return json_fault(nodes, e, "must have 2 to %d entries", NODES_MAX);
	g->ids = new_array(json_t *, g->n);
	g->number = new_array(int, g->n);
	for (size_t i = 0; i < g->n; i++) {
		struct json_place one = json_element(nodes, i), id;
		if (!json_member_needed(&one, "id", &id, e))
			return false;
		g->ids[i] = id.value;
		struct json_place type = json_member(&one, "type"), flag = json_member(&one, "switch");
		bool is_switch = names_switch(type.value) || json_is_true(flag.value) || names_switch(id.value);
		g->number[i] = is_switch ? -1 - g->switches++ : g->nodes++;
	}
	for (size_t i = 0; i < g->n; i++)
		if (g->number[i] < 0)
			g->number[i] = g->nodes - 1 - g->number[i];
	return true;
}

static bool end_of(const struct node_graph *g, const struct json_place *link, const char *key, int *out, struct error *e)
{
	struct json_place end;

	if (!json_member_needed(link, key, &end, e))
		return false;
	for (size_t i = 0; i < g->n; i++)
		if (json_equal(g->ids[i], end.value)) {
			*out = g->number[i];
			return true;
		}
	return json_fault(&end, e, "is no node's id");
}

static bool read_links(struct node_graph *g, const struct json_place *links, bool directed, struct error *e)
{
	static const char *const keys[] = {"capacity", "bandwidth", "weight"};
	size_t n;

	if (!json_array_length(links, &n, e))
		return false;
	if (n > LINKS_MAX / 2 || n * g->n > 1 << 28)
		return json_fault(links, e, "has too many entries");
	for (size_t i = 0; i < n; i++) {
		struct json_place link = json_element(links, i), capacity = {0};
		struct rational speed;
		int src = 0, dst = 0;
		for (size_t k = 0; k < sizeof keys / sizeof *keys && !capacity.value; k++)
			capacity = json_member(&link, keys[k]);
		if (!end_of(g, &link, "source", &src, e) || !end_of(g, &link, "target", &dst, e))
			return false;
		if (!capacity.value || src == dst)
			return json_fault(&link, e, src == dst ? "links a node to itself" : "lacks its capacity in GB/s");
		if (!json_get_decimal(&capacity, &speed, e))
			return false;
		if (speed.num <= 0)
			return json_fault(&capacity, e, "must be positive");
		speeds_add(&g->links, src, dst, speed, (struct rational){0, 0}, "link");
		if (!directed)
			speeds_add(&g->links, dst, src, speed, (struct rational){0, 0}, "link");
	}
	return true;
}

struct topology *read_node_link(const struct machine_source *s, struct error *e)
{
	struct node_graph g = {.s = s};
	struct topology *t = NULL;
	struct json_document *d = json_document_parse(s->bytes, s->path, e);

	if (d) {
		struct json_place top = json_top(d), nodes, links = json_member(&top, "links"), edges = json_member(&top, "edges");
		struct json_place directed = json_member(&top, "directed");
		if (json_member_needed(&top, "nodes", &nodes, e) && read_nodes(&g, &nodes, e) &&
		    read_links(&g, links.value ? &links : &edges, json_is_true(directed.value), e)) {
			struct speeds_head head = {s->path, s->name, NULL, "a graph with capacities in GB/s; latencies assumed", g.nodes, g.switches};
			t = speeds_topology(&head, &g.links, s->notes, e);
		}
	}
	json_document_close(d);
	free(g.ids);
	free(g.number);
	speeds_free(&g.links);
	return t;
}

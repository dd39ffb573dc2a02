/* Writes a topology as JSON: keys in the order of docs/reference/formats.md, one link per line. */

#include "core/machine/topology.h"

#include "core/base/text.h"

#include <string.h>

struct topology_writer {
	struct text *into;
	int indent;
};

static void new_line(const struct topology_writer *w, int deeper)
{
	text_add(w->into, "\n%*s", w->indent + deeper, "");
}

static void write_string(const struct topology_writer *w, const char *key, const char *s)
{
	if (!s)
		return;
	text_add(w->into, ",");
	new_line(w, 2);
	text_add(w->into, "\"%s\": ", key);
	text_add_json_string(w->into, s);
}

static bool is_duplex(const struct topology *t)
{
	for (size_t i = 0; t->duplex && i < t->n_links; i++) {
		const struct link *back = topology_link(t, t->links[i].dst, t->links[i].src);
		if (!back || back->bandwidth != t->links[i].bandwidth || back->kind != t->links[i].kind)
			return false;
	}
	return t->duplex;
}

static void write_links(const struct topology_writer *w, const struct topology *t, bool duplex)
{
	const char *between = "";

	text_add(w->into, ",");
	new_line(w, 2);
	text_add(w->into, "\"links\": [");
	for (size_t i = 0; i < t->n_links; i++) {
		const struct link *l = &t->links[i];
		if (duplex && l->src > l->dst)
			continue;
		text_add(w->into, "%s", between);
		new_line(w, 4);
		text_add(w->into, "{\"src\": %d, \"dst\": %d, \"bandwidth\": %d", l->src, l->dst, l->bandwidth);
		if (l->kind >= 0) {
			text_add(w->into, ", \"kind\": ");
			text_add_json_string(w->into, t->kinds[l->kind].name);
		}
		text_add(w->into, "}");
		between = ",";
	}
	if (*between)
		new_line(w, 2);
	text_add(w->into, "]");
}

static void write_limit(const struct topology_writer *w, const struct limit *l)
{
	static const char *const node_keys[] = {[LIMIT_OUT_OF] = "out_of", [LIMIT_INTO] = "into"};

	text_add(w->into, "{");
	if (l->name) {
		text_add(w->into, "\"name\": ");
		text_add_json_string(w->into, l->name);
		text_add(w->into, ", ");
	}
	if (l->of != LIMIT_EDGES)
		text_add(w->into, "\"%s\": %d", node_keys[l->of], l->node);
	for (size_t i = 0; i < l->n_edges; i++)
		text_add(w->into, "%s[%d, %d]", i ? ", " : "\"edges\": [", l->edges[i].src, l->edges[i].dst);
	text_add(w->into, "%s, \"bandwidth\": %d}", l->of == LIMIT_EDGES ? "]" : "", l->bandwidth);
}

static void write_limits(const struct topology_writer *w, const struct topology *t)
{
	if (!t->n_limits)
		return;
	text_add(w->into, ",");
	new_line(w, 2);
	text_add(w->into, "\"limits\": [");
	for (size_t i = 0; i < t->n_limits; i++) {
		text_add(w->into, "%s", i ? "," : "");
		new_line(w, 4);
		write_limit(w, &t->limits[i]);
	}
	new_line(w, 2);
	text_add(w->into, "]");
}

/* Ratios are strings in lowest terms. */
static void write_kinds(const struct topology_writer *w, const struct topology *t)
{
	char latency[RATIONAL_TEXT], speed[RATIONAL_TEXT];

	if (!t->n_kinds)
		return;
	text_add(w->into, ",");
	new_line(w, 2);
	text_add(w->into, "\"kinds\": {");
	for (size_t i = 0; i < t->n_kinds; i++) {
		text_add(w->into, "%s", i ? "," : "");
		new_line(w, 4);
		text_add_json_string(w->into, t->kinds[i].name);
		text_add(w->into, ": {\"latency_us\": \"%s\", \"gigabytes_per_second\": \"%s\"}",
			 rational_text(t->kinds[i].latency_us, latency),
			 rational_text(t->kinds[i].gigabytes_per_second, speed));
	}
	new_line(w, 2);
	text_add(w->into, "}");
}

/* The switches with ABILITY: true if all have it, nothing if none has. */
static void write_ability(const struct topology_writer *w, const struct topology *t, const char *key, enum switch_ability ability)
{
	int n = 0, first = 0;

	for (int v = t->nodes; v < t->nodes + t->switches; v++)
		n += (topology_abilities(t, v) & ability) != 0;
	if (n == 0)
		return;
	text_add(w->into, ",");
	new_line(w, 2);
	text_add(w->into, "\"%s\": %s", key, n == t->switches ? "true" : "[");
	for (int v = t->nodes; v < t->nodes + t->switches && n < t->switches; v++)
		if (topology_abilities(t, v) & ability)
			text_add(w->into, "%s%d", first++ ? ", " : "", v);
	text_add(w->into, "%s", n < t->switches ? "]" : "");
}

void topology_write(const struct topology *t, struct text *into, int indent)
{
	const struct topology_writer w = {into, indent};
	bool duplex = is_duplex(t);

	text_add(into, "{");
	new_line(&w, 2);
	text_add(into, "\"format\": \"sccl-topology\",");
	new_line(&w, 2);
	text_add(into, "\"version\": 1");
	write_string(&w, "name", t->name);
	write_string(&w, "description", t->description);
	write_string(&w, "source", t->source);
	text_add(into, ",");
	new_line(&w, 2);
	text_add(into, "\"nodes\": %d", t->nodes);
	if (t->switches) {
		text_add(into, ",");
		new_line(&w, 2);
		text_add(into, "\"switches\": %d", t->switches);
	}
	if (duplex) {
		text_add(into, ",");
		new_line(&w, 2);
		text_add(into, "\"duplex\": true");
	}
	write_links(&w, t, duplex);
	write_limits(&w, t);
	write_kinds(&w, t);
	write_ability(&w, t, "multicast", MULTICASTS);
	write_ability(&w, t, "reduce", REDUCES);
	new_line(&w, 0);
	text_add(into, "}");
}

bool topology_same(const struct topology *a, const struct topology *b)
{
	struct text x = {0}, y = {0};

	topology_write(a, &x, 0);
	topology_write(b, &y, 0);
	bool same = x.length == y.length && memcmp(x.bytes, y.bytes, x.length) == 0;
	text_free(&x);
	text_free(&y);
	return same;
}

bool topology_same_machine(const struct topology *a, const struct topology *b)
{
	struct topology x = *a, y = *b;

	x.description = x.source = y.description = y.source = NULL;
	return topology_same(&x, &y);
}

/* `topology show`: prints a machine as a table, as JSON or for Graphviz. */

#include "cli/commands/topologies.h"

#include "cli/output/command.h"

#include "core/base/text.h"
#include "core/machine/topology.h"

#include <stdio.h>

enum { TABLE_UP_TO = 20 };

static void print_links(const struct topology *t)
{
	int n = t->nodes + t->switches;

	if (n > TABLE_UP_TO) {
		for (size_t i = 0; i < t->n_links; i++)
			printf("  %d -> %d: %d\n", t->links[i].src, t->links[i].dst, t->links[i].bandwidth);
		return;
	}
	printf("  from\\to");
	for (int v = 0; v < n; v++)
		printf(" %4d", v);
	putchar('\n');
	for (int v = 0; v < n; v++) {
		printf("  %4d%s  ", v, v < t->nodes ? " " : "s");
		for (int to = 0; to < n; to++) {
			const struct link *l = topology_link(t, v, to);
			if (l)
				printf(" %4d", l->bandwidth);
			else
				printf("    %c", v == to ? ' ' : '.');
		}
		putchar('\n');
	}
}

static void print_limit(const struct limit *l)
{
	printf("  limit %s: at most %d chunk%s per round", l->name ? printable(l->name) : "(no name)", l->bandwidth, plural(l->bandwidth));
	if (l->of != LIMIT_EDGES)
		printf(" %s node %d", l->of == LIMIT_INTO ? "into" : "out of", l->node);
	for (size_t i = 0; i < l->n_edges; i++)
		printf("%s%d->%d", i ? " " : " over ", l->edges[i].src, l->edges[i].dst);
	putchar('\n');
}

/* The switches that have ABILITY, if any has. */
static void print_switches(const struct topology *t, const char *what, enum switch_ability ability)
{
	bool any = false;

	for (int v = t->nodes; v < t->nodes + t->switches; v++)
		if (topology_abilities(t, v) & ability) {
			if (any)
				printf(", %d", v);
			else
				printf("  switches that %s: %d", what, v);
			any = true;
		}
	if (any)
		putchar('\n');
}

static void show_text(const struct topology *t)
{
	char latency[RATIONAL_TEXT], speed[RATIONAL_TEXT];

	printf("%s: %d node%s", printable(t->name), t->nodes, plural(t->nodes));
	if (t->switches)
		printf(", %d switch%s (numbered from %d)", t->switches, t->switches == 1 ? "" : "es", t->nodes);
	printf(", %zu link%s\n", t->n_links, plural((int64_t)t->n_links));
	if (t->description)
		printf("  %s\n", printable(t->description));
	if (t->source)
		printf("  source: %s\n", printable(t->source));
	print_switches(t, "copy", MULTICASTS);
	print_switches(t, "add", REDUCES);
	puts("  bandwidths, in chunks per round:");
	print_links(t);
	for (size_t i = 0; i < t->n_limits; i++)
		print_limit(&t->limits[i]);
	for (size_t i = 0; i < t->n_kinds; i++)
		printf("  kind %s: latency %s us, %s GB/s per unit of bandwidth\n", printable(t->kinds[i].name),
		       rational_text(t->kinds[i].latency_us, latency), rational_text(t->kinds[i].gigabytes_per_second, speed));
}

static void show_json(const struct topology *t)
{
	struct text text = {0};
	topology_write(t, &text, 0);
	puts(text.bytes);
	text_free(&text);
}

/* A pair of links with equal bandwidth becomes one line without arrows. Names are escaped as in JSON, which Graphviz
 * reads in the same way. */
static void show_dot(const struct topology *t)
{
	struct text name = {0};

	text_add_json_string(&name, t->name);
	printf("digraph %s {\n  layout=circo;\n  node [shape=circle];\n", name.bytes);
	text_free(&name);
	for (int s = 0; s < t->switches; s++)
		printf("  %d [shape=box, label=\"switch %d\"];\n", t->nodes + s, t->nodes + s);
	for (size_t i = 0; i < t->n_links; i++) {
		const struct link *l = &t->links[i], *back = topology_link(t, l->dst, l->src);
		bool both = back && back->bandwidth == l->bandwidth;
		if (both && l->src > l->dst)
			continue;
		printf("  %d -> %d [label=\"%d\", penwidth=%d%s];\n", l->src, l->dst, l->bandwidth,
		       l->bandwidth < 6 ? l->bandwidth : 6, both ? ", dir=none" : "");
	}
	puts("}");
}

/* By --format. */
static void (*const formats[])(const struct topology *t) = {show_text, show_json, show_dot};

int topology_show(const struct topology_options *o)
{
	struct error e = {0};
	struct topology *t = topology_open(o->words.at[1], &e);

	if (!t)
		return fail(&e);
	formats[o->format >= 0 ? o->format : o->json](t);
	topology_free(t);
	return STATUS_DONE;
}

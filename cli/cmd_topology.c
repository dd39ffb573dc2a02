#include "cli/command.h"
#include "cli/options.h"

#include "core/file.h"
#include "core/memory.h"
#include "core/text.h"
#include "core/topology.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct usage usage = {
	"fdJ", "list | show T",
	"Lists the machines that are there by name and the shapes that need no file, or shows one.\n\n"
	"A machine T is a name of the list, a file (it has a slash or ends in .json), or a shape such as torus:4x4; edits may follow: "
	"T@gpus=0,1,4,5 keeps these nodes, renumbered in that order; T@drop=2-3 takes a link away; T@add=0-5x2 adds one.\n\n"
	"`show` prints --format text (a table of links), json (the file) or dot (for graphviz).\n\n"
	"Example: sccl-synth topology show dgx1 --format dot | dot -Tsvg > dgx1.svg\v"
	"Exit status: 0 done; 2 bad input."};

/* ---- list ---- */

struct names {
	char **all;
	size_t n, capacity;
};

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void add_name(struct names *l, const char *file)
{
	size_t length = strlen(file);

	if (length <= 5 || strcmp(file + length - 5, ".json") != 0)
		return;
	struct text name = {0};
	text_add_bytes(&name, file, length - 5);
	for (size_t i = 0; i < l->n; i++)
		if (strcmp(l->all[i], name.bytes) == 0) {
			text_free(&name); /* an earlier folder has it */
			return;
		}
	l->all = grown(l->all, &l->capacity, l->n + 1, sizeof *l->all);
	l->all[l->n++] = text_take(&name);
}

static struct names all_names(void)
{
	struct names l = {0};
	char *dir;

	for (size_t i = 0; (dir = search_path_at(i)); i++) {
		struct text path = {0};
		text_add(&path, "%s/topologies", dir);
		DIR *d = opendir(path.bytes);
		for (struct dirent *entry; d && (entry = readdir(d));)
			add_name(&l, entry->d_name);
		if (d)
			closedir(d);
		text_free(&path);
		free(dir);
	}
	if (l.n)
		qsort(l.all, l.n, sizeof *l.all, by_name);
	return l;
}

static void list_one(const char *name, bool json)
{
	struct error e = {0};
	struct text line = {0};
	struct topology *t = topology_open(name, &e);

	if (!t) {
		fail(&e);
		return;
	}
	if (json) {
		text_add(&line, "{\"name\": ");
		text_add_json_string(&line, name);
		text_add(&line, ", \"nodes\": %d, \"switches\": %d, \"links\": %zu, \"description\": ", t->nodes, t->switches,
			 t->n_links);
		text_add_json_string(&line, t->description ? t->description : "");
		text_add(&line, "}\n");
	} else
		text_add(&line, "  %-18s %4d nodes %5zu links  %s\n", name, t->nodes, t->n_links,
			 t->description ? t->description : "");
	fputs(line.bytes, stdout);
	text_free(&line);
	topology_free(t);
}

static int list(const struct options *o)
{
	struct names l = all_names();
	size_t n;
	const struct shape *shapes = topology_shapes(&n);

	if (!o->json)
		puts("Machines (links are counted by direction):");
	for (size_t i = 0; i < l.n; i++) {
		list_one(l.all[i], o->json);
		free(l.all[i]);
	}
	free(l.all);
	if (!o->json)
		puts("\nShapes, by their sides:");
	for (size_t i = 0; i < n && !o->json; i++)
		printf("  %-18s %s\n", shapes[i].example, shapes[i].about);
	return STATUS_DONE;
}

/* ---- show ---- */

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
	printf("  limit %s: at most %d chunks a round", l->name ? l->name : "(no name)", l->bandwidth);
	if (l->of != LIMIT_EDGES)
		printf(" %s node %d", l->of == LIMIT_INTO ? "into" : "out of", l->node);
	for (size_t i = 0; i < l->n_edges; i++)
		printf("%s%d->%d", i ? " " : " over ", l->edges[i].src, l->edges[i].dst);
	putchar('\n');
}

static void show_text(const struct topology *t)
{
	char latency[RATIONAL_TEXT], speed[RATIONAL_TEXT];

	printf("%s: %d nodes", t->name, t->nodes);
	if (t->switches)
		printf(", %d switches (numbered from %d)", t->switches, t->nodes);
	printf(", %zu links\n", t->n_links);
	if (t->description)
		printf("  %s\n", t->description);
	if (t->source)
		printf("  source: %s\n", t->source);
	puts("  bandwidths, in chunks per round:");
	print_links(t);
	for (size_t i = 0; i < t->n_limits; i++)
		print_limit(&t->limits[i]);
	for (size_t i = 0; i < t->n_kinds; i++)
		printf("  kind %s: latency %s us, %s GB/s for each unit of bandwidth\n", t->kinds[i].name,
		       rational_text(t->kinds[i].latency_us, latency), rational_text(t->kinds[i].gigabytes_per_second, speed));
}

static void show_json(const struct topology *t)
{
	struct text text = {0};
	topology_write(t, &text, 0);
	puts(text.bytes);
	text_free(&text);
}

/* A link both ways is one line without arrows; names go through the JSON escape, which graphviz reads alike. */
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

static const struct {
	const char *name;
	void (*show)(const struct topology *t);
} formats[] = {{"text", show_text}, {"json", show_json}, {"dot", show_dot}};

static int show(const struct options *o, const char *name)
{
	struct error e = {0};
	const char *format = o->format ? o->format : o->json ? "json" : "text";

	for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
		if (strcmp(formats[i].name, format) != 0)
			continue;
		struct topology *t = topology_open(name, &e);
		if (!t)
			return fail(&e);
		formats[i].show(t);
		topology_free(t);
		return STATUS_DONE;
	}
	error_set(&e, ERROR_INPUT, "--format", "must be text, json or dot, not \"%.64s\"", format);
	return fail(&e);
}

int cmd_topology(int argc, char **argv)
{
	struct error e = {0};
	struct options o;
	int status;

	if (!options_read(argc, argv, &usage, &o, &e))
		return fail(&e);
	const char *verb = o.n_files ? o.files[0] : "";
	if (strcmp(verb, "list") == 0 && o.n_files == 1)
		status = list(&o);
	else if (strcmp(verb, "show") == 0 && o.n_files == 2)
		status = show(&o, o.files[1]);
	else {
		error_set(&e, ERROR_INPUT, argv[0], "say `list`, or `show T` with one machine");
		status = fail(&e);
	}
	free(o.files);
	return status;
}

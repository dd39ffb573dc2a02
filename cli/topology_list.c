#include "cli/topology.h"

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

int topology_list(const struct options *o)
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

#include "synth/catalog.h"

#include "core/error.h"
#include "core/file.h"
#include "core/memory.h"
#include "core/text.h"
#include "core/topology.h"
#include "synth/frontier.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Letters, digits and the signs of shapes and edits stay; nothing leads out of the folder, nothing hides. */
static void add_safe(struct text *path, const char *name)
{
	size_t start = path->length;
	for (const char *c = name; *c; c++) {
		bool kept = isalnum((unsigned char)*c) || strchr("-_.@=,:+", *c);
		if (*c == '.' && path->length == start)
			kept = false;
		text_add(path, "%c", kept ? *c : '_');
	}
	if (path->length == start)
		text_add(path, "_");
}

char *catalog_folder(const char *dir, const struct topology *t, const struct collective *k)
{
	struct text path = {0};
	text_add(&path, "%s/", dir);
	add_safe(&path, t->name);
	text_add(&path, "/%s", collective_called(k));
	return text_take(&path);
}

void catalog_add_roots(const struct collective *k, struct text *into)
{
	int n;

	if (!collective_roots(k, &n))
		return;
	text_add(into, "-root");
	collective_add_roots(k, into);
}

/* DIR/TOPOLOGY/COLLECTIVE/ and then a base name that carries the root where there is one. */
static char *path_of(const char *dir, const struct topology *t, const struct collective *k, const char *base,
		     const char *suffix)
{
	struct text path = {0};
	char *folder = catalog_folder(dir, t, k);
	text_add(&path, "%s/%s", folder, base);
	catalog_add_roots(k, &path);
	text_add(&path, "%s", suffix);
	free(folder);
	return text_take(&path);
}

char *catalog_algorithm_path(const char *dir, const struct algorithm *a)
{
	struct text base = {0};
	text_add(&base, "c%d-s%zu-r%d", a->chunks, a->n_steps, algorithm_rounds(a));
	char *path = path_of(dir, a->topology, &a->collective, base.bytes, ".json");
	text_free(&base);
	return path;
}

char *catalog_frontier_path(const char *dir, const struct topology *t, const struct collective *k)
{
	return path_of(dir, t, k, "frontier", ".json");
}

char *catalog_journal_path(const char *dir, const struct topology *t, const struct collective *k)
{
	return path_of(dir, t, k, "frontier", ".journal");
}

char *catalog_half_journal_path(const char *dir, const struct topology *t, const struct collective *whole,
				const struct collective *half)
{
	struct text base = {0};
	text_add(&base, "frontier-%s", collective_name(half));
	char *path = path_of(dir, t, whole, base.bytes, ".journal");
	text_free(&base);
	return path;
}

bool catalog_store_point(struct frontier *f, size_t i, const char *dir, struct error *e)
{
	char *folder = catalog_folder(dir, f->topology, &f->collective);
	bool ok = folder_make(folder, e);
	free(folder);
	if (!ok)
		return false;
	free(f->files[i]);
	f->files[i] = catalog_algorithm_path(dir, f->points[i]);
	return algorithm_save(f->points[i], f->files[i], e);
}

bool catalog_store_frontier(const struct frontier *f, const char *dir, struct error *e)
{
	struct text text = {0};
	char *folder = catalog_folder(dir, f->topology, &f->collective);
	char *path = catalog_frontier_path(dir, f->topology, &f->collective);
	frontier_write(f, &text);
	bool ok = folder_make(folder, e) && file_write(path, text.bytes, text.length, e);
	free(folder);
	free(path);
	text_free(&text);
	return ok;
}

static bool store_points(struct frontier *f, const char *dir, struct error *e)
{
	for (size_t i = 0; f && i < f->n_points; i++)
		if (!catalog_store_point(f, i, dir, e))
			return false;
	return true;
}

bool catalog_store_all(struct frontier *f, const char *dir, struct error *e)
{
	return store_points(f->composed, dir, e) && store_points(f, dir, e) && catalog_store_frontier(f, dir, e);
}

/*
 * Paths of the catalog, and writing to it. Different machines may have the same name, so that existing files are read
 * and compared before any is overwritten: once, before a search, since reading large algorithms takes time.
 */

#include "synth/frontier/catalog.h"

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/machine/topology.h"
#include "synth/frontier/frontier_parts.h"

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Keeps letters, digits and the punctuation of shapes and edits; the result neither leaves the folder nor starts with a
 * dot. */
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

/* DIR/TOPOLOGY/COLLECTIVE/BASE, the roots if there are any, SUFFIX. */
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

/* A file that cannot be read counts as nobody's. */
static bool is_algorithm_of_another(const char *path, const struct topology *t, const struct collective *k)
{
	struct error ignored = {0};
	struct algorithm *a = access(path, F_OK) == 0 ? algorithm_open_compact(path, &ignored) : NULL;
	bool other = a && !(topology_same_machine(a->topology, t) && collective_same(&a->collective, k));

	algorithm_free(a);
	return other;
}

/* The frontier at PATH; NULL: there is none that can be read. Owned by the caller. */
static struct frontier *frontier_at(const char *path)
{
	struct error ignored = {0};

	return access(path, F_OK) == 0 ? frontier_open(path, &ignored) : NULL;
}

/* Is the file called NAME a point of F, and so has been read with it? */
static bool names_point(const struct frontier *f, const char *name)
{
	for (size_t i = 0; f && i < f->n_points; i++)
		if (f->files[i] && strcmp(base_name(f->files[i]), name) == 0)
			return true;
	return f && f->composed && names_point(f->composed, name);
}

static bool refuse(const char *path, struct error *e)
{
	return error_set(e, ERROR_INPUT, path, "belongs to another machine or collective of this name; choose another folder or name");
}

/* Is NAME "c2-s2-r3" or the like, followed by SUFFIX? */
static bool is_point(const char *name, const char *suffix)
{
	int chunks, steps, rounds, end = 0;

	return sscanf(name, "c%9d-s%9d-r%9d%n", &chunks, &steps, &rounds, &end) == 3 && strcmp(name + end, suffix) == 0;
}

bool catalog_check(const char *dir, const struct topology *t, const struct collective *k, struct error *e)
{
	struct text suffix = {0};
	char *folder = catalog_folder(dir, t, k), *path = catalog_frontier_path(dir, t, k);
	struct frontier *f = frontier_at(path);
	bool ours = f && topology_same_machine(f->topology, t) && collective_same(&f->collective, k);
	DIR *files = folder_open(folder);

	if (f && !ours)
		refuse(path, e);
	catalog_add_roots(k, &suffix);
	text_add(&suffix, ".json");
	for (struct dirent *one; files && e->kind == ERROR_NONE && (one = readdir(files));) {
		struct text point = {0};
		text_add(&point, "%s/%s", folder, one->d_name);
		if (is_point(one->d_name, suffix.bytes) && !(ours && names_point(f, one->d_name)) && is_algorithm_of_another(point.bytes, t, k))
			refuse(point.bytes, e);
		text_free(&point);
	}
	if (files)
		closedir(files);
	frontier_free(f);
	text_free(&suffix);
	free(path);
	free(folder);
	return e->kind == ERROR_NONE;
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
	return catalog_check(dir, f->topology, &f->collective, e) && store_points(f->composed, dir, e) && store_points(f, dir, e) &&
	       catalog_store_frontier(f, dir, e);
}

/* Lists the files that can be given by name, over all directories of the search path. */

#include "core/base/names.h"

#include "core/base/file.h"
#include "core/base/memory.h"
#include "core/base/text.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

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
			text_free(&name); /* an earlier directory has it */
			return;
		}
	l->all = grown(l->all, &l->capacity, l->n + 1, sizeof *l->all);
	l->all[l->n++] = text_take(&name);
}

struct names names_of(const char *folder)
{
	struct names l = {0};
	char *dir;

	for (size_t i = 0; (dir = search_path_at(i)); i++) {
		struct text path = {0};
		text_add(&path, "%s/%s", dir, folder);
		DIR *d = folder_open(path.bytes);
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

void names_free(struct names *l)
{
	for (size_t i = 0; i < l->n; i++)
		free(l->all[i]);
	free(l->all);
	*l = (struct names){0};
}

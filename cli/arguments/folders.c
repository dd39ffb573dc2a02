/* Walks folders. Whether a file is an algorithm is decided by its "format"; one that is no JSON is kept, so that the
 * command reports it. */

#include "cli/arguments/folders.h"

#include "core/base/json.h"
#include "core/base/memory.h"
#include "core/base/text.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Static, since operands are borrowed by all that follows. */
static struct {
	char **at;
	size_t n, capacity;
} found;

static void add(const char *path)
{
	found.at = grown(found.at, &found.capacity, found.n + 1, sizeof *found.at);
	found.at[found.n++] = copy_string(path);
}

static bool is_algorithm(const char *path)
{
	struct error ignored = {0};
	size_t n = strlen(path);

	if (n <= 5 || strcmp(path + n - 5, ".json") != 0)
		return false;
	struct json_document *d = json_document_open(path, &ignored);
	const char *format = d ? json_string_value(json_object_get(d->root, "format")) : NULL;
	bool is = !d || (format && strcmp(format, "sccl-algorithm") == 0);
	json_document_close(d);
	return is;
}

static int is_seen(const struct dirent *d)
{
	return d->d_name[0] != '.';
}

static bool walk(const char *path, struct error *e);

static bool enter(const char *path, struct error *e)
{
	struct stat s;

	if (lstat(path, &s) == 0 && S_ISDIR(s.st_mode))
		return walk(path, e);
	if (lstat(path, &s) == 0 && S_ISREG(s.st_mode) && is_algorithm(path))
		add(path);
	return true;
}

static bool walk(const char *path, struct error *e)
{
	struct dirent **entries;
	int n = scandir(path, &entries, is_seen, alphasort);
	bool ok = n >= 0 || error_set(e, ERROR_INPUT, path, "%s", strerror(errno));

	for (int i = 0; i < n; i++) {
		struct text below = {0};
		text_add(&below, "%s%s%s", path, path[strlen(path) - 1] == '/' ? "" : "/", entries[i]->d_name);
		ok = ok && enter(below.bytes, e);
		text_free(&below);
		free(entries[i]);
	}
	if (n >= 0)
		free(entries);
	return ok;
}

bool operands_open_folders(struct operands *files, struct error *e)
{
	for (size_t i = 0; i < files->n; i++) {
		struct stat s;
		size_t before = found.n;
		if (stat(files->at[i], &s) != 0 || !S_ISDIR(s.st_mode)) {
			add(files->at[i]);
			continue;
		}
		if (!walk(files->at[i], e))
			return false;
		if (found.n == before)
			return error_set(e, ERROR_INPUT, files->at[i], "is a folder without algorithms");
	}
	*files = (struct operands){found.at, found.n};
	return true;
}

#include "core/file.h"

#include "core/error.h"
#include "core/memory.h"
#include "core/place.h"
#include "core/text.h"
#include "house.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool failed(const char *path, struct error *e)
{
	bool ours = errno == ENOSPC || errno == EIO || errno == EMFILE || errno == ENFILE || errno == ENOMEM;
	return error_set(e, ours ? ERROR_SYSTEM : ERROR_INPUT, path, "%s", strerror(errno));
}

static bool read_all(int file, const char *path, struct text *into, struct error *e)
{
	char block[65536];
	for (;;) {
		ssize_t n = read(file, block, sizeof block);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return failed(path, e);
		if (n == 0)
			return true;
		if (into->length + (size_t)n > FILE_MAX)
			return error_set(e, ERROR_INPUT, path, "is larger than %d bytes", FILE_MAX);
		text_add_bytes(into, block, (size_t)n);
	}
}

bool file_read(const char *path, struct text *into, struct error *e)
{
	bool standard = strcmp(path, "-") == 0;
	int file = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
	if (file < 0)
		return failed(path, e);

	text_add_bytes(into, "", 0);
	bool ok = read_all(file, path, into, e);
	if (!standard)
		close(file);
	return ok;
}

static bool write_all(int file, const char *path, const char *bytes, size_t n, struct error *e)
{
	while (n > 0) {
		ssize_t done = write(file, bytes, n);
		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return failed(path, e);
		bytes += done;
		n -= (size_t)done;
	}
	return true;
}

static mode_t usual_mode(void)
{
	mode_t mask = umask(0);
	umask(mask);
	return 0666 & ~mask;
}

/* Devices and pipes are written to; a rename would put a file in their place. */
static bool write_through(const char *path, const char *bytes, size_t n, struct error *e)
{
	int file = open(path, O_WRONLY | O_CLOEXEC);
	if (file < 0)
		return failed(path, e);
	bool ok = write_all(file, path, bytes, n, e);
	return (close(file) == 0 || failed(path, e)) && ok;
}

static bool make_parent(const char *path, struct error *e)
{
	const char *slash = strrchr(path, '/');
	if (!slash || slash == path)
		return true;
	struct text parent = {0};
	text_add_bytes(&parent, path, (size_t)(slash - path));
	bool ok = folder_make(parent.bytes, e);
	text_free(&parent);
	return ok;
}

bool file_write(const char *path, const char *bytes, size_t n, struct error *e)
{
	struct stat s;
	if (stat(path, &s) == 0 && !S_ISREG(s.st_mode))
		return write_through(path, bytes, n, e);
	if (!make_parent(path, e))
		return false;
	struct text temporary = {0};
	text_add(&temporary, "%s.XXXXXX", path);
	int file = mkstemp(temporary.bytes);
	if (file < 0) {
		failed(path, e);
		text_free(&temporary);
		return false;
	}
	bool ok = write_all(file, path, bytes, n, e);
	ok = ok && (fchmod(file, usual_mode()) == 0 || failed(path, e));
	ok = ok && (fsync(file) == 0 || failed(path, e));
	ok = (close(file) == 0 || failed(path, e)) && ok;
	ok = ok && (rename(temporary.bytes, path) == 0 || failed(path, e));
	if (!ok)
		unlink(temporary.bytes);
	text_free(&temporary);
	return ok;
}

bool folder_make(const char *path, struct error *e)
{
	char *copy = copy_string(path);
	for (char *slash = copy + 1; *copy; slash++) {
		bool last = *slash == '\0';
		if (!last && *slash != '/')
			continue;
		*slash = '\0';
		struct stat s;
		if (mkdir(copy, 0777) != 0 && (errno != EEXIST || stat(copy, &s) != 0 || !S_ISDIR(s.st_mode))) {
			if (errno == EEXIST)
				errno = ENOTDIR;
			failed(copy, e);
			free(copy);
			return false;
		}
		if (last)
			break;
		*slash = '/';
	}
	free(copy);
	return true;
}

static const char *first_folder;

void search_path_first(const char *dir)
{
	first_folder = dir;
}

/* The i-th part of a list with colons between, counted from *left; NULL: the list has fewer, and *left is less by them. */
static char *part_of(const char *list, size_t *left)
{
	while (list && *list) {
		size_t length = strcspn(list, ":");
		if (length && (*left)-- == 0) {
			struct text part = {0};
			text_add_bytes(&part, list, length);
			return text_take(&part);
		}
		list += length + (list[length] == ':');
	}
	return NULL;
}

char *search_path_at(size_t i)
{
	char *const installed = place_installed(SCCL_DATA);
	const char *const fixed[] = {first_folder, getenv("SCCL_PATH"), ".",
				     place_in_build_tree() ? SCCL_SOURCE_ROOT : NULL, installed};
	char *found = NULL;

	for (size_t f = 0; !found && f < sizeof fixed / sizeof *fixed; f++) {
		if (!fixed[f])
			continue;
		if (f == 1) /* only $SCCL_PATH is a list */
			found = part_of(fixed[f], &i);
		else if (i-- == 0)
			found = copy_string(fixed[f]);
	}
	free(installed);
	return found;
}

char *search_path_find(const char *folder, const char *name)
{
	char *dir;
	for (size_t i = 0; (dir = search_path_at(i)); i++) {
		struct text path = {0};
		text_add(&path, "%s/%s/%s", dir, folder, name);
		free(dir);
		if (access(path.bytes, F_OK) == 0)
			return text_take(&path);
		text_free(&path);
	}
	return NULL;
}

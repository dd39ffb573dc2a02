/*
 * Reading: only regular files and named streams, opened without blocking. Writing: the usual temporary file and rename.
 * A writer holds a lock on its temporary file until the rename, so that a sweep can recognize abandoned ones.
 */

#include "core/base/file.h"

#include "core/base/error.h"
#include "core/base/memory.h"
#include "core/base/install_paths.h"
#include "core/base/text.h"
#include "build_config.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static bool failed(const char *path, struct error *e)
{
	bool ours = errno == ENOSPC || errno == EIO || errno == EMFILE || errno == ENFILE || errno == ENOMEM;
	return error_set(e, ours ? ERROR_SYSTEM : ERROR_INPUT, path, "%s", strerror(errno));
}

bool file_read_open(int file, const char *path, struct text *into, struct error *e)
{
	char block[65536];

	text_add_bytes(into, "", 0);
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

/*
 * The names under which a shell passes a stream. Only these may be other than regular files: the user asked for them.
 */
static bool is_stream(const char *path)
{
	static const char *const whole[] = {"/dev/stdin", "/dev/null"}, *const folders[] = {"/dev/fd/", "/proc/self/fd/"};

	for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
		if (strcmp(path, whole[i]) == 0)
			return true;
	for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
		size_t n = strlen(folders[i]);
		if (strncmp(path, folders[i], n) == 0 && path[n] && path[n + strspn(path + n, "0123456789")] == '\0')
			return true;
	}
	return false;
}

bool file_is_beside(const char *name)
{
	return *name && *name != '.' && !strchr(name, '/') && strcmp(name, "-") != 0;
}

static bool is_regular(int file, const char *path, struct error *e)
{
	struct stat s;

	if (fstat(file, &s) != 0)
		return failed(path, e);
	if (S_ISREG(s.st_mode))
		return true;
	errno = EISDIR;
	return S_ISDIR(s.st_mode) ? failed(path, e) : error_set(e, ERROR_INPUT, path, "is not a regular file");
}

int file_open(const char *path, int flags, struct error *e)
{
	int file = open(path, flags | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0666);

	if (file < 0 && errno == ELOOP && flags & O_NOFOLLOW) {
		error_set(e, ERROR_INPUT, path, "is a symbolic link");
		return -1;
	}
	if (file < 0) {
		failed(path, e);
		return -1;
	}
	if (is_regular(file, path, e))
		return file;
	close(file);
	return -1;
}

static int open_stream(const char *path, struct error *e)
{
	int file = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);

	if (file < 0)
		failed(path, e);
	return file;
}

bool file_read(const char *path, struct text *into, struct error *e)
{
	bool standard = strcmp(path, "-") == 0;
	int file = standard ? STDIN_FILENO : is_stream(path) ? open_stream(path, e) : file_open(path, O_RDONLY, e);
	if (file < 0)
		return false;

	bool ok = file_read_open(file, path, into, e);
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

/*
 * Devices and pipes are written to directly, as a rename would replace them with a regular file. A pipe without a
 * reader is an error; opening it must not block.
 */
static bool write_through(const char *path, const char *bytes, size_t n, struct error *e)
{
	int file = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (file < 0 && errno == ENXIO)
		return error_set(e, ERROR_INPUT, path, "is a pipe or socket that nothing reads from");
	if (file < 0)
		return failed(path, e);
	bool ok = fcntl(file, F_SETFL, fcntl(file, F_GETFL) & ~O_NONBLOCK) == 0 || failed(path, e);
	ok = ok && write_all(file, path, bytes, n, e);
	return (close(file) == 0 || failed(path, e)) && ok;
}

/* The folder of PATH with its trailing slash; "" for the working folder. The caller frees it. */
static char *parent_of(const char *path)
{
	const char *slash = strrchr(path, '/');
	struct text parent = {0};

	text_add_bytes(&parent, path, slash ? (size_t)(slash - path) + 1 : 0);
	return text_take(&parent);
}

/*
 * The name of a temporary file. Its length does not depend on the target's name, so that any name the folder allows can
 * be written. Its writer holds a lock on it: an unlocked one was left behind by a killed writer.
 */
static const char unfinished[] = ".sccl-", random_letters[] = "XXXXXX";

/* A sweep may remove the file between its creation and the lock; then another one is created. */
static int make_unfinished(const char *parent, struct text *name, const char *path, struct error *e)
{
	for (;;) {
		struct stat s;
		text_free(name);
		text_add(name, "%s%s%s", parent, unfinished, random_letters);
		int file = mkstemp(name->bytes);
		if (file < 0) {
			failed(path, e);
			return -1;
		}
		flock(file, LOCK_EX);
		if (fstat(file, &s) != 0 || s.st_nlink > 0)
			return file;
		close(file);
	}
}

static bool sync_folder(const char *parent, struct error *e)
{
	const char *path = *parent ? parent : ".";
	int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	/* Not every file system supports this: only EIO is an error. */
	bool ok = folder < 0 || fsync(folder) == 0 || errno != EIO || failed(path, e);

	if (folder >= 0)
		close(folder);
	return ok;
}

/* Holds the lock until the file has its final name. */
static bool write_and_rename(const char *parent, const char *path, const char *bytes, size_t n, struct error *e)
{
	struct text name = {0};
	int file = make_unfinished(parent, &name, path, e);
	bool ok = file >= 0 && write_all(file, path, bytes, n, e);

	ok = ok && (fchmod(file, usual_mode()) == 0 || failed(path, e));
	ok = ok && (fsync(file) == 0 || failed(path, e));
	ok = ok && (rename(name.bytes, path) == 0 || failed(path, e));
	if (file >= 0 && !ok)
		unlink(name.bytes);
	if (file >= 0)
		ok = (close(file) == 0 || failed(path, e)) && ok;
	text_free(&name);
	return ok && sync_folder(parent, e);
}

/* The open file that a stream's name for output means; -1: PATH is none. */
static int stream_of(const char *path)
{
	const char *number = strrchr(path, '/');
	int64_t file;

	if (strcmp(path, "/dev/stdout") == 0)
		return STDOUT_FILENO;
	if (strcmp(path, "/dev/stderr") == 0)
		return STDERR_FILENO;
	return is_stream(path) && parse_integer(number + 1, 0, INT_MAX, &file) ? (int)file : -1;
}

bool file_write(const char *path, const char *bytes, size_t n, struct error *e)
{
	struct stat s;
	int stream = stream_of(path);

	if (stream >= 0) { /* also one that the shell made a regular file: a rename would replace the name in /dev */
		fflush(stdout);
		return write_all(stream, path, bytes, n, e);
	}
	if (stat(path, &s) == 0 && !S_ISREG(s.st_mode))
		return write_through(path, bytes, n, e);
	char *parent = parent_of(path);
	bool ok = (!*parent || folder_make(parent, e)) && write_and_rename(parent, path, bytes, n, e);
	free(parent);
	return ok;
}

static void sweep_one(int folder, const char *name)
{
	int file = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat s;

	if (file < 0)
		return;
	if (fstat(file, &s) == 0 && S_ISREG(s.st_mode) && flock(file, LOCK_EX | LOCK_NB) == 0)
		unlinkat(folder, name, 0);
	close(file);
}

DIR *folder_open(const char *path)
{
	DIR *folder = opendir(path);

	if (!folder && errno == ENOMEM)
		memory_out();
	return folder;
}

void folder_sweep(const char *path)
{
	enum { NAME = sizeof unfinished - 1 + sizeof random_letters - 1 };
	DIR *files = folder_open(path);

	for (struct dirent *one; files && (one = readdir(files));)
		if (strlen(one->d_name) == NAME && strncmp(one->d_name, unfinished, sizeof unfinished - 1) == 0)
			sweep_one(dirfd(files), one->d_name);
	if (files)
		closedir(files);
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

/* Can a folder be made in PATH? That root may write to /proc does not mean that files can be made there. */
static bool takes_folders(const char *path)
{
	struct text probe = {0};

	text_add(&probe, "%s/%s%s", path, unfinished, random_letters);
	bool ok = mkdtemp(probe.bytes) && rmdir(probe.bytes) == 0;
	text_free(&probe);
	if (!ok && errno == ENOENT) /* so says /proc, which exists */
		errno = EACCES;
	return ok;
}

bool folder_check(const char *path, struct error *e)
{
	char *copy = copy_string(path), *slash;
	struct stat s;
	bool ok;

	while (!(ok = stat(*copy ? copy : ".", &s) == 0) && (errno == ENOENT || errno == ENOTDIR) && *copy) { /* the nearest that exists */
		slash = strrchr(copy, '/');
		*(slash ? slash + (slash == copy && slash[1]) : copy) = '\0';
	}
	if (ok && !S_ISDIR(s.st_mode)) {
		errno = ENOTDIR;
		ok = false;
	}
	ok = (ok && access(*copy ? copy : ".", W_OK | X_OK) == 0 && takes_folders(*copy ? copy : ".")) || failed(copy, e);
	free(copy);
	return ok;
}

static const char *first_folder;

void search_path_first(const char *dir)
{
	first_folder = dir;
}

/*
 * The *left-th nonempty part of a colon-separated list, counted from 0. NULL if the list has too few, in which case
 * *left is reduced by their number.
 */
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
	char *const installed = install_path(SCCL_DATA);
	const char *const fixed[] = {first_folder, getenv("SCCL_PATH"), ".",
				     install_is_build_tree() ? SCCL_SOURCE_ROOT : NULL, installed};
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

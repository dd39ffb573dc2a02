#ifndef SCCL_CORE_BASE_FILE_H
#define SCCL_CORE_BASE_FILE_H

/* Files whole or not at all. */

#include <stdbool.h>
#include <stddef.h>

struct error;
struct text;

/* At most FILE_MAX bytes of a regular file. Only "-" and the names under which a shell passes streams (/dev/stdin, /dev/fd/N)
 * may be pipes or terminals, so that nothing that lies in a folder makes a reader wait. */
bool file_read(const char *path, struct text *into, struct error *e);

/* Is NAME that of a file in the same folder, for files that name others? No path, nothing hidden, not "-", the standard input. */
bool file_is_beside(const char *name);

/* open(2) of a regular file, without waiting for one that is not: -1 with *e set. With O_NOFOLLOW PATH is no symbolic link. */
int file_open(const char *path, int flags, struct error *e);

/* The rest of an open file, which errors call PATH. */
bool file_read_open(int file, const char *path, struct text *into, struct error *e);

/* Temporary file beside PATH, write, fsync, rename, fsync of the folder: a reader sees the old file or the new one. Missing
 * folders are made. A device, or a pipe that is read from, is written to as it is. */
bool file_write(const char *path, const char *bytes, size_t n, struct error *e);

/* Removes from a folder what writers that were killed left unfinished; not what others are writing. */
void folder_sweep(const char *path);

bool folder_make(const char *path, struct error *e); /* with its parents; there already is fine */

/*
 * Where names of topologies and algorithms are sought, in this order: -d DIR, $SCCL_PATH (colons between), the working
 * folder, the source tree of an uninstalled build, the installed data. Returns the path of FOLDER/NAME in the first of
 * them that has it (the caller frees), or NULL.
 */
void search_path_first(const char *dir); /* -d DIR; NULL for none */
char *search_path_find(const char *folder, const char *name);
/* The folders themselves, in order, for listings; NULL past the end. The caller frees. */
char *search_path_at(size_t i);

enum { FILE_MAX = 1 << 30 };

#endif

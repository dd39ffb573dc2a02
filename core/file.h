#ifndef SCCL_CORE_FILE_H
#define SCCL_CORE_FILE_H

/* Files whole or not at all. */

#include <stdbool.h>
#include <stddef.h>

struct error;
struct text;

bool file_read(const char *path, struct text *into, struct error *e); /* at most FILE_MAX bytes */

/* Temporary file beside PATH, write, fsync, rename: a reader sees the old file or the new one. Missing folders are made.
 * A device or a pipe is written to as it is. */
bool file_write(const char *path, const char *bytes, size_t n, struct error *e);

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

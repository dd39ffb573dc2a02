#ifndef SCCL_CORE_BASE_FILE_H
#define SCCL_CORE_BASE_FILE_H

/* Files, read and written in full or not at all, and the search path for shipped topologies and algorithms. */

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>

struct error;
struct text;

/*
 * Appends the contents of a regular file of at most FILE_MAX bytes to INTO; "-" is standard input. Only "-" and the
 * names under which a shell passes streams (/dev/stdin, /dev/fd/N, /proc/self/fd/N) and /dev/null may be something
 * else, such as a pipe or a terminal, so that no entry of a folder can block a reader. False with *e set.
 */
bool file_read(const char *path, struct text *into, struct error *e);

/*
 * For files that refer to other files: is NAME a plain file name, to be looked up in the same folder? Not a path, a
 * hidden file, or "-", which is standard input.
 */
bool file_is_beside(const char *name);

/*
 * open(2) restricted to regular files; never blocks on anything else. With O_NOFOLLOW, a symbolic link is an error.
 * Returns the descriptor, which the caller closes, or -1 with *e set.
 */
int file_open(const char *path, int flags, struct error *e);

/* Appends the rest of an open file to INTO; error messages call it PATH. Leaves FILE open. False with *e set. */
bool file_read_open(int file, const char *path, struct text *into, struct error *e);

/*
 * Replaces PATH atomically: temporary file in the same folder, write, fsync, rename, fsync of the folder. A reader sees
 * either the old file or the new one. Creates missing folders. The streams of a shell (/dev/stdout, /dev/stderr,
 * /dev/fd/N) are written to, whatever they are. A device, or a pipe that has a reader, is written to
 * directly. False with *e set.
 */
bool file_write(const char *path, const char *bytes, size_t n, struct error *e);

/*
 * opendir(3), except that a lack of memory ends the process: a folder must not seem empty for it. NULL: there is none,
 * or it cannot be read. The caller closes it.
 */
DIR *folder_open(const char *path);

/* Removes the temporary files that killed writers left in a folder, but not those that are still being written. */
void folder_sweep(const char *path);

/* Could folder_make make it now? False with *e set, as folder_make would set it. */
bool folder_check(const char *path, struct error *e);
bool folder_make(const char *path, struct error *e); /* with its parents; an existing folder is fine */

/*
 * Topologies and algorithms are searched for by name in these folders, in this order: -d DIR, those of $SCCL_PATH
 * (separated by colons), the working folder, the source tree of an uninstalled build, the installed data.
 * search_path_find returns the path of FOLDER/NAME in the first that has it (the caller frees it), or NULL.
 */
void search_path_first(const char *dir); /* sets -d DIR; borrowed; NULL for none */
char *search_path_find(const char *folder, const char *name);
/* The i-th of these folders, for listings; NULL past the end. The caller frees it. */
char *search_path_at(size_t i);

enum { FILE_MAX = 1 << 30 };

#endif

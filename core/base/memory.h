#ifndef SCCL_CORE_BASE_MEMORY_H
#define SCCL_CORE_BASE_MEMORY_H

/*
 * An allocation either succeeds or ends the process: an offline tool has no better response to running out of memory.
 */

#include <stddef.h>

/* Zeroed memory; the caller frees it. */
#define new(type) ((type *)zeroed(1, sizeof(type)))
#define new_array(type, n) ((type *)zeroed((n), sizeof(type)))

/* The exit status of a process that ran out of memory; a parent recognizes it in its workers. */
enum { MEMORY_STATUS = 4 };

/*
 * Ends the process with one line on standard error and MEMORY_STATUS. Allocates nothing, flushes nothing and runs no
 * exit handlers, so that it is safe to call from within any library.
 */
_Noreturn void memory_out(void);

/* Sets the name, such as that of the command, that this line reports; borrowed. */
void memory_used_by(const char *what);

/* calloc that does not fail; never NULL, even for 0 elements. */
void *zeroed(size_t n, size_t size);

/*
 * Grows an array of *capacity elements of SIZE bytes (NULL: none yet) to hold at least n, geometrically; the new part
 * is not zeroed. Returns the array, which may have moved, and updates *capacity.
 */
void *grown(void *array, size_t *capacity, size_t n, size_t size);

/* Copies that the caller frees. */
char *copy_string(const char *s); /* NULL gives NULL */
void *copy_bytes(const void *p, size_t n);

#endif

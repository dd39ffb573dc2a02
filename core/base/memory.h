#ifndef SCCL_CORE_BASE_MEMORY_H
#define SCCL_CORE_BASE_MEMORY_H

/* An allocation either succeeds or ends the process: an offline tool has no better answer to a lack of memory. */

#include <stddef.h>

#define new(type) ((type *)zeroed(1, sizeof(type)))
#define new_array(type, n) ((type *)zeroed((n), sizeof(type)))

/* Exit status of a process that ran out of memory; a parent reads it from its workers. */
enum { MEMORY_STATUS = 4 };

/* Ends the process with one line on standard error and MEMORY_STATUS. Allocates nothing, flushes nothing, and runs no exit
 * handlers: it may be called from within any library. */
_Noreturn void memory_out(void);

/* What that line names; borrowed. */
void memory_used_by(const char *what);

void *zeroed(size_t n, size_t size);

/* Grows an array of *capacity elements to hold at least n; the new part is not zeroed. */
void *grown(void *array, size_t *capacity, size_t n, size_t size);

char *copy_string(const char *s); /* NULL gives NULL */
void *copy_bytes(const void *p, size_t n);

#endif

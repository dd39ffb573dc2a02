#ifndef SCCL_CORE_MEMORY_H
#define SCCL_CORE_MEMORY_H

/* Memory that is there or the program is not: an offline tool has no better answer to its lack. */

#include <stddef.h>

#define new(type) ((type *)zeroed(1, sizeof(type)))
#define new_array(type, n) ((type *)zeroed((n), sizeof(type)))

void *zeroed(size_t n, size_t size);

/* Grows an array of *capacity elements to hold at least n; the new part is not zeroed. */
void *grown(void *array, size_t *capacity, size_t n, size_t size);

char *copy_string(const char *s); /* NULL gives NULL */
void *copy_bytes(const void *p, size_t n);

#endif

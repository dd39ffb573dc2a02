#ifndef SCCL_CLI_ARGUMENTS_SIZES_H
#define SCCL_CLI_ARGUMENTS_SIZES_H

/* Bytes as people write them: 16M is 16 * 1024 * 1024. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct error;

/* TEXT, all of it, from 1 byte to 1024G. */
bool bytes_read(const char *option, const char *text, int64_t *out, struct error *e);

/* "64:16M" are the powers of two from the one to the other, ascending. The caller frees, also where it is at fault. */
bool sizes_range(const char *text, int64_t **sizes, size_t *n, struct error *e);
/* The same, or a list such as "1K,96000K", which must ascend. */
bool sizes_read(const char *text, int64_t **sizes, size_t *n, struct error *e);

#endif

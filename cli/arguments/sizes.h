#ifndef SCCL_CLI_ARGUMENTS_SIZES_H
#define SCCL_CLI_ARGUMENTS_SIZES_H

/* Reads sizes in bytes with binary suffixes K, M and G: 16M is 16 * 1024 * 1024. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct error;
struct option_row;

/* A reader of options: int64_t, from 1 byte to 1024G. */
bool option_bytes(const struct option_row *r, const char *s, void *field, struct error *e);

/* "64:16M": the powers of two between these, inclusive, in ascending order. False with *e set. The caller frees *sizes,
 * which must be NULL on entry, in either case. */
bool sizes_range(const char *text, int64_t **sizes, size_t *n, struct error *e);
/* The same, or a strictly ascending list such as "1K,96000K". */
bool sizes_read(const char *text, int64_t **sizes, size_t *n, struct error *e);

#endif

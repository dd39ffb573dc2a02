#ifndef SCCL_LOWER_PROGRAM_KERNELS_H
#define SCCL_LOWER_PROGRAM_KERNELS_H

/* Which kernels a program has: one for each type and operation, or for each size of an element where nothing is reduced.
 * Each takes seconds of a GPU compiler's time, so an application names those that it calls. */

#include "core/base/text.h"

#include <stdbool.h>

struct error;

/* Bits by the order of sccl_dtype_t and sccl_op_t (sccl/program.h). */
struct kernels {
	unsigned types, ops;
};

struct kernels kernels_all(void);

/* From lists as in "f32,f16" and "sum,max"; "all" and NULL are all. False with *e set: one has no such name. */
bool kernels_read(const char *types, const char *ops, struct kernels *out, struct error *e);

/* The kernels, and the table of them that ends a program. */
void text_kernels(const struct kernels *k, bool combining, struct text *into);
void text_kernel_rows(const struct kernels *k, bool combining, struct text *into);

#endif

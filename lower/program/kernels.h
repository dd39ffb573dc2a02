#ifndef SCCL_LOWER_PROGRAM_KERNELS_H
#define SCCL_LOWER_PROGRAM_KERNELS_H

/*
 * Selects the kernels of a program: one for each data type and operation, or, if the collective does not combine, one
 * for each element size. A GPU compiler takes seconds for each, so an application can name just those that it calls.
 */

#include "core/base/text.h"

#include <stdbool.h>

struct error;

/* Bit masks, indexed by sccl_dtype_t and sccl_op_t (sccl/program.h). */
struct kernels {
	unsigned types, ops;
};

/* All types and operations. */
struct kernels kernels_all(void);

/* Parses lists such as "f32,f16" and "sum,max"; "all" or NULL selects all. False with *e set: an unknown name. */
bool kernels_read(const char *types, const char *ops, struct kernels *out, struct error *e);

/* Append the definitions of the kernels, and the table of them that ends a program. COMBINING: the collective
 * reduces. */
void text_kernels(const struct kernels *k, bool combining, struct text *into);
void text_kernel_rows(const struct kernels *k, bool combining, struct text *into);

#endif

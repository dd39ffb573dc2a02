#ifndef SCCL_LOWER_PROGRAM_KERNELS_H
#define SCCL_LOWER_PROGRAM_KERNELS_H

/*
 * Selects the kernels of a program: one for each data type and operation, or, if the collective does not combine, one
 * for each element size. A GPU compiler takes seconds for each, so programs have those that most applications call
 * unless others are named, and each kernel can be a file of its own, so that they compile in parallel.
 */

#include "core/base/text.h"

#include <stdbool.h>

struct error;

/* Bit masks, indexed by sccl_dtype_t and sccl_op_t (sccl/program.h). */
struct kernels {
	unsigned types, ops; /* of a program that reduces */
	unsigned moved;      /* the types of a program that does not */
	bool split;          /* a file for each kernel */
	bool ordered;        /* the program is to add in one order: without what leaves that to a switch */
	bool wide;           /* f16 and bf16 are added and multiplied in f32, and rounded once a reduction */
};

/* A kernel, which may serve several types and operations: an average of floating-point numbers is a premultiplied sum, and
 * sums of integers do not depend on their sign. Strings are static. */
struct kernel {
	const char *type, *op; /* op NULL: nothing is reduced, and only the size matters */
	int bytes;             /* of an element */
	bool wide;
};
enum { KERNELS_MAX = 72 };

/* All types and operations, in one file. */
struct kernels kernels_all(void);

/*
 * Parses lists such as "f32,f16" and "sum,max"; "all" selects all. NULL selects what most applications call: f32, f16,
 * bf16 and i32, with sum, min and max; but all types where nothing is reduced, since those are only four kernels. In one
 * file. ACCUMULATE: "f32" for wide kernels, "own" or NULL otherwise. False with *e set: an unknown name.
 */
bool kernels_read(const char *types, const char *ops, const char *accumulate, struct kernels *out, struct error *e);

/* Do results depend on where sums are rounded, because a kernel of K adds in a wider type than its own? */
bool kernels_round(const struct kernels *k);

/* Lists the kernels that K selects and returns their number. COMBINING: the collective reduces. */
size_t kernels_list(const struct kernels *k, bool combining, struct kernel list[KERNELS_MAX]);

/* Appends "f32_sum", or "4" for elements of four bytes. */
void text_kernel_name(const struct kernel *x, struct text *into);
/* Append the kernels of program NAME (definitions, or, if they are split off, declarations), and the table of them that
 * ends the program. */
void text_kernels(const struct kernels *k, bool combining, const char *name, struct text *into);
void text_kernel_rows(const struct kernels *k, bool combining, const char *name, struct text *into);
/* Appends the include of the device header. MULTIMEM: with what a program needs that loads and stores at all ranks at once. */
void text_include_device(bool multimem, struct text *into);
/* Appends the file of a kernel that is split off from program NAME. */
void text_kernel_file(const struct kernel *x, bool multimem, const char *name, const char *target, struct text *into);

#endif

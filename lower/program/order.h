#ifndef SCCL_LOWER_PROGRAM_ORDER_H
#define SCCL_LOWER_PROGRAM_ORDER_H

/*
 * In which order are the elements of a reduction added? Sums of floating-point numbers depend on it. Chunks are cut by
 * the size of a call, so that the element at some position belongs to one chunk in a call of one size and to another
 * in the next: only if all chunks are added in the same order does a result not depend on the size. Blocks cut chunks
 * further and change no order.
 */

#include "core/base/text.h"

#include <stdbool.h>

struct error;
struct program;

/*
 * Plays P, which must have passed program_interpret, over expressions, and appends to TEXT the one that every element of
 * every output is: "0 + 1 + (2 + 3)" adds the inputs of ranks 0 and 1, then the sum of 2 and 3. Where ranks want different
 * parts (scan) their expressions are joined by "; ". Nothing is appended if P does not reduce. Returns false if two
 * outputs of the same parts are added in different orders; TEXT then says which, in one line.
 *
 * With ROUNDING, of kernels that add in a wider type, each reduction is in brackets, at the end of which it is rounded:
 * "[[0 + 1] + 2]" is another result than "[0 + 1 + 2]".
 */
bool program_order(const struct program *p, bool rounding, struct text *text);

#endif

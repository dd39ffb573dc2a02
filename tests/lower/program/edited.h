#ifndef SCCL_TESTS_LOWER_PROGRAM_EDITED_H
#define SCCL_TESTS_LOWER_PROGRAM_EDITED_H

/* Programs, with flags or packets, and copies of them with something wrong. All assertions are Criterion's. */

#include "lower/program/program.h"

#include <stdbool.h>

/* The program with flags; the test fails if it cannot be built. The caller frees it, as all programs here. */
struct program *built(const struct algorithm *a);
struct program *program_copy(const struct program *p);
/* Removes and releases instruction number I of RANK. */
void program_remove(struct program *p, int rank, size_t i);
struct program *program_without(const struct program *p, int rank, size_t i); /* a copy */

/* The instruction of this kind that stands NTH at RANK, from 0, and its number; the test fails if there is none. */
struct instruction *at(const struct program *p, int rank, enum instruction_kind kind, size_t nth);
size_t find(const struct program *p, int rank, enum instruction_kind kind, size_t nth);

/* Do both checks pass? */
bool passes(const struct program *p);
/* Leaves out each instruction of P in turn: what is left must be refused by a check, or be right in ten random orders (free_run).
 * Returns how many are refused. */
size_t refused_without_one(const struct program *p);
/* The check must refuse P with a line that has WHERE and WHAT in it. Frees P. */
void refused(struct program *p, const char *where, const char *what);

#endif

#ifndef SCCL_ENCODE_ENGINES_H
#define SCCL_ENCODE_ENGINES_H

/* The solvers in the engine table. Each runs in its own worker process. */

#include "encode/solve.h"

/*
 * CaDiCaL on CNF, Z3 on pseudo-Boolean constraints, and Z3 on QF_LIA, over the same plan or as the paper has it; see
 * struct engine in encode/solve.h.
 */
enum answer solve_bits(const struct instance *i, const struct solve_options *o, struct solution *out);
enum answer solve_bits_z3(const struct instance *i, const struct solve_options *o, struct solution *out);
enum answer solve_lia(const struct instance *i, const struct solve_options *o, struct solution *out);
enum answer solve_lia_paper(const struct instance *i, const struct solve_options *o, struct solution *out);
enum answer solve_naive(const struct instance *i, const struct solve_options *o, struct solution *out); /* a Boolean for each chunk, edge and step */

#endif

#ifndef SCCL_CLI_COMMANDS_DIMACS_MAP_H
#define SCCL_CLI_COMMANDS_DIMACS_MAP_H

/* The meaning of the variables of an exported formula, as DIMACS comments. They are numbered according to
 * docs/reference/proofs.md, not by the code that writes the clauses. */

struct instance;
struct text;

/* Appends a line for each variable except the auxiliary ones of sums. I must be an instance that cnf_write accepts. */
void dimacs_map(const struct instance *i, struct text *into);

#endif

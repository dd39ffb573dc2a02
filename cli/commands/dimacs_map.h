#ifndef SCCL_CLI_COMMANDS_DIMACS_MAP_H
#define SCCL_CLI_COMMANDS_DIMACS_MAP_H

/* What the variables of an exported formula mean, as comments: numbered from docs/reference/proofs.md, and not by the code that writes
 * the clauses. */

struct instance;
struct text;

/* A line for each variable that is not of a sum. The instance is one that cnf_write takes. */
void dimacs_map(const struct instance *i, struct text *into);

#endif

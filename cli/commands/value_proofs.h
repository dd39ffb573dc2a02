#ifndef SCCL_CLI_COMMANDS_VALUE_PROOFS_H
#define SCCL_CLI_COMMANDS_VALUE_PROOFS_H

/* Certificates of frontiers without k: the programs that show the values of their step counts. */

#include "prove/proof.h"
#include "synth/frontier/frontier.h"

/*
 * Adds the programs for all values of F, and of its compositions, to P, which is for the same machine and collective
 * and has its bounds. Values that a bound shows need none. False with *e set: a program cannot be verified, or none is
 * known for a value: F was read from a file (frontier_solve_values).
 */
bool value_proofs_add(struct proof *p, const struct frontier *f, struct error *e);

/* Makes the proof of F, which was written to PATH, and writes it next to it: N programs, and so many BYTES. False with *e
 * set; BYTES is 0 then unless it was made and cannot be written. */
bool value_proofs_save(const struct frontier *f, const char *path, size_t *n, size_t *bytes, struct error *e);

/*
 * After a search that wrote F to DIR: the same, in at most so many SECONDS of wall time (INFINITY: no limit). If they
 * cannot be made, or not in time, standard error says so and the frontier remains without them. False with *e set: they
 * are made and cannot be written.
 */
bool value_proofs_store(const struct frontier *f, const char *dir, double seconds, struct error *e);

#endif

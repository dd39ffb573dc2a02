#ifndef SCCL_CLI_COMMANDS_PROVE_STEPS_H
#define SCCL_CLI_COMMANDS_PROVE_STEPS_H

struct collective;
struct topology;

/*
 * Writes a certificate to PATH that no algorithm of at most STEPS steps has a smaller R/C than some, and prints that.
 * Returns an exit status after reporting errors.
 */
int prove_steps(const struct topology *t, const struct collective *k, int steps, const char *path);

#endif

#ifndef SCCL_CLI_COMMANDS_SIMULATION_H
#define SCCL_CLI_COMMANDS_SIMULATION_H

/* Shared by the commands that play algorithms: the options of the simulator, and algorithms with their simulators. */

#include "cli/arguments/options.h"

#include "simulate/simulator.h"

#include <stdbool.h>

struct algorithm;
struct error;

/* All of struct simulation: α and β, what follows from how it is played; for its step there are step_cost_rows. */
extern const struct option_row speed_rows[2], simulation_rows[11];
extern const struct simulation simulation_defaults;
/* Rejects --packet without --head. False with *e set. */
bool simulation_check(const struct simulation *s, struct error *e);

/* An algorithm file. `algorithm` and `simulator`, which borrows it, are owned. */
struct contestant {
	const char *path;
	struct algorithm *algorithm;
	struct simulator *simulator;
};

/* Opens and verifies all FILES into ALL, which is zeroed and has an entry for each. Returns an exit status after
 * reporting errors. The caller calls contestants_close in either case. */
int contestants_open(const struct operands *files, const struct simulation *how, struct contestant *all);
/* Releases all N contestants and the array itself. */
void contestants_close(struct contestant *all, size_t n);

#endif

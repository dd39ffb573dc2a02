#ifndef SCCL_CLI_COMMANDS_SIMULATION_H
#define SCCL_CLI_COMMANDS_SIMULATION_H

/* What `simulate` and `train` share: how to simulate, out of the options, and algorithms that are ready for it. */

#include "simulate/simulator.h"

#include <stdbool.h>

struct algorithm;
struct error;
struct options;

/* The letters of their options, for struct usage. */
#define SIMULATION_OPTIONS "ABaUYZ+"

bool simulation_read(const struct options *o, struct simulation *out, struct error *e);

/* One file. `simulator` borrows `algorithm`; both are owned. */
struct contestant {
	const char *path;
	struct algorithm *algorithm;
	struct simulator *simulator;
};

/* Opens and verifies all files; an exit status, having complained. Close all N either way. */
int contestants_open(const struct options *o, const struct simulation *how, struct contestant *all);
void contestants_close(struct contestant *all, size_t n);

#endif

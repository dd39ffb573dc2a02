#ifndef SCCL_CLI_COMMANDS_TRANSPORT_H
#define SCCL_CLI_COMMANDS_TRANSPORT_H

/* The post between processes that mpirun started: over MPI, or none in a build without it. */

#include "synth/frontier/transport.h"

struct error;

/* RANKS: as many as the environment says that there are. False with *e set: they cannot speak to each other. */
bool transport_open(struct transport *out, int ranks, struct error *e);
/* WHOLE: all others close too. Else what was sent has a moment to get out, and nobody is waited for. */
void transport_close(bool whole);

#endif

#ifndef SCCL_CLI_COMMANDS_TRANSPORT_H
#define SCCL_CLI_COMMANDS_TRANSPORT_H

/* Messages between the processes that mpirun started: over MPI, or none in a build without it. */

#include "synth/frontier/transport.h"

struct error;

/* Opens the transport between RANKS processes, as many as the environment announces. False with *e set: they cannot
 * communicate. */
bool transport_open(struct transport *out, int ranks, struct error *e);
/* Waits up to a second for pending messages to leave, and, if WHOLE, for the other processes, which must close too. */
void transport_close(bool whole);

#endif

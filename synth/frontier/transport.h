#ifndef SCCL_SYNTH_FRONTIER_TRANSPORT_H
#define SCCL_SYNTH_FRONTIER_TRANSPORT_H

/* Messages between the processes of one search, which may run on several machines. cli/commands/transport_mpi.c has them over MPI. */

#include <stdbool.h>
#include <stddef.h>

struct text;

struct transport {
	void *context;
	int rank, ranks; /* rank 0 walks, the others answer its questions */
	/* Does not wait for the other side, which may be dead. */
	void (*send)(void *context, int to, const struct text *message);
	/* The next message from anyone within MILLISECONDS, or false; false at once after a signal. */
	bool (*receive)(void *context, int milliseconds, int *from, struct text *message);
};

#endif

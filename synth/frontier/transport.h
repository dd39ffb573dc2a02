#ifndef SCCL_SYNTH_FRONTIER_TRANSPORT_H
#define SCCL_SYNTH_FRONTIER_TRANSPORT_H

/* Messages between the processes of one search, which may run on several machines. cli/commands/transport_mpi.c
 * implements this over MPI. */

#include <stdbool.h>
#include <stddef.h>

struct text;

struct transport {
	void *context;
	int rank, ranks; /* rank 0 searches, the others are its workers */
	/* Returns without waiting for the receiver, which may have died. */
	void (*send)(void *context, int to, const struct text *message);
	/* Receives the next message from any rank. False: none within MILLISECONDS, or a signal arrived. */
	bool (*receive)(void *context, int milliseconds, int *from, struct text *message);
};

#endif

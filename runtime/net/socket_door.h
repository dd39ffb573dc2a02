#ifndef SCCL_RUNTIME_NET_SOCKET_DOOR_H
#define SCCL_RUNTIME_NET_SOCKET_DOOR_H

/* How rank 0 lets the others in, and what they say to each other then. */

#include <stdbool.h>
#include <stdint.h>

enum door_answer { DOOR_WELCOME, DOOR_TAKEN, DOOR_ELSEWHERE };

/* The first thing that a rank says, and hears: then RANK is a verdict. */
struct hello {
	char magic[8];
	uint32_t rank, ranks;
};
#define HELLO_MAGIC "sccl-2"

/*
 * Lets the ranks 1 to RANKS - 1 in: their sockets in FILES, which all are -1 before. A connection that says nothing, or
 * nothing sensible, or closes, ends only itself. False with the error text set: they did not all come before END, or the
 * system refused; those in FILES are to be closed.
 */
bool sccli_door_admit(int listener, uint32_t ranks, int files[], double end);

/* Says who comes; false with the error text set: rank 0 does not let it in. */
bool sccli_door_enter(int file, uint32_t rank, uint32_t ranks, double end);

#endif

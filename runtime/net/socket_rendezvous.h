#ifndef SCCL_RUNTIME_NET_SOCKET_RENDEZVOUS_H
#define SCCL_RUNTIME_NET_SOCKET_RENDEZVOUS_H

/* How rank 0 admits the other ranks, and the messages they exchange when connecting. */

#include <stdbool.h>
#include <stdint.h>

/* Rank 0's replies: admitted; the rank is already present; the rank or the number of ranks is wrong. */
enum rendezvous_answer { RENDEZVOUS_WELCOME, RENDEZVOUS_TAKEN, RENDEZVOUS_ELSEWHERE };

enum { TOKEN_BYTES = 64 };

/* The first message in either direction. In the reply, RANK is an enum rendezvous_answer. */
struct hello {
	char magic[8];
	uint32_t rank, ranks;
	char token[TOKEN_BYTES]; /* equal on all ranks of a rendezvous; padded with zeros */
};
#define HELLO_MAGIC "sccl-3"

/*
 * Reads the token of this process's group: the text of SCCL_TOKEN, or, if that is @PATH, the first line of a file that only
 * this user can read. All zeros if the variable is not set. Returns false with the error text set.
 */
bool sccli_rendezvous_token(char token[TOKEN_BYTES]);

/*
 * Admits the ranks 1 to RANKS - 1 and stores their sockets in FILES, which must all be -1 on entry. A connection that
 * sends nothing or garbage, or closes, affects only itself. Returns false, with the error text set, if not all ranks
 * arrived before END or on a system error; the caller closes the sockets in FILES in any case.
 */
bool sccli_rendezvous_admit(int listener, uint32_t ranks, int files[], double end);

/* Sends this rank's hello. Returns false, with the error text set, if rank 0 does not admit it. */
bool sccli_rendezvous_enter(int file, uint32_t rank, uint32_t ranks, double end);

#endif

#ifndef SCCL_RUNTIME_CORE_ORDERS_H
#define SCCL_RUNTIME_CORE_ORDERS_H

/* The orders of the ranks for a call, compared before any data is written. */

#include "runtime/core/comm.h"

/*
 * Publishes this rank's order for its current call on its board and checks whether a peer has a different one. PEERS
 * are the N ranks that this rank exchanges data with. Of two such ranks, each writes its own order before it reads the
 * other's, so at least one of them sees both. On the host, a peer cannot be past this call before this rank has begun
 * its own part of it. On devices, where calls are enqueued on streams, it can; if it is so far ahead that its order has
 * left the board, the hash that it left there reveals a mismatch. A rank that is thousands of calls ahead waits here.
 * Sets MINE->before.
 */
sccl_status_t sccli_orders_compare(struct sccl_comm *c, struct order *mine, const uint32_t *peers, size_t n);

/* Compares with the order of a peer on another server for this rank's call number CALL. */
sccl_status_t sccli_orders_match(struct sccl_comm *c, uint64_t call, const struct order *mine, const struct order *theirs,
				 uint32_t peer);

#endif

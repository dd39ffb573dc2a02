#ifndef SCCL_RUNTIME_CORE_ORDERS_H
#define SCCL_RUNTIME_CORE_ORDERS_H

/* What the ranks were asked to do in a call, compared before anything is written. */

#include "runtime/core/comm.h"

/*
 * Puts this rank's order of its present call on its board and looks whether a peer was asked for another. PEERS are those
 * that this rank shares data with, N of them. Of two ranks that share data, each writes its own order and then reads the
 * other's: at least one of them sees both. On the host a peer cannot be past this call while this rank has not yet begun
 * its own part of it. On devices, where calls are put on streams, it may be; a rank so far ahead that its order is gone
 * from the board is caught by what a later one says of all before. MINE gets what was before.
 */
sccl_status_t sccli_orders_compare(struct sccl_comm *c, struct order *mine, const uint32_t *peers, size_t n);

/* What a peer was asked to do in this rank's call number CALL, as it came from another server. */
sccl_status_t sccli_orders_match(struct sccl_comm *c, uint64_t call, const struct order *mine, const struct order *theirs,
				 uint32_t peer);

#endif

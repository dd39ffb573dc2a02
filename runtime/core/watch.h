#ifndef SCCL_RUNTIME_CORE_WATCH_H
#define SCCL_RUNTIME_CORE_WATCH_H

/* Premature end of a communicator: a wait that took too long, a dead rank, an abort, or a mismatch. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <sccl/device.h>
#include <sccl/sccl.h>

struct sccl_comm;

/* Ends the communicator on all ranks; only the first cause is recorded. Returns the same as sccli_watch_status. */
sccl_status_t sccli_watch_raise(struct sccl_comm *c, sccl_status_t status, const char *text);

/* The cause of the end, with the error text set; SCCL_OK while the communicator is usable. */
sccl_status_t sccli_watch_status(const struct sccl_comm *c);

/* sccli_watch_gone ends the communicator if rank R's process has exited or it has freed its communicator. */
bool sccli_watch_is_gone(const struct sccl_comm *c, uint32_t r); /* only checks */
bool sccli_watch_gone(struct sccl_comm *c, uint32_t r);
bool sccli_watch_gone_in(struct sccl_comm *c, uint32_t r, const char *where); /* such as "call 3" */

/* Sleeps until REACHED holds of rank R and VALUE, or the communicator ends: because R is gone, too (in WHERE), or after the
 * timeout. */
typedef bool (*watch_reached_t)(const struct sccl_comm *c, uint32_t r, uint64_t value);
sccl_status_t sccli_watch_until(struct sccl_comm *c, watch_reached_t reached, uint32_t r, uint64_t value, const char *where);

/* Writes "message 3 from rank 1 to rank 0": NUMBER of those between RANK and PEER, which RANK sends if SENDS. */
void sccli_watch_name_message(char *text, size_t size, uint32_t rank, uint32_t peer, bool sends, uint64_t number);

/* Ends the communicator with a line that states which ranks wait for which. */
void sccli_watch_timeout(struct sccl_comm *c);

/* Implements sccl_env_t.stalled. */
void sccli_watch_stalled(const sccl_env_t *env, uint32_t block);

#endif

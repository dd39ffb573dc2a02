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

/* Ends the communicator with a line that states which ranks wait for which. */
void sccli_watch_timeout(struct sccl_comm *c);

/* Implements sccl_env_t.stalled. */
void sccli_watch_stalled(const sccl_env_t *env, uint32_t block);

#endif

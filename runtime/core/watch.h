#ifndef SCCL_RUNTIME_CORE_WATCH_H
#define SCCL_RUNTIME_CORE_WATCH_H

/* What ends a communicator before its time: a wait too long, a rank that died, an abort, a disagreement. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <sccl/device.h>
#include <sccl/sccl.h>

struct sccl_comm;

/* Ends the communicator on all ranks; the first to come says why. Returns what sccli_watch_status does. */
sccl_status_t sccli_watch_raise(struct sccl_comm *c, sccl_status_t status, const char *text);

/* What ended it, with the error text set; SCCL_OK while it lives. */
sccl_status_t sccli_watch_status(const struct sccl_comm *c);

/* Ends the communicator where rank R's process has ended, or has freed its communicator. */
bool sccli_watch_is_gone(const struct sccl_comm *c, uint32_t r); /* no more than that */
bool sccli_watch_gone(struct sccl_comm *c, uint32_t r);

/* Ends it with a line that says who waits for whom. */
void sccli_watch_timeout(struct sccl_comm *c);

uint64_t sccli_watch_now(void); /* nanoseconds */

/* sccl_env_t.stalled */
void sccli_watch_stalled(const sccl_env_t *env, uint32_t block);

#endif

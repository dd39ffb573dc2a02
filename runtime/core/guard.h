#ifndef SCCL_RUNTIME_CORE_GUARD_H
#define SCCL_RUNTIME_CORE_GUARD_H

/* If calls run asynchronously on a device, a CPU thread supervises their waits. On the host, a rank does this itself
 * while waiting (watch.h). */

#include <sccl/sccl.h>

struct sccl_comm;

/* Starts the thread. On failure nothing is left running. */
sccl_status_t sccli_guard_start(struct sccl_comm *c);
void sccli_guard_stop(struct sccl_comm *c); /* allowed if none was started */

#endif

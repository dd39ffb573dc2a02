#ifndef SCCL_RUNTIME_CORE_GUARD_H
#define SCCL_RUNTIME_CORE_GUARD_H

/* Where calls run on a device, a thread of processors watches over their waits: what a rank on the host does by itself
 * while it waits (watch.h). */

#include <sccl/sccl.h>

struct sccl_comm;

sccl_status_t sccli_guard_start(struct sccl_comm *c);
void sccli_guard_stop(struct sccl_comm *c); /* fine where none was started */

#endif

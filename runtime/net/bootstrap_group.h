#ifndef SCCL_RUNTIME_NET_BOOTSTRAP_GROUP_H
#define SCCL_RUNTIME_NET_BOOTSTRAP_GROUP_H

/* Groups whose members lie in shared memory that the caller brings. */

#include <sccl/sccl.h>

/* Size of a member, which is zero at first and aligned to 128 bytes. */
size_t sccli_group_member_bytes(void);

/* Like sccl_group_create, but every rank calls it, and MEMBERS are all ranks' members as mapped by this one. They must outlive
 * the group. */
sccl_status_t sccli_group_over(sccl_group_t **group, void *const members[], uint32_t ranks, double timeout);
/* From now on its waits end after TIMEOUT seconds (0: no time limit), and in any case once the awaited rank has died. */
void sccli_group_patience(sccl_group_t *group, double timeout);

/* RANK will not come to any further meeting: who waits for it fails at once. */
void sccli_group_give_up(sccl_group_t *group, uint32_t rank);

#endif

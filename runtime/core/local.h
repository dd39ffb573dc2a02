#ifndef SCCL_RUNTIME_CORE_LOCAL_H
#define SCCL_RUNTIME_CORE_LOCAL_H

/* What communicators that one call made together have in common. */
struct local;

/* The last of them to go takes it away. NULL is fine. */
void sccli_local_leave(struct local *l);

#endif

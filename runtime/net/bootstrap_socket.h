#ifndef SCCL_RUNTIME_NET_BOOTSTRAP_SOCKET_H
#define SCCL_RUNTIME_NET_BOOTSTRAP_SOCKET_H

#include <sccl/sccl.h>

/* From now on no meeting of an open socket bootstrap lasts longer than TIMEOUT seconds; 0: for ever. */
void sccli_socket_patience(sccl_bootstrap_t *bootstrap, double timeout);

#endif

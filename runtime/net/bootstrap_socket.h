#ifndef SCCL_RUNTIME_NET_BOOTSTRAP_SOCKET_H
#define SCCL_RUNTIME_NET_BOOTSTRAP_SOCKET_H

#include <sccl/sccl.h>

/* Sets the time limit in seconds for all further exchanges of an open socket bootstrap; 0: no limit. */
void sccli_socket_patience(sccl_bootstrap_t *bootstrap, double timeout);

#endif

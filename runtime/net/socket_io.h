#ifndef SCCL_RUNTIME_NET_SOCKET_IO_H
#define SCCL_RUNTIME_NET_SOCKET_IO_H

/* Complete messages over sockets, with a deadline. RANK is the peer's rank, for error messages. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Return false, with the error text set, if END has passed or the connection has failed or closed. */
bool sccli_socket_send(int file, uint32_t rank, const void *data, size_t bytes, double end);
bool sccli_socket_receive(int file, uint32_t rank, void *data, size_t bytes, double end);

#endif

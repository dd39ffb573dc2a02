#ifndef SCCL_RUNTIME_NET_SOCKET_IO_H
#define SCCL_RUNTIME_NET_SOCKET_IO_H

/* Whole messages through sockets, in time. Of rank RANK is the other end. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* False with the error text set: END has come, or the other end has gone. */
bool sccli_socket_send(int file, uint32_t rank, const void *data, size_t bytes, double end);
bool sccli_socket_receive(int file, uint32_t rank, void *data, size_t bytes, double end);

#endif

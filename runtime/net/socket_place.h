#ifndef SCCL_RUNTIME_NET_SOCKET_PLACE_H
#define SCCL_RUNTIME_NET_SOCKET_PLACE_H

/* The Unix socket at which ranks meet: its name, who may listen there, and who is at the other end of a connection. */

#include <stdbool.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/un.h>

struct socket_place {
	const char *path; /* the caller's; one that begins with @ is in no file system */
	struct sockaddr_un address;
	socklen_t length;
	int folder; /* of a listener's file; -1: there is none */
	dev_t device;
	ino_t inode;
};

/* False with the error text set: PATH is no name for a socket. */
bool sccli_place_read(struct socket_place *p, const char *path);

/*
 * A listening socket that does not block, -1 with the error text set. Its file has mode 0600 from its first moment, whatever
 * the umask, and appears under its name only once it listens. A socket there that nobody listens at any more is replaced; one
 * that is in use, or any other file, is not.
 */
int sccli_place_listen(struct socket_place *p);
/* Takes the listener's file away, unless another has come in its place. */
void sccli_place_leave(struct socket_place *p);

/* A connection that does not block, once somebody of this user listens; -1 with the error text set, at END at the latest. */
int sccli_place_connect(const struct socket_place *p, double end);

/* Is the process at the other end of this user? False with the error text set. */
bool sccli_place_is_ours(int file);

#endif

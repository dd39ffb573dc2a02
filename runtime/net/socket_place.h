#ifndef SCCL_RUNTIME_NET_SOCKET_PLACE_H
#define SCCL_RUNTIME_NET_SOCKET_PLACE_H

/* The Unix socket at which ranks meet: its name, who may listen on it, and which user is at the other end of a
 * connection. */

#include <stdbool.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/un.h>

/* A parsed address, and for a listener the identity of its file. */
struct socket_place {
	const char *path; /* owned by the caller; with a leading @ it is in no file system */
	struct sockaddr_un address;
	socklen_t length;
	int folder; /* descriptor of the folder that contains the listener's file; -1: none */
	dev_t device;
	ino_t inode;
};

/* Returns false, with the error text set, if PATH is not a valid socket name. */
bool sccli_place_read(struct socket_place *p, const char *path);

/*
 * Returns a listening, non-blocking socket, or -1 with the error text set. Its file has mode 0600 from the moment it is
 * created, whatever the umask, and appears under its name only once it listens. A stale socket on which nobody listens
 * is replaced; one that is in use, or any other file, is not.
 */
int sccli_place_listen(struct socket_place *p);
/* Removes the listener's file unless it has been replaced by another. */
void sccli_place_leave(struct socket_place *p);

/* Waits until a process of this user listens and returns a non-blocking connection; -1, with the error text set, on
 * failure or at END. */
int sccli_place_connect(const struct socket_place *p, double end);

/* Whether the peer process belongs to this user. If not, returns false with the error text set. */
bool sccli_place_is_ours(int file);

#endif

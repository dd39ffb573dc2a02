#ifndef SCCL_RUNTIME_HOST_FILES_H
#define SCCL_RUNTIME_HOST_FILES_H

/* Open files for other processes of the same user on this machine, passed over a Unix socket (SCM_RIGHTS). */

#include <sccl/sccl.h>

#include <stdint.h>

/* What another process needs to fetch a file, sent as is. */
struct file_ticket {
	uint64_t door; /* random: names the socket */
	uint64_t key;  /* random: of the file */
};

/* Serves FILE, which this takes over, to every process of this user that has the ticket, until it is withdrawn. On failure the
 * file is closed. Thread-safe, like the others. */
sccl_status_t sccli_file_offer(int file, struct file_ticket *ticket);
/* Ends that, and closes the file. A ticket that is not offered is allowed. */
void sccli_file_withdraw(const struct file_ticket *ticket);
/* A copy of the file, which the caller closes. The ticket may contain anything. */
sccl_status_t sccli_file_fetch(const struct file_ticket *ticket, int *file);

#endif

/*
 * One thread of the process answers at a socket with a random, abstract name while there is anything to fetch: a process
 * that connects sends a key of 8 bytes and receives the file of that key, or nothing. Both ends must be of one user.
 */
#define _GNU_SOURCE /* struct ucred, accept4 */
#include "runtime/host/files.h"

#include "runtime/core/process.h"
#include "runtime/core/status.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum { PATIENCE = 10, WAITING_MOST = 128 }; /* seconds for a silent peer; connections in line */

struct file_offer {
	struct file_ticket ticket;
	int file;
	struct file_offer *next;
};

static struct {
	pthread_mutex_t lock;
	struct file_offer *offers;
	int socket; /* while there are offers */
	uint64_t door;
	pthread_t thread;
} door = {.lock = PTHREAD_MUTEX_INITIALIZER, .socket = -1};

static socklen_t name_of(uint64_t number, struct sockaddr_un *a)
{
	*a = (struct sockaddr_un){.sun_family = AF_UNIX};
	int n = snprintf(a->sun_path + 1, sizeof a->sun_path - 1, "sccl-files-%016llx", (unsigned long long)number);
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)n);
}

static bool is_of_this_user(int connection)
{
	struct ucred other;
	socklen_t n = sizeof other;
	return getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &other, &n) == 0 && n == sizeof other && other.uid == geteuid();
}

static void be_patient(int connection)
{
	struct timeval limit = {PATIENCE, 0};
	(void)setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
	(void)setsockopt(connection, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
}

/* A message of one byte with a file beside it. */
struct file_parcel {
	char byte;
	struct iovec data;
	_Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(int))];
	struct msghdr message;
};

static void parcel_open(struct file_parcel *p)
{
	*p = (struct file_parcel){0};
	p->data = (struct iovec){&p->byte, 1};
	p->message = (struct msghdr){.msg_iov = &p->data, .msg_iovlen = 1, .msg_control = p->control,
	                             .msg_controllen = sizeof p->control};
}

static void send_file(int connection, int file)
{
	struct file_parcel p;

	parcel_open(&p);
	struct cmsghdr *head = CMSG_FIRSTHDR(&p.message);
	*head = (struct cmsghdr){.cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS, .cmsg_len = CMSG_LEN(sizeof file)};
	memcpy(CMSG_DATA(head), &file, sizeof file);
	(void)sendmsg(connection, &p.message, MSG_NOSIGNAL); /* who does not receive it says so */
}

static int receive_file(int connection)
{
	struct file_parcel p;
	ssize_t n;
	int file = -1;

	do /* with a time limit, signals interrupt it even where they restart other calls */
		parcel_open(&p);
	while ((n = recvmsg(connection, &p.message, MSG_CMSG_CLOEXEC)) < 0 && errno == EINTR);
	if (n != 1)
		return -1;
	struct cmsghdr *head = CMSG_FIRSTHDR(&p.message);
	if (head && head->cmsg_level == SOL_SOCKET && head->cmsg_type == SCM_RIGHTS && head->cmsg_len == CMSG_LEN(sizeof file))
		memcpy(&file, CMSG_DATA(head), sizeof file);
	return file;
}

static void answer(int connection)
{
	uint64_t key;

	be_patient(connection);
	if (!is_of_this_user(connection) || recv(connection, &key, sizeof key, MSG_WAITALL) != sizeof key)
		return;
	pthread_mutex_lock(&door.lock);
	const struct file_offer *o = door.offers;
	while (o && o->ticket.key != key)
		o = o->next;
	if (o)
		send_file(connection, o->file); /* one byte, for which there is always room */
	pthread_mutex_unlock(&door.lock);
}

/* Until close_door shuts the socket down. Where the process has no room for another file, connections stay in line. */
static void *serve(void *socket)
{
	const struct timespec pause = {0, 10000000};
	int listening = (int)(intptr_t)socket;

	for (;;) {
		int connection = accept4(listening, NULL, NULL, SOCK_CLOEXEC);
		if (connection >= 0) {
			answer(connection);
			close(connection);
		} else if (errno == EINVAL || errno == EBADF)
			break;
		else
			nanosleep(&pause, NULL);
	}
	close(listening);
	return NULL;
}

static int start_thread(int listening)
{
	sigset_t all, before;

	sigfillset(&all); /* leave signals to the caller's threads */
	pthread_sigmask(SIG_BLOCK, &all, &before);
	int error = pthread_create(&door.thread, NULL, serve, (void *)(intptr_t)listening);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return error;
}

/* With the lock. */
static sccl_status_t open_door(void)
{
	struct sockaddr_un a;

	if (!sccli_process_random(&door.door))
		return sccli_fail(SCCL_SYSTEM, "no random number for a socket that passes files");
	socklen_t length = name_of(door.door, &a);
	int socket_ = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	bool good = socket_ >= 0 && bind(socket_, (struct sockaddr *)(void *)&a, length) == 0 && listen(socket_, WAITING_MOST) == 0;
	int error = good ? start_thread(socket_) : errno;
	if (error == 0) {
		pthread_detach(door.thread);
		door.socket = socket_;
		return SCCL_OK;
	}
	if (socket_ >= 0)
		close(socket_);
	return sccli_fail(SCCL_SYSTEM, "cannot open a socket that passes files: %s", strerror(error));
}

/* With the lock. The thread closes the socket. */
static void close_door(void)
{
	shutdown(door.socket, SHUT_RDWR);
	door.socket = -1;
}

sccl_status_t sccli_file_offer(int file, struct file_ticket *ticket)
{
	struct file_offer *o = malloc(sizeof *o);
	uint64_t key = 0;
	sccl_status_t status = o ? SCCL_OK : sccli_fail(SCCL_NO_MEMORY, "no memory for a file that is offered");

	if (status == SCCL_OK && !sccli_process_random(&key))
		status = SCCL_SYSTEM;
	pthread_mutex_lock(&door.lock);
	if (status == SCCL_OK && door.socket < 0)
		status = open_door();
	if (status == SCCL_OK) {
		*ticket = (struct file_ticket){door.door, key};
		*o = (struct file_offer){*ticket, file, door.offers};
		door.offers = o;
	}
	pthread_mutex_unlock(&door.lock);
	if (status != SCCL_OK) {
		close(file);
		free(o);
	}
	return status;
}

void sccli_file_withdraw(const struct file_ticket *ticket)
{
	pthread_mutex_lock(&door.lock);
	struct file_offer **at = &door.offers;
	while (*at && ((*at)->ticket.key != ticket->key || (*at)->ticket.door != ticket->door))
		at = &(*at)->next;
	struct file_offer *o = *at;
	if (o) {
		*at = o->next;
		close(o->file);
		free(o);
		if (!door.offers)
			close_door();
	}
	pthread_mutex_unlock(&door.lock);
}

sccl_status_t sccli_file_fetch(const struct file_ticket *ticket, int *file)
{
	struct sockaddr_un a;
	socklen_t length = name_of(ticket->door, &a);
	int connection = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	*file = -1;
	if (connection < 0)
		return sccli_fail(SCCL_SYSTEM, "cannot open a socket to fetch a file: %s", strerror(errno));
	be_patient(connection);
	int error = 0;
	do
		error = connect(connection, (struct sockaddr *)(void *)&a, length) == 0 ? 0 : errno;
	while (error == EINTR);
	if (error != 0) {
		close(connection);
		return sccli_fail(SCCL_SYSTEM, "cannot reach the process that offers a file: %s", strerror(error));
	}
	if (is_of_this_user(connection) && send(connection, &ticket->key, sizeof ticket->key, MSG_NOSIGNAL) == sizeof ticket->key)
		*file = receive_file(connection);
	close(connection);
	return *file >= 0 ? SCCL_OK : sccli_fail(SCCL_SYSTEM, "the process that offers a file does not pass it on");
}

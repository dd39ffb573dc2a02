/*
 * Identifies processes by their number, their start time from /proc and a random nonce.
 */
#include "runtime/core/process.h"

#include "runtime/core/status.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

/* State letter and start time of a process from proc(5): they follow the name, which ends at the last ')'. */
static bool read_stat(int64_t pid, char *state, uint64_t *start)
{
	char path[64], text[1024];
	snprintf(path, sizeof path, "/proc/%lld/stat", (long long)pid);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	ssize_t n = read(fd, text, sizeof text - 1);
	close(fd);
	if (n <= 0)
		return false;
	text[n] = 0;

	enum { FIELDS_TO_START = 20 }; /* the state is field 3, the start time field 22 */
	char *at = strrchr(text, ')');
	if (!at || at[1] != ' ')
		return false;
	*state = at[2];
	at += 1;
	for (int i = 1; i < FIELDS_TO_START && at; i++)
		at = strchr(at + 1, ' ');
	if (!at)
		return false;
	*start = strtoull(at + 1, NULL, 10);
	return true;
}

bool sccli_process_random(uint64_t *number)
{
	ssize_t n;

	do
		n = getrandom(number, sizeof *number, 0);
	while (n < 0 && errno == EINTR);
	if (n == (ssize_t)sizeof *number)
		return true;
	sccli_fail(SCCL_SYSTEM, "cannot get random bytes: %s", strerror(errno));
	return false;
}

static uint64_t nonce;
static pthread_once_t nonce_once = PTHREAD_ONCE_INIT;

static void make_nonce(void)
{
	if (!sccli_process_random(&nonce))
		nonce = 0;
}

bool sccli_process_self(struct process *p)
{
	char state;
	pthread_once(&nonce_once, make_nonce);
	*p = (struct process){.pid = getpid(), .nonce = nonce};
	if (nonce == 0) {
		sccli_fail(SCCL_SYSTEM, "cannot get random bytes");
		return false;
	}
	if (!read_stat(p->pid, &state, &p->start))
		p->start = 0;
	return true;
}

bool sccli_process_alive(const struct process *p)
{
	char state;
	uint64_t start;
	return read_stat(p->pid, &state, &start) && state != 'Z' && state != 'X' && start == p->start;
}

bool sccli_process_same(const struct process *a, const struct process *b)
{
	return a->pid == b->pid && a->start == b->start && a->nonce == b->nonce;
}

/*
 * fork, one pipe per worker, and poll over all pipes: end of file shows that a worker has ended. The worker limits its
 * own address space (RLIMIT_AS); the parent enforces the limits on time, wall or CPU, and bytes by killing the worker.
 */

#define _GNU_SOURCE /* wait4, sched_getaffinity, MAP_ANONYMOUS */

#include "core/base/process.h"

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* ---- the worker's side ---- */

static void limit_memory(size_t mebibytes)
{
	unsigned long pages = 0;
	FILE *self = fopen("/proc/self/statm", "r");

	if (self) {
		if (fscanf(self, "%lu", &pages) != 1)
			pages = 0;
		fclose(self);
	}
	rlim_t bytes = (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE) + ((rlim_t)mebibytes << 20);
	struct rlimit limit = {bytes, bytes};
	setrlimit(RLIMIT_AS, &limit);
}

static void reset_signals(void)
{
	static const int signals[] = {SIGTERM, SIGHUP, SIGPIPE, SIGQUIT, SIGCHLD, SIGALRM};
	sigset_t none;

	for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
		signal(signals[i], SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGINT, SIG_IGN); /* the terminal sends it to the whole process group: the parent ends its workers */
}

/* Libraries may print anything, and the parent's data and its one-line errors go to the same streams. */
static void be_quiet(void)
{
	int nowhere = open("/dev/null", O_WRONLY);
	if (nowhere < 0)
		return;
	dup2(nowhere, STDOUT_FILENO);
	dup2(nowhere, STDERR_FILENO);
	if (nowhere > STDERR_FILENO)
		close(nowhere);
}

static void become_worker(size_t mebibytes, pid_t parent)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	reset_signals();
	be_quiet();
	setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0}); /* the parent reports a crash in one line: no core dump */
	if (mebibytes)
		limit_memory(mebibytes);
}

void process_send(int file, const void *bytes, size_t n)
{
	const char *at = bytes;
	while (n > 0) {
		ssize_t done = write(file, at, n);
		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			_exit(1); /* no one reads the pipe */
		at += done;
		n -= (size_t)done;
	}
}

/* ---- the parent's side ---- */

/* A pipe whose ends are none of the standard streams, should an application have closed those: workers are quiet on them. */
static bool open_pipe(int ends[2])
{
	bool ok = pipe(ends) == 0;

	for (int i = 0; ok && i < 2; i++) {
		int low = ends[i];
		if (low > STDERR_FILENO)
			continue;
		ends[i] = fcntl(low, F_DUPFD, STDERR_FILENO + 1);
		close(low);
		if (ends[i] < 0) {
			close(ends[!i]);
			ok = false;
		}
	}
	return ok;
}

bool process_start(struct worker *p, int (*work)(const void *what, int file), const void *what, struct process_limits limits,
		   struct error *e)
{
	pid_t parent = getpid();
	int ends[2];

	if (!open_pipe(ends))
		return error_set(e, ERROR_SYSTEM, "pipe", "%s", strerror(errno));
	*p = (struct worker){.pipe = ends[0], .most = limits.bytes};
	fcntl(ends[0], F_SETFD, FD_CLOEXEC);
	fcntl(ends[0], F_SETFL, O_NONBLOCK);
	p->deadline = limits.seconds > 0 ? clock_seconds() + limits.seconds : 0;
	p->cpu = limits.cpu;
	p->id = fork();
	if (p->id == 0) {
		close(ends[0]);
		become_worker(limits.mebibytes, parent);
		_exit(work(what, ends[1]));
	}
	close(ends[1]);
	if (p->id > 0)
		return true;
	error_set(e, ERROR_SYSTEM, "fork", "%s", strerror(errno));
	close(ends[0]);
	return false;
}

static void close_pipe(struct worker *p)
{
	if (p->pipe >= 0)
		close(p->pipe);
	p->pipe = -1;
}

static void stop(struct worker *p)
{
	kill(p->id, SIGKILL);
	close_pipe(p);
}

/* Receives what is available. */
static void listen_to(struct worker *p)
{
	char block[65536];
	ssize_t n = read(p->pipe, block, sizeof block);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		close_pipe(p);
		return;
	}
	text_add_bytes(&p->bytes, block, (size_t)n);
	if (p->most && p->bytes.length > p->most) {
		p->wordy = true;
		stop(p);
	}
}

/* The first worker that has ended; -1: none. */
static int ended(struct worker *const *all, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (all[i]->pipe < 0)
			return (int)i;
	return -1;
}

/* CPU time that the worker may still take; INFINITY: any. Once it has ended it takes none. */
static double cpu_left(const struct worker *p)
{
	struct timespec used;
	clockid_t clock;

	if (p->cpu <= 0 || p->pipe < 0 || clock_getcpuclockid(p->id, &clock) != 0 || clock_gettime(clock, &used) != 0)
		return INFINITY;
	return p->cpu - ((double)used.tv_sec + (double)used.tv_nsec * 1e-9);
}

static void stop_late(struct worker *const *all, size_t n)
{
	double t = clock_seconds();
	for (size_t i = 0; i < n; i++)
		if (all[i]->pipe >= 0 && ((all[i]->deadline > 0 && t >= all[i]->deadline) || cpu_left(all[i]) <= 0)) {
			all[i]->late = true;
			stop(all[i]);
		}
}

/* Until the caller's timeout, the first deadline, or the time at which CPU time may first run out; -1: none of these. */
static int milliseconds_left(struct worker *const *all, size_t n, double until)
{
	double first = until, t = clock_seconds();
	for (size_t i = 0; i < n; i++)
		if (all[i]->deadline > 0 && (first < 0 || all[i]->deadline < first))
			first = all[i]->deadline;
	for (size_t i = 0; i < n; i++) {
		double left = cpu_left(all[i]);
		if (left < INFINITY && (first < 0 || t + left < first))
			first = t + fmax(left, 1e-3);
	}
	if (first < 0)
		return -1;
	double left = first > t ? (first - t) * 1e3 + 1 : 0;
	return left > 1e9 ? 1000000000 : (int)left;
}

int process_wait(struct worker *const *all, size_t n, int milliseconds)
{
	struct pollfd *ends = new_array(struct pollfd, n);
	double until = milliseconds < 0 ? -1 : clock_seconds() + milliseconds * 1e-3;
	int done;

	while ((done = ended(all, n)) < 0 && n > 0) {
		for (size_t i = 0; i < n; i++)
			ends[i] = (struct pollfd){all[i]->pipe, POLLIN, 0};
		int ready = poll(ends, n, milliseconds_left(all, n, until));
		if (ready < 0)
			break; /* a signal: the caller decides what to do */
		for (size_t i = 0; i < n; i++)
			if (ends[i].revents)
				listen_to(all[i]);
		stop_late(all, n);
		if (ready == 0 && until >= 0 && clock_seconds() >= until)
			break;
	}
	free(ends);
	return done;
}

struct process_end process_finish(struct worker *p)
{
	struct process_end end = {0};
	struct rusage use = {0};

	while (wait4(p->id, &end.status, 0, &use) < 0 && errno == EINTR)
		;
	close_pipe(p);
	end.seconds = (double)(use.ru_utime.tv_sec + use.ru_stime.tv_sec) +
		      (double)(use.ru_utime.tv_usec + use.ru_stime.tv_usec) * 1e-6;
	end.peak_kib = (size_t)use.ru_maxrss;
	return end;
}

void process_kill(struct worker *p)
{
	kill(p->id, SIGKILL);
	process_finish(p);
	text_free(&p->bytes);
}

/* ---- processors and shared memory ---- */

int process_processors(void)
{
	cpu_set_t usable;

	return sched_getaffinity(0, sizeof usable, &usable) == 0 ? CPU_COUNT(&usable) : 1;
}

volatile int *process_share(struct error *e)
{
	void *page = mmap(NULL, sizeof(int), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (page != MAP_FAILED)
		return page;
	error_set(e, ERROR_SYSTEM, "mmap", "%s", strerror(errno));
	return NULL;
}

void process_unshare(volatile int *shared)
{
	if (shared)
		munmap((void *)shared, sizeof *shared);
}

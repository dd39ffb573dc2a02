#define _DEFAULT_SOURCE /* wait4 */

#include "prove/trace.h"

#include "core/base/error.h"
#include "core/base/memory.h"
#include "prove/solver.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { TRACE_MAX = 1 << 30 };

const char *trace_solver(void)
{
	return solver_name();
}

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* In the child. What the solver has to say is the parent's to tell. */
static void work(const struct cnf *f, int conflicts, int file, pid_t parent)
{
	static const int signals[] = {SIGTERM, SIGHUP, SIGPIPE, SIGQUIT, SIGALRM};
	int nowhere = open("/dev/null", O_WRONLY);

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
		signal(signals[i], SIG_DFL);
	signal(SIGINT, SIG_IGN); /* the terminal sends it to all: the parent ends us */
	if (nowhere >= 0) {
		dup2(nowhere, STDOUT_FILENO);
		dup2(nowhere, STDERR_FILENO);
	}
	_exit(solver_run(f->literals, f->n_literals, conflicts, file));
}

/* Until the pipe ends, the time is over, the trace too long, or a signal came. */
static bool listen_to(int file, double deadline, size_t most, const volatile int *interrupted, struct trace *out)
{
	char block[65536];

	for (;;) {
		struct pollfd end = {file, POLLIN, 0};
		double left = deadline > 0 ? deadline - now() : 1;
		if (left <= 0) {
			snprintf(out->why, sizeof out->why, "time limit");
			return false;
		}
		int ready = poll(&end, 1, left < 0.25 ? (int)(left * 1e3) + 1 : 250);
		if (interrupted && *interrupted)
			return false;
		if (ready <= 0)
			continue;
		ssize_t n = read(file, block, sizeof block);
		if (n < 0 && errno != EINTR)
			return false;
		if (n == 0)
			return true;
		if (n > 0)
			text_add_bytes(&out->bytes, block, (size_t)n);
		if (out->bytes.length > most) {
			snprintf(out->why, sizeof out->why, "the trace is longer than %zu bytes", most);
			out->too_long = true;
			return false;
		}
	}
}

static int reap(pid_t worker, struct trace *out)
{
	struct rusage use = {0};
	int status = 0;

	while (wait4(worker, &status, 0, &use) < 0 && errno == EINTR)
		;
	out->seconds = (double)(use.ru_utime.tv_sec + use.ru_stime.tv_sec) +
		       (double)(use.ru_utime.tv_usec + use.ru_stime.tv_usec) * 1e-6;
	return status;
}

static void judge(int status, struct trace *out)
{
	int answer = WIFEXITED(status) ? WEXITSTATUS(status) : 0;

	out->answer = answer == 10 ? TRACE_FOUND : answer == 20 ? TRACE_REFUTED : TRACE_GAVE_UP;
	if (out->answer == TRACE_GAVE_UP && WIFSIGNALED(status))
		snprintf(out->why, sizeof out->why, "the solver died: %s", strsignal(WTERMSIG(status)));
	else if (answer == MEMORY_STATUS)
		snprintf(out->why, sizeof out->why, "out of memory");
	else if (out->answer == TRACE_GAVE_UP)
		snprintf(out->why, sizeof out->why, "limit of conflicts");
}

bool trace_solve(const struct cnf *f, const struct trace_limits *limits, struct trace *out, struct error *e)
{
	const volatile int *interrupted = limits->interrupted;
	double deadline = limits->timeout > 0 ? now() + limits->timeout : 0;
	int ends[2];
	pid_t parent = getpid();

	*out = (struct trace){.answer = TRACE_GAVE_UP};
	if (!*solver_name())
		return error_set(e, ERROR_INPUT, "prove", "this build has no solver that writes traces: it was made without a C++ compiler");
	if (pipe(ends) != 0)
		return error_set(e, ERROR_SYSTEM, "pipe", "%s", strerror(errno));
	pid_t worker = fork();
	if (worker == 0) {
		close(ends[0]);
		work(f, limits->conflicts, ends[1], parent);
	}
	close(ends[1]);
	if (worker < 0) {
		close(ends[0]);
		return error_set(e, ERROR_SYSTEM, "fork", "%s", strerror(errno));
	}
	bool whole = listen_to(ends[0], deadline, limits->bytes ? limits->bytes : TRACE_MAX, interrupted, out);
	if (!whole)
		kill(worker, SIGKILL);
	close(ends[0]);
	int status = reap(worker, out);
	if (whole)
		judge(status, out);
	if (out->answer != TRACE_REFUTED)
		text_free(&out->bytes);
	return !interrupted || !*interrupted || error_set(e, ERROR_SYSTEM, "solver", "interrupted");
}

/* Questions in processes of their own: the answer comes back through a pipe, limits and faults end the process. */
#define _DEFAULT_SOURCE /* wait4 */

#include "encode/solve.h"

#include "core/base/error.h"
#include "core/base/memory.h"
#include "core/base/text.h"
#include "encode/answer.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

const char *const answer_names[] = {"found", "none", "gave-up"};

struct solve_job {
	pid_t worker;
	int pipe;            /* -1: at its end */
	struct text answer;  /* what came so far */
	double deadline;     /* of the monotonic clock; 0: none */
	bool late;           /* it was killed at its deadline */
	struct solve_options options;
	const struct engine *engine;
};

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

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
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGQUIT, SIGCHLD};
	sigset_t none;

	for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
		signal(signals[i], SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGINT, SIG_IGN); /* the terminal sends it to all: the parent ends us */
}

/*
 * A solver that dies writes to standard error what the parent tells in one line; CaDiCaL comments on standard output, which
 * is the parent's data, on clauses that are false from the start.
 */
static void be_quiet(void)
{
	int nowhere = open("/dev/null", O_WRONLY);
	if (nowhere < 0)
		return;
	dup2(nowhere, STDOUT_FILENO);
	dup2(nowhere, STDERR_FILENO);
}

static void write_all(int file, const void *bytes, size_t n)
{
	const char *at = bytes;
	while (n > 0) {
		ssize_t done = write(file, at, n);
		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			_exit(1); /* nobody listens */
		at += done;
		n -= (size_t)done;
	}
}

static void work(const struct solve_job *job, const struct instance *i, int file, pid_t parent)
{
	struct solution got = {0};

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	reset_signals();
	be_quiet();
	if (job->options.memory)
		limit_memory(job->options.memory);
	got.answer = job->engine->solve(i, &job->options, &got);
	struct text told = {0};
	answer_add(&told, &got);
	write_all(file, told.bytes, told.length);
	_exit(0);
}

/* ---- the parent's side ---- */

struct solve_job *solve_start(const struct instance *i, const struct solve_options *o, struct error *e)
{
	const struct engine *engine = solve_engine(o->engine, e);
	int ends[2];
	pid_t parent = getpid();

	if (!engine)
		return NULL;
	if (collective_row(&i->collective)->combining && !engine->direct) {
		error_set(e, ERROR_INPUT, "--engine", "%s cannot be asked for %s", engine->name,
			  i->collective.kind == ALLREDUCE ? "an allreduce that is not composed" : collective_name(&i->collective));
		return NULL;
	}
	if (pipe(ends) != 0) {
		error_set(e, ERROR_SYSTEM, "pipe", "%s", strerror(errno));
		return NULL;
	}
	struct solve_job *job = new(struct solve_job);
	*job = (struct solve_job){.pipe = ends[0], .options = *o, .engine = engine};
	fcntl(ends[0], F_SETFD, FD_CLOEXEC);
	fcntl(ends[0], F_SETFL, O_NONBLOCK);
	job->deadline = o->timeout > 0 ? now() + o->timeout : 0;
	job->worker = fork();
	if (job->worker == 0) {
		close(ends[0]);
		work(job, i, ends[1], parent);
	}
	close(ends[1]);
	if (job->worker > 0)
		return job;
	error_set(e, ERROR_SYSTEM, "fork", "%s", strerror(errno));
	close(ends[0]);
	free(job);
	return NULL;
}

/* Reads what is there; at the end closes the pipe. */
static void listen_to(struct solve_job *job)
{
	char block[65536];
	ssize_t n;

	while ((n = read(job->pipe, block, sizeof block)) > 0)
		text_add_bytes(&job->answer, block, (size_t)n);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	close(job->pipe);
	job->pipe = -1;
}

static void end_late(struct solve_job *const *jobs, size_t n)
{
	double t = now();
	for (size_t i = 0; i < n; i++)
		if (jobs[i]->deadline > 0 && t >= jobs[i]->deadline && !jobs[i]->late) {
			kill(jobs[i]->worker, SIGKILL);
			jobs[i]->late = true;
		}
}

/* Until the caller's time is over or the first deadline is there. */
static int milliseconds_left(struct solve_job *const *jobs, size_t n, double until)
{
	double first = until, t = now();
	for (size_t i = 0; i < n; i++)
		if (jobs[i]->deadline > 0 && !jobs[i]->late && (first < 0 || jobs[i]->deadline < first))
			first = jobs[i]->deadline;
	if (first < 0)
		return -1;
	double left = first > t ? (first - t) * 1e3 + 1 : 0;
	return left > 1e9 ? 1000000000 : (int)left;
}

int solve_wait(struct solve_job *const *jobs, size_t n, int milliseconds)
{
	struct pollfd *ends = new_array(struct pollfd, n);
	double until = milliseconds < 0 ? -1 : now() + milliseconds * 1e-3;
	int done = -1;

	for (;;) {
		for (size_t i = 0; i < n && done < 0; i++) {
			ends[i] = (struct pollfd){jobs[i]->pipe, POLLIN, 0};
			if (jobs[i]->pipe < 0)
				done = (int)i;
		}
		if (done >= 0 || n == 0)
			break;
		int ready = poll(ends, n, milliseconds_left(jobs, n, until));
		if (ready < 0)
			break; /* a signal: the caller looks what it wants */
		for (size_t i = 0; i < n; i++)
			if (ends[i].revents)
				listen_to(jobs[i]);
		end_late(jobs, n);
		if (ready == 0 && until >= 0 && now() >= until)
			break;
	}
	free(ends);
	return done;
}

static void say_why(const struct solve_job *job, int status, struct solution *out)
{
	bool memory = (WIFSIGNALED(status) && WTERMSIG(status) != SIGKILL) || (WIFEXITED(status) && WEXITSTATUS(status) == MEMORY_STATUS);

	if (job->late && job->options.share_of > 0)
		snprintf(out->why, sizeof out->why, "their shares of the time limit of %g s were too short", job->options.share_of);
	else if (job->late)
		snprintf(out->why, sizeof out->why, "time limit of %g s", job->options.timeout);
	else if (job->options.memory && memory)
		snprintf(out->why, sizeof out->why, "memory limit of %zu MiB", job->options.memory);
	else if (WIFEXITED(status) && WEXITSTATUS(status) == MEMORY_STATUS)
		snprintf(out->why, sizeof out->why, "out of memory");
	else if (WIFSIGNALED(status))
		snprintf(out->why, sizeof out->why, "the solver died: %s", strsignal(WTERMSIG(status)));
	else if (WEXITSTATUS(status))
		snprintf(out->why, sizeof out->why, "the solver ended with status %d", WEXITSTATUS(status));
	else
		snprintf(out->why, sizeof out->why, "the solver does not know");
}

static double seconds(struct timeval t)
{
	return (double)t.tv_sec + (double)t.tv_usec * 1e-6;
}

static int reap(struct solve_job *job, struct rusage *use)
{
	int status = 0;
	while (wait4(job->worker, &status, 0, use) < 0 && errno == EINTR)
		;
	if (job->pipe >= 0)
		close(job->pipe);
	return status;
}

bool solve_finish(struct solve_job *job, struct solution *out, struct error *e)
{
	struct rusage use = {0};
	int status = reap(job, &use);
	size_t at = 0;

	(void)e;
	*out = (struct solution){.engine = job->engine->name, .peak_kib = (size_t)use.ru_maxrss};
	out->seconds = seconds(use.ru_utime) + seconds(use.ru_stime);
	if (job->late || status != 0 || !answer_take(&job->answer, &at, out))
		out->answer = ANSWER_GAVE_UP;
	if (out->answer != ANSWER_FOUND) {
		steps_free(out->steps, out->n_steps);
		out->steps = NULL;
		out->n_steps = 0;
	}
	if (out->answer == ANSWER_GAVE_UP)
		say_why(job, status, out);
	text_free(&job->answer);
	free(job);
	return true;
}

void solve_cancel(struct solve_job *job)
{
	struct rusage use;
	if (!job)
		return;
	kill(job->worker, SIGKILL);
	reap(job, &use);
	text_free(&job->answer);
	free(job);
}

bool solve(const struct instance *i, const struct solve_options *o, struct solution *out, struct error *e)
{
	struct solve_job *job = solve_start(i, o, e);
	if (!job)
		return false;
	if (solve_wait(&job, 1, -1) == 0)
		return solve_finish(job, out, e);
	solve_cancel(job);
	return error_set(e, ERROR_SYSTEM, "solve", "interrupted");
}

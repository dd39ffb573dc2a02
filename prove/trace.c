/* Runs the solver in a worker process, which sends the trace through a pipe and its answer as the exit status. */

#include "prove/trace.h"

#include "core/base/error.h"
#include "core/base/memory.h"
#include "core/base/process.h"
#include "prove/solver.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

enum { TRACE_MAX = 1 << 30 };

const char *trace_solver(void)
{
	return solver_name();
}

struct trace_task {
	const struct cnf *formula;
	int conflicts;
};

static int work(const void *what, int file)
{
	const struct trace_task *q = what;
	return solver_run(q->formula->literals, q->formula->n_literals, q->conflicts, file);
}

/* Waits for the worker. False: a limit or a signal ended the wait before the worker did. */
static bool listen_to(struct worker *worker, const volatile int *interrupted)
{
	enum { LOOK = 250 }; /* milliseconds: a signal just before the wait does not interrupt it */

	while (process_wait(&worker, 1, LOOK) < 0)
		if (interrupted && *interrupted)
			return false;
	return !worker->late && !worker->wordy;
}

static void judge(int status, struct trace *out)
{
	int answer = WIFEXITED(status) ? WEXITSTATUS(status) : 0;

	out->answer = answer == 10 ? TRACE_FOUND : answer == 20 ? TRACE_REFUTED : TRACE_GAVE_UP;
	if (out->answer == TRACE_GAVE_UP && WIFSIGNALED(status))
		snprintf(out->why, sizeof out->why, "the solver died: %s", strsignal(WTERMSIG(status)));
	else if (answer == MEMORY_STATUS)
		snprintf(out->why, sizeof out->why, "out of memory");
	else if (out->answer == TRACE_GAVE_UP && answer)
		snprintf(out->why, sizeof out->why, "the solver ended with status %d", answer);
	else if (out->answer == TRACE_GAVE_UP) {
		snprintf(out->why, sizeof out->why, "conflict limit");
		out->at_conflicts = true;
	}
}

bool trace_solve(const struct cnf *f, const struct trace_limits *limits, struct trace *out, struct error *e)
{
	const volatile int *interrupted = limits->interrupted;
	size_t most = limits->bytes ? limits->bytes : TRACE_MAX;
	struct trace_task q = {f, limits->conflicts};
	struct worker worker;

	*out = (struct trace){.answer = TRACE_GAVE_UP};
	if (!*solver_name())
		return error_set(e, ERROR_INPUT, "prove", "no solver of this build writes traces: it was built without a C++ compiler");
	if (!process_start(&worker, work, &q, (struct process_limits){.seconds = limits->timeout, .bytes = most}, e))
		return false;
	bool whole = listen_to(&worker, interrupted);
	if (!whole)
		kill(worker.id, SIGKILL);
	struct process_end end = process_finish(&worker);
	out->seconds = end.seconds;
	out->bytes = worker.bytes;
	if (whole)
		judge(end.status, out);
	else if (worker.late)
		snprintf(out->why, sizeof out->why, "time limit");
	else if (worker.wordy)
		snprintf(out->why, sizeof out->why, "the trace is longer than %zu bytes", most);
	out->too_long = worker.wordy;
	if (out->answer != TRACE_REFUTED)
		text_free(&out->bytes);
	return !interrupted || !*interrupted || error_set(e, ERROR_SYSTEM, "solver", "interrupted");
}

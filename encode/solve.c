/*
 * Runs each question in a worker process: the answer comes back through a pipe, and a limit or a crash ends only that
 * process. A worker that does not deliver a complete answer counts as having given up, and its exit status gives the
 * reason.
 */
#include "encode/solve.h"

#include "core/base/error.h"
#include "core/base/memory.h"
#include "core/base/process.h"
#include "core/base/text.h"
#include "core/base/work.h"
#include "core/machine/network.h"
#include "encode/answer.h"
#include "encode/cnf/pattern.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

const char *const answer_names[] = {"found", "none", "gave-up"};

struct solve_job {
	struct worker worker;
	struct solve_options options;
	const struct engine *engine;
};

struct solve_task {
	const struct solve_job *job;
	const struct instance *instance;
};

static int work(const void *what, int file)
{
	const struct solve_task *q = what;
	struct solution got = {0};
	struct text answer = {0};

	const struct pattern_limit *pattern = q->job->options.pattern;
	double most = q->job->options.work;
	struct work before = work_begin(most > 0 ? most : INFINITY);
	got.answer = pattern ? solve_pattern(q->instance, pattern, &got) : q->job->engine->solve(q->instance, &q->job->options, &got);
	got.work = work_spent();
	work_end(before);
	answer_add(&answer, &got);
	process_send(file, answer.bytes, answer.length);
	return 0;
}

struct solve_job *solve_start(const struct instance *i, const struct solve_options *o, struct error *e)
{
	const struct engine *engine = solve_engine(o->engine, e);

	if (!engine || !network_counts_all(i->network, engine->name, e))
		return NULL;
	if (collective_row(&i->collective)->combining && !engine->direct) {
		error_set(e, ERROR_INPUT, "--engine", "%s cannot solve %s", engine->name,
			  i->collective.kind == ALLREDUCE ? "an allreduce directly" : collective_name(&i->collective));
		return NULL;
	}
	struct solve_job *job = new(struct solve_job);
	*job = (struct solve_job){.options = *o, .engine = engine};
	struct solve_task q = {job, i};
	if (process_start(&job->worker, work, &q, (struct process_limits){.seconds = o->timeout, .cpu = o->cpu, .mebibytes = o->memory}, e))
		return job;
	free(job);
	return NULL;
}

int solve_wait(struct solve_job *const *jobs, size_t n, int milliseconds)
{
	struct worker **workers = new_array(struct worker *, n);

	for (size_t i = 0; i < n; i++)
		workers[i] = &jobs[i]->worker;
	int done = process_wait(workers, n, milliseconds);
	free(workers);
	return done;
}

static void state_reason(const struct solve_job *job, int status, struct solution *out)
{
	bool at_limit = (WIFSIGNALED(status) && WTERMSIG(status) != SIGKILL) || (WIFEXITED(status) && WEXITSTATUS(status) == MEMORY_STATUS);

	out->lacked_memory = !job->worker.late && ((job->options.memory && at_limit) || (WIFEXITED(status) && WEXITSTATUS(status) == MEMORY_STATUS));
	if (job->worker.late && job->options.share_of > 0)
		snprintf(out->why, sizeof out->why, "their shares of the time limit of %g s ran out", job->options.share_of);
	else if (job->worker.late)
		snprintf(out->why, sizeof out->why, "time limit of %g s", job->options.timeout > 0 ? job->options.timeout : job->options.cpu);
	else if (job->options.memory && at_limit)
		snprintf(out->why, sizeof out->why, "memory limit of %zu MiB", job->options.memory);
	else if (WIFEXITED(status) && WEXITSTATUS(status) == MEMORY_STATUS)
		snprintf(out->why, sizeof out->why, "out of memory");
	else if (WIFSIGNALED(status))
		snprintf(out->why, sizeof out->why, "the solver died: %s", strsignal(WTERMSIG(status)));
	else if (WEXITSTATUS(status))
		snprintf(out->why, sizeof out->why, "the solver ended with status %d", WEXITSTATUS(status));
	else if (job->options.work > 0 && out->work > job->options.work)
		snprintf(out->why, sizeof out->why, "limit of %g steps of work", job->options.work);
	else
		snprintf(out->why, sizeof out->why, "the solver could not decide");
}

static const double steps_a_second = 3e6; /* of CaDiCaL, about */

bool solve_finish(struct solve_job *job, struct solution *out, struct error *e)
{
	struct process_end end = process_finish(&job->worker);
	int status = end.status;
	size_t at = 0;

	(void)e;
	*out = (struct solution){.engine = job->engine->name, .peak_kib = end.peak_kib, .seconds = end.seconds};
	if (job->worker.late || status != 0 || !answer_take(&job->worker.bytes, &at, out))
		out->answer = ANSWER_GAVE_UP;
	if (out->work <= 0)
		out->work = steps_a_second * end.seconds;
	if (out->answer != ANSWER_FOUND) {
		steps_free(out->steps, out->n_steps);
		out->steps = NULL;
		out->n_steps = 0;
	}
	if (out->answer == ANSWER_GAVE_UP)
		state_reason(job, status, out);
	text_free(&job->worker.bytes);
	free(job);
	return true;
}

void solve_cancel(struct solve_job *job)
{
	if (!job)
		return;
	process_kill(&job->worker);
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

/*
 * Parallel arrays of running questions, compacted as questions end. A local question owns its instance, which the
 * solver process reads, and its job; a remote one has only a number.
 */

#include "synth/frontier/solver_pool.h"

#include "core/base/error.h"
#include "core/base/memory.h"
#include "synth/frontier/remote_pool.h"

#include <math.h>
#include <stdlib.h>

/* The first n_running of each array are in use. */
struct solver_pool {
	const struct problem *problem;
	struct solve_options options;
	size_t n, n_running;
	struct candidate *candidates;
	struct instance **instances;
	struct solve_job **jobs;
	struct remote_pool *remote; /* NULL: solved by local jobs */
	int *numbers;          /* of the remote pool's questions */
};

struct solver_pool *solver_pool_new(const struct problem *p, const struct solve_options *o, int n, struct remote_pool *remote)
{
	struct solver_pool *l = new(struct solver_pool);

	n = remote ? remote_pool_workers(remote) : n;
	l->remote = remote;
	l->problem = p;
	l->options = *o;
	l->options.share_of = o->share_of > 0 ? o->share_of : o->timeout;
	l->n = n < 1 ? 1 : (size_t)n;
	l->candidates = new_array(struct candidate, l->n);
	l->instances = new_array(struct instance *, l->n);
	l->jobs = new_array(struct solve_job *, l->n);
	l->numbers = new_array(int, l->n);
	return l;
}

static void close_worker(struct solver_pool *l, size_t i)
{
	if (l->instances[i])
		problem_instance_done(l->instances[i]);
	free(l->instances[i]);
	size_t last = --l->n_running;
	l->candidates[i] = l->candidates[last];
	l->instances[i] = l->instances[last];
	l->jobs[i] = l->jobs[last];
	l->numbers[i] = l->numbers[last];
}

static void cancel(struct solver_pool *l, size_t i)
{
	if (l->remote)
		remote_pool_cancel(l->remote, l->numbers[i]);
	else
		solve_cancel(l->jobs[i]);
	close_worker(l, i);
}

void solver_pool_free(struct solver_pool *l)
{
	if (!l)
		return;
	while (l->n_running)
		cancel(l, 0);
	free(l->candidates);
	free(l->instances);
	free(l->jobs);
	free(l->numbers);
	free(l);
}

size_t solver_pool_size(const struct solver_pool *l)
{
	return l->n;
}

bool solver_pool_room(const struct solver_pool *l)
{
	return l->n_running < l->n;
}

size_t solver_pool_running(const struct solver_pool *l, const struct candidate **running)
{
	*running = l->candidates;
	return l->n_running;
}

static bool ask_here(struct solver_pool *l, struct candidate c, struct error *e)
{
	struct instance *i = new(struct instance);
	if (!problem_instance(l->problem, c, i, e)) {
		free(i);
		return false;
	}
	l->candidates[l->n_running] = c;
	l->instances[l->n_running] = i;
	l->jobs[l->n_running] = solve_start(i, &l->options, e);
	l->n_running++;
	if (l->jobs[l->n_running - 1])
		return true;
	close_worker(l, l->n_running - 1);
	return false;
}

bool solver_pool_ask(struct solver_pool *l, struct candidate c, double seconds, struct error *e)
{
	l->options.timeout = isinf(seconds) ? 0 : seconds;
	if (!l->remote)
		return ask_here(l, c, e);
	l->candidates[l->n_running] = c;
	l->instances[l->n_running] = NULL;
	l->numbers[l->n_running++] = remote_pool_ask(l->remote, l->problem, c, &l->options);
	return true;
}

/* The index of a question that has an answer; -1: none. */
static int wait_for(struct solver_pool *l, int milliseconds, struct error *e)
{
	if (!l->remote)
		return solve_wait(l->jobs, l->n_running, milliseconds);
	int number = remote_pool_wait(l->remote, milliseconds, e);
	for (size_t i = 0; number && i < l->n_running; i++)
		if (l->numbers[i] == number)
			return (int)i;
	return -1;
}

bool solver_pool_answer(struct solver_pool *l, int milliseconds, struct candidate *c, struct solution *got, struct error *e)
{
	int i = wait_for(l, milliseconds, e);
	if (i < 0)
		return false;
	*c = l->candidates[i];
	bool ok = l->remote ? remote_pool_finish(l->remote, l->numbers[i], got, e) : solve_finish(l->jobs[i], got, e);
	close_worker(l, (size_t)i);
	return ok;
}

void solver_pool_drop(struct solver_pool *l, bool (*idle)(void *context, struct candidate c), void *context)
{
	for (size_t i = l->n_running; i-- > 0;)
		if (idle(context, l->candidates[i]))
			cancel(l, i);
}

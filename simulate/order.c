/*
 * Links and limits serve messages in the order of the algorithm. A message starts once all messages before it on each
 * resource of its route have started, and each of these resources has the message's rate to spare. From then on it has that
 * rate until it has been sent: several messages share a resource only where their routes are narrower than that. A message
 * waits only for messages of lower numbers, here as for its chunk, so none waits for ever. Where switches copy or add,
 * messages that count once together on a link each use their part of the rate there. A route that crosses a limit twice has
 * at most half the limit's rate.
 */

#include "simulate/run.h"

#include "core/base/csr.h"
#include "core/base/memory.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

struct ordered {
	struct csr queue;   /* [resource]: its messages, in order */
	int *turn;          /* [resource]: the index in the queue of the message that is next */
	double *used;       /* [resource]: rate of the messages that it carries now */
	double *rate;       /* [message]: bytes per µs; less than its route's if it crosses a limit more than once */
	bool *has_come;     /* [message]: does it wait for resources alone? */
	struct heap looked; /* messages whose turn it may be */
};

/* What a message counts at the resource over[I] of its route, over all crossings of this resource by the route. */
static double part_at(const struct run *r, int message, int i)
{
	const struct fabric *f = r->fabric;
	int route = r->traffic->route[message];
	double part = 0;

	for (int k = f->begin[route]; k < f->begin[route + 1]; k++)
		if (f->over[k] == f->over[i])
			part += traffic_part(r->traffic, f->longest, message, k - f->begin[route]);
	return part;
}

static double rate_of(const struct run *r, int message)
{
	const struct fabric *f = r->fabric;
	int route = r->traffic->route[message];
	double rate = f->routes[route].rate;

	for (int i = f->begin[route]; i < f->begin[route + 1]; i++)
		rate = fmin(rate, f->resources[f->over[i]].rate / part_at(r, message, i));
	return rate;
}

static void *order_open(const struct run *r)
{
	const struct fabric *f = r->fabric;
	const struct traffic *t = r->traffic;
	struct ordered *q = new(struct ordered);
	struct csr *queue = &q->queue;

	*queue = csr_new((int)f->n_resources);
	for (int m = 0; m < t->n; m++)
		for (int i = f->begin[t->route[m]]; i < f->begin[t->route[m] + 1]; i++)
			csr_count(queue, f->over[i]);
	csr_allocate(queue);
	for (int m = 0; m < t->n; m++)
		for (int i = f->begin[t->route[m]]; i < f->begin[t->route[m] + 1]; i++)
			csr_put(queue, f->over[i], m);
	q->turn = copy_bytes(queue->begin, f->n_resources * sizeof *q->turn);
	q->used = new_array(double, f->n_resources);
	q->has_come = new_array(bool, (size_t)t->n);
	q->rate = new_array(double, (size_t)t->n);
	for (int m = 0; m < t->n; m++)
		q->rate[m] = rate_of(r, m);
	q->looked.tracks = true;
	return q;
}

static void order_close(void *shares)
{
	struct ordered *q = shares;

	csr_free(&q->queue);
	free(q->turn);
	free(q->used);
	free(q->rate);
	free(q->has_come);
	heap_free(&q->looked);
	free(q);
}

static bool may_start(const struct run *r, int message)
{
	const struct fabric *f = r->fabric;
	const struct ordered *q = r->shares;
	int route = r->traffic->route[message];

	if (!q->has_come[message])
		return false;
	for (int i = f->begin[route]; i < f->begin[route + 1]; i++) {
		int x = f->over[i];
		if (q->queue.of[q->turn[x]] != message || !fabric_has_room(f, x, q->used[x], q->rate[message] * part_at(r, message, i)))
			return false;
	}
	return true;
}

/* Notes that the next message of RESOURCE may be able to start. */
static void look(struct ordered *q, int resource)
{
	int at = q->turn[resource];

	if (at < q->queue.begin[resource + 1])
		heap_put(&q->looked, (struct heap_entry){q->queue.of[at], 0, q->queue.of[at]});
}

static void begin(struct run *r, int message, double time)
{
	const struct fabric *f = r->fabric;
	struct ordered *q = r->shares;
	int route = r->traffic->route[message];

	q->has_come[message] = false;
	for (int i = f->begin[route]; i < f->begin[route + 1]; i++) {
		q->used[f->over[i]] += q->rate[message] * traffic_part(r->traffic, f->longest, message, i - f->begin[route]);
		q->turn[f->over[i]]++;
	}
	for (int i = f->begin[route]; i < f->begin[route + 1]; i++)
		look(q, f->over[i]);
	run_expect(r, time + r->wire / q->rate[message], message, HAPPENS_HEAD);
}

static void begin_all(struct run *r, double time)
{
	struct ordered *q = r->shares;

	while (q->looked.n) {
		int message = heap_take(&q->looked).item;
		if (may_start(r, message))
			begin(r, message, time);
	}
}

static void order_start(struct run *r, int message, double time)
{
	struct ordered *q = r->shares;

	q->has_come[message] = true;
	heap_put(&q->looked, (struct heap_entry){message, 0, message});
	begin_all(r, time);
}

/* The last byte leaves all links at the same time; latencies delay its arrival. */
static void order_head(struct run *r, int message, double time)
{
	const struct fabric *f = r->fabric;
	struct ordered *q = r->shares;
	int route = r->traffic->route[message];

	for (int i = f->begin[route]; i < f->begin[route + 1]; i++) {
		q->used[f->over[i]] -= q->rate[message] * traffic_part(r->traffic, f->longest, message, i - f->begin[route]);
		look(q, f->over[i]);
	}
	r->sent(r, message, time);
	r->arrived(r, message, time + f->routes[route].latency);
	begin_all(r, time);
}

static double order_next(struct run *r)
{
	(void)r;
	return INFINITY;
}

static void order_finish(struct run *r, double time)
{
	(void)r, (void)time;
}

const struct sharing sharing_order = {order_open, order_close, order_start, order_head, order_next, order_finish};

/*
 * Links and limits serve messages in order of arrival, each one as a whole (FIFO). Heads cut through to the next
 * resource while the tail is still being sent; buffers on the way hold what waits, however much that is.
 */

#include "simulate/run.h"

#include "core/base/memory.h"

#include <math.h>
#include <stdlib.h>

struct fifo {
	double *free_at; /* [resource]: time */
	/* Of each message in flight, if any route crosses more than one resource: */
	int *hop;     /* index in its route of the resource that its head has reached */
	double *tail; /* when its last byte can be there */
};

static void *fifo_open(const struct run *r)
{
	struct fifo *q = new(struct fifo);

	q->free_at = new_array(double, r->fabric->n_resources);
	if (r->fabric->longest > 1) {
		q->hop = new_array(int, (size_t)r->traffic->n);
		q->tail = new_array(double, (size_t)r->traffic->n);
	}
	return q;
}

static void fifo_close(void *shares)
{
	struct fifo *q = shares;

	free(q->free_at);
	free(q->hop);
	free(q->tail);
	free(q);
}

static void cross(struct run *r, int message, double time, int hop, double tail)
{
	const struct fabric *f = r->fabric;
	struct fifo *q = r->shares;
	int route = r->traffic->route[message], at = f->begin[route] + hop;
	const struct resource *resource = &f->resources[f->over[at]];
	double *free_at = &q->free_at[f->over[at]];
	double start = time > *free_at ? time : *free_at, end = start + r->wire / resource->rate;

	if (end < tail)
		end = tail;
	*free_at = end;
	if (hop == 0)
		r->sent(r, message, end);
	if (at + 1 == f->begin[route + 1]) {
		r->arrived(r, message, end + resource->latency);
		return;
	}
	q->hop[message] = hop + 1;
	q->tail[message] = end + resource->latency;
	run_expect(r, start + resource->latency, message, HAPPENS_HEAD);
}

static void fifo_start(struct run *r, int message, double time)
{
	cross(r, message, time, 0, 0);
}

static void fifo_head(struct run *r, int message, double time)
{
	const struct fifo *q = r->shares;
	cross(r, message, time, q->hop[message], q->tail[message]);
}

static double fifo_next(struct run *r)
{
	(void)r;
	return INFINITY;
}

static void fifo_finish(struct run *r, double time)
{
	(void)r, (void)time;
}

const struct sharing sharing_fifo = {fifo_open, fifo_close, fifo_start, fifo_head, fifo_next, fifo_finish};

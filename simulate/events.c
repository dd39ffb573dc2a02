#include "simulate/events.h"

#include "core/base/memory.h"

#include <stdlib.h>

static bool is_before(const struct event *a, const struct event *b)
{
	if (a->time < b->time || a->time > b->time)
		return a->time < b->time;
	return a->message != b->message ? a->message < b->message : a->what < b->what;
}

void events_add(struct events *q, struct event e)
{
	q->heap = grown(q->heap, &q->capacity, q->n + 1, sizeof *q->heap);
	size_t i = q->n++;
	for (; i > 0 && is_before(&e, &q->heap[(i - 1) / 2]); i = (i - 1) / 2)
		q->heap[i] = q->heap[(i - 1) / 2];
	q->heap[i] = e;
}

struct event events_take(struct events *q)
{
	struct event first = q->heap[0], last = q->heap[--q->n];
	size_t i = 0;

	for (;;) {
		size_t child = 2 * i + 1;
		if (child >= q->n)
			break;
		if (child + 1 < q->n && is_before(&q->heap[child + 1], &q->heap[child]))
			child++;
		if (!is_before(&q->heap[child], &last))
			break;
		q->heap[i] = q->heap[child];
		i = child;
	}
	q->heap[i] = last;
	return first;
}

void events_free(struct events *q)
{
	free(q->heap);
	*q = (struct events){0};
}

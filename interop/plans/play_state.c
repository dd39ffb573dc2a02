/* What the parts of playing share: cells of buffers, clocks, messages on their way. */

#include "interop/plans/play.h"

#include "core/base/memory.h"

#include <string.h>

void play_join(const struct play *y, int *into, const int *from)
{
	for (int b = 0; b < y->blocks; b++)
		if (from[b] > into[b])
			into[b] = from[b];
}

void queue_push(struct play_queue *q, struct play_message m)
{
	if (q->first && q->first + q->n == q->capacity) {
		memmove(q->of, q->of + q->first, q->n * sizeof *q->of);
		q->first = 0;
	}
	q->of = grown(q->of, &q->capacity, q->first + q->n + 1, sizeof *q->of);
	q->of[q->first + q->n++] = m;
}

struct play_message queue_pop(struct play_queue *q)
{
	struct play_message m = q->of[q->first++];

	if (--q->n == 0)
		q->first = 0;
	return m;
}

struct play_cell *play_cell_at(struct play *y, const struct plan_span *s, int i)
{
	enum plan_buffer buffer = s->buffer;
	int at = s->at + i, limit = y->length[buffer][s->rank];

	if (at < 0 || at >= limit)
		return NULL;
	if (y->in_place && buffer == PLAN_INPUT) {
		buffer = PLAN_OUTPUT;
		if (y->p->kind == PLAN_ALLGATHER)
			at += s->rank * limit;
	} else if (y->in_place && buffer == PLAN_OUTPUT && y->p->kind == PLAN_REDUCESCATTER)
		at += s->rank * limit;
	return &y->cells[buffer][s->rank][at];
}

bool play_judges_sums(const struct play *y)
{
	return y->p->kind != PLAN_OTHER;
}

void play_log(struct play *y, int step, int datum, int src, int dst, bool reduce)
{
	struct plan_log *l = y->log;

	if (!l)
		return;
	l->of = grown(l->of, &l->capacity, l->n + 1, sizeof *l->of);
	l->of[l->n++] = (struct plan_send){step, datum, src, dst, reduce};
}

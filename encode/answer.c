/*
 * Serializes a solution as the native ints and send structs of this machine, and reads it back. Lengths are checked
 * against the bytes that are left before anything is allocated, so truncated input fails cleanly.
 */

#include "encode/answer.h"

#include "core/base/memory.h"
#include "core/base/text.h"

#include <string.h>

void answer_add(struct text *into, const struct solution *got)
{
	int head[2] = {(int)got->answer, (int)got->n_steps};

	text_add_bytes(into, head, sizeof head);
	text_add_bytes(into, &got->work, sizeof got->work);
	for (size_t s = 0; s < got->n_steps; s++) {
		int step[3] = {got->steps[s].rounds, (int)got->steps[s].n_sends, (int)got->steps[s].n_reduces};
		text_add_bytes(into, step, sizeof step);
		text_add_bytes(into, got->steps[s].sends, got->steps[s].n_sends * sizeof(struct send));
		text_add_bytes(into, got->steps[s].reduces, got->steps[s].n_reduces * sizeof(struct send));
	}
}

static bool take(const struct text *t, size_t *at, void *into, size_t n)
{
	if (t->length - *at < n)
		return false;
	if (n)
		memcpy(into, t->bytes + *at, n);
	*at += n;
	return true;
}

static bool take_sends(const struct text *t, size_t *at, int n, struct send **sends, size_t *n_sends)
{
	if (n < 0 || (t->length - *at) / sizeof(struct send) < (size_t)n)
		return false;
	*n_sends = (size_t)n;
	*sends = new_array(struct send, (size_t)n);
	return take(t, at, *sends, (size_t)n * sizeof(struct send));
}

bool answer_take(const struct text *t, size_t *at, struct solution *out)
{
	int head[2], step[3];

	if (!take(t, at, head, sizeof head) || !take(t, at, &out->work, sizeof out->work) || head[0] < ANSWER_FOUND || head[0] > ANSWER_GAVE_UP ||
	    head[1] < 0 || (t->length - *at) / sizeof step < (size_t)head[1])
		return false;
	out->answer = (enum answer)head[0];
	out->steps = new_array(struct step, (size_t)head[1]);
	for (out->n_steps = 0; out->n_steps < (size_t)head[1];) {
		if (!take(t, at, step, sizeof step))
			return false;
		struct step *s = &out->steps[out->n_steps++];
		s->rounds = step[0];
		if (!take_sends(t, at, step[1], &s->sends, &s->n_sends) ||
		    !take_sends(t, at, step[2], &s->reduces, &s->n_reduces))
			return false;
	}
	return true;
}

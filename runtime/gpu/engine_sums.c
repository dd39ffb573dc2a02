/*
 * Takes the reductions out of a rank's words. Targets in the memory of other ranks are left out; if none is left, the
 * target is a slot of its own.
 */
#include "runtime/gpu/engine_sums.h"

#include "runtime/core/status.h"

#include <stdlib.h>
#include <string.h>

/* Before the reduction come the words that announce a single move. */
enum { HEAD = 4 };

static size_t length_of(const uint32_t *w)
{
	switch (*w & 0xffu) {
	case SCCL_WORD_COPY:
	case SCCL_WORD_REDUCE:
	case SCCL_WORD_TOTAL:
		return 4 + 2 * ((size_t)w[2] + w[3]);
	case SCCL_WORD_MOVES:
		return w[2];
	case SCCL_WORD_FLAGS:
		return 2;
	case SCCL_WORD_SYNC:
		return 1;
	default:
		return SCCL_FLAG_WORDS;
	}
}

/* Writes the program of the reduction at W; returns its length. */
static size_t take_out(const uint32_t *w, const struct sccl_plan *plan, size_t number, uint32_t *to, bool *aside)
{
	uint32_t step = *w >> 8, sources = w[2], me = plan->comm->meeting.rank;
	uint32_t *target = to + HEAD + 4 + (size_t)2 * sources;
	const uint32_t head[HEAD + 3] = {SCCL_MOVES(step, 1), HEAD, 0, *w, w[1], sources};

	memcpy(to, head, sizeof head);
	memcpy(to + HEAD + 4, w + 4, (size_t)2 * sources * sizeof *w);
	for (uint32_t i = sources; i < sources + w[3]; i++)
		if ((w[4 + 2 * i] & 0x3fffffffu) == me) {
			memcpy(target, w + 4 + (size_t)2 * i, 2 * sizeof *w);
			target += 2;
		}
	*aside = target == to + HEAD + 4 + (size_t)2 * sources;
	if (*aside) {
		const uint32_t slot[] = {SCCL_SCRATCH(me, plan->table->scratch_slots + (uint32_t)(number % SUM_SLOTS))};
		memcpy(target, slot, sizeof slot);
		target += 2;
	}
	to[HEAD + 3] = (uint32_t)(target - (to + HEAD + 4)) / 2 - sources;
	to[3] = (uint32_t)(target - to);
	*target++ = SCCL_END;
	return (size_t)(target - to);
}

static sccl_status_t take_all_out(const struct sccl_plan *plan, struct local_sums *s)
{
	const uint32_t *words = plan->table->words[plan->comm->meeting.rank];
	size_t length = plan->table->lengths[plan->comm->meeting.rank], used = 0, put_aside = 0;

	for (size_t at = 0; at < length && (words[at] & 0xffu) != SCCL_WORD_END; at += length_of(words + at))
		s->n += SCCL_IS_REDUCTION(words[at]);
	s->words = calloc(length + s->n * (HEAD + 3) + 1, sizeof *s->words);
	s->begins = calloc(s->n + 1, sizeof *s->begins);
	s->aside = calloc(s->n + 1, sizeof *s->aside);
	if (!s->words || !s->begins || !s->aside)
		return sccli_fail(SCCL_NO_MEMORY, "no memory for the reductions of a plan");
	size_t i = 0;
	for (size_t at = 0; i < s->n; at += length_of(words + at)) {
		if (!SCCL_IS_REDUCTION(words[at]))
			continue;
		s->begins[i] = used;
		used += take_out(words + at, plan, put_aside, s->words + used, &s->aside[i]);
		put_aside += s->aside[i++];
	}
	return plan->comm->meeting.unit.device->place(&plan->comm->meeting.unit, s->words, (used + 1) * sizeof *s->words, &s->there);
}

sccl_status_t sccli_sums_create(const struct sccl_plan *plan, struct local_sums *s)
{
	*s = (struct local_sums){0};
	return plan->program->combining ? take_all_out(plan, s) : SCCL_OK;
}

void sccli_sums_free(const struct sccl_plan *plan, struct local_sums *s)
{
	if (s->there.own)
		plan->comm->meeting.unit.device->close(&s->there);
	free(s->words);
	free(s->begins);
	free(s->aside);
	*s = (struct local_sums){0};
}

uint32_t sccli_sums_slots(const sccl_program_t *p)
{
	return p->combining ? SUM_SLOTS : 0;
}

const uint32_t *sccli_sums_word(const struct local_sums *s, size_t i)
{
	return s->words + s->begins[i] + HEAD;
}

/* The kernel waits for nobody, so any number of its blocks may run, and the epochs stay. */
sccl_status_t sccli_sums_run(const struct sccl_plan *plan, const struct local_sums *s, size_t i, const sccl_launch_t *launch,
                             sccl_stream_t stream)
{
	const struct unit *u = &plan->comm->meeting.unit;
	sccl_launch_t l = *launch;

	l.words = (const uint32_t *)(const void *)s->there.base + s->begins[i];
	l.signals = 0;
	l.overlap = 0;
	l.grid = u->device->synchronous ? 1 : l.blocks;
	l.until = SCCL_TO_THE_END;
	return u->device->launch(u, plan->kernel, &l, stream);
}

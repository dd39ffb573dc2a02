/*
 * Selects the program, protocol, mode and number of blocks of a call by its size, and tunes the number of blocks during
 * the first calls of each size. Where memory is laid out for a number of blocks, as with packets, each number that is
 * tried has a plan of its own, freed once no size uses it. Copy engines begin with blocks of 1 MiB, as Blink does, since
 * every copy costs commands. Where ranks read each other's inputs a second plan, with the plain protocol, is for the calls
 * whose inputs cannot be read: those in place, and those outside symmetric memory.
 */

#include "runtime/core/agree.h"
#include "runtime/core/clock.h"
#include "runtime/core/utf8.h"
#include "runtime/core/plan.h"
#include "runtime/core/status.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

enum { BUCKETS = 64, COPY_LEAST = 1 << 20 /* bytes */ };

/* Progress of tuning one size: chunks grow by doubling as long as that helps, then shrink step by step (Blink, section
 * 4.2.1). Larger chunks mean fewer blocks. */
struct tuning {
	enum { GROWS, SHRINKS, DONE } phase;
	bool started;
	uint32_t blocks, best_blocks;
	double best; /* microseconds */
	int tries;
	double least; /* minimum for the current number of blocks */
};

struct selector_row {
	sccl_choice_t choice;
	bool open; /* the number of blocks is tuned */
	sccl_plan_t *plan;
	sccl_plan_t *plain;   /* for inputs that others cannot read; NULL: there are none */
	bool told;            /* that it is used */
	sccl_plan_t **others; /* [plan->blocks]: plans with 1, 2, ... blocks, made when first tried; NULL: PLAN serves all */
	sccl_plan_options_t options;
	struct tuning tunings[BUCKETS]; /* one for each power of two of bytes */
};

struct sccl_selector {
	struct sccl_comm *comm;
	size_t element, n;
	bool adapts, logs;
	struct selector_row *rows;
};

static int by_bytes(const void *a, const void *b)
{
	const struct selector_row *x = a, *y = b;
	return (x->choice.most_bytes > y->choice.most_bytes) - (x->choice.most_bytes < y->choice.most_bytes);
}

static struct selector_row *row_of(const struct sccl_selector *s, uint64_t count)
{
	for (size_t i = 0; i < s->n; i++)
		if (count <= s->rows[i].choice.most_bytes / s->element)
			return &s->rows[i];
	return NULL;
}

static struct tuning *tuning_of(struct selector_row *r, uint64_t bytes)
{
	int bucket = 0;
	while (bytes >>= 1)
		bucket++;
	return &r->tunings[bucket];
}

/* Collective. Adds the plan for inputs that other ranks cannot read; without it, where it is not supported, such calls fail. */
static sccl_status_t make_plain(struct selector_row *r, sccl_comm_t *comm, uint64_t max_count, sccl_plan_options_t how)
{
	how.protocol = SCCL_PLAIN;
	sccl_status_t status = sccl_plan_create(&r->plain, comm, r->choice.program, r->plan->type, r->plan->op, max_count, &how);
	if (status == SCCL_OK || status == SCCL_UNSUPPORTED)
		return SCCL_OK;
	sccl_plan_free(r->plan);
	return status;
}

static sccl_status_t make_row(struct sccl_selector *s, struct selector_row *r, const sccl_choice_t *c, sccl_dtype_t type, sccl_op_t op,
                              uint64_t max_count, const sccl_plan_options_t *o)
{
	sccl_plan_options_t how = {.blocks = c->blocks, .overlap = c->overlap, .protocol = c->protocol, .mode = c->mode,
				   .symmetric_only = o->symmetric_only};
	uint64_t most = c->most_bytes / s->element;

	/* On copy engines, reductions are kernels of whole chunks. */
	bool open = s->adapts && c->blocks == 0 && !(c->mode == SCCL_COPY_ENGINES && c->program && c->program->combining);
	if (open) /* memory must suffice for the smallest chunks */
		how.blocks = s->comm->max_blocks;
	*r = (struct selector_row){.choice = *c, .open = open, .options = how};
	most = most < max_count ? most : max_count;
	sccl_status_t status = sccl_plan_create(&r->plan, s->comm, c->program, type, op, most, &how);
	if (status == SCCL_OK && r->plan->table->reads_inputs && !how.symmetric_only)
		return make_plain(r, s->comm, most, how);
	if (status != SCCL_OK || !open || !r->plan->packet_bytes)
		return status;
	r->others = calloc(r->plan->blocks, sizeof *r->others);
	const struct meeting *m = &s->comm->meeting;
	status = sccli_agree(&m->bootstrap, m->rank, m->ranks,
			     r->others ? SCCL_OK : sccli_fail(SCCL_NO_MEMORY, "no memory for %u plans", r->plan->blocks), NULL);
	if (status != SCCL_OK) {
		sccl_plan_free(r->plan);
		free(r->others);
	}
	return status;
}

sccl_status_t sccl_selector_create(sccl_selector_t **selector, sccl_comm_t *comm, const sccl_choice_t *choices, size_t n,
                                   sccl_dtype_t type, sccl_op_t op, uint64_t max_count, const sccl_selector_options_t *options)
{
	static const sccl_selector_options_t defaults;
	const sccl_selector_options_t *o = options ? options : &defaults;
	sccl_plan_options_t plan = {.symmetric_only = o->symmetric_only};
	const char *log = getenv("SCCL_LOG");

	if (!selector || !comm || !choices || n < 1 || !sccl_dtype_size(type))
		return sccli_fail(SCCL_INVALID, "sccl_selector_create needs a communicator, choices, a type and a place");
	*selector = NULL;
	if (o->adapt && comm->local && !comm->meeting.unit.device->synchronous)
		return sccli_fail(SCCL_UNSUPPORTED, "ranks of one thread cannot time their calls together: adapt needs a thread or process per rank");
	struct sccl_selector *s = calloc(1, sizeof *s);
	struct selector_row *rows = calloc(n, sizeof *rows);
	sccl_status_t status = s && rows ? SCCL_OK : sccli_fail(SCCL_NO_MEMORY, "no memory for %zu choices", n);
	status = sccli_agree(&comm->meeting.bootstrap, comm->meeting.rank, comm->meeting.ranks, status,
			     &(struct terms){{"number of choices", "adapting"}, {n, o->adapt}});
	if (status != SCCL_OK) {
		free(s);
		free(rows);
		return status;
	}
	*s = (struct sccl_selector){.comm = comm, .element = sccl_dtype_size(type), .adapts = o->adapt, .rows = rows,
				    .logs = log && *log && comm->meeting.rank == 0};
	/* What is not supported here is left out: all ranks have the same status. */
	for (size_t i = 0; i < n && (status == SCCL_OK || status == SCCL_UNSUPPORTED); i++) {
		status = make_row(s, &rows[s->n], &choices[i], type, op, max_count, &plan);
		if (status == SCCL_UNSUPPORTED && s->logs)
			fprintf(stderr, "sccl: a choice is left out: %s\n", sccl_error_text());
		s->n += status == SCCL_OK;
	}
	if (status == SCCL_UNSUPPORTED && s->n > 0)
		status = SCCL_OK;
	if (status != SCCL_OK) {
		sccl_selector_free(s);
		return status;
	}
	qsort(rows, s->n, sizeof *rows, by_bytes);
	*selector = s;
	return SCCL_OK;
}

void sccl_selector_free(sccl_selector_t *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->n; i++) {
		struct selector_row *r = &s->rows[i];
		for (uint32_t b = 0; r->others && b < r->plan->blocks; b++)
			sccl_plan_free(r->others[b]);
		free(r->others);
		sccl_plan_free(r->plain);
		sccl_plan_free(r->plan);
	}
	free(s->rows);
	free(s);
}

/* The number of blocks that calls of COUNT elements begin with; the most if it is tuned. */
static uint32_t first_blocks(const struct selector_row *r, size_t element, uint64_t count)
{
	uint64_t copies = r->choice.program->chunk_limit(count) * element / COPY_LEAST;

	if (!r->open || r->choice.mode != SCCL_COPY_ENGINES || copies >= r->plan->blocks)
		return r->plan->blocks;
	return copies > 1 ? (uint32_t)copies : 1;
}

static bool is_used(const struct selector_row *r, uint32_t blocks)
{
	for (int i = 0; i < BUCKETS; i++) {
		const struct tuning *t = &r->tunings[i];
		if (t->started && (t->blocks == blocks || (t->phase != DONE && t->best_blocks == blocks)))
			return true;
	}
	return false;
}

/* Local. No call is running: the ranks have just compared their times. */
static void free_unused(struct selector_row *r)
{
	for (uint32_t b = 0; r->others && b < r->plan->blocks; b++)
		if (r->others[b] && !is_used(r, b + 1)) {
			sccl_plan_free(r->others[b]);
			r->others[b] = NULL;
		}
}

/* The plan for calls with T's number of blocks. Collective the first time for each number. */
static sccl_status_t plan_for(const struct sccl_selector *s, struct selector_row *r, const struct tuning *t, sccl_plan_t **plan)
{
	const sccl_plan_t *made = r->plan;

	*plan = r->plan;
	if (!r->others || t->blocks == made->blocks)
		return SCCL_OK;
	sccl_plan_t **other = &r->others[t->blocks - 1];
	r->options.blocks = t->blocks;
	sccl_status_t status = *other ? SCCL_OK : sccl_plan_create(other, s->comm, made->program, made->type, made->op, made->max_count, &r->options);
	if (status == SCCL_OK) {
		(*other)->factor = made->factor;
		*plan = *other;
	}
	return status;
}

/* Chooses the number of blocks to try next, after the current one took TIME. */
static void advance(struct tuning *t, double time, uint32_t most)
{
	bool better = t->best == 0 || time < t->best;

	if (better) {
		t->best = time;
		t->best_blocks = t->blocks;
	}
	if (t->phase == GROWS && better && t->blocks > 1) {
		t->blocks /= 2;
		return;
	}
	if (t->phase == GROWS) {
		t->phase = SHRINKS;
		t->blocks = t->best_blocks + 1;
	} else if (better) {
		t->blocks++;
	} else {
		t->phase = DONE;
	}
	if (t->blocks > most || t->phase == DONE) {
		t->phase = DONE;
		t->blocks = t->best_blocks;
	}
}

/* Replaces TIME by the maximum over all ranks, so that all make the same decision. */
static sccl_status_t slowest(const struct meeting *m, double *time)
{
	double *all = calloc(m->ranks, sizeof *all), mine = *time;
	sccl_status_t status = all ? sccli_exchange(&m->bootstrap, m->rank, &mine, all, sizeof mine)
				   : sccli_fail(SCCL_NO_MEMORY, "no memory for the times of %u ranks", m->ranks);

	for (uint32_t r = 0; status == SCCL_OK && r < m->ranks; r++)
		*time = all[r] > *time ? all[r] : *time;
	free(all);
	return status;
}

static sccl_status_t run_settled(const struct sccl_selector *s, struct selector_row *r, const struct tuning *t, const struct sccl_call *call)
{
	sccl_plan_t *plan;
	sccl_status_t status = plan_for(s, r, t, &plan);

	return status == SCCL_OK ? sccli_run(plan, call, t->blocks) : status;
}

static sccl_status_t run_timed(const struct sccl_selector *s, struct selector_row *r, struct tuning *t, const struct sccl_call *call)
{
	enum { TRIES = 3 };
	const struct meeting *m = &s->comm->meeting;
	sccl_plan_t *plan;
	sccl_status_t status = plan_for(s, r, t, &plan);

	if (status != SCCL_OK && t->best_blocks > 0) { /* what cannot be made is not tried, on all ranks */
		t->phase = DONE;
		t->blocks = t->best_blocks;
		return run_settled(s, r, t, call);
	}
	uint64_t begin = clock_nanoseconds();
	if (status == SCCL_OK)
		status = sccli_run(plan, call, t->blocks);
	if (status == SCCL_OK)
		status = m->unit.device->wait(&m->unit, call->stream);
	double time = (double)(clock_nanoseconds() - begin) * 1e-3;
	t->least = t->tries == 0 || time < t->least ? time : t->least;
	if (status != SCCL_OK || ++t->tries < TRIES)
		return status;
	time = t->least;
	t->tries = 0;
	status = slowest(m, &time);
	if (status != SCCL_OK)
		return status;
	advance(t, time, first_blocks(r, s->element, call->count));
	free_unused(r);
	return SCCL_OK;
}

static void describe(const struct selector_row *r, uint64_t count, uint64_t bytes, char *text, size_t size)
{
	const struct tuning *t = tuning_of((struct selector_row *)r, bytes);
	uint32_t blocks = t->started ? t->blocks : r->plan->blocks;

	snprintf(text, size, "%s of %llu elements (%llu bytes): %s, %s, kernels: %s, %u blocks%s%s", r->choice.program->collective,
		 (unsigned long long)count, (unsigned long long)bytes, r->choice.program->name,
		 sccl_protocol_name(r->choice.protocol), sccl_mode_name(r->choice.mode), blocks,
		 !t->started || t->best == 0 ? "" : t->phase == DONE ? " (measured)" : " (being measured)", r->choice.overlap ? ", in turns" : "");
	sccli_letters_plain(text);
}

static sccl_status_t find(const sccl_selector_t *s, uint64_t count, struct selector_row **row)
{
	*row = s ? row_of(s, count) : NULL;
	if (!s)
		return sccli_fail(SCCL_INVALID, "a selector is missing");
	if (!*row)
		return sccli_fail(SCCL_INVALID, "no choice serves %llu elements", (unsigned long long)count);
	return SCCL_OK;
}

sccl_status_t sccl_selector_choice(const sccl_selector_t *s, uint64_t count, sccl_choice_t *choice, char *text, size_t size)
{
	struct selector_row *r;
	sccl_status_t status = find(s, count, &r);

	if (status != SCCL_OK)
		return status;
	if (choice)
		*choice = r->choice;
	if (text && size > 0)
		describe(r, count, count * s->element, text, size);
	return SCCL_OK;
}

sccl_status_t sccl_selector_factor(sccl_selector_t *s, const void *factor)
{
	sccl_status_t status = s ? SCCL_OK : sccli_fail(SCCL_INVALID, "a selector is missing");

	for (size_t i = 0; status == SCCL_OK && i < s->n; i++)
		status = sccl_plan_factor(s->rows[i].plan, factor);
	return status;
}

sccl_status_t sccl_selector_run(sccl_selector_t *s, const void *in, void *out, uint64_t count, sccl_stream_t stream)
{
	return sccli_selector_run(s, &(struct sccl_call){in, out, count, stream, false});
}

static sccl_status_t run_plain(const struct sccl_selector *s, struct selector_row *r, const struct sccl_call *call)
{
	if (s->logs && !r->told)
		fprintf(stderr, "sccl: %s of %llu elements: the input is in place or not in symmetric memory, so %s runs with the plain protocol, not %s\n",
			r->choice.program->collective, (unsigned long long)call->count, r->choice.program->name, sccl_protocol_name(r->choice.protocol));
	r->told = true;
	return sccli_run(r->plain, call, r->plain->blocks);
}

sccl_status_t sccli_selector_run(sccl_selector_t *s, const struct sccl_call *call)
{
	uint64_t count = call->count;
	struct selector_row *r;
	sccl_status_t status = find(s, count, &r);

	if (status != SCCL_OK)
		return status;
	if (r->plain && !sccli_can_read_inputs(r->plan, call))
		return run_plain(s, r, call);
	struct tuning *t = tuning_of(r, count * s->element);
	bool first = !t->started;
	if (first) {
		t->started = true;
		t->blocks = first_blocks(r, s->element, count);
		t->phase = r->open && t->blocks > 1 ? GROWS : DONE;
	}
	if (s->logs && (first || (t->phase != DONE && t->tries == 0))) {
		char text[512];
		describe(r, count, count * s->element, text, sizeof text);
		fprintf(stderr, "sccl: %s\n", text);
	}
	return t->phase == DONE ? run_settled(s, r, t, call) : run_timed(s, r, t, call);
}

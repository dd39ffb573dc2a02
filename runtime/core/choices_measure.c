/*
 * Choices by measurement: at each power of two of bytes every candidate, a program with a protocol, is called some times
 * in turn with the others, so that what disturbs one disturbs all. On the host, large calls are also tried in several blocks:
 * each takes its own flags, but is read again while it is still in a cache. A candidate's time is the second best of its rounds
 * (what else runs on the computer makes calls slower, never faster), and a round's that of the slowest rank, so that all
 * ranks see the same numbers and choose alike.
 */
#include "runtime/core/agree.h"
#include "runtime/core/clock.h"
#include "runtime/core/plan.h"
#include "runtime/core/status.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum {
	LEAST = 10, MOST = 23, /* sizes that are measured, as powers of two in bytes; smaller and larger ones follow them */
	TRIALS = 3, /* single calls, to see how many fill a round */
	ROUNDS = 7,
	TAKEN = 1,  /* of the rounds' times in ascending order */
	ROUND = 500,           /* microseconds that the calls of a round should take together */
	CALLS_MOST = 64,
	HOPELESS = 4,          /* a candidate so many times slower than the best is not tried for larger sizes */
	BLOCK_LEAST = 32 << 10 /* bytes of a call for each block, if there are several */
};

/* Numbers of blocks, in turns, of calls on the host; 0: the default, of one. */
static const uint32_t host_blocks[] = {0, 8, 32};

struct rival {
	const sccl_program_t *program;
	sccl_protocol_t protocol;
	uint32_t blocks;
	sccl_plan_t *plan;
	bool hopeless;
	int calls; /* in a round */
	double times[ROUNDS];
};

struct rivalry {
	sccl_comm_t *comm;
	struct rival *candidates;
	size_t n, element;
	sccl_memory_t *memory; /* of outputs; NULL: out is the caller's own, staged */
	void *in, *out;
	double *all; /* [ranks] */
};

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

/* Replaces *TIME by the slowest rank's, unless the status of some rank is not SCCL_OK. */
static sccl_status_t slowest(const struct rivalry *w, sccl_status_t status, double *time)
{
	const struct meeting *m = &w->comm->meeting;
	double mine = *time;

	status = sccli_agree(&m->bootstrap, m->rank, m->ranks, status, NULL);
	if (status == SCCL_OK)
		status = sccli_exchange(&m->bootstrap, m->rank, &mine, w->all, sizeof mine);
	for (uint32_t r = 0; status == SCCL_OK && r < m->ranks; r++)
		*time = w->all[r] > *time ? w->all[r] : *time;
	return status;
}

/* *TIME: microseconds a call, of the slowest rank. */
static sccl_status_t time_calls(const struct rivalry *w, const struct rival *c, uint64_t count, int calls, double *time)
{
	const struct unit *u = &w->comm->meeting.unit;
	uint64_t begin = clock_nanoseconds();
	sccl_status_t status = SCCL_OK;

	for (int i = 0; i < calls && status == SCCL_OK; i++)
		status = sccl_run(c->plan, w->in, w->out, count, NULL);
	if (status == SCCL_OK)
		status = u->device->wait(u, NULL);
	*time = (double)(clock_nanoseconds() - begin) * 1e-3 / calls;
	return slowest(w, status, time);
}

/* How many calls of C fill a round. */
static sccl_status_t count_calls(const struct rivalry *w, const struct rival *c, uint64_t count, int *calls)
{
	double least = 0;
	sccl_status_t status = SCCL_OK;

	for (int i = 0; i <= TRIALS && status == SCCL_OK; i++) {
		double time = 0;
		status = time_calls(w, c, count, 1, &time);
		least = i <= 1 || time < least ? time : least; /* the very first touches memory for the first time */
	}
	*calls = least * CALLS_MOST < ROUND ? CALLS_MOST : least > ROUND ? 1 : (int)(ROUND / least) + 1;
	return status;
}

static bool takes_part(const struct rivalry *w, const struct rival *c, uint64_t count)
{
	return !c->hopeless && count * w->element >= (uint64_t)BLOCK_LEAST * c->blocks;
}

/* Times every candidate that takes part, and finds the fastest. */
static sccl_status_t measure_size(struct rivalry *w, uint64_t count, const struct rival **fastest)
{
	sccl_status_t status = SCCL_OK;
	double least = 0;

	*fastest = NULL;
	for (size_t i = 0; i < w->n && status == SCCL_OK; i++)
		if (takes_part(w, &w->candidates[i], count))
			status = count_calls(w, &w->candidates[i], count, &w->candidates[i].calls);
	for (int round = 0; round < ROUNDS; round++)
		for (size_t i = 0; i < w->n && status == SCCL_OK; i++)
			if (takes_part(w, &w->candidates[i], count))
				status = time_calls(w, &w->candidates[i], count, w->candidates[i].calls, &w->candidates[i].times[round]);
	for (size_t i = 0; i < w->n && status == SCCL_OK; i++) {
		struct rival *c = &w->candidates[i];
		if (!takes_part(w, c, count))
			continue;
		qsort(c->times, ROUNDS, sizeof *c->times, by_value);
		if (*fastest && c->times[TAKEN] >= least)
			continue;
		*fastest = c;
		least = c->times[TAKEN];
	}
	for (size_t i = 0; i < w->n; i++)
		if (takes_part(w, &w->candidates[i], count))
			w->candidates[i].hopeless = w->candidates[i].times[0] > HOPELESS * least;
	return status;
}

/* Appends the choice of calls up to BYTES, or extends the last one. */
static void append(sccl_choice_t *choices, size_t *n, const struct rival *c, uint64_t bytes)
{
	sccl_choice_t *last = *n ? &choices[*n - 1] : NULL;

	if (last && last->program == c->program && last->protocol == c->protocol && last->blocks == c->blocks)
		last->most_bytes = bytes;
	else
		choices[(*n)++] = (sccl_choice_t){.program = c->program, .protocol = c->protocol, .blocks = c->blocks,
						  .overlap = c->blocks > 0, .most_bytes = bytes};
}

static sccl_status_t measure(struct rivalry *w, uint64_t most_count, sccl_choice_t *choices, size_t *n)
{
	sccl_status_t status = SCCL_OK;

	for (int power = LEAST; power <= MOST && status == SCCL_OK; power++) {
		const struct rival *fastest = NULL;
		uint64_t count = ((uint64_t)1 << power) / w->element;
		bool last = count >= most_count || power == MOST;
		status = measure_size(w, count < most_count ? count : most_count, &fastest);
		if (status == SCCL_OK && fastest) /* between two sizes the border is in the middle, as powers go */
			append(choices, n, fastest, last ? UINT64_MAX : ((uint64_t)3 << power) / 2);
		if (last)
			break;
	}
	return status;
}

/* Whether a program can be a candidate: what a plan would refuse is left out. */
static bool fits(const struct sccl_comm *c, const sccl_program_t *p, const char *collective, int32_t root, sccl_dtype_t type, sccl_op_t op)
{
	return p && p->abi == SCCL_ABI && strcmp(p->target, c->meeting.unit.device->target) == 0 && p->ranks == c->meeting.ranks &&
	       strcmp(p->collective, collective) == 0 && p->root == root && p->kernels[type][op];
}

/* Are lines a candidate? Where a device says that it keeps them, on all ranks. */
static bool has_lines(const struct sccl_comm *c)
{
	const struct meeting *m = &c->meeting;
	sccl_status_t (*keeps)(const struct unit *) = m->unit.device->keeps_lines;

	return keeps && sccli_agree(&m->bootstrap, m->rank, m->ranks, keeps(&m->unit), NULL) == SCCL_OK;
}

static bool is_candidate(const struct sccl_comm *c, const sccl_program_t *p, int protocol, bool lines)
{
	bool has_packets = protocol == SCCL_PACKETS || protocol == SCCL_LINES;

	return p->tables[protocol].words && (protocol < SCCL_SHARED || (protocol == SCCL_LINES && lines)) && !(has_packets && c->bridge);
}

/* Adds a program with a protocol, for each number of blocks. */
static void add_candidates(struct rivalry *w, const sccl_program_t *p, sccl_protocol_t protocol)
{
	bool varies = w->comm->meeting.unit.device->synchronous && protocol == SCCL_PLAIN;

	for (size_t i = 0; i < sizeof host_blocks / sizeof *host_blocks && (i == 0 || varies); i++)
		if (host_blocks[i] <= w->comm->max_blocks)
			w->candidates[w->n++] = (struct rival){.program = p, .protocol = protocol, .blocks = host_blocks[i]};
}

/* Makes the candidates' plans. All ranks must have the same list: sccl_plan_create compares. */
static sccl_status_t make_plans(struct rivalry *w, sccl_dtype_t type, sccl_op_t op, uint64_t count, bool symmetric)
{
	const sccl_plan_options_t plain = {.symmetric_only = symmetric};
	const struct meeting *m = &w->comm->meeting;
	uint64_t in = 0, out = 0;
	sccl_status_t status = sccli_agree(&m->bootstrap, m->rank, m->ranks, SCCL_OK,
					   &(struct terms){{"number of programs and protocols"}, {w->n}});

	for (size_t i = 0; i < w->n && status == SCCL_OK; i++) {
		struct rival *c = &w->candidates[i];
		sccl_plan_options_t o = plain;
		o.protocol = c->protocol;
		o.blocks = c->blocks;
		o.overlap = c->blocks > 0;
		status = sccl_plan_create(&c->plan, w->comm, c->program, type, op, count, &o);
		for (uint32_t r = 0; r < m->ranks; r++) { /* outputs lie in memory that is as large on all ranks */
			in = c->program->input_count(r, count) > in ? c->program->input_count(r, count) : in;
			out = c->program->output_count(r, count) > out ? c->program->output_count(r, count) : out;
		}
	}
	if (status != SCCL_OK)
		return status;
	status = sccl_memory_create(&w->memory, w->comm, (in + out) * w->element + 128);
	w->out = status == SCCL_OK ? sccl_memory_at(w->memory, 0) : NULL;
	w->in = status == SCCL_OK ? sccl_memory_at(w->memory, (out * w->element + 127) / 64 * 64) : NULL;
	return status;
}

static void release(struct rivalry *w)
{
	for (size_t i = 0; w->candidates && i < w->n; i++)
		sccl_plan_free(w->candidates[i].plan);
	sccl_memory_free(w->memory);
	free(w->candidates);
	free(w->all);
}

sccl_status_t sccl_choices_measure(sccl_choice_t **choices, size_t *n, sccl_comm_t *comm, const sccl_program_t *const programs[],
                                   size_t n_programs, const char *collective, int32_t root, sccl_dtype_t type, sccl_op_t op,
                                   uint64_t max_count)
{
	if (!choices || !n || !comm || (!programs && n_programs) || !collective || !sccl_dtype_size(type) || (unsigned)op >= SCCL_OPS)
		return sccli_fail(SCCL_INVALID, "sccl_choices_measure needs a communicator, programs, a collective, a type, an operation and places");
	*choices = NULL;
	*n = 0;
	if (comm->local && !comm->meeting.unit.device->synchronous)
		return sccli_fail(SCCL_UNSUPPORTED, "ranks of one thread cannot time their calls together: measure with a thread or process per rank");

	struct rivalry w = {.comm = comm, .element = sccl_dtype_size(type)};
	uint64_t most = ((uint64_t)1 << MOST) / w.element, count = max_count < most ? max_count : most;
	w.candidates = calloc(n_programs * (SCCL_PROTOCOLS + sizeof host_blocks / sizeof *host_blocks) + 1, sizeof *w.candidates);
	w.all = calloc(comm->meeting.ranks, sizeof *w.all);
	*choices = calloc(MOST - LEAST + 1, sizeof **choices);
	bool enough = w.candidates && w.all && *choices;
	bool lines = has_lines(comm);
	for (size_t i = 0; enough && i < n_programs; i++)
		for (int t = 0; t < SCCL_PROTOCOLS && fits(comm, programs[i], collective, root, type, op); t++)
			if (is_candidate(comm, programs[i], t, lines))
				add_candidates(&w, programs[i], (sccl_protocol_t)t);

	const struct meeting *m = &comm->meeting;
	sccl_status_t status = enough ? SCCL_OK : sccli_fail(SCCL_NO_MEMORY, "no memory to measure %zu programs", n_programs);
	status = sccli_agree(&m->bootstrap, m->rank, m->ranks, status, &(struct terms){{"largest count"}, {max_count}});
	if (status == SCCL_OK && w.n > 0)
		status = make_plans(&w, type, op, count, true);
	if (status == SCCL_OK && w.n > 0)
		status = measure(&w, count, *choices, n);
	release(&w);
	if (status != SCCL_OK) {
		free(*choices);
		*choices = NULL;
		*n = 0;
	}
	return status;
}

/*
 * One rank's part of a run: joins the group, creates the communicator, and for each type, operation and count checks
 * the results of the calls and measures their time.
 */
#include "runtime/runner/session.h"

#include "runtime/runner/buffers.h"
#include "runtime/runner/report.h"
#include "runtime/runner/timing.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* Records a failure; only the first one of a run is kept. */
static bool fail(struct session *x, int status, sccl_status_t cause, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
static bool fail(struct session *x, int status, sccl_status_t cause, const char *format, ...)
{
	va_list ap;
	if (x->ending->status != EXIT_DONE)
		return false;
	va_start(ap, format);
	vsnprintf(x->ending->text, sizeof x->ending->text, format, ap);
	va_end(ap);
	x->ending->cause = cause;
	x->ending->status = status;
	return false;
}

/* The cause is either the user's request or an event during the run. */
static bool fail_runtime(struct session *x, sccl_status_t cause)
{
	bool input = cause == SCCL_INVALID || cause == SCCL_UNSUPPORTED;
	return fail(x, input ? EXIT_INPUT : EXIT_BROKEN, cause, "%s", sccl_error_text());
}

/* Every rank contributes a verdict; the sum of all is known to all, and rank 0 prints the first. */
struct rank_verdict {
	uint64_t wrong; /* elements */
	char text[300];
};

static bool agree(struct session *x, const struct rank_verdict *mine, uint64_t *wrong)
{
	struct rank_verdict *all = calloc(x->program->ranks, sizeof *all);
	if (!all || x->bootstrap.allgather(x->bootstrap.context, mine, all, sizeof *mine) != 0) {
		free(all);
		return fail(x, EXIT_BROKEN, SCCL_BOOTSTRAP, "%s", sccl_error_text());
	}
	*wrong = 0;
	for (uint32_t r = 0; r < x->program->ranks; r++) {
		if (all[r].wrong && !*wrong && x->rank == 0)
			complain(x->settings->label, "%.*s", (int)sizeof all[r].text - 1, all[r].text);
		*wrong += all[r].wrong;
	}
	free(all);
	return true;
}

static sccl_status_t call_once(struct session *x, uint64_t count)
{
	sccl_status_t status = call_start(x, count);
	if (status == SCCL_OK)
		status = machine_wait(&x->machine);
	return status == SCCL_OK ? sccl_comm_status(x->comm, NULL, 0) : status;
}

/* The first call creates what is allocated on first use, which cannot be captured. */
static sccl_status_t record_call(struct session *x, uint64_t count)
{
	sccl_status_t status = sccl_run(x->plan, x->run_in, x->run_out, count, x->machine.stream);
	if (status == SCCL_OK)
		status = machine_wait(&x->machine);
	if (status == SCCL_OK)
		status = machine_record(&x->machine);
	if (status != SCCL_OK)
		return status;
	status = sccl_run(x->plan, x->run_in, x->run_out, count, x->machine.stream);
	sccl_status_t ended = machine_recorded(&x->machine);
	return status == SCCL_OK ? ended : status;
}

/* Runs the calls one after another, with no synchronization between the ranks except the calls themselves. */
static bool check_calls(struct session *x, const struct timing_row *row, uint64_t *wrong)
{
	struct rank_verdict mine = {0, ""};
	char what[200];

	for (uint64_t call = 0; call < x->settings->calls; call++) {
		sccl_status_t status = buffers_fill(x, call);
		if (status == SCCL_OK)
			status = call_once(x, row->count);
		if (status == SCCL_OK)
			status = buffers_fetch(x);
		if (status != SCCL_OK)
			return fail_runtime(x, status);
		uint64_t differing = buffers_check(x, call, what, sizeof what);
		if (differing && !mine.wrong)
			snprintf(mine.text, sizeof mine.text, "%s %s of %llu elements%s, call %llu, rank %u: %s",
			         sccl_dtype_name(row->type), x->program->combining ? sccl_op_name(row->op) : "data",
			         (unsigned long long)row->count, x->in_place ? " in place" : "", (unsigned long long)call + 1, x->rank, what);
		mine.wrong += differing;
	}
	/* No rank may have written anything after the last call. */
	if (x->bootstrap.barrier(x->bootstrap.context) != 0)
		return fail(x, EXIT_BROKEN, SCCL_BOOTSTRAP, "%s", sccl_error_text());
	if (!mine.wrong && buffers_check(x, x->settings->calls - 1, what, sizeof what)) {
		mine.wrong = 1;
		snprintf(mine.text, sizeof mine.text, "after the last call of %llu elements, rank %u: %s",
		         (unsigned long long)row->count, x->rank, what);
	}
	return agree(x, &mine, wrong);
}

/* One placement of a row. */
static bool run_place(struct session *x, const struct timing_row *row, struct placed_calls *at)
{
	const struct settings *s = x->settings;

	if (!buffers_place(x, row->count))
		return fail(x, EXIT_BROKEN, SCCL_NO_MEMORY, "no memory for the reference");
	at->measured = true;
	at->checked = s->check;
	sccl_status_t status = buffers_fill(x, 0);
	if (status == SCCL_OK && s->graph)
		status = record_call(x, row->count);
	bool done = status == SCCL_OK || fail_runtime(x, status);
	done = done && (!s->check || check_calls(x, row, &at->wrong));
	if (done) {
		status = time_calls(x, row->count, at);
		done = status == SCCL_OK || fail_runtime(x, status);
	}
	machine_forget(&x->machine);
	return done;
}

static bool run_row(struct session *x, struct timing_row *row)
{
	uint64_t wrong = 0;

	for (int i = 0; i < PLACES; i++) {
		x->in_place = i == IN_PLACE;
		if (x->settings->places[i] && !run_place(x, row, &row->places[i]))
			return false;
		wrong += row->places[i].wrong;
	}
	if (x->rank == 0)
		report_row(x->settings, x->program, row, &x->total);
	if (wrong)
		fail(x, EXIT_DIFFERS, SCCL_OK, "%s", "");
	return true;
}

static uint64_t count_of(const struct settings *s, size_t i, size_t element)
{
	return s->by_count ? s->amounts[i] : s->amounts[i] / element;
}

/* Runs all counts of one type and operation. */
static bool run_rows(struct session *x, sccl_dtype_t type, sccl_op_t op)
{
	const struct settings *s = x->settings;
	size_t element = sccl_dtype_size(type);
	uint64_t most = 0;

	for (size_t i = 0; i < s->n_amounts; i++)
		most = count_of(s, i, element) > most ? count_of(s, i, element) : most;
	sccl_plan_options_t options = {.blocks = s->blocks, .overlap = s->overlap, .protocol = s->protocol, .mode = s->mode};
	if (!data_open(&x->data, type, op, x->program->combining, x->program->ranks))
		return fail(x, EXIT_BROKEN, SCCL_NO_MEMORY, "no memory for the data");
	sccl_status_t status = sccl_plan_create(&x->plan, x->comm, x->program, type, op, most, &options);
	if (status == SCCL_UNSUPPORTED && s->every_op && (op >= SCCL_AVG || s->protocol == SCCL_MULTIMEM)) { /* no averages of scans, no factors with copy engines, ... */
		data_close(&x->data);
		return true;
	}
	if (status == SCCL_OK && op == SCCL_PREMUL_SUM && x->program->combining) {
		unsigned char factor[8];
		data_factor(&x->data, x->rank, factor);
		status = sccl_plan_factor(x->plan, factor);
	}
	if (status == SCCL_OK)
		status = buffers_open(x, most);
	bool done = status == SCCL_OK || fail_runtime(x, status);
	for (size_t i = 0; i < s->n_amounts && done; i++) {
		struct timing_row row = {.type = type, .op = op, .count = count_of(s, i, element)};
		row.bytes = row.count * element;
		done = run_row(x, &row);
	}
	buffers_close(x);
	sccl_plan_free(x->plan);
	x->plan = NULL;
	data_close(&x->data);
	return done;
}

static bool run_all(struct session *x)
{
	const struct settings *s = x->settings;
	bool done = true;

	for (int t = 0; t < SCCL_DTYPES; t++)
		for (int o = 0; o < SCCL_OPS && s->types[t]; o++) {
			if (!s->ops[o] && x->program->combining)
				continue;
			done = done && run_rows(x, (sccl_dtype_t)t, (sccl_op_t)o);
			if (!x->program->combining)
				break;
		}
	return done;
}

void run_session(const struct settings *s, const sccl_program_t *program, sccl_group_t *group, uint32_t rank,
                 struct ending *ending)
{
	struct session x = {.settings = s, .program = program, .rank = rank, .ending = ending};
	sccl_comm_options_t options = {
		.target = program->target, .timeout = s->timeout, .max_blocks = s->blocks > 32 ? s->blocks : 0,
		.pin = s->pin};

	sccl_status_t status = sccl_group_join(group, rank, &x.bootstrap);
	if (status == SCCL_OK)
		status = machine_open(&x.machine, program->target, rank);
	options.device = x.machine.device;
	if (status == SCCL_OK)
		status = sccl_comm_create(&x.comm, rank, program->ranks, &x.bootstrap, &options);
	if (status != SCCL_OK)
		fail_runtime(&x, status);
	else if (run_all(&x) && rank == 0)
		report_end(s, &x.total);
	sccl_comm_free(x.comm);
	machine_close(&x.machine);
}

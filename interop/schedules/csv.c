/*
 * One send a row: collective,root,chunks,step,rounds,action,chunk,src,dst, as lower/schedules/csv.c writes it. Steps count
 * from 1; all rows of a step state the same rounds. Chunks are numbered as in algorithm files.
 */

#include "interop/schedules/schedules.h"

#include "interop/plans/to_algorithm.h"

#include "core/base/error.h"
#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/machine/topology.h"
#include "core/schedule/algorithm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COLLECTIVE, ROOT, CHUNKS, STEP, ROUNDS, ACTION, CHUNK, SRC, DST, COLUMNS };
static const char *const columns[COLUMNS] = {"collective", "root", "chunks", "step", "rounds", "action", "chunk", "src", "dst"};

struct csv_reading {
	const struct schedule_request *r;
	struct plan_log log;
	struct collective k;
	int chunks, global_chunks, n_steps;
	int *rounds; /* [step - 1] */
	size_t rounds_capacity;
	int row;
	struct error *e;
};

static bool row_fault(const struct csv_reading *x, const char *what, const char *cell)
{
	char where[sizeof x->e->where];

	snprintf(where, sizeof where, "%.400s:%d", x->r->of->path, x->row);
	return error_set(x->e, ERROR_INPUT, where, "%s: \"%.40s\"", what, cell);
}

static bool get(const struct csv_reading *x, char *const *cells, int column, int low, int high, int *out)
{
	int64_t v;

	if (!parse_integer(cells[column], low, high, &v)) {
		char what[80];
		snprintf(what, sizeof what, "%s must be an integer from %d to %d", columns[column], low, high);
		return row_fault(x, what, cells[column]);
	}
	*out = (int)v;
	return true;
}

/* The first row says what the schedule is for; the others must agree. */
static bool take_head(struct csv_reading *x, char *const *cells)
{
	const struct collective_row *rows = collective_rows();
	struct collective k = {.kind = COLLECTIVE_KINDS};
	int chunks, nodes = x->r->topology->nodes;

	for (int i = 0; i < COLLECTIVE_KINDS; i++)
		if (i != CUSTOM && strcmp(rows[i].name, cells[COLLECTIVE]) == 0)
			k.kind = (enum collective_kind)i;
	if (k.kind == COLLECTIVE_KINDS)
		return row_fault(x, "is no collective", cells[COLLECTIVE]);
	if ((*cells[ROOT] && !get(x, cells, ROOT, 0, nodes - 1, &k.root)) || !get(x, cells, CHUNKS, 1, CHUNKS_MAX, &chunks))
		return false;
	if (x->chunks && (k.kind != x->k.kind || k.root != x->k.root || chunks != x->chunks))
		return row_fault(x, "is for something else than the rows before", cells[COLLECTIVE]);
	if (!x->chunks && !collective_check(&k, nodes, chunks, x->e))
		return false;
	x->k = k;
	x->chunks = chunks;
	x->global_chunks = collective_global_chunks(&k, nodes, chunks);
	return true;
}

static bool take_row(struct csv_reading *x, char *const *cells)
{
	int step, rounds, chunk, src, dst, last = x->r->topology->nodes - 1;
	bool reduce = strcmp(cells[ACTION], "reduce") == 0;

	if (!take_head(x, cells) || !get(x, cells, STEP, 1, SCHEDULE_STEPS_MAX, &step) || !get(x, cells, ROUNDS, 1, ROUNDS_MAX, &rounds) ||
	    !get(x, cells, CHUNK, 0, x->global_chunks - 1, &chunk) || !get(x, cells, SRC, 0, last, &src) || !get(x, cells, DST, 0, last, &dst))
		return false;
	if (!reduce && strcmp(cells[ACTION], "copy") != 0)
		return row_fault(x, "action must be copy or reduce", cells[ACTION]);
	if (x->log.n == SCHEDULE_SENDS_MAX)
		return error_set(x->e, ERROR_LIMIT, x->r->of->path, "has more than %d sends", SCHEDULE_SENDS_MAX);
	if (step > x->n_steps) {
		x->rounds = grown(x->rounds, &x->rounds_capacity, (size_t)step, sizeof *x->rounds);
		while (x->n_steps < step)
			x->rounds[x->n_steps++] = 0;
	}
	if (x->rounds[step - 1] && x->rounds[step - 1] != rounds)
		return row_fault(x, "rounds differ within the step", cells[ROUNDS]);
	x->rounds[step - 1] = rounds;
	plan_log_add(&x->log, step, chunk, src, dst, reduce);
	return true;
}

/* Splits the line in place. False with *e set. */
static bool take_line(struct csv_reading *x, char *line)
{
	char *cells[COLUMNS], *at = line;
	int n = 0;

	if (!*line)
		return true;
	for (; n < COLUMNS && at; n++) {
		cells[n] = at;
		at = strchr(at, ',');
		if (at)
			*at++ = '\0';
	}
	return (n == COLUMNS && !at) ? take_row(x, cells) : row_fault(x, "must have nine columns", line);
}

static struct algorithm *finish(struct csv_reading *x)
{
	for (int i = 0; i < x->n_steps; i++)
		if (!x->rounds[i])
			x->rounds[i] = 1; /* nothing is sent in it */
	if (!x->log.n) {
		error_set(x->e, ERROR_INPUT, x->r->of->path, "has no sends");
		return NULL;
	}
	return sends_to_algorithm(x->r->of->path, &x->log, x->r->topology, &x->k, x->chunks, x->rounds, (size_t)x->n_steps, x->e);
}

struct algorithm *read_csv_schedule(const struct schedule_request *r, struct error *e)
{
	struct csv_reading x = {.r = r, .e = e};
	char *copy = copy_string(r->of->bytes);
	bool ok = true;

	for (char *line = copy; ok && line;) {
		char *end = strchr(line, '\n');
		if (end)
			*end = '\0';
		line[strcspn(line, "\r")] = '\0';
		if (x.row++ > 0)
			ok = take_line(&x, line);
		line = end ? end + 1 : NULL;
	}
	struct algorithm *a = ok ? finish(&x) : NULL;
	free(copy);
	free(x.log.of);
	free(x.rounds);
	return a;
}

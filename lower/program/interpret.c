/*
 * The second checker: what do the buffers hold in the end? It interprets the program over sets of contributions, one
 * bit per rank for each location, and rejects a reduction that would add a contribution twice, or that is not marked as a
 * total although, or marked although not, its result has the contributions of all ranks.
 */

#include "lower/program/check.h"

#include "lower/program/geometry.h"
#include "lower/program/locations.h"
#include "lower/program/program.h"
#include "lower/program/execution.h"

#include "core/schedule/algorithm.h"
#include "core/base/error.h"
#include "core/base/memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Each location holds a chunk and, if the collective combines, the contributions of a set of ranks to it. */
struct interpretation {
	const struct program *p;
	struct locations locations;
	bool combining;
	size_t words;    /* 64-bit words per set; 0 if the collective does not combine */
	int *chunk;      /* [location]; -1: nothing */
	uint64_t *parts; /* [location * words] */
	uint64_t *sum;   /* [words] */
	int mismarked_by; /* the rank of a reduction that is wrongly marked as a total, or not marked; -1: none */
	size_t mismarked;
};

static uint64_t *parts_at(const struct interpretation *y, size_t at)
{
	return y->parts + at * y->words;
}

static void start(struct interpretation *y)
{
	const struct algorithm *a = y->p->algorithm;

	for (size_t i = 0; i < y->locations.n; i++)
		y->chunk[i] = -1;
	for (int c = 0; c < a->global_chunks; c++)
		for (int r = 0; r < y->p->ranks; r++) {
			if (!collective_pre(&a->collective, y->p->ranks, c, r))
				continue;
			size_t at = location(&y->locations, (struct place){BUFFER_INPUT, r, 0}, c);
			y->chunk[at] = c;
			if (y->combining)
				parts_at(y, at)[r / 64] |= (uint64_t)1 << r % 64;
		}
}

static bool add(struct interpretation *y, int rank, size_t i, int chunk, size_t at, struct error *e)
{
	if (y->chunk[at] != chunk)
		return program_fault(y->p, rank, i, e, "chunk %d is read where chunk %d is stored", chunk, y->chunk[at]);
	for (size_t w = 0; w < y->words; w++) {
		if (y->sum[w] & parts_at(y, at)[w])
			return program_fault(y->p, rank, i, e, "a part of chunk %d is added twice", chunk);
		y->sum[w] |= parts_at(y, at)[w];
	}
	return true;
}

static bool has_all(const struct interpretation *y)
{
	int n = 0;

	while (n < y->p->ranks && y->combining && (y->sum[n / 64] >> n % 64 & 1))
		n++;
	return n == y->p->ranks;
}

static bool visit(void *context, int rank, size_t i, struct error *e)
{
	struct interpretation *y = context;
	const struct instruction *in = &y->p->of[rank].instructions[i];

	if (in->kind != INSTRUCTION_MOVE)
		return true;
	if (in->n_sources > 1 && !y->combining)
		return program_fault(y->p, rank, i, e, "a collective that does not combine adds values");
	memset(y->sum, 0, y->words * sizeof *y->sum);
	for (size_t k = 0; k < in->n_sources; k++)
		if (!add(y, rank, i, in->chunk, location(&y->locations, in->sources[k], in->chunk), e))
			return false;
	if (in->total != (in->n_sources > 1 && has_all(y)) && y->mismarked_by < 0) {
		y->mismarked_by = rank;
		y->mismarked = i;
	}
	for (size_t k = 0; k < in->n_targets; k++) {
		size_t at = location(&y->locations, in->targets[k], in->chunk);
		y->chunk[at] = in->chunk;
		memcpy(parts_at(y, at), y->sum, y->words * sizeof *y->sum);
	}
	return true;
}

static bool whole(const struct interpretation *y, int rank, int chunk, size_t at)
{
	const struct algorithm *a = y->p->algorithm;

	if (y->chunk[at] != chunk)
		return false;
	for (int r = 0; y->combining && r < y->p->ranks; r++)
		if ((parts_at(y, at)[r / 64] >> r % 64 & 1) !=
		    collective_wants_part(&a->collective, y->p->ranks, chunk, rank, r))
			return false;
	return true;
}

static bool outputs_whole(const struct interpretation *y, struct error *e)
{
	const struct algorithm *a = y->p->algorithm;

	for (int r = 0; r < y->p->ranks; r++)
		for (int c = 0; c < a->global_chunks; c++)
			if (collective_post(&a->collective, y->p->ranks, c, r) &&
			    !whole(y, r, c, location(&y->locations, (struct place){BUFFER_OUTPUT, r, 0}, c)))
				return error_set(e, ERROR_SYSTEM, a->name, "rank %d ends without the whole of chunk %d", r, c);
	return true;
}

static bool marks_right(const struct interpretation *y, struct error *e)
{
	if (y->mismarked_by < 0)
		return true;
	const struct instruction *in = &y->p->of[y->mismarked_by].instructions[y->mismarked];
	return program_fault(y->p, y->mismarked_by, y->mismarked, e, "chunk %d is %s as the sum of all ranks", in->chunk,
			     in->total ? "marked" : "not marked");
}

static bool interpret_once(const struct program *p, bool in_place, struct error *e)
{
	struct interpretation y = {.p = p, .mismarked_by = -1, .locations = locations_new(p, in_place),
			 .combining = collective_row(&p->algorithm->collective)->combining};

	y.words = y.combining ? ((size_t)p->ranks + 63) / 64 : 0;
	y.chunk = new_array(int, y.locations.n);
	y.parts = new_array(uint64_t, y.locations.n * y.words);
	y.sum = new_array(uint64_t, y.words);
	start(&y);
	bool good = program_execute(p, visit, &y, e) && outputs_whole(&y, e) && marks_right(&y, e);
	free(y.chunk);
	free(y.parts);
	free(y.sum);
	locations_free(&y.locations);
	return good;
}

bool program_interpret(const struct program *p, struct error *e)
{
	return interpret_once(p, false, e) &&
	       (p->shared || !collective_in_place(&p->algorithm->collective) || interpret_once(p, true, e));
}

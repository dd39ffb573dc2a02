/*
 * Plays the program over numbers of parts: an input has one, and a sum as many as its sources. No part is added twice
 * (interpret.c), so that a sum of as many parts as there are ranks has the part of each.
 */

#include "lower/program/totals.h"

#include "lower/program/execution.h"
#include "lower/program/locations.h"
#include "lower/program/program.h"

#include "core/base/error.h"
#include "core/base/memory.h"
#include "core/schedule/algorithm.h"

#include <stdlib.h>

struct counting {
	struct program *p;
	struct locations locations;
	int *parts; /* [location] */
};

static void start(struct counting *n)
{
	const struct algorithm *a = n->p->algorithm;

	for (int c = 0; c < a->global_chunks; c++)
		for (int r = 0; r < n->p->ranks; r++)
			if (collective_pre(&a->collective, n->p->ranks, c, r))
				n->parts[location(&n->locations, (struct place){BUFFER_INPUT, r, 0}, c)] = 1;
}

static bool visit(void *context, int rank, size_t i, struct error *e)
{
	struct counting *n = context;
	struct instruction *in = &n->p->of[rank].instructions[i];
	int parts = 0;

	(void)e;
	if (in->kind != INSTRUCTION_MOVE)
		return true;
	for (size_t k = 0; k < in->n_sources; k++)
		parts += n->parts[location(&n->locations, in->sources[k], in->chunk)];
	for (size_t k = 0; k < in->n_targets; k++)
		n->parts[location(&n->locations, in->targets[k], in->chunk)] = parts;
	in->total = in->n_sources > 1 && parts == n->p->ranks;
	return true;
}

void program_mark_totals(struct program *p)
{
	struct counting n = {.p = p};
	struct error e = {0};

	if (!collective_row(&p->algorithm->collective)->combining)
		return;
	n.locations = locations_new(p, false);
	n.parts = new_array(int, n.locations.n);
	start(&n);
	(void)program_execute(p, visit, &n, &e); /* what cannot be executed is refused by the checks */
	free(n.parts);
	locations_free(&n.locations);
}

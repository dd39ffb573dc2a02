/*
 * Inversion needs a tree per chunk, in which each node receives the chunk only once: read backwards, each node then
 * sends its partial sum only once, so that no contribution is added twice.
 */

#include "core/schedule/transform.h"

#include "core/schedule/algorithm_parts.h"
#include "core/base/error.h"
#include "core/base/memory.h"
#include "core/schedule/symmetry.h"
#include "core/machine/topology.h"

#include <stdlib.h>
#include <string.h>

static size_t cell(const struct algorithm *a, int chunk, int node)
{
	return (size_t)chunk * (size_t)a->topology->nodes + (size_t)node;
}

static bool *cells(const struct algorithm *a, bool (*test)(const struct collective *k, int nodes, int chunk, int node))
{
	bool *marks = new_array(bool, (size_t)a->global_chunks * (size_t)a->topology->nodes);
	for (int c = 0; c < a->global_chunks; c++)
		for (int n = 0; n < a->topology->nodes; n++)
			marks[cell(a, c, n)] = test(&a->collective, a->topology->nodes, c, n);
	return marks;
}

/* Drops sends to a node that already has the chunk, or that gets it in the same step by an earlier entry. */
static void keep_first_arrivals(struct algorithm *a)
{
	bool *held = cells(a, collective_pre);

	for (size_t s = 0; s < a->n_steps; s++) {
		struct step *step = &a->steps[s];
		size_t kept = 0;
		for (size_t i = 0; i < step->n_sends; i++) {
			struct send send = step->sends[i];
			bool *there = &held[cell(a, send.chunk, send.dst)];
			if (!*there)
				step->sends[kept++] = send;
			*there = true;
		}
		step->n_sends = kept;
	}
	free(held);
}

/* From the last step back: a send is needed if its target wants the chunk or forwards it to a node that does. */
static void keep_what_serves(struct algorithm *a)
{
	bool *wanted = cells(a, collective_post);

	for (size_t s = a->n_steps; s-- > 0;) {
		struct step *step = &a->steps[s];
		size_t kept = 0;
		for (size_t i = 0; i < step->n_sends; i++) {
			struct send send = step->sends[i];
			if (!wanted[cell(a, send.chunk, send.dst)])
				continue;
			wanted[cell(a, send.chunk, send.src)] = true;
			step->sends[kept++] = send;
		}
		step->n_sends = kept;
	}
	free(wanted);
}

void algorithm_prune(struct algorithm *a)
{
	keep_first_arrivals(a);
	keep_what_serves(a);
}

static struct step backwards(const struct step *was, bool adds)
{
	struct send *reversed = new_array(struct send, was->n_sends);

	for (size_t i = 0; i < was->n_sends; i++)
		reversed[i] = (struct send){was->sends[i].chunk, was->sends[i].dst, was->sends[i].src};
	if (adds)
		return (struct step){.rounds = was->rounds, .n_reduces = was->n_sends, .reduces = reversed};
	return (struct step){.rounds = was->rounds, .n_sends = was->n_sends, .sends = reversed};
}

/*
 * At a node that forwards a sum without contributing to it, the first arrival has nothing to be added to: it is a copy.
 */
static void copy_into_empty(struct algorithm *a)
{
	bool *held = cells(a, collective_pre);

	for (size_t s = 0; s < a->n_steps; s++) {
		struct step *step = &a->steps[s];
		size_t kept = 0;
		free(step->sends);
		step->n_sends = 0;
		step->sends = new_array(struct send, step->n_reduces);
		for (size_t i = 0; i < step->n_reduces; i++) {
			struct send send = step->reduces[i];
			bool *there = &held[cell(a, send.chunk, send.dst)];
			if (*there)
				step->reduces[kept++] = send;
			else
				step->sends[step->n_sends++] = send;
			*there = true;
		}
		step->n_reduces = kept;
	}
	free(held);
}

struct algorithm *algorithm_inverted(const struct algorithm *a, const struct topology *t, const struct collective *k,
				     struct error *e)
{
	const struct collective_row *row = collective_row(k);
	int chunks = row->chunks_in_blocks ? a->global_chunks : a->chunks;

	if (!collective_check(k, t->nodes, chunks, e))
		return NULL;
	if (t->nodes != a->topology->nodes || collective_global_chunks(k, t->nodes, chunks) != a->global_chunks ||
	    collective_row(&a->collective)->combining) {
		error_set(e, ERROR_SYSTEM, a->name, "is not an inverse of %s on %s", collective_name(k), t->name);
		return NULL;
	}
	struct algorithm *tree = algorithm_copy(a);
	if (!tree->symmetry) /* a compact algorithm is assumed to be a tree per chunk */
		algorithm_prune(tree);
	struct step *steps = new_array(struct step, a->n_steps);
	for (size_t s = 0; s < a->n_steps; s++)
		steps[s] = backwards(&tree->steps[a->n_steps - 1 - s], row->combining);
	algorithm_free(tree);
	struct algorithm *inverted = algorithm_new(t, k, chunks, a->n_steps, steps, algorithm_method(a));
	inverted->symmetry = symmetry_copy(a->symmetry);
	if (k->kind == CUSTOM && row->combining)
		copy_into_empty(inverted);
	return inverted;
}

static struct step *one_after_other(const struct algorithm *first, const struct algorithm *second)
{
	struct step *both = new_array(struct step, first->n_steps + second->n_steps);
	struct step *head = steps_copy(first->steps, first->n_steps), *tail = steps_copy(second->steps, second->n_steps);

	memcpy(both, head, first->n_steps * sizeof *both);
	memcpy(both + first->n_steps, tail, second->n_steps * sizeof *both);
	free(head);
	free(tail);
	return both;
}

/*
 * Leaves both compact if they have the same generators; expands both otherwise. False with *e set: that is too large.
 */
static bool agree(struct algorithm *first, struct algorithm *second, struct error *e)
{
	if (first->symmetry && second->symmetry && symmetry_same(first->symmetry, second->symmetry))
		return true;
	return algorithm_expand(first, e) && algorithm_expand(second, e);
}

struct algorithm *algorithm_composed(const struct algorithm *reducescatter, const struct algorithm *allgather,
				     struct error *e)
{
	struct algorithm *first = algorithm_copy(reducescatter), *second = algorithm_copy(allgather), *both = NULL;
	static const struct collective allreduce = {.kind = ALLREDUCE};

	if (first->collective.kind != REDUCESCATTER || second->collective.kind != ALLGATHER ||
	    !topology_same(first->topology, second->topology) || first->global_chunks != second->global_chunks) {
		error_set(e, ERROR_SYSTEM, first->name, "does not compose with %s", second->name);
	} else if (agree(first, second, e)) {
		both = algorithm_new(first->topology, &allreduce, first->chunks, first->n_steps + second->n_steps,
				     one_after_other(first, second), algorithm_method(first));
		both->symmetry = first->symmetry ? symmetry_by_chunks(first->symmetry) : NULL;
	}
	algorithm_free(first);
	algorithm_free(second);
	return both;
}

static struct send *scale_sends(const struct send *sends, size_t n, int m, int period)
{
	struct send *scaled = new_array(struct send, n * (size_t)m);

	for (size_t i = 0; i < n; i++)
		for (int part = 0; part < m; part++) {
			struct send *s = &scaled[i * (size_t)m + (size_t)part];
			*s = sends[i];
			s->chunk = chunk_part(sends[i].chunk, part, m, period);
		}
	return scaled;
}

struct algorithm *algorithm_scaled(const struct algorithm *a, int m, struct error *e)
{
	if (m < 1 || (int64_t)a->global_chunks * m > CHUNKS_MAX || (int64_t)algorithm_rounds(a) * m > ROUNDS_MAX) {
		error_set(e, ERROR_LIMIT, a->name, "cannot be cut into %d parts: that makes too many chunks or rounds", m);
		return NULL;
	}
	int period = collective_period(&a->collective, a->topology->nodes);
	struct collective k = collective_scaled(&a->collective, m);
	struct step *steps = new_array(struct step, a->n_steps);
	for (size_t s = 0; s < a->n_steps; s++)
		steps[s] = (struct step){
			a->steps[s].rounds * m,
			a->steps[s].n_sends * (size_t)m,
			scale_sends(a->steps[s].sends, a->steps[s].n_sends, m, period),
			a->steps[s].n_reduces * (size_t)m,
			scale_sends(a->steps[s].reduces, a->steps[s].n_reduces, m, period),
		};
	struct algorithm *scaled = algorithm_new(a->topology, &k, a->chunks * m, a->n_steps, steps, algorithm_method(a));
	scaled->symmetry = symmetry_scaled(a->symmetry, m);
	collective_free(&k);
	return scaled;
}

struct algorithm *algorithm_joined(const struct algorithm *reducescatter, const struct algorithm *allgather, struct error *e)
{
	int scattered = reducescatter->chunks / reducescatter->topology->nodes;
	int d = (int)common_divisor(scattered, allgather->chunks);
	struct algorithm *x = algorithm_scaled(reducescatter, allgather->chunks / d, e);
	struct algorithm *y = x ? algorithm_scaled(allgather, scattered / d, e) : NULL;
	struct algorithm *both = y ? algorithm_composed(x, y, e) : NULL;

	algorithm_free(x);
	algorithm_free(y);
	return both;
}

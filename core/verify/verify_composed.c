/*
 * Is an allreduce a reducescatter and then an allgather? Both are judged as what they are: the steps up to the last in which something is
 * added as the former, and those after it as the latter. All chunks of an allreduce are alike, so they may lie at any nodes between
 * the two, as long as each node has as many: they are numbered as the halves have them.
 */

#include "core/verify/verify.h"

#include "core/base/error.h"
#include "core/base/memory.h"
#include "core/machine/topology.h"

#include <stdlib.h>

static struct send *renumbered(const struct send *sends, size_t n, const int *number)
{
	struct send *copy = copy_bytes(sends, n * sizeof *sends);

	for (size_t i = 0; i < n; i++)
		copy[i].chunk = number[copy[i].chunk];
	return copy;
}

/* Do the steps FROM up to TO of A do what KIND is? */
static bool do_steps(const struct algorithm *a, size_t from, size_t to, const int *number, enum collective_kind kind, int chunks)
{
	const struct collective k = {.kind = kind};
	struct step *steps = new_array(struct step, to - from);

	for (size_t s = from; s < to; s++) {
		const struct step *of = &a->steps[s];
		steps[s - from] = (struct step){of->rounds, of->n_sends, renumbered(of->sends, of->n_sends, number), of->n_reduces,
						renumbered(of->reduces, of->n_reduces, number)};
	}
	struct algorithm *half = algorithm_new(a->topology, &k, chunks, to - from, steps, "half");
	bool right = algorithm_verify(half).fault == FAULT_NONE;

	algorithm_free(half);
	return right;
}

/* [chunk]: the node that sends it from step FROM on without getting it then, or the only node; -1: none. */
static void find_owners(const struct algorithm *a, size_t from, int *owner)
{
	size_t places = (size_t)a->global_chunks * (size_t)a->topology->nodes;
	unsigned char *got = new_array(unsigned char, places);

	for (int c = 0; c < a->global_chunks; c++)
		owner[c] = a->topology->nodes == 1 ? 0 : -1;
	for (size_t s = from; s < a->n_steps; s++)
		for (size_t i = 0; i < a->steps[s].n_sends; i++)
			got[(size_t)a->steps[s].sends[i].chunk * (size_t)a->topology->nodes + (size_t)a->steps[s].sends[i].dst] = 1;
	for (size_t s = from; s < a->n_steps; s++)
		for (size_t i = 0; i < a->steps[s].n_sends; i++) {
			const struct send *x = &a->steps[s].sends[i];
			if (!got[(size_t)x->chunk * (size_t)a->topology->nodes + (size_t)x->src])
				owner[x->chunk] = x->src;
		}
	free(got);
}

/* The j-th chunk of node n is number j P + n. False: a node has more or fewer than another. */
static bool number_chunks(const struct algorithm *a, size_t from, int *number)
{
	int nodes = a->topology->nodes, *count = new_array(int, (size_t)nodes);
	bool even = true;

	find_owners(a, from, number);
	for (int c = 0; c < a->global_chunks && even; c++) {
		int n = number[c];
		even = n >= 0 && count[n] < a->global_chunks / nodes;
		if (even)
			number[c] = count[n]++ * nodes + n;
	}
	free(count);
	return even;
}

/* The same of one in compact form. */
static bool compact_is_composed(const struct algorithm *a)
{
	struct algorithm *full = algorithm_copy(a);
	struct error too_many = {0};
	bool is = algorithm_expand(full, &too_many) && algorithm_is_composed(full);

	algorithm_free(full);
	return is;
}

bool algorithm_is_composed(const struct algorithm *a)
{
	size_t between = 1;

	if (a->symmetry)
		return compact_is_composed(a);
	if (a->collective.kind != ALLREDUCE || a->chunks % a->topology->nodes != 0)
		return false;
	int *number = new_array(int, (size_t)a->global_chunks);
	for (size_t s = 0; s < a->n_steps; s++)
		if (a->steps[s].n_reduces)
			between = s + 1;
	bool is = between < a->n_steps && number_chunks(a, between, number) &&
		  do_steps(a, between, a->n_steps, number, ALLGATHER, a->chunks / a->topology->nodes) &&
		  do_steps(a, 0, between, number, REDUCESCATTER, a->chunks);
	free(number);
	return is;
}

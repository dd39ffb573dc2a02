/*
 * Is an allreduce a reducescatter followed by an allgather? Both halves are verified as such: the steps up to the last
 * one with a reduce as the former, the steps after it as the latter. All chunks of an allreduce are interchangeable, so
 * between the two they may be at any nodes as long as each node has equally many: they are renumbered as the two
 * collectives number theirs.
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

/* Do the steps from FROM up to but not including TO perform the collective KIND? */
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

/*
 * Fills OWNER [chunk]: the node that sends it in the steps from FROM on without receiving it there, or the only node
 * there is; -1: none.
 */
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

/* The j-th chunk owned by node n gets number j P + n. False: the nodes do not own equally many. */
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

/* The same for an algorithm in compact form, which is expanded first. */
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

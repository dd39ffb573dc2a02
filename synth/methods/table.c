/* The table of methods that `build --method` accepts; docs/reference/methods.md describes each. */

#include "synth/builder/rows.h"

#include "core/base/error.h"

#include <string.h>

#define OF(kind) (1u << (kind))

enum {
	COPYING = OF(ALLGATHER) | OF(BROADCAST) | OF(GATHER) | OF(SCATTER) | OF(ALLTOALL),
};

static const struct method methods[] = {
	{"direct", "each chunk on shortest paths to all nodes that need it", "-", COPYING, 0, false, direct_construct},
	{"one-shot", "an allreduce in one step: all values to all nodes", "-", OF(ALLREDUCE), 0, false, one_shot_construct},
	{"ring", "link-disjoint rings in both directions (NCCL)", "-", OF(ALLGATHER) | OF(BROADCAST) | OF(GATHER) | OF(ALLTOALL), 0, false, ring_construct},
	{"2d-ring", "rings along each dimension of a torus or mesh in turn", "Ying et al. 2018", OF(ALLGATHER), 0, false, grid_rings_construct},
	{"2d-ring-whole", "a whole ring allreduce along each dimension of a torus", "Huang et al. 2021", OF(ALLREDUCE), 0, false, grid_rings_whole_construct},
	{"hierarchical", "a pipeline between boxes, spread in each box", "Ganesan, Seshadri 2005", OF(BROADCAST), 0, false, hierarchical_construct},
	{"double-binary-tree", "two binary trees, each with half of the chunks (NCCL)", "Sanders et al. 2009", OF(BROADCAST) | OF(ALLREDUCE), 0, false, double_binary_tree_construct},
	{"recursive-doubling", "pairwise exchange of all data at distance 1, 2, 4, ...", "Thakur et al. 2005", OF(ALLGATHER) | OF(ALLREDUCE), 0, false, recursive_doubling_construct},
	{"halving-doubling", "reducescatter by halving, then allgather by doubling", "Thakur et al. 2005", OF(ALLGATHER), 0, false, halving_doubling_construct},
	{"hdrm", "halving-doubling with rank mapping (EFLOPS)", "Dong et al. 2020", OF(ALLGATHER), 0, false, hdrm_construct},
	{"bruck", "the fewest phases: log2 of the node count, rounded up", "Bruck et al. 1997", OF(ALLGATHER) | OF(ALLTOALL), 0, false, bruck_construct},
	{"binomial", "in each phase, each holder sends to one more node", "-", OF(BROADCAST) | OF(GATHER), 0, false, binomial_construct},
	{"nvls", "multicasts and sums in switches that copy and add (NVLink SHARP)", "-", OF(ALLGATHER) | OF(BROADCAST) | OF(ALLREDUCE), HEEDS_STEPS, false, nvls_construct},
	{"multitree", "trees from all roots, grown together (MultiTree)", "Huang et al. 2021", OF(ALLGATHER) | OF(BROADCAST) | OF(ALLTOALL), HEEDS_HEIGHT, false, multitree_construct},
	{"blink", "the fewest trees packed into link capacities (Blink)", "Wang et al. 2020", OF(ALLGATHER) | OF(BROADCAST) | OF(GATHER) | OF(ALLREDUCE),
	 HEEDS_EPSILON | HEEDS_THRESHOLD, true, blink_construct},
	{"timed-trees", "the least R/C for a number of steps, proved", "-", COPYING, HEEDS_STEPS, true, timed_trees_construct},
	{"exact-schedule", "the fastest for --bytes of all schedules in time, by a solver (small machines)", "-", COPYING, HEEDS_BYTES | NEEDS_BYTES, true, exact_schedule_construct},
	{"linear-program", "trees from a proved optimum over spanning trees", "Wang et al. 2018", OF(ALLREDUCE), HEEDS_FEWEST, true, linear_program_construct},
	{"kernighan-lin", "balanced binary trees from clustered links (MXNet)", "MXNet 1.4, 2018", OF(BROADCAST) | OF(ALLREDUCE), HEEDS_BYTES | HEEDS_MXNET, true, kernighan_lin_construct},
};
enum { METHODS = sizeof methods / sizeof *methods };

const struct method *methods_all(size_t *n)
{
	*n = METHODS;
	return methods;
}

const struct method *method_find(const char *name, struct error *e)
{
	for (size_t i = 0; i < METHODS; i++)
		if (strcmp(methods[i].name, name) == 0)
			return &methods[i];
	error_set(e, ERROR_INPUT, "--method", "there is no method \"%.64s\"; sccl-synth build --help lists them", name);
	return NULL;
}

/*
 * Whether a program may run in place: compares the address ranges of input chunks, output chunks and buffers. That a chunk
 * may lie at one address in both buffers, also where it is reduced, is what the checks of lowering have shown of every
 * program whose collective can have that (collective_in_place).
 */
#include "runtime/core/plan.h"

/* Bytes [begin, end) of memory. */
struct range {
	uintptr_t begin, end;
};

static bool meet(struct range a, struct range b)
{
	return a.begin < b.end && b.begin < a.end;
}

static struct range chunk_range(const sccl_place_t *p, uint64_t count, size_t element, const void *buffer)
{
	sccl_chunk_t chunk = {p->block, p->blocks, p->part, p->parts};
	sccl_span_t span = sccl_chunk_span(&chunk, count);
	uintptr_t base = (uintptr_t)buffer + (uintptr_t)(span.base * element);
	return (struct range){base + (uintptr_t)(span.start * element), base + (uintptr_t)(span.end * element)};
}

static const sccl_place_t *find(const sccl_place_t *places, uint32_t n, uint32_t rank, uint32_t chunk)
{
	for (uint32_t i = 0; i < n; i++)
		if (places[i].rank == rank && places[i].chunk == chunk)
			return &places[i];
	return NULL;
}

bool sccli_may_overlap(const struct sccl_plan *plan, uint32_t rank, uint64_t count, size_t element, const void *in,
                       const void *out)
{
	const sccl_program_t *p = plan->program;
	uint64_t n_in = p->input_count(rank, count), n_out = p->output_count(rank, count);
	struct range input = {(uintptr_t)in, (uintptr_t)in + (uintptr_t)(n_in * element)};
	struct range output = {(uintptr_t)out, (uintptr_t)out + (uintptr_t)(n_out * element)};

	if (!meet(input, output))
		return true;
	if (p->combining && sccli_multiplies(plan->type, plan->op) && !sccli_sums_all(p))
		return false; /* an output may be an input, which would be multiplied where other moves still read it */
	for (uint32_t i = 0; i < p->n_inputs; i++) {
		if (p->inputs[i].rank != rank)
			continue;
		struct range from = chunk_range(&p->inputs[i], n_in, element, in);
		const sccl_place_t *place = find(p->outputs, p->n_outputs, rank, p->inputs[i].chunk);
		struct range to = place ? chunk_range(place, n_out, element, out) : (struct range){0, 0};
		if (meet(from, output) && (from.begin != to.begin || from.end != to.end))
			return false;
	}
	return true;
}

/* The words of every rank, as sccl/device.h defines them. */

#include "lower/emit.h"

#include "lower/geometry.h"
#include "lower/program.h"

#include "core/algorithm.h"
#include "core/topology.h"

static void text_place(const struct program *p, struct place at, int chunk, struct text *into)
{
	switch (at.buffer) {
	case BUFFER_INPUT:
		text_add(into, " SCCL_INPUT(%d),", input_block(p->algorithm, chunk, at.rank));
		return;
	case BUFFER_OUTPUT:
		text_add(into, " SCCL_OUTPUT(%d, %d),", at.rank, output_block(p->algorithm, chunk, at.rank));
		return;
	case BUFFER_SCRATCH:
		text_add(into, " SCCL_SCRATCH(%d, %d),", at.rank, at.slot);
		return;
	}
}

static void text_move(const struct program *p, const struct instruction *i, struct text *into)
{
	if (i->n_sources == 1)
		text_add(into, "\tSCCL_COPY(%d, %d, %zu),", i->step, i->chunk, i->n_targets);
	else
		text_add(into, "\tSCCL_REDUCE(%d, %d, %zu, %zu),", i->step, i->chunk, i->n_sources, i->n_targets);
	for (size_t k = 0; k < i->n_sources; k++)
		text_place(p, i->sources[k], i->chunk, into);
	for (size_t k = 0; k < i->n_targets; k++)
		text_place(p, i->targets[k], i->chunk, into);
	text_add(into, "\n");
}

static void text_instruction(const struct program *p, const struct instruction *i, struct text *into)
{
	switch (i->kind) {
	case INSTRUCTION_OFFER:
		text_add(into, "\tSCCL_OFFER(%d, %d),\n", i->step, i->peer);
		return;
	case INSTRUCTION_CREDIT:
		text_add(into, "\tSCCL_CREDIT(%d, %d),\n", i->step, i->peer);
		return;
	case INSTRUCTION_WAIT:
		text_add(into, "\tSCCL_WAIT(%d, %d, %d),\n", i->step, i->peer, i->k);
		return;
	case INSTRUCTION_SIGNAL:
		text_add(into, "\tSCCL_SIGNAL(%d, %d, %d),\n", i->step, i->peer, i->k);
		return;
	case INSTRUCTION_MOVE:
		text_move(p, i, into);
		return;
	case INSTRUCTION_KINDS:
		return;
	}
}

static void text_rank(const struct program *p, int rank, struct text *into)
{
	const struct algorithm *a = p->algorithm;
	int step = 0;

	text_add(into, "\nSCCL_TABLE uint32_t rank_%d[] = {\n", rank);
	for (size_t i = 0; i < p->of[rank].n; i++) {
		const struct instruction *in = &p->of[rank].instructions[i];
		if (in->step != step) {
			int rounds = a->steps[in->step - 1].rounds;
			text_add(into, "\t/* step %d of %zu: %d round%s */\n", in->step, a->n_steps, rounds, rounds == 1 ? "" : "s");
		}
		step = in->step;
		text_instruction(p, in, into);
	}
	text_add(into, "\tSCCL_END,\n};\n");
}

static void text_chunks(const struct program *p, struct text *into)
{
	text_add(into, "/* How chunk 0, 1, ... is cut out of L: block, of so many, and of that part, of so many. */\n"
		       "SCCL_TABLE sccl_chunk_t chunks[] = {\n");
	for (int c = 0; c < p->algorithm->global_chunks; c++) {
		struct cut cut = chunk_cut(p->algorithm, c);
		text_add(into, "\t{%d, %d, %d, %d},\n", cut.block, cut.blocks, cut.part, cut.parts);
	}
	text_add(into, "};\n\n");
}

void text_tables(const struct program *p, struct text *into)
{
	text_chunks(p, into);
	text_add(into, "/*\n"
		       " * What each rank does: SCCL_COPY(step, chunk, targets) from, to...; SCCL_REDUCE(step, chunk, sources,\n"
		       " * targets) from..., to...; SCCL_SIGNAL and SCCL_WAIT(step, peer, number).\n"
		       " */\n");
	for (int r = 0; r < p->ranks; r++)
		text_rank(p, r, into);
	text_add(into, "\nSCCL_TABLE uint32_t *const ranks[] = {\n");
	for (int r = 0; r < p->ranks; r++)
		text_add(into, "\trank_%d,\n", r);
	text_add(into, "};\n\nSCCL_TABLE sccl_tables_t tables = {ranks, chunks, %d};\n\n", p->signals);
}

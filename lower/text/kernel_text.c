/* The instructions of every rank as arrays of 32-bit words, in the macros that sccl/device.h defines, and the cuts of
 * the chunks. */

#include "lower/text/emit.h"

#include "lower/program/geometry.h"
#include "lower/program/program.h"

#include "core/schedule/algorithm.h"
#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/machine/topology.h"

#include <stdlib.h>

static void text_place(const struct program *p, int rank, struct place at, bool source, int chunk, struct text *into)
{
	switch (at.buffer) {
	case BUFFER_INPUT:
		if (at.rank == rank)
			text_add(into, " SCCL_INPUT(%d),", input_block(p->algorithm, chunk, at.rank));
		else
			text_add(into, " SCCL_INPUT_OF(%d, %d),", at.rank, input_block(p->algorithm, chunk, at.rank));
		return;
	case BUFFER_OUTPUT:
		text_add(into, " SCCL_OUTPUT(%d, %d),", at.rank, output_block(p->algorithm, chunk, at.rank));
		return;
	case BUFFER_SCRATCH:
		text_add(into, " SCCL_SCRATCH(%d, %d),", at.rank, at.slot);
		return;
	case BUFFER_PACKET: /* a source is in the rank's own memory, so the word names the sender */
		text_add(into, " SCCL_PACKET(%d, %d),", source ? p->packets[at.rank].of[at.slot].from : at.rank, at.slot);
		return;
	}
}

/* Is this target one of those that are written at once? */
static bool is_of_all(const struct instruction *i, size_t target)
{
	return i->stores_once && i->targets[target].buffer == BUFFER_OUTPUT;
}

/* The numbers of sources and targets in the text, where those of all ranks are one. */
static size_t text_sources(const struct instruction *i)
{
	return i->loads_sum ? 1 : i->n_sources;
}

static size_t text_targets(const struct instruction *i)
{
	size_t n = i->stores_once;

	for (size_t k = 0; k < i->n_targets; k++)
		n += !is_of_all(i, k);
	return n;
}

static void text_move(const struct program *p, int rank, const struct instruction *i, struct text *into)
{
	if (i->n_sources == 1)
		text_add(into, "\tSCCL_COPY(%d, %d, %zu),", i->step, i->chunk, text_targets(i));
	else
		text_add(into, "\tSCCL_%s(%d, %d, %zu, %zu),", i->total ? "TOTAL" : "REDUCE", i->step, i->chunk, text_sources(i), text_targets(i));
	if (i->loads_sum)
		text_add(into, " SCCL_INPUT_OF_ALL(%d),", input_block(p->algorithm, i->chunk, 0));
	for (size_t k = 0; k < i->n_sources && !i->loads_sum; k++)
		text_place(p, rank, i->sources[k], true, i->chunk, into);
	for (size_t k = 0; k < i->n_targets; k++)
		if (!is_of_all(i, k))
			text_place(p, rank, i->targets[k], false, i->chunk, into);
	if (i->stores_once)
		text_add(into, " SCCL_OUTPUT_OF_ALL(%d),", output_block(p->algorithm, i->chunk, 0));
	text_add(into, "\n");
}

static void text_instruction(const struct program *p, int rank, const struct instruction *i, struct text *into)
{
	switch (i->kind) {
	case INSTRUCTION_OFFER:
		text_add(into, "\tSCCL_%sOFFER(%d, %d),\n", i->rare ? "RARE_" : "", i->step, i->peer);
		return;
	case INSTRUCTION_CREDIT:
		text_add(into, "\tSCCL_%sCREDIT(%d, %d),\n", i->rare ? "RARE_" : "", i->step, i->peer);
		return;
	case INSTRUCTION_WAIT:
		text_add(into, "\tSCCL_WAIT(%d, %d, %d),\n", i->step, i->peer, i->k);
		return;
	case INSTRUCTION_SIGNAL:
		text_add(into, "\tSCCL_SIGNAL(%d, %d, %d),\n", i->step, i->peer, i->k);
		return;
	case INSTRUCTION_MOVE:
		text_move(p, rank, i, into);
		return;
	case INSTRUCTION_SYNC:
		text_add(into, "\tSCCL_SYNC(%d),\n", i->step);
		return;
	case INSTRUCTION_KINDS:
		return;
	}
}

/* The number of words of an instruction. */
static size_t words_of(const struct instruction *i)
{
	static const size_t fixed[] = {[INSTRUCTION_OFFER] = 3, [INSTRUCTION_CREDIT] = 3, [INSTRUCTION_WAIT] = 3,
				       [INSTRUCTION_SIGNAL] = 3, [INSTRUCTION_SYNC] = 1, [INSTRUCTION_MOVE] = 4};

	return fixed[i->kind] + 2 * (text_sources(i) + text_targets(i));
}

/* Instructions of one class that follow each other in a step are executed together. */
enum together { ALONE, MOVES, POSTS, AWAITS };

static enum together class_of(const struct instruction *i)
{
	static const enum together of[] = {[INSTRUCTION_OFFER] = POSTS, [INSTRUCTION_CREDIT] = AWAITS, [INSTRUCTION_WAIT] = AWAITS,
					   [INSTRUCTION_SIGNAL] = POSTS, [INSTRUCTION_SYNC] = ALONE, [INSTRUCTION_MOVE] = MOVES};

	return of[i->kind];
}

/* Announces the N instructions at I, of one class. Returns the number of words. */
static size_t text_together(const struct instruction *i, size_t n, struct text *into)
{
	size_t offset = 2 + n + 1;

	if (class_of(i) == ALONE)
		return 0;
	if (class_of(i) != MOVES) {
		text_add(into, "\tSCCL_FLAGS(%d, %zu),\n", i->step, n);
		return 2;
	}
	text_add(into, "\tSCCL_MOVES(%d, %zu),", i->step, n);
	for (size_t k = 0; k < n; offset += words_of(&i[k++]))
		text_add(into, " %zu,", offset);
	text_add(into, " %zu,\n", offset);
	return 2 + n + 1;
}

/* Returns the number of words. */
static size_t text_rank(const struct program *p, const char *what, int rank, struct text *into)
{
	const struct algorithm *a = p->algorithm;
	size_t words = 1;
	const struct instruction *of = p->of[rank].instructions;
	int step = 0;

	text_add(into, "\nstatic const uint32_t %s_%d[] = {\n", what, rank);
	for (size_t i = 0, end = 0; i < p->of[rank].n; i++) {
		const struct instruction *in = &of[i];
		if (in->step != step) {
			int rounds = a->steps[in->step - 1].rounds;
			text_add(into, "\t/* step %d of %zu: %d round%s */\n", in->step, a->n_steps, rounds, plural(rounds));
		}
		step = in->step;
		if (i == end) {
			while (end < p->of[rank].n && (end == i || (class_of(in) != ALONE && of[end].step == step && class_of(&of[end]) == class_of(in))))
				end++;
			words += text_together(in, end - i, into);
		}
		text_instruction(p, rank, in, into);
		words += words_of(in);
	}
	text_add(into, "\tSCCL_END,\n};\n");
	return words;
}

void text_cuts(const struct program *p, struct text *into)
{
	text_add(into, "/* How chunks 0, 1, ... are cut out of L: block, number of blocks, part of the block, number of parts. */\n"
		       "static const sccl_chunk_t cuts[] = {\n");
	for (int c = 0; c < p->algorithm->global_chunks; c++) {
		struct chunk_cut cut = chunk_cut(p->algorithm, c);
		text_add(into, "\t{%d, %d, %d, %d},\n", cut.block, cut.blocks, cut.part, cut.parts);
	}
	text_add(into, "};\n\n");
}

void text_words(const struct program *p, const char *what, const char *comment, struct text *into)
{
	size_t *lengths = new_array(size_t, (size_t)p->ranks);

	text_add(into, "%s", comment);
	for (int r = 0; r < p->ranks; r++)
		lengths[r] = text_rank(p, what, r, into);
	text_add(into, "\nstatic const uint32_t *const %s_words[] = {\n", what);
	for (int r = 0; r < p->ranks; r++)
		text_add(into, "\t%s_%d,\n", what, r);
	text_add(into, "};\n\nstatic const uint32_t %s_lengths[] = {\n", what);
	for (int r = 0; r < p->ranks; r++)
		text_add(into, "\t%zu,\n", lengths[r]);
	text_add(into, "};\n\n");
	free(lengths);
}

/*
 * What each collective has in its inputs and requires in its outputs, in cells. A combining collective numbers data by
 * place, as all ranks have a contribution to each; the others by rank and place.
 */

#include "interop/plans/play.h"

static bool combines(const struct play *y)
{
	enum plan_kind k = y->p->kind;
	return k == PLAN_ALLREDUCE || k == PLAN_REDUCESCATTER || k == PLAN_REDUCE;
}

/* The cells of one rank's input: as the file says, or as the output tells. */
int plan_input_cells(const struct foreign_plan *p, int rank)
{
	int in = p->of[rank].chunks[PLAN_INPUT] * p->cut, out = p->of[rank].chunks[PLAN_OUTPUT] * p->cut;

	switch (p->kind) {
	case PLAN_ALLGATHER:
		return in ? in : out / p->ranks;
	case PLAN_REDUCESCATTER:
		return in ? in : out * p->ranks;
	case PLAN_ALLREDUCE:
	case PLAN_ALLTOALL:
	case PLAN_BROADCAST:
	case PLAN_REDUCE:
	case PLAN_OTHER:
	case PLAN_KINDS:
		break;
	}
	return in ? in : out;
}

void play_fill(struct play *y)
{
	for (int r = 0; r < y->p->ranks; r++) {
		int n = plan_input_cells(y->p, r);
		if (y->p->kind == PLAN_BROADCAST && r != y->p->root)
			continue;
		for (int i = 0; i < n; i++) {
			struct plan_span s = {r, PLAN_INPUT, 0};
			struct play_cell *c = play_cell_at(y, &s, i);
			if (!c)
				continue;
			c->value = combines(y) ? i : r * n + i;
			c->from = -1;
			c->parts[r / 64] |= (uint64_t)1 << r % 64;
		}
	}
}

/* The number of the datum that cell I of RANK's output must hold; -1: any. */
static int wanted(const struct play *y, int rank, int i)
{
	int in = plan_input_cells(y->p, rank), block;

	switch (y->p->kind) {
	case PLAN_ALLREDUCE:
	case PLAN_ALLGATHER:
		return i; /* gathered: rank i / in, its cell i % in, whose number is i */
	case PLAN_REDUCE:
		return rank == y->p->root ? i : -1;
	case PLAN_REDUCESCATTER:
		return rank * (in / y->p->ranks) + i;
	case PLAN_ALLTOALL:
		block = in / y->p->ranks;
		return block ? i / block * in + rank * block + i % block : -1;
	case PLAN_BROADCAST:
		return y->p->root * in + i;
	case PLAN_OTHER:
	case PLAN_KINDS:
		break;
	}
	return -1;
}

static int output_cells(const struct play *y, int rank)
{
	int in = plan_input_cells(y->p, rank);

	switch (y->p->kind) {
	case PLAN_ALLGATHER:
		return in * y->p->ranks;
	case PLAN_REDUCESCATTER:
		return in / y->p->ranks;
	case PLAN_ALLREDUCE:
	case PLAN_ALLTOALL:
	case PLAN_BROADCAST:
	case PLAN_REDUCE:
	case PLAN_OTHER:
	case PLAN_KINDS:
		break;
	}
	return in;
}

static bool is_whole(const struct play *y, const struct play_cell *c)
{
	for (int r = 0; combines(y) && r < y->p->ranks; r++)
		if (!(c->parts[r / 64] >> r % 64 & 1))
			return false;
	return true;
}

/* When its kernel ends, a rank knows what its blocks know; who wrote later, or unknown to them, is too late. */
static bool arrived(const struct play *y, int rank, struct play_stamp s)
{
	if (s.op == 0)
		return true;
	for (int b = y->first_block[rank]; b < y->first_block[rank + 1]; b++)
		if (b == s.block || y->of[b].known[s.block] >= s.op || y->of[b].pending[s.block] >= s.op)
			return true;
	return false;
}

/* What came from another rank and is output, unused, was a copy. */
static void log_outputs(struct play *y, int rank)
{
	for (int i = 0, n = output_cells(y, rank); y->log && i < n; i++) {
		struct plan_span s = {rank, PLAN_OUTPUT, 0};
		const struct play_cell *c = play_cell_at(y, &s, i);
		if (c && c->value >= 0 && c->from >= 0 && wanted(y, rank, i) >= 0)
			play_log(y, c->level, c->value, c->from, rank, false);
	}
}

static void judge_rank(struct play *y, int rank)
{
	for (int i = 0, n = output_cells(y, rank); i < n; i++) {
		struct plan_span s = {rank, PLAN_OUTPUT, 0};
		const struct play_cell *c = play_cell_at(y, &s, i);
		int want = wanted(y, rank, i);
		if (want < 0)
			continue;
		if (!c || c->value < 0)
			plan_fault(y->f, y->p, rank, -1, NULL, "chunk %d of the output holds nothing at the end", i / y->p->cut);
		else if (c->value != want)
			plan_fault(y->f, y->p, rank, -1, NULL, "chunk %d of the output holds other data than it should", i / y->p->cut);
		else if (!is_whole(y, c))
			plan_fault(y->f, y->p, rank, -1, NULL, "chunk %d of the output lacks the contributions of some ranks", i / y->p->cut);
		else if (!arrived(y, rank, c->written))
			plan_fault(y->f, y->p, rank, -1, NULL, "chunk %d of the output may be written after the rank has ended: nothing waits for it",
				   i / y->p->cut);
		else
			continue;
		return;
	}
}

void play_judge(struct play *y)
{
	for (int r = 0; r < y->p->ranks; r++) {
		log_outputs(y, r);
		judge_rank(y, r);
	}
}

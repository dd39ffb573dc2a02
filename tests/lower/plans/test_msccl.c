#include "tests/lower/hand.h"

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/memory.h"
#include "core/base/text.h"
#include "lower/plans/msccl.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

TestSuite(msccl, .description = "schedules become plans for RCCL");

static struct msccl_plan *planned(const struct algorithm *a)
{
	struct error e = {0};
	struct msccl_plan *p = msccl_plan_new(a, &e);

	cr_assert(ne(ptr, p, NULL), "%s: %s", e.where, e.what);
	return p;
}

/* Plans A, which is freed, and judges the plan. */
static void judge(struct algorithm *a)
{
	struct error e = {0};
	struct msccl_plan *p = planned(a);

	cr_expect(msccl_check(p, &e) && msccl_play(p, &e), "%s: %s: %s", a->name, e.where, e.what);
	msccl_plan_free(p);
	algorithm_free(a);
}

/* The plan must be refused with these words. */
static void refused(const struct msccl_plan *p, const char *words)
{
	struct error e = {0};

	cr_expect(not(msccl_check(p, &e) && msccl_play(p, &e)), "accepted, not: %s", words);
	cr_expect(ne(ptr, strstr(e.what, words), NULL), "%s: %s, not: %s", e.where, e.what, words);
}

static void refused_export(struct algorithm *a, const char *words)
{
	struct error e = {0};
	struct text text = {0};

	cr_expect(not(msccl_export(a, &(struct msccl_options){.proto = "Simple"}, &text, &e)));
	cr_expect(eq(int, e.kind, ERROR_INPUT));
	cr_expect(eq(sz, text.length, 0));
	cr_expect(ne(ptr, strstr(e.what, words), NULL), "%s: %s, not: %s", e.where, e.what, words);
	text_free(&text);
	algorithm_free(a);
}

/* Calls CHANGE at each step of a fresh plan of A, which is freed. It returns whether there was anything to change, and
 * then the plan must be refused. How many were. */
static size_t each_refused(struct algorithm *a, bool (*change)(struct msccl_gpu *g, size_t block, size_t step))
{
	struct msccl_plan *p = planned(a);
	size_t n = 0;

	for (int r = 0; r < p->ranks; r++)
		for (size_t b = 0; b < p->of[r].n; b++)
			for (size_t i = 0; i < p->of[r].blocks[b].n; i++) {
				struct error e = {0};
				struct msccl_plan *changed = planned(a);
				if (change(&changed->of[r], b, i)) {
					cr_expect(not(msccl_check(changed, &e) && msccl_play(changed, &e)),
						  "%s: rank %d, block %zu, step %zu", a->name, r, b, i);
					n++;
				}
				msccl_plan_free(changed);
			}
	msccl_plan_free(p);
	algorithm_free(a);
	return n;
}

Test(msccl, every_kind_of_collective_passes_the_judge)
{
	struct algorithm *a;

	for (size_t i = 0; (a = hand_all(i)); i++)
		if (a->collective.kind == CUSTOM)
			algorithm_free(a);
		else
			judge(a);
}

Test(msccl, random_schedules_pass_the_judge)
{
	size_t n = 0;

	for (unsigned seed = 0; seed < 300; seed++) {
		struct algorithm *a = hand_random(seed);
		if (a->collective.kind == CUSTOM) {
			algorithm_free(a);
			continue;
		}
		judge(a);
		n++;
	}
	cr_expect(gt(sz, n, 100));
}

Test(msccl, the_whole_catalog_is_exported)
{
	char pattern[4096];
	glob_t files;

	snprintf(pattern, sizeof pattern, "%s/algorithms/*/*/c*.json", getenv("SOURCE_ROOT"));
	cr_assert(eq(int, glob(pattern, 0, NULL, &files), 0));
	cr_expect(gt(sz, files.gl_pathc, 50));
	for (size_t i = 0; i < files.gl_pathc; i++) {
		struct error e = {0};
		struct text text = {0};
		struct algorithm *a = algorithm_open(files.gl_pathv[i], &e);
		cr_expect(a && msccl_export(a, &(struct msccl_options){.proto = "Simple"}, &text, &e), "%s: %s: %s", files.gl_pathv[i], e.where, e.what);
		text_free(&text);
		algorithm_free(a);
	}
	globfree(&files);
}

Test(msccl, a_small_plan_is_written_as_in_the_golden_file)
{
	struct algorithm *a = hand_allreduce_ring(3);
	struct error e = {0};
	struct text written = {0}, wanted = {0};
	char path[4096];

	snprintf(path, sizeof path, "%s/tests/golden/ring3-allreduce.xml", getenv("SOURCE_ROOT"));
	cr_assert(file_read(path, &wanted, &e), "%s: %s", e.where, e.what);
	cr_assert(msccl_export(a, &(struct msccl_options){.proto = "Simple"}, &written, &e), "%s: %s", e.where, e.what);
	cr_expect(eq(str, written.bytes, wanted.bytes));
	text_free(&written);
	text_free(&wanted);
	algorithm_free(a);
}

Test(msccl, a_name_cannot_end_its_attribute_and_is_cut)
{
	struct algorithm *a = hand_allgather_ring(3);
	struct error e = {0};
	struct text text = {0};

	free(a->name);
	a->name = copy_string("a\"><gpu\t\n'&\xc3\xa9"
			      "0123456789012345678901234567890123456789012345678901234567890123456789");
	cr_assert(msccl_export(a, &(struct msccl_options){.proto = "Simple"}, &text, &e), "%s: %s", e.where, e.what);
	const char *wanted = "<algo name=\"a___gpu______01234567890123456789012345678901234567890123456789\" proto=";
	cr_expect(eq(int, strncmp(text.bytes, wanted, strlen(wanted)), 0));
	text_free(&text);
	algorithm_free(a);
}

static bool drop_dependence(struct msccl_gpu *g, size_t block, size_t step)
{
	struct msccl_step *s = &g->blocks[block].steps[step];
	bool had = s->on_block >= 0;

	s->on_block = s->on_step = -1;
	return had;
}

static bool drop_hasdep(struct msccl_gpu *g, size_t block, size_t step)
{
	bool had = g->blocks[block].steps[step].awaited;

	g->blocks[block].steps[step].awaited = false;
	return had;
}

/* What two neighbours send or receive, but not when they begin. */
static bool swap_neighbours(struct msccl_gpu *g, size_t block, size_t step)
{
	struct msccl_block *b = &g->blocks[block];

	if (step + 1 >= b->n || (b->send < 0 && b->receive < 0))
		return false;
	struct msccl_place from = b->steps[step].from, to = b->steps[step].to;
	b->steps[step].from = b->steps[step + 1].from;
	b->steps[step].to = b->steps[step + 1].to;
	b->steps[step + 1].from = from;
	b->steps[step + 1].to = to;
	return true;
}

static bool drop_step(struct msccl_gpu *g, size_t block, size_t step)
{
	struct msccl_block *b = &g->blocks[block];

	memmove(&b->steps[step], &b->steps[step + 1], (b->n - step - 1) * sizeof *b->steps);
	b->n--;
	return true;
}

static bool make_a_copy_of_a_sum(struct msccl_gpu *g, size_t block, size_t step)
{
	struct msccl_step *s = &g->blocks[block].steps[step];
	bool sum = s->kind == MSCCL_ADD;

	s->kind = MSCCL_RECEIVE;
	return sum || s->kind == MSCCL_COPY;
}

static bool write_elsewhere(struct msccl_gpu *g, size_t block, size_t step)
{
	struct msccl_step *s = &g->blocks[block].steps[step];
	int chunks = g->chunks[s->to.buffer];

	if (g->blocks[block].send >= 0 || chunks < 2)
		return false;
	s->to.at = (s->to.at + 1) % chunks;
	return true;
}

Test(msccl, a_dropped_dependence_is_refused)
{
	cr_expect(gt(sz, each_refused(hand_allreduce_ring(4), drop_dependence), 0));
	cr_expect(gt(sz, each_refused(hand_allreduce_direct(4), drop_dependence), 0));
	cr_expect(gt(sz, each_refused(hand_broadcast_line(4, 3), drop_dependence), 0));
	cr_expect(gt(sz, each_refused(hand_alltoall_ring(4), drop_dependence), 0));
}

Test(msccl, a_missing_hasdep_is_refused)
{
	cr_expect(gt(sz, each_refused(hand_allreduce_ring(4), drop_hasdep), 0));
	cr_expect(gt(sz, each_refused(hand_scatter_line(4), drop_hasdep), 0));
}

Test(msccl, a_swapped_order_in_a_fifo_is_refused)
{
	cr_expect(gt(sz, each_refused(hand_allreduce_ring(4), swap_neighbours), 0));
	cr_expect(gt(sz, each_refused(hand_broadcast_line(3, 3), swap_neighbours), 0));
}

Test(msccl, a_missing_step_is_refused)
{
	cr_expect(gt(sz, each_refused(hand_allreduce_ring(4), drop_step), 0));
	cr_expect(gt(sz, each_refused(hand_allgather_ring(4), drop_step), 0));
}

Test(msccl, a_sum_that_is_not_made_is_refused)
{
	cr_expect(gt(sz, each_refused(hand_allreduce_direct(3), make_a_copy_of_a_sum), 0));
}

Test(msccl, a_place_that_is_not_the_right_one_is_refused)
{
	cr_expect(gt(sz, each_refused(hand_allgather_ring(4), write_elsewhere), 0));
	cr_expect(gt(sz, each_refused(hand_gather_line(4), write_elsewhere), 0));
}

Test(msccl, what_a_block_cannot_do_is_refused)
{
	struct algorithm *a = hand_allreduce_ring(4);
	struct msccl_plan *p = planned(a);
	struct msccl_block *b = &p->of[1].blocks[0];
	struct msccl_block kept = *b;
	struct msccl_step *s = &b->steps[1], step = *s;

	b->send = 1;
	refused(p, "the peer is not another rank");
	b->send = -1;
	refused(p, "no peer for it");
	*b = kept;
	b->channel = p->channels;
	refused(p, "channel 1 of 1");
	*b = kept;
	s->count = MSCCL_COUNT_MAX + 1;
	refused(p, "a count of 72; RCCL takes 1 to 71");
	*s = step;
	s->from.at = p->of[1].chunks[s->from.buffer];
	refused(p, "is past its");
	*s = step;
	s->on_step = 64;
	refused(p, "which does not exist");
	*s = step;
	p->of[1].blocks[1].steps[0].to.buffer = MSCCL_INPUT;
	refused(p, "writes into the input");
	msccl_plan_free(p);
	algorithm_free(a);
}

Test(msccl, blocks_that_wait_for_each_other_are_refused)
{
	struct algorithm *a = hand_allreduce_ring(4);
	struct msccl_plan *p = planned(a);

	for (int b = 0; b < 2; b++) {
		p->of[0].blocks[b].steps[0].on_block = 1 - b;
		p->of[0].blocks[b].steps[0].on_step = 0;
		p->of[0].blocks[b].steps[0].awaited = true;
	}
	refused(p, "waits forever for its dependency");
	msccl_plan_free(p);
	algorithm_free(a);
}

Test(msccl, two_blocks_of_one_connection_are_refused)
{
	struct algorithm *a = hand_broadcast_line(2, 65);
	struct msccl_plan *p = planned(a);

	cr_assert(eq(int, p->channels, 2));
	p->of[0].blocks[1].channel = 0;
	refused(p, "already has this connection");
	msccl_plan_free(p);
	algorithm_free(a);
}

Test(msccl, a_rank_without_thread_blocks_is_refused)
{
	struct algorithm *a = hand_broadcast_line(3, 2);
	struct msccl_plan *p = planned(a);
	size_t n = p->of[2].n;

	p->of[2].n = 0;
	refused(p, "rank 2 has nothing to do; RCCL starts at least one thread block");
	p->of[2].n = n; /* all are freed */
	msccl_plan_free(p);
	algorithm_free(a);
}

Test(msccl, a_sixty_fifth_step_is_refused)
{
	struct algorithm *a = hand_broadcast_line(2, 64);
	struct msccl_plan *p = planned(a);
	struct msccl_block *b = &p->of[0].blocks[0];

	cr_assert(eq(sz, b->n, 64));
	b->steps = grown(b->steps, &b->capacity, 65, sizeof *b->steps);
	b->steps[64] = b->steps[63];
	b->n = 65;
	refused(p, "65 steps in thread block 0; RCCL takes at most 64");
	msccl_plan_free(p);
	algorithm_free(a);
}

Test(msccl, what_is_over_a_limit_is_bad_input_and_names_it)
{
	judge(hand_broadcast_line(2, 64 * 32));
	refused_export(hand_broadcast_line(2, 64 * 32 + 1), "33 channels; RCCL takes at most 32");
	refused_export(hand_broadcast_line(2, 64 * 128 + 1), "8193 sends; with RCCL's 64 thread blocks of 64 steps");
	judge(hand_alltoall_direct(32));
	refused_export(hand_alltoall_direct(33), "65 thread blocks; RCCL takes at most 64");
	refused_export(hand_custom(), "RCCL has no");
	refused_export(hand_custom_sum(), "RCCL has no");
}

Test(msccl, what_does_not_verify_is_not_exported)
{
	struct algorithm *a = hand_allgather_ring(4);

	a->steps[0].sends[0].chunk ^= 1;
	refused_export(a, "does not verify");
}

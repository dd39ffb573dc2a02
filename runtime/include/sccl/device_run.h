#ifndef SCCL_DEVICE_RUN_H
#define SCCL_DEVICE_RUN_H

/*
 * The body of every kernel: a block of a rank executes the rank's words. It uses only functions that each target layer
 * provides (sccl_flags, sccl_moves or sccl_copy and sccl_reduce, sccl_sync, sccl_finish).
 * On devices with threads, every thread of the block executes it. Included by sccl/device.h.
 */

#ifdef SCCL_SIMT
/* Executes the word at W, which must not be SCCL_END. Returns the next one. */
SCCL_FN const uint32_t *sccl_step(sccl_block_t *x, const uint32_t *w, sccl_fold_t fold)
{
	x->step = *w >> 8;
	switch (*w & 0xffu) {
	case SCCL_WORD_FLAGS:
		sccl_flags(x, w);
		return w + 2 + SCCL_FLAG_WORDS * w[1];
	case SCCL_WORD_MOVES:
		if (x->launch->lines)
			sccl_line_moves(x, w, fold);
		else if (x->launch->peer_packets)
			sccl_packet_moves(x, w, fold);
		else
			sccl_moves(x, w, fold);
		return w + w[2 + w[1]];
	default: /* SCCL_WORD_SYNC */
		return w + 1;
	}
}
#else
/* There is one thread, so what stands together is executed one by one. */
SCCL_FN const uint32_t *sccl_step(sccl_block_t *x, const uint32_t *w, sccl_fold_t fold)
{
	sccl_move_t m;

	x->step = *w >> 8;
	switch (*w & 0xffu) {
	case SCCL_WORD_COPY:
		w = sccl_move_read(x, w, x->element, &m);
		sccl_copy(x, &m, fold);
		return w;
	case SCCL_WORD_REDUCE:
	case SCCL_WORD_TOTAL:
		w = sccl_move_read(x, w, x->element, &m);
		sccl_reduce(x, &m, fold);
		return w;
	case SCCL_WORD_SYNC:
		return w + 1;
	case SCCL_WORD_FLAGS:
		return w + 2;
	case SCCL_WORD_MOVES:
		return w + w[2];
	default:
		sccl_flag_word(x, w);
		return w + SCCL_FLAG_WORDS;
	}
}
#endif

/*
 * Resumes a block where it stopped and runs it to the end of step UNTIL. Returns 0 if the call was aborted; then the
 * epoch does not advance and the communicator can no longer be used.
 */
SCCL_FN int sccl_run_block(const sccl_launch_t *launch, struct sccl_shared *shared, uint32_t block, uint32_t until,
			   uint32_t element, sccl_fold_t fold)
{
	const sccl_env_t *env = launch->env;
	sccl_block_t x = {env,
			  launch,
			  env->epochs[block],
			  launch->peer_packets ? launch->turns[block] & ~SCCL_WHOLE : 0,
			  launch->peer_packets ? launch->turns[block] & SCCL_WHOLE : 0,
			  sccl_block_begin(launch->slot_bytes, block, launch->blocks),
			  sccl_block_begin(launch->slot_bytes, block + 1, launch->blocks),
			  shared,
			  block,
			  element,
			  0,
			  0,
			  0,
			  0,
			  0};
	const uint32_t *w = launch->words + env->cursors[block];

	int absent = sccl_is_absent(&x);

	for (int meet = 1; !absent;) {
		if (SCCL_STOPS(&x, w, meet))
			return 0;
		if (*w >> 8 > until || (*w & 0xffu) == SCCL_WORD_END)
			break;
		meet = (*w & 0xffu) == SCCL_WORD_SYNC;
		w = sccl_step(&x, w, fold);
	}
	if (sccl_sync(&x))
		return 0;
	if (sccl_thread() == 0) {
		int ends = (absent ? SCCL_TO_THE_END : *w >> 8) <= until;
		env->cursors[block] = ends ? 0 : (uint32_t)(w - launch->words);
		if (ends) {
			env->epochs[block] = x.epoch + launch->signals;
			if (launch->peer_packets && !absent)
				launch->turns[block] = (x.turn + 1) | (sccl_is_whole(&x) ? SCCL_WHOLE : 0);
			sccl_finish(&x);
		}
	}
	(void)sccl_sync(&x); /* the thread that resumes this block reads what was just written */
	return 1;
}

/*
 * Executes the blocks FIRST, FIRST + grid, ... of a launch. Interleaved: wave w executes step w of the first block,
 * step w - 1 of the second, and so on. All ranks use the same order, so no rank waits for something that comes later in
 * it.
 */
SCCL_FN void sccl_run_blocks(const sccl_launch_t *l, struct sccl_shared *shared, uint32_t first, uint32_t element,
			     sccl_fold_t fold)
{
	uint32_t n = first < l->blocks ? (l->blocks - first - 1) / l->grid + 1 : 0;
	uint32_t lag = l->overlap && l->until == SCCL_TO_THE_END ? 1 : 0;
	uint32_t waves = lag ? n + l->steps : 1;

	for (uint32_t w = 0; w < waves && n > 0; w++)
		for (uint32_t j = lag && w > l->steps ? w - l->steps : 0; j < n && (!lag || j <= w); j++)
			if (!sccl_run_block(l, shared, first + j * l->grid, lag && w - j < l->steps ? w - j : l->until, element, fold))
				return;
}

#ifndef SCCL_SIMT
static __attribute__((noinline, unused)) int sccl_run_on_host(const sccl_launch_t *l, uint32_t element, sccl_fold_t fold)
{
	sccl_run_blocks(l, NULL, 0, element, fold);
	return 0;
}
#endif

#endif

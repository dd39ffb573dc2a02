#ifndef SCCL_DEVICE_RUN_H
#define SCCL_DEVICE_RUN_H

/*
 * The body of every kernel: a block of a rank executes the rank's words. It uses only functions that each target layer
 * provides (sccl_await, sccl_post, sccl_copy, sccl_reduce, sccl_sync, sccl_finish), so it is the same for all targets.
 * On devices with threads, every thread of the block executes it. Included by sccl/device.h.
 */

/* Erases this block's packets of this call, which all its threads have read. No peer writes there before its offer. */
SCCL_FN void sccl_erase(sccl_block_t *x)
{
	const sccl_launch_t *l = x->launch;
	uint64_t set = (x->turn & 1) * l->blocks + x->block, bytes = l->packet_slots * l->packet_bytes;
	uint8_t *at = l->peer_packets[x->env->rank] + SCCL_PACKETS_FLAGS(x->env->ranks, l->blocks) + set * bytes;

	x->cleared = 1;
	if (sccl_sync(x))
		return;
	for (uint64_t i = (uint64_t)sccl_thread() * 8; i < bytes; i += (uint64_t)sccl_threads() * 8)
		*(uint64_t *)(void *)(at + i) = 0;
	(void)sccl_sync(x);
}

/* sccl_offer permits PEER to write into this rank's memory for this block; sccl_credit waits for PEER's permission. */
SCCL_FN void sccl_offer(sccl_block_t *x, uint32_t peer)
{
	if (sccl_is_erased(x) && !x->cleared)
		sccl_erase(x);
	if (x->launch->peer_packets)
		sccl_post(x, sccl_packet_flag(x, peer, x->env->rank), x->turn + 1);
	else
		sccl_post(x, sccl_flag(x, x->env->peer_flags[peer], SCCL_READY, x->env->rank), x->epoch + 1);
}

SCCL_FN void sccl_credit(sccl_block_t *x, uint32_t peer)
{
	if (!x->launch->peer_packets)
		sccl_await(x, SCCL_WAITS_FOR_READY, peer, sccl_flag(x, x->env->flags, SCCL_READY, peer), x->epoch + 1);
	else if (x->turn >= 2)
		sccl_await(x, SCCL_WAITS_FOR_READY, peer, sccl_packet_flag(x, x->env->rank, peer), x->turn - 1);
}

/* Executes the word at W, which must not be SCCL_END. Returns the next one. */
SCCL_FN const uint32_t *sccl_step(sccl_block_t *x, const uint32_t *w, uint32_t element, sccl_fold_t fold)
{
	sccl_move_t m;

	x->step = *w >> 8;
	switch (*w & 0xffu) {
	case SCCL_WORD_OFFER:
		sccl_offer(x, w[1]);
		return w + 2;
	case SCCL_WORD_CREDIT:
		sccl_credit(x, w[1]);
		return w + 2;
	case SCCL_WORD_WAIT:
		sccl_await(x, SCCL_WAITS_FOR_DATA, w[1], sccl_flag(x, x->env->flags, SCCL_DATA, w[1]), x->epoch + w[2]);
		return w + 3;
	case SCCL_WORD_SIGNAL:
		sccl_post(x, sccl_flag(x, x->env->peer_flags[w[1]], SCCL_DATA, x->env->rank), x->epoch + w[2]);
		return w + 3;
	case SCCL_WORD_COPY:
		w = sccl_move_read(x, w, element, &m);
		sccl_copy(x, &m);
		return w;
	case SCCL_WORD_REDUCE:
		w = sccl_move_read(x, w, element, &m);
		sccl_reduce(x, &m, fold);
		return w;
	default: /* SCCL_WORD_SYNC */
		return w + 1;
	}
}

/*
 * Resumes a block where it stopped and runs it to the end of step UNTIL. Returns 0 if the call was aborted; then the
 * epoch does not advance and the communicator can no longer be used.
 */
SCCL_FN int sccl_run_block(const sccl_launch_t *launch, uint32_t block, uint32_t until, uint32_t element, sccl_fold_t fold)
{
	const sccl_env_t *env = launch->env;
	sccl_block_t x = {env,
			  launch,
			  env->epochs[block],
			  launch->peer_packets ? launch->turns[block] : 0,
			  sccl_block_begin(launch->slot_bytes, block, launch->blocks),
			  sccl_block_begin(launch->slot_bytes, block + 1, launch->blocks),
			  block,
			  0,
			  0,
			  0};
	const uint32_t *w = launch->words + env->cursors[block];

	while (*w >> 8 <= until && (*w & 0xffu) != SCCL_WORD_END) {
		int meet = (*w & 0xffu) == SCCL_WORD_SYNC;
		w = sccl_step(&x, w, element, fold);
		if (SCCL_STOPS(&x, meet))
			return 0;
	}
	if (sccl_sync(&x))
		return 0;
	if (sccl_thread() == 0) {
		int ends = *w >> 8 <= until;
		env->cursors[block] = ends ? 0 : (uint32_t)(w - launch->words);
		if (ends) {
			env->epochs[block] = x.epoch + launch->signals;
			if (launch->peer_packets)
				launch->turns[block] = x.turn + 1;
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
SCCL_FN void sccl_run_blocks(const sccl_launch_t *l, uint32_t first, uint32_t element, sccl_fold_t fold)
{
	uint32_t n = first < l->blocks ? (l->blocks - first - 1) / l->grid + 1 : 0;
	uint32_t lag = l->overlap && l->until == SCCL_TO_THE_END ? 1 : 0;
	uint32_t waves = lag ? n + l->steps : 1;

	for (uint32_t w = 0; w < waves && n > 0; w++)
		for (uint32_t j = lag && w > l->steps ? w - l->steps : 0; j < n && (!lag || j <= w); j++)
			if (!sccl_run_block(l, first + j * l->grid, lag && w - j < l->steps ? w - j : l->until, element, fold))
				return;
}

#endif

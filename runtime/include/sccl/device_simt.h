#ifndef SCCL_DEVICE_SIMT_H
#define SCCL_DEVICE_SIMT_H

/*
 * The target layer of devices whose blocks consist of many threads, in warps of SCCL_LANES. Flags are posted and awaited
 * by the lanes of a warp at the same time: posted by the first warp, awaited by every warp for itself, so that no barrier
 * is needed behind a wait. The moves between two barriers are divided into tiles, which the warps share; what a tile needs
 * to know of its move is worked out before the barrier, by a warp for each move, and kept in shared memory. It is built on
 * sccl/device_cuda.h or sccl/device_hip.h, which provide:
 *
 *   SCCL_THREADS, SCCL_TELL_AFTER   threads of a block; polls between two looks at the abort word
 *   SCCL_LANES                  threads of a warp, a power of two
 *   sccl_thread, sccl_threads   index of this thread in its block, and the number of threads
 *   sccl_meet(wants)            barrier of the block's threads: is `wants` set in any of them?
 *   sccl_meet_warp(wants)       the same of a warp's threads
 *   sccl_flag_post, sccl_flag_seen(flag, value)   store with release, load with acquire, at system scope
 *   sccl_packet_post, sccl_packet_seen            8 bytes and two marks, each half in one store; likewise for loads
 *   sccl_line_post, sccl_line_seen                one of the eight parts of a line of 128 bytes: all lanes that share the line
 *                                                 are here together, and if each says that it has seen, all have what was posted
 *   sccl_store_word, sccl_load_abort              words that CPUs read or write while the kernel runs
 *   sccl_pause(polls)           between two polls
 *   SCCL_UNROLL, SCCL_ONCE      before a loop that must be unrolled, and one that must not be
 *   SCCL_MOVED                  a point between two stores, where a test harness may schedule other threads
 *   SCCL_TALLY(bytes, wide)     counts what is moved in units of 16 bytes, and in elements
 */

/* Before a barrier, and before the one that a call begins with, what comes behind it is worked out. */
#define SCCL_STOPS(x, w, meet) ((meet) && (sccl_look_ahead(x, w), sccl_passes(x)))

/* What a block's threads know of a move. `kind`: whether all places are aligned alike (modulo 16 bytes), or only all
 * targets are, or not even those. */
enum { SCCL_ALIKE, SCCL_APART, SCCL_UNLIKE };
typedef struct sccl_work {
	const uint32_t *places;
	uint64_t bytes;
	uint32_t head; /* bytes before the first multiple of 16 in the targets */
	uint32_t kind, sources, targets, address;
	uint32_t of_all; /* some place is at all ranks at once */
	uint32_t input, total; /* the source that is this rank's input (as many as sources: none); 1: of all ranks */
} sccl_work_t;

/* The moves up to the next barrier, and those behind it, which are worked out before it. */
typedef struct sccl_shared {
	sccl_work_t work[2][SCCL_MOVES_MOST];
	uint8_t *addresses[2][SCCL_PLACES_MOST];
} sccl_shared_t;

SCCL_FN int sccl_sync(const sccl_block_t *x)
{
	return sccl_meet((int)x->gave_up);
}

/* A barrier behind which the moves are those that were worked out before it. */
SCCL_FN int sccl_passes(sccl_block_t *x)
{
	x->half ^= 1u;
	x->ready = 0;
	return sccl_sync(x);
}

SCCL_FN uint32_t sccl_lane(void)
{
	return sccl_thread() % SCCL_LANES;
}

SCCL_FN uint32_t sccl_warp(void)
{
	return sccl_thread() / SCCL_LANES;
}

SCCL_FN uint32_t sccl_warps(void)
{
	return sccl_threads() / SCCL_LANES;
}

/* One warp tells for all. */
SCCL_FN void sccl_tell(const sccl_block_t *x, uint32_t state, uint32_t peer)
{
	uint32_t call = (uint32_t)x->epoch << 16;

	if (sccl_warp() == 0)
		sccl_store_word(&x->env->progress[x->block], SCCL_PROGRESS(state, x->step, call | peer));
}

SCCL_FN void sccl_finish(const sccl_block_t *x)
{
	sccl_store_word(&x->env->progress[x->block], SCCL_PROGRESS(SCCL_IDLE, 0, (uint32_t)(x->epoch + x->launch->signals) << 16));
}

SCCL_FN void sccl_post(const sccl_block_t *x, uint64_t *flag, uint64_t value)
{
	if (!x->gave_up)
		sccl_flag_post(flag, value);
}

/* After another unsuccessful poll. The wait is reported only once it takes long, since that store goes to a distant
 * reader. Returns 0 if the call was aborted. */
SCCL_FN int sccl_waits(sccl_block_t *x, uint32_t state, uint32_t peer, uint32_t *polls)
{
	if (++*polls % SCCL_TELL_AFTER == 0) {
		if (sccl_load_abort(x->env->abort_word)) {
			x->gave_up = 1;
			return 0;
		}
		if (*polls == SCCL_TELL_AFTER)
			sccl_tell(x, state, peer);
	}
	sccl_pause(*polls);
	return 1;
}

SCCL_FN void sccl_await(sccl_block_t *x, uint32_t state, uint32_t peer, const uint64_t *flag, uint64_t value)
{
	uint32_t polls = 0;

	while (!x->gave_up && !sccl_flag_seen(flag, value))
		if (!sccl_waits(x, state, peer, &polls))
			return;
	if (polls >= SCCL_TELL_AFTER)
		sccl_tell(x, SCCL_RUNS, peer);
}

/* Works out the move at W, as number I of those between two barriers; its first place is number ADDRESS of theirs. */
SCCL_FN void sccl_work_out(const sccl_block_t *x, const uint32_t *w, uint32_t half, uint32_t i, uint32_t address)
{
	sccl_work_t *work = &x->shared->work[half][i];
	uint8_t **addresses = &x->shared->addresses[half][address];
	sccl_move_t m;
	uint32_t n, wants = 0, input;
	uintptr_t first;

	(void)sccl_move_read(x, w, x->element, &m);
	n = m.sources + m.targets;
	first = (uintptr_t)sccl_place_at(x, &m, m.sources);
	SCCL_ONCE
	for (uint32_t k = sccl_lane(); k < n; k += SCCL_LANES) {
		uint8_t *at = sccl_place_at(x, &m, k);
		addresses[k] = at;
		if (((uintptr_t)at ^ first) & 15u)
			wants |= k < m.sources ? 1u : 2u;
#ifdef SCCL_WITH_MULTIMEM
		if (sccl_is_of_all(m.places, k))
			wants |= 4u;
#endif
	}
#ifdef SCCL_WITH_MULTIMEM
	int of_all = sccl_meet_warp(wants & 4u);
#else
	const int of_all = 0;
#endif
	int apart = sccl_meet_warp(wants & 1u), unlike = sccl_meet_warp(wants & 2u);
	if (sccl_lane() != 0)
		return;
	input = 0;
	SCCL_ONCE
	while (input < m.sources && !sccl_is_input(&m, input))
		input++;
	work->input = input;
	work->total = m.total;
	work->places = m.places;
	work->bytes = m.bytes;
	work->head = (uint32_t)(-first & 15u) < m.bytes ? (uint32_t)(-first & 15u) : (uint32_t)m.bytes;
	work->kind = unlike || (of_all && apart) ? SCCL_UNLIKE : apart ? SCCL_APART : SCCL_ALIKE;
	work->of_all = (uint32_t)of_all;
	work->sources = m.sources;
	work->targets = m.targets;
	work->address = address;
}

/* Works out the moves from W to the next barrier, in the half that is not in use, for use behind the present one. */
SCCL_FN void sccl_look_ahead(const sccl_block_t *x, const uint32_t *w)
{
	uint32_t n = 0, places = 0;

	for (; (*w & 0xffu) == SCCL_WORD_FLAGS || (*w & 0xffu) == SCCL_WORD_MOVES;) {
		if ((*w & 0xffu) == SCCL_WORD_FLAGS) {
			w += 2 + SCCL_FLAG_WORDS * w[1];
			continue;
		}
		for (uint32_t i = sccl_warp(); i < w[1]; i += sccl_warps())
			sccl_work_out(x, w + w[2 + i], x->half ^ 1u, n + i, places + (w[2 + i] - w[2] - 4 * i) / 2);
		n += w[1];
		places += (w[2 + w[1]] - w[2] - 4 * w[1]) / 2;
		w += w[2 + w[1]];
	}
}

/* Address of place I of a move. */
SCCL_FN uint8_t *sccl_address(const sccl_block_t *x, const sccl_work_t *work, uint32_t i)
{
	return x->shared->addresses[x->half][work->address + i];
}

#endif

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
	uint32_t n, wants = 0;
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
	}
	int apart = sccl_meet_warp(wants & 1u), unlike = sccl_meet_warp(wants & 2u);
	if (sccl_lane() != 0)
		return;
	work->places = m.places;
	work->bytes = m.bytes;
	work->head = (uint32_t)(-first & 15u) < m.bytes ? (uint32_t)(-first & 15u) : (uint32_t)m.bytes;
	work->kind = unlike ? SCCL_UNLIKE : apart ? SCCL_APART : SCCL_ALIKE;
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

/* An element of SIZE bytes (1, 2, 4 or 8) in a word whose remaining bytes are zero. */
SCCL_FN uint64_t sccl_load_element(const uint8_t *at, uint32_t size)
{
	switch (size) {
	case 1: return *at;
	case 2: return *(const uint16_t *)(const void *)at;
	case 4: return *(const uint32_t *)(const void *)at;
	default: return *(const uint64_t *)(const void *)at;
	}
}

SCCL_FN void sccl_store_element(uint8_t *at, uint32_t size, uint64_t value)
{
	switch (size) {
	case 1: *at = (uint8_t)value; break;
	case 2: *(uint16_t *)(void *)at = (uint16_t)value; break;
	case 4: *(uint32_t *)(void *)at = (uint32_t)value; break;
	default: *(uint64_t *)(void *)at = value; break;
	}
}

/* What a thread moves at once, except at the ends of a move. */
typedef struct sccl_unit {
	uint64_t low, high;
} __attribute__((aligned(16))) sccl_unit_t;

SCCL_FN sccl_unit_t sccl_load_unit(const uint8_t *at)
{
	return *(const sccl_unit_t *)(const void *)at;
}

SCCL_FN void sccl_store_unit(uint8_t *at, sccl_unit_t u)
{
	*(sccl_unit_t *)(void *)at = u;
}

/* 16 bytes at any address, as part of the two aligned units that hold them. No byte is read from a unit of which none is
 * asked for. */
SCCL_FN sccl_unit_t sccl_load_across(const uint8_t *at)
{
	uint32_t off = (uint32_t)(uintptr_t)at & 15u, bits = 8 * (off & 7u);
	sccl_unit_t a = sccl_load_unit(at - off), b = a, u;
	uint64_t low, middle, high;

	if (off)
		b = sccl_load_unit(at - off + 16);
	low = off & 8u ? a.high : a.low;
	middle = off & 8u ? b.low : a.high;
	high = off & 8u ? b.high : b.low;
	u.low = low >> bits | middle << 1 << (63 - bits);
	u.high = middle >> bits | high << 1 << (63 - bits);
	return u;
}

SCCL_FN sccl_unit_t sccl_fold_unit(sccl_fold_t fold, sccl_unit_t u, sccl_unit_t v)
{
	u.low = sccl_fold_word(fold, u.low, v.low);
	u.high = sccl_fold_word(fold, u.high, v.high);
	return u;
}

/* Four units SCCL_LANES apart, of which the first OF exist, so that as many loads are in flight at a time. Not an array,
 * because compilers place arrays in memory. */
typedef struct sccl_units {
	sccl_unit_t a, b, c, d;
} sccl_units_t;
#define SCCL_UNITS 4u
#define SCCL_UNITS_APART (SCCL_LANES * 16u)

SCCL_FN void sccl_load_units(sccl_units_t *u, const uint8_t *at, uint32_t of)
{
	if (of > 0)
		u->a = sccl_load_unit(at);
	if (of > 1)
		u->b = sccl_load_unit(at + SCCL_UNITS_APART);
	if (of > 2)
		u->c = sccl_load_unit(at + 2 * SCCL_UNITS_APART);
	if (of > 3)
		u->d = sccl_load_unit(at + 3 * SCCL_UNITS_APART);
}

SCCL_FN void sccl_fold_units(sccl_fold_t fold, sccl_units_t *u, const sccl_units_t *v)
{
	u->a = sccl_fold_unit(fold, u->a, v->a);
	u->b = sccl_fold_unit(fold, u->b, v->b);
	u->c = sccl_fold_unit(fold, u->c, v->c);
	u->d = sccl_fold_unit(fold, u->d, v->d);
}

SCCL_FN void sccl_store_units(uint8_t *to, const sccl_units_t *u, uint32_t of)
{
	if (of > 0)
		sccl_store_unit(to, u->a);
	if (of > 1)
		sccl_store_unit(to + SCCL_UNITS_APART, u->b);
	if (of > 2)
		sccl_store_unit(to + 2 * SCCL_UNITS_APART, u->c);
	if (of > 3)
		sccl_store_unit(to + 3 * SCCL_UNITS_APART, u->d);
}

/* Units of a thread in a tile: twice as many where they are only copied. */
SCCL_FN uint32_t sccl_tile_units(const sccl_work_t *work)
{
	return work->sources == 1 ? 2 * SCCL_UNITS : SCCL_UNITS;
}

SCCL_FN void sccl_copy_tile(const sccl_block_t *x, const sccl_work_t *work, uint64_t at, uint32_t of)
{
	const sccl_units_t none = {{0, 0}, {0, 0}, {0, 0}, {0, 0}};
	sccl_units_t u = none, v = none;
	const uint8_t *from = sccl_address(x, work, 0) + at;
	uint32_t more = of > SCCL_UNITS ? of - SCCL_UNITS : 0;

	sccl_load_units(&u, from, of);
	sccl_load_units(&v, from + SCCL_UNITS * SCCL_UNITS_APART, more);
	SCCL_ONCE
	for (uint32_t i = 1; i <= work->targets; i++) {
		uint8_t *to = sccl_address(x, work, i) + at;
		SCCL_MOVED();
		sccl_store_units(to, &u, of);
		sccl_store_units(to + SCCL_UNITS * SCCL_UNITS_APART, &v, more);
	}
}

/* Two more sources are loaded before either is combined. */
SCCL_FN void sccl_reduce_tile(const sccl_block_t *x, const sccl_work_t *work, sccl_fold_t fold, uint64_t at, uint32_t of)
{
	const sccl_units_t none = {{0, 0}, {0, 0}, {0, 0}, {0, 0}};
	sccl_units_t u = none, v = none, w = none;
	uint32_t i = 1;

	sccl_load_units(&u, sccl_address(x, work, 0) + at, of);
	SCCL_ONCE
	for (; i + 1 < work->sources; i += 2) {
		sccl_load_units(&v, sccl_address(x, work, i) + at, of);
		sccl_load_units(&w, sccl_address(x, work, i + 1) + at, of);
		sccl_fold_units(fold, &u, &v);
		sccl_fold_units(fold, &u, &w);
	}
	if (i < work->sources) {
		sccl_load_units(&v, sccl_address(x, work, i) + at, of);
		sccl_fold_units(fold, &u, &v);
	}
	SCCL_ONCE
	for (i = work->sources; i < work->sources + work->targets; i++) {
		SCCL_MOVED();
		sccl_store_units(sccl_address(x, work, i) + at, &u, of);
	}
}

/* One unit, whose sources may have any alignment. */
SCCL_FN void sccl_move_across(const sccl_block_t *x, const sccl_work_t *work, sccl_fold_t fold, uint64_t at)
{
	sccl_unit_t u = sccl_load_across(sccl_address(x, work, 0) + at);

	SCCL_ONCE
	for (uint32_t i = 1; i < work->sources + work->targets; i++) {
		uint8_t *place = sccl_address(x, work, i) + at;
		if (i < work->sources) {
			u = sccl_fold_unit(fold, u, sccl_load_across(place));
			continue;
		}
		SCCL_MOVED();
		sccl_store_unit(place, u);
	}
}

SCCL_FN void sccl_move_element(const sccl_block_t *x, const sccl_work_t *work, sccl_fold_t fold, uint64_t at)
{
	uint64_t value = sccl_load_element(sccl_address(x, work, 0) + at, x->element);

	SCCL_ONCE
	for (uint32_t i = 1; i < work->sources + work->targets; i++) {
		uint8_t *place = sccl_address(x, work, i) + at;
		if (i < work->sources) {
			value = sccl_fold_word(fold, value, sccl_load_element(place, x->element));
			continue;
		}
		SCCL_MOVED();
		sccl_store_element(place, x->element, value);
	}
	SCCL_TALLY(x->element, 0);
}

/* Tile number TILE of units of a move, of which there are UNITS in all. */
SCCL_FN void sccl_move_tile(const sccl_block_t *x, const sccl_work_t *work, sccl_fold_t fold, uint64_t tile, uint32_t each, uint64_t units)
{
	uint64_t first = tile * SCCL_LANES * each + sccl_lane(), at = work->head + first * 16;
	uint64_t left = first < units ? (units - first + SCCL_LANES - 1) / SCCL_LANES : 0;
	uint32_t of = left < each ? (uint32_t)left : each;

	SCCL_TALLY(16 * of, 1);
	if (work->kind == SCCL_APART) {
		SCCL_ONCE
		for (uint32_t k = 0; k < of; k++)
			sccl_move_across(x, work, fold, at + k * SCCL_LANES * 16);
	} else if (fold == SCCL_NO_FOLD || work->sources == 1)
		sccl_copy_tile(x, work, at, of);
	else
		sccl_reduce_tile(x, work, fold, at, of);
}

/*
 * The moves at W. The tiles of all moves are dealt to the warps in turn. What lies before the first unit and behind the
 * last is moved by elements: all of it if even the targets differ in alignment.
 */
SCCL_FN void sccl_moves(sccl_block_t *x, const uint32_t *w, sccl_fold_t fold)
{
	uint64_t tile = sccl_warp();
	uint32_t thread = sccl_thread();

	SCCL_ONCE
	for (uint32_t i = 0; i < w[1] && !x->gave_up; i++) {
		const sccl_work_t *work = &x->shared->work[x->half][x->ready + i];
		uint32_t each = sccl_tile_units(work);
		uint64_t units = work->kind == SCCL_UNLIKE ? 0 : (work->bytes - work->head) / 16;
		uint64_t tiles = (units + SCCL_LANES * each - 1) / (SCCL_LANES * each);
		uint64_t rest = (work->bytes - units * 16) / x->element;

		SCCL_ONCE
		for (; tile < tiles; tile += sccl_warps())
			sccl_move_tile(x, work, fold, tile, each, units);
		tile -= tiles;
		SCCL_ONCE
		for (uint64_t e = thread; e < rest; e += sccl_threads())
			sccl_move_element(x, work, fold, e * x->element + (e * x->element < work->head || units == 0 ? 0 : units * 16));
		thread = (thread + SCCL_LANES) % sccl_threads(); /* other threads move the rest of the next one */
	}
	x->ready += w[1];
}

#endif

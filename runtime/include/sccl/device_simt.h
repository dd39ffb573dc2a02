#ifndef SCCL_DEVICE_SIMT_H
#define SCCL_DEVICE_SIMT_H

/*
 * The target layer of devices whose blocks consist of many threads. Thread 0 waits and signals on behalf of its block,
 * all threads move data, and the words specify where they synchronize. It is built on sccl/device_cuda.h or
 * sccl/device_hip.h, which provide:
 *
 *   SCCL_THREADS, SCCL_TELL_AFTER   threads of a block; polls between two looks at the abort word
 *   sccl_thread, sccl_threads   index of this thread in its block, and the number of threads
 *   sccl_meet(wants)            barrier of the block's threads: is `wants` set in any of them?
 *   sccl_flag_post, sccl_flag_seen(flag, value)   store with release, load with acquire, at system scope
 *   sccl_packet_post, sccl_packet_seen            8 bytes and two marks, each half in one store; likewise for loads
 *   sccl_store_word, sccl_load_abort              words that CPUs read or write while the kernel runs
 *   sccl_pause(polls)           between two polls
 *   SCCL_ONCE                   before a loop that must not be unrolled
 *   SCCL_MOVED                  a point between two stores, where a test harness may schedule other threads
 */

#define SCCL_STOPS(x, meet) ((meet) && sccl_sync(x))

SCCL_FN int sccl_sync(const sccl_block_t *x)
{
	return sccl_meet((int)x->gave_up);
}

SCCL_FN void sccl_tell(const sccl_block_t *x, uint32_t state, uint32_t peer)
{
	uint32_t call = (uint32_t)x->epoch << 16;

	sccl_store_word(&x->env->progress[x->block], SCCL_PROGRESS(state, x->step, call | peer));
}

SCCL_FN void sccl_finish(const sccl_block_t *x)
{
	sccl_store_word(&x->env->progress[x->block], SCCL_PROGRESS(SCCL_IDLE, 0, (uint32_t)(x->epoch + x->launch->signals) << 16));
}

SCCL_FN void sccl_post(const sccl_block_t *x, uint64_t *flag, uint64_t value)
{
	if (sccl_thread() == 0 && !x->gave_up)
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

	if (sccl_thread() != 0 || x->gave_up)
		return;
	while (!sccl_flag_seen(flag, value))
		if (!sccl_waits(x, state, peer, &polls))
			return;
	if (polls >= SCCL_TELL_AFTER)
		sccl_tell(x, SCCL_RUNS, peer);
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

/* What a thread moves at once: 16 bytes, or one element (in `low`) if the places differ in alignment. */
typedef struct sccl_unit {
	uint64_t low, high;
} __attribute__((aligned(16))) sccl_unit_t;

SCCL_FN sccl_unit_t sccl_load_unit(const uint8_t *at, uint32_t size)
{
	sccl_unit_t u = {0, 0};

	if (size == 16)
		u = *(const sccl_unit_t *)(const void *)at;
	else
		u.low = sccl_load_element(at, size);
	return u;
}

SCCL_FN void sccl_store_unit(sccl_unit_t u, uint8_t *at, uint32_t size)
{
	if (size == 16)
		*(sccl_unit_t *)(void *)at = u;
	else
		sccl_store_element(at, size, u.low);
}

SCCL_FN sccl_unit_t sccl_fold_unit(sccl_fold_t fold, sccl_unit_t u, sccl_unit_t v, uint32_t size)
{
	u.low = sccl_fold_word(fold, u.low, v.low);
	if (size == 16)
		u.high = sccl_fold_word(fold, u.high, v.high);
	return u;
}

SCCL_FN void sccl_move_one(const sccl_block_t *x, const sccl_move_t *m, sccl_fold_t fold, uint64_t at, uint32_t size)
{
	sccl_unit_t u = sccl_load_unit(sccl_place_at(x, m, 0) + at, size);

	for (uint32_t i = 1; i < m->sources; i++)
		u = sccl_fold_unit(fold, u, sccl_load_unit(sccl_place_at(x, m, i) + at, size), size);
	for (uint32_t i = m->sources; i < m->sources + m->targets; i++) {
		SCCL_MOVED();
		sccl_store_unit(u, sccl_place_at(x, m, i) + at, size);
	}
}

/* Four units, STRIDE bytes apart, so that four loads are in flight at a time. Separate variables, because compilers
 * place arrays in memory. */
SCCL_FN void sccl_move_four(const sccl_block_t *x, const sccl_move_t *m, sccl_fold_t fold, uint64_t at, uint64_t stride,
			    uint32_t size)
{
	const uint8_t *from = sccl_place_at(x, m, 0) + at;
	sccl_unit_t u0 = sccl_load_unit(from, size), u1 = sccl_load_unit(from + stride, size);
	sccl_unit_t u2 = sccl_load_unit(from + 2 * stride, size), u3 = sccl_load_unit(from + 3 * stride, size);

	for (uint32_t i = 1; i < m->sources; i++) {
		from = sccl_place_at(x, m, i) + at;
		sccl_unit_t v0 = sccl_load_unit(from, size), v1 = sccl_load_unit(from + stride, size);
		sccl_unit_t v2 = sccl_load_unit(from + 2 * stride, size), v3 = sccl_load_unit(from + 3 * stride, size);
		u0 = sccl_fold_unit(fold, u0, v0, size);
		u1 = sccl_fold_unit(fold, u1, v1, size);
		u2 = sccl_fold_unit(fold, u2, v2, size);
		u3 = sccl_fold_unit(fold, u3, v3, size);
	}
	for (uint32_t i = m->sources; i < m->sources + m->targets; i++) {
		uint8_t *to = sccl_place_at(x, m, i) + at;
		SCCL_MOVED();
		sccl_store_unit(u0, to, size);
		sccl_store_unit(u1, to + stride, size);
		sccl_store_unit(u2, to + 2 * stride, size);
		sccl_store_unit(u3, to + 3 * stride, size);
	}
}

/* Bytes [begin, end), a multiple of SIZE, in units of SIZE: the threads are interleaved, and each moves four units at a
 * time. */
SCCL_FN void sccl_move_range(const sccl_block_t *x, const sccl_move_t *m, sccl_fold_t fold, uint64_t begin, uint64_t end,
			     uint32_t size)
{
	uint64_t stride = (uint64_t)sccl_threads() * size, at = begin + (uint64_t)sccl_thread() * size;

	for (; at + 3 * stride < end; at += 4 * stride)
		sccl_move_four(x, m, fold, at, stride, size);
	for (; at < end; at += stride)
		sccl_move_one(x, m, fold, at, size);
}

/* If all places have the same alignment, the middle is moved in units of 16 bytes and the rest by elements. */
SCCL_FN void sccl_move_plain(const sccl_block_t *x, const sccl_move_t *m, sccl_fold_t fold)
{
	uintptr_t first = (uintptr_t)sccl_place_at(x, m, 0), unlike = 0;
	uint64_t head = -first & 15u, middle;

	for (uint32_t i = 1; i < m->sources + m->targets; i++)
		unlike |= (uintptr_t)sccl_place_at(x, m, i) ^ first;
	if (unlike & 15u || head > m->bytes)
		head = m->bytes;
	middle = (m->bytes - head) / 16 * 16;
	sccl_move_range(x, m, fold, head, head + middle, 16);
	SCCL_ONCE
	for (uint32_t tail = 0; tail < 2; tail++)
		sccl_move_range(x, m, fold, tail ? head + middle : 0, tail ? m->bytes : head, m->element);
}

/* N bytes, at most 8, consisting of whole elements. */
SCCL_FN uint64_t sccl_load_some(const uint8_t *at, uint32_t n, uint32_t element)
{
	uint64_t value = 0;

	if (n == 8 && ((uintptr_t)at & 7u) == 0)
		return *(const uint64_t *)(const void *)at;
	for (uint32_t i = 0; i < n; i += element)
		value |= sccl_load_element(at + i, element) << 8 * i;
	return value;
}

SCCL_FN void sccl_store_some(uint8_t *at, uint32_t n, uint32_t element, uint64_t value)
{
	if (n == 8 && ((uintptr_t)at & 7u) == 0) {
		*(uint64_t *)(void *)at = value;
		return;
	}
	for (uint32_t i = 0; i < n; i += element)
		sccl_store_element(at + i, element, value >> 8 * i);
}

SCCL_FN uint64_t sccl_await_packet(sccl_block_t *x, const uint8_t *at, uint32_t sender)
{
	uint64_t value = 0;
	uint32_t polls = 0, mark = sccl_packet_mark(x);

	while (!x->gave_up && !sccl_packet_seen(at, mark, &value))
		sccl_waits(x, SCCL_WAITS_FOR_DATA, sender, &polls);
	if (polls >= SCCL_TELL_AFTER && !x->gave_up)
		sccl_tell(x, SCCL_RUNS, sender);
	return value;
}

/* In all moves a thread handles the same 8 bytes of every 64-byte line of its block's part, so whatever it reads it has
 * written itself. */
SCCL_FN void sccl_move_packets(sccl_block_t *x, const sccl_move_t *m, sccl_fold_t fold)
{
	uint64_t stride = (uint64_t)sccl_threads() * 8;

	for (uint64_t at = (uint64_t)sccl_thread() * 8; at < m->bytes && !x->gave_up; at += stride) {
		uint32_t n = m->bytes - at < 8 ? (uint32_t)(m->bytes - at) : 8;
		uint64_t value = 0;

		for (uint32_t i = 0; i < m->sources; i++) {
			const uint8_t *from = sccl_place_at(x, m, i);
			uint64_t next = sccl_is_packet(m, i) ? sccl_await_packet(x, from + 2 * at, sccl_sender(m, i))
							     : sccl_load_some(from + at, n, m->element);
			value = i == 0 ? next : sccl_fold_word(fold, value, next);
		}
		for (uint32_t i = m->sources; i < m->sources + m->targets && !x->gave_up; i++) {
			uint8_t *to = sccl_place_at(x, m, i);
			SCCL_MOVED();
			if (sccl_is_packet(m, i))
				sccl_packet_post(to + 2 * at, sccl_packet_mark(x), value);
			else
				sccl_store_some(to + at, n, m->element, value);
		}
	}
}

SCCL_FN void sccl_reduce(sccl_block_t *x, const sccl_move_t *m, sccl_fold_t fold)
{
	if (x->launch->peer_packets)
		sccl_move_packets(x, m, fold);
	else
		sccl_move_plain(x, m, fold);
}

/* There is a single source, so nothing is combined. */
SCCL_FN void sccl_copy(sccl_block_t *x, const sccl_move_t *m)
{
	sccl_reduce(x, m, SCCL_NO_FOLD);
}

#endif

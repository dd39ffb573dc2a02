#ifndef SCCL_DEVICE_PACKETS_H
#define SCCL_DEVICE_PACKETS_H

/* Moves with packets on devices with threads (device_simt.h). Included by sccl/device.h. */

/* N bytes, at most 8, consisting of whole elements. */
SCCL_FN uint64_t sccl_load_some(const uint8_t *at, uint32_t n, uint32_t element)
{
	uint64_t value = 0;

	if (n == 8 && ((uintptr_t)at & 7u) == 0)
		return *(const uint64_t *)(const void *)at;
	SCCL_ONCE
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
	SCCL_ONCE
	for (uint32_t i = 0; i < n; i += element)
		sccl_store_element(at + i, element, value >> 8 * i);
}

/* Place I of the move, which is a packet slot, was written by this rank. */
SCCL_FN uint32_t sccl_work_sender(const sccl_work_t *work, uint32_t i)
{
	return work->places[2 * i] & 0x3fffffffu;
}

SCCL_FN int sccl_work_is_packet(const sccl_work_t *work, uint32_t i)
{
	return work->places[2 * i] >> 30 == SCCL_PACKET_SLOT;
}

/* Sources that are loaded before the first is waited for: all, in a box of eight; fewer where sums take many registers. */
#define SCCL_LOOKS 8u
SCCL_FN uint32_t sccl_looks(sccl_fold_t fold)
{
	return sccl_by_units(fold) ? 2 : SCCL_LOOKS;
}

/*
 * Loads N bytes at AT of the next sources from I on, as many as there are and at most LOOKS. Returns 0 if all are there,
 * else the number of one that is missing, from 1. What does not come in packets is loaded behind them and put in its place, so
 * that this text is there once.
 */
SCCL_FN uint32_t sccl_look(const sccl_block_t *x, const sccl_work_t *work, uint32_t looks, uint32_t i, uint64_t at, uint32_t n, uint64_t *next)
{
	uint32_t absent = 0, mark = sccl_packet_mark(x), own = 0;

	SCCL_UNROLL
	for (uint32_t k = 0; k < SCCL_LOOKS; k++) {
		next[k] = 0;
		if (k >= looks || i + k >= work->sources)
			continue;
		if (!sccl_work_is_packet(work, i + k))
			own |= 1u << k;
		else if (!sccl_packet_seen(sccl_address(x, work, i + k) + 2 * at, mark, &next[k]))
			absent = i + k + 1;
	}
	SCCL_ONCE
	for (uint32_t j = 0; own >> j; j++) {
		if (!(own >> j & 1u))
			continue;
		uint64_t word = sccl_load_some(sccl_address(x, work, i + j) + at, n, x->element);
		SCCL_UNROLL
		for (uint32_t k = 0; k < SCCL_LOOKS; k++)
			next[k] = k == j ? word : next[k];
	}
	return absent;
}

SCCL_FN void sccl_add_source(const sccl_block_t *x, const sccl_work_t *work, sccl_fold_t fold, uint32_t i, sccl_sum_t *sum, uint64_t word)
{
	word = sccl_source_word(x, work, fold, i, word);
	if (i == 0)
		*sum = sccl_sum_begin(fold, word);
	else
		sccl_sum_add(fold, sum, word);
}

/* Combines N bytes at AT of all sources. Where adding takes many instructions, there is one copy of them, past which the
 * sources are shifted. */
SCCL_FN uint64_t sccl_gather(sccl_block_t *x, const sccl_work_t *work, sccl_fold_t fold, uint64_t at, uint32_t n)
{
	sccl_sum_t sum = sccl_sum_begin(fold, 0);
	uint64_t next[SCCL_LOOKS];
	uint32_t polls = 0, absent, sender = 0;

	SCCL_ONCE
	for (uint32_t i = 0; i < work->sources; i += sccl_looks(fold)) {
		SCCL_ONCE
		while ((absent = sccl_look(x, work, sccl_looks(fold), i, at, n, next)) != 0 && !x->gave_up) {
			sender = sccl_work_sender(work, absent - 1);
			(void)sccl_waits(x, SCCL_WAITS_FOR_DATA, sender, &polls);
		}
		if (sccl_by_units(fold)) {
			SCCL_ONCE
			for (uint32_t k = 0; k < sccl_looks(fold) && i + k < work->sources; k++) {
				sccl_add_source(x, work, fold, i + k, &sum, next[0]);
				SCCL_UNROLL
				for (uint32_t l = 0; l + 1 < SCCL_LOOKS; l++)
					next[l] = next[l + 1];
			}
		} else {
			SCCL_UNROLL
			for (uint32_t k = 0; k < SCCL_LOOKS; k++)
				if (i + k < work->sources)
					sccl_add_source(x, work, fold, i + k, &sum, next[k]);
		}
	}
	if (polls >= SCCL_TELL_AFTER && !x->gave_up)
		sccl_tell(x, SCCL_RUNS, sender);
	return sccl_result_word(x, work, fold, &sum);
}

/* In all moves a thread handles the same 8 bytes of every 64-byte line of its block's part, so whatever it reads it has
 * written itself. */
SCCL_FN void sccl_packet_moves(sccl_block_t *x, const uint32_t *w, sccl_fold_t fold)
{
	uint64_t stride = (uint64_t)sccl_threads() * 8;

	SCCL_ONCE
	for (uint32_t j = 0; j < w[1]; j++) {
		const sccl_work_t *work = &x->shared->work[x->half][x->ready + j];
		SCCL_ONCE
		for (uint64_t at = (uint64_t)sccl_thread() * 8; at < work->bytes && !x->gave_up; at += stride) {
			uint32_t n = work->bytes - at < 8 ? (uint32_t)(work->bytes - at) : 8;
			uint64_t value = sccl_gather(x, work, fold, at, n);
			SCCL_ONCE
			for (uint32_t i = work->sources; i < work->sources + work->targets && !x->gave_up; i++) {
				uint8_t *to = sccl_address(x, work, i);
				SCCL_MOVED();
				if (sccl_work_is_packet(work, i))
					sccl_packet_post(to + 2 * at, sccl_packet_mark(x), value);
				else
					sccl_store_some(to + at, n, x->element, value);
			}
		}
	}
	x->ready += w[1];
}

#endif

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

/* Source I at AT: whether it is there, and then *value. */
SCCL_FN int sccl_look_at(const sccl_block_t *x, const sccl_work_t *work, uint32_t i, uint64_t at, uint32_t n, uint64_t *value)
{
	const uint8_t *from = sccl_address(x, work, i);

	if (sccl_work_is_packet(work, i))
		return sccl_packet_seen(from + 2 * at, sccl_packet_mark(x), value);
	*value = sccl_load_some(from + at, n, x->element);
	return 1;
}

/* Combines N bytes at AT of all sources. Four are loaded before the first is waited for. */
#define SCCL_LOOKS 4u
SCCL_FN uint64_t sccl_gather(sccl_block_t *x, const sccl_work_t *work, sccl_fold_t fold, uint64_t at, uint32_t n)
{
	uint64_t next[SCCL_LOOKS] = {0, 0, 0, 0};
	sccl_sum_t sum = sccl_sum_begin(fold, 0);
	int seen[SCCL_LOOKS] = {1, 1, 1, 1};

	SCCL_ONCE
	for (uint32_t i = 0; i < work->sources; i += SCCL_LOOKS) {
		SCCL_UNROLL
		for (uint32_t k = 0; k < SCCL_LOOKS; k++)
			if (i + k < work->sources)
				seen[k] = sccl_look_at(x, work, i + k, at, n, &next[k]);
		SCCL_UNROLL
		for (uint32_t k = 0; k < SCCL_LOOKS; k++) {
			if (i + k >= work->sources)
				continue;
			if (!seen[k])
				next[k] = sccl_await_packet(x, sccl_address(x, work, i + k) + 2 * at, sccl_work_sender(work, i + k));
			next[k] = sccl_source_word(x, work, fold, i + k, next[k]);
			if (i + k == 0)
				sum = sccl_sum_begin(fold, next[k]);
			else
				sccl_sum_add(fold, &sum, next[k]);
		}
	}
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

#ifndef SCCL_DEVICE_LINES_H
#define SCCL_DEVICE_LINES_H

/*
 * Moves with lines on devices with threads: packets of 128 bytes, 120 of data and a mark of 8, after NCCL's LL128. Eight lanes
 * of a warp store a line at once, 16 bytes each, where the hardware keeps 128 bytes together, so that who sees the mark sees
 * all. Lane V has words V and V + 8 of the line's 15 words of data, and the last lane the mark in the place of the second: only
 * the sender and the receiver need to agree on the order of words in a line, so the lanes access other memory side by side.
 *
 * Where a warp is one lane (emulation), that lane goes through the eight parts of a line in turn. Included by sccl/device.h.
 */

#define SCCL_LINE_PARTS 8u
#define SCCL_LINE_LANES (SCCL_LANES < SCCL_LINE_PARTS ? SCCL_LANES : SCCL_LINE_PARTS)

/* What a lane has to do with a line: its part, where its two words lie in the move, and how many bytes of each there are. A
 * lane whose line is not there has none, and looks at nothing. */
typedef struct sccl_line {
	uint64_t number, at;
	uint32_t part, low, high;
	int is_there;
} sccl_line_t;

SCCL_FN uint32_t sccl_bytes_of(uint64_t bytes, uint64_t at)
{
	return at >= bytes ? 0 : bytes - at < 8 ? (uint32_t)(bytes - at) : 8;
}

SCCL_FN sccl_line_t sccl_line_of(const sccl_work_t *work, uint64_t number, uint32_t part)
{
	sccl_line_t line = {number, number * SCCL_LINE_DATA + 8 * part, part, 0, 0, number < sccl_lines(work->bytes)};

	if (line.is_there) {
		line.low = sccl_bytes_of(work->bytes, line.at);
		line.high = part + 1 < SCCL_LINE_PARTS ? sccl_bytes_of(work->bytes, line.at + 8 * SCCL_LINE_PARTS) : 0;
	}
	return line;
}

/* As sccl_look, a lane's part of a line. That nothing is missing must be said by all lanes that share the line. */
SCCL_FN uint32_t sccl_look_at_line(const sccl_block_t *x, const sccl_work_t *work, uint32_t looks, uint32_t i, const sccl_line_t *line, sccl_unit_t *next)
{
	uint64_t mark = sccl_line_mark(x);
	uint32_t absent = 0, own = 0;

	SCCL_UNROLL
	for (uint32_t k = 0; k < SCCL_LOOKS; k++) {
		next[k].low = next[k].high = 0;
		if (k >= looks || i + k >= work->sources || !line->is_there)
			continue;
		if (!sccl_work_is_packet(work, i + k))
			own |= 1u << k;
		else if (!sccl_line_seen(sccl_address(x, work, i + k) + line->number * SCCL_LINE_BYTES, line->part, mark, &next[k].low, &next[k].high))
			absent = i + k + 1;
	}
	SCCL_ONCE
	for (uint32_t j = 0; own >> j; j++) {
		const uint8_t *from = sccl_address(x, work, i + j) + line->at;
		sccl_unit_t u;
		if (!(own >> j & 1u))
			continue;
		u.low = sccl_load_some(from, line->low, x->element);
		u.high = sccl_load_some(from + 8 * SCCL_LINE_PARTS, line->high, x->element);
		SCCL_UNROLL
		for (uint32_t k = 0; k < SCCL_LOOKS; k++)
			next[k].low = k == j ? u.low : next[k].low, next[k].high = k == j ? u.high : next[k].high;
	}
	return absent;
}

/* Loads the next sources until each lane of the warp has its parts. All load again together, since what one lane sees of a line
 * says nothing of what another saw before. */
SCCL_FN void sccl_await_lines(sccl_block_t *x, const sccl_work_t *work, uint32_t looks, uint32_t i, const sccl_line_t *line, sccl_unit_t *next)
{
	uint32_t polls = 0, sender = 0, absent;

	SCCL_ONCE
	while (absent = sccl_look_at_line(x, work, looks, i, line, next), sccl_meet_warp(absent && !x->gave_up)) {
		sender = sccl_work_sender(work, absent ? absent - 1 : i);
		(void)sccl_waits(x, SCCL_WAITS_FOR_DATA, sender, &polls);
	}
	if (polls >= SCCL_TELL_AFTER) {
		x->gave_up = sccl_meet_warp((int)x->gave_up) != 0;
		if (!x->gave_up)
			sccl_tell(x, SCCL_RUNS, sender);
	}
}

/* One of the two words of a lane's part, of all sources. */
SCCL_FN uint64_t sccl_gather_half(sccl_block_t *x, const sccl_work_t *work, sccl_fold_t fold, const sccl_line_t *line, uint32_t half)
{
	sccl_sum_t sum = sccl_sum_begin(fold, 0);
	sccl_unit_t next[SCCL_LOOKS];

	SCCL_ONCE
	for (uint32_t i = 0; i < work->sources; i += sccl_looks(fold)) {
		sccl_await_lines(x, work, sccl_looks(fold), i, line, next);
		SCCL_ONCE
		for (uint32_t k = 0; k < sccl_looks(fold) && i + k < work->sources; k++) {
			sccl_add_source(x, work, fold, i + k, &sum, half ? next[0].high : next[0].low);
			SCCL_UNROLL
			for (uint32_t l = 0; l + 1 < SCCL_LOOKS; l++)
				next[l].low = next[l + 1].low, next[l].high = next[l + 1].high;
		}
	}
	return sccl_result_word(x, work, fold, &sum);
}

/* A lane's part of source I, if there is one. */
SCCL_FN void sccl_add_part(const sccl_block_t *x, const sccl_work_t *work, sccl_fold_t fold, uint32_t i, sccl_unit_sum_t *sum, sccl_unit_t part)
{
	if (i >= work->sources)
		return;
	sccl_add_source(x, work, fold, i, &sum->low, part.low);
	sccl_add_source(x, work, fold, i, &sum->high, part.high);
}

/* Combines a lane's part of a line of all sources, as sccl_gather. Sums that take many registers are made one word after the
 * other, of what is loaded twice. */
SCCL_FN sccl_unit_t sccl_gather_line(sccl_block_t *x, const sccl_work_t *work, sccl_fold_t fold, const sccl_line_t *line)
{
	sccl_unit_t u = {0, 0}, next[SCCL_LOOKS];
	sccl_unit_sum_t sum = sccl_unit_begin(fold, u);

	if (sccl_by_units(fold)) {
		SCCL_ONCE
		for (uint32_t half = 0; half < 2; half++) {
			uint64_t word = sccl_gather_half(x, work, fold, line, half);
			u.low = half ? u.low : word;
			u.high = word;
		}
		return u;
	}
	SCCL_ONCE
	for (uint32_t i = 0; i < work->sources; i += SCCL_LOOKS) {
		sccl_await_lines(x, work, SCCL_LOOKS, i, line, next);
		/* SCCL_LOOKS times. Not a loop: hipcc 5.2 unrolls it only in part, and then keeps `next` in memory. */
#if SCCL_LOOKS != 8
#error a line is looked at as often as its parts are added
#endif
		sccl_add_part(x, work, fold, i, &sum, next[0]);
		sccl_add_part(x, work, fold, i + 1, &sum, next[1]);
		sccl_add_part(x, work, fold, i + 2, &sum, next[2]);
		sccl_add_part(x, work, fold, i + 3, &sum, next[3]);
		sccl_add_part(x, work, fold, i + 4, &sum, next[4]);
		sccl_add_part(x, work, fold, i + 5, &sum, next[5]);
		sccl_add_part(x, work, fold, i + 6, &sum, next[6]);
		sccl_add_part(x, work, fold, i + 7, &sum, next[7]);
	}
	return sccl_unit_end(x, work, fold, &sum);
}

SCCL_FN void sccl_put_line(const sccl_block_t *x, const sccl_work_t *work, const sccl_line_t *line, sccl_unit_t u)
{
	if (!line->is_there)
		return;
	SCCL_ONCE
	for (uint32_t i = work->sources; i < work->sources + work->targets; i++) {
		uint8_t *to = sccl_address(x, work, i);
		SCCL_MOVED();
		if (sccl_work_is_packet(work, i)) {
			sccl_line_post(to + line->number * SCCL_LINE_BYTES, line->part, sccl_line_mark(x), u.low, u.high);
			continue;
		}
		sccl_store_some(to + line->at, line->low, x->element, u.low);
		sccl_store_some(to + line->at + 8 * SCCL_LINE_PARTS, line->high, x->element, u.high);
	}
}

/* In all moves a lane handles the same words of its block's part, so whatever it reads it has written itself. Every lane of a
 * warp goes through as many lines, so that they meet. */
SCCL_FN void sccl_line_moves(sccl_block_t *x, const uint32_t *w, sccl_fold_t fold)
{
	const uint32_t at_once = SCCL_LANES / SCCL_LINE_LANES;
	uint64_t stride = (uint64_t)sccl_warps() * at_once;

	SCCL_ONCE
	for (uint32_t j = 0; j < w[1]; j++) {
		const sccl_work_t *work = &x->shared->work[x->half][x->ready + j];
		SCCL_ONCE
		for (uint64_t first = (uint64_t)sccl_warp() * at_once; first < sccl_lines(work->bytes) && !x->gave_up; first += stride)
			SCCL_ONCE
			for (uint32_t part = sccl_lane() % SCCL_LINE_LANES; part < SCCL_LINE_PARTS && !x->gave_up; part += SCCL_LINE_LANES) {
				sccl_line_t line = sccl_line_of(work, first + sccl_lane() / SCCL_LINE_LANES, part);
				(void)sccl_meet_warp(0); /* lanes load and store a line together */
				sccl_unit_t u = sccl_gather_line(x, work, fold, &line);
				(void)sccl_meet_warp(0);
				if (!x->gave_up)
					sccl_put_line(x, work, &line, u);
			}
	}
	x->ready += w[1];
}

#endif

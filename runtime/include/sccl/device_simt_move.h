#ifndef SCCL_DEVICE_SIMT_MOVE_H
#define SCCL_DEVICE_SIMT_MOVE_H

/* Copies and reductions on devices with threads: the tiles of moves that sccl/device_simt.h has worked out. Included by
 * sccl/device.h. */

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

/* Eight bytes of source I. */
SCCL_FN uint64_t sccl_source_word(const sccl_block_t *x, const sccl_work_t *work, sccl_fold_t fold, uint32_t i, uint64_t word)
{
	return sccl_scales(fold) && i == work->input ? sccl_scale_word(fold, word, x->launch->factor) : word;
}

/* Eight bytes of the result. What is only copied keeps its bits. */
SCCL_FN uint64_t sccl_result_word(const sccl_block_t *x, const sccl_work_t *work, sccl_fold_t fold, const sccl_sum_t *sum)
{
	uint64_t word = work->sources == 1 ? sum->word : sccl_sum_end(fold, sum);

	return sccl_divides(fold) && work->total ? sccl_divide_word(fold, word, x->launch->factor, x->env->ranks) : word;
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

/* Units of source I. */
SCCL_FN void sccl_scale_units(const sccl_block_t *x, const sccl_work_t *work, sccl_fold_t fold, uint32_t i, sccl_units_t *u)
{
	if (!sccl_scales(fold) || sccl_scales_narrow(fold) || i != work->input)
		return;
	u->a.low = sccl_scale_word(fold, u->a.low, x->launch->factor);
	u->a.high = sccl_scale_word(fold, u->a.high, x->launch->factor);
	u->b.low = sccl_scale_word(fold, u->b.low, x->launch->factor);
	u->b.high = sccl_scale_word(fold, u->b.high, x->launch->factor);
	u->c.low = sccl_scale_word(fold, u->c.low, x->launch->factor);
	u->c.high = sccl_scale_word(fold, u->c.high, x->launch->factor);
	u->d.low = sccl_scale_word(fold, u->d.low, x->launch->factor);
	u->d.high = sccl_scale_word(fold, u->d.high, x->launch->factor);
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
	return work->sources == 1 && !work->of_all ? 2 * SCCL_UNITS : SCCL_UNITS;
}

#ifdef SCCL_WITH_MULTIMEM
#include <sccl/device_multimem.h>
#endif

SCCL_FN void sccl_copy_tile(const sccl_block_t *x, const sccl_work_t *work, sccl_fold_t fold, uint64_t at, uint32_t of)
{
	const sccl_units_t none = {{0, 0}, {0, 0}, {0, 0}, {0, 0}};
	sccl_units_t u = none, v = none;
	const uint8_t *from = sccl_address(x, work, 0) + at;
	uint32_t more = of > SCCL_UNITS ? of - SCCL_UNITS : 0;

	sccl_load_units(&u, from, of);
	sccl_load_units(&v, from + SCCL_UNITS * SCCL_UNITS_APART, more);
	sccl_scale_units(x, work, fold, 0, &u);
	sccl_scale_units(x, work, fold, 0, &v);
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
	sccl_scale_units(x, work, fold, 0, &u);
	SCCL_ONCE
	for (; i + 1 < work->sources; i += 2) {
		sccl_load_units(&v, sccl_address(x, work, i) + at, of);
		sccl_load_units(&w, sccl_address(x, work, i + 1) + at, of);
		sccl_scale_units(x, work, fold, i, &v);
		sccl_scale_units(x, work, fold, i + 1, &w);
		sccl_fold_units(fold, &u, &v);
		sccl_fold_units(fold, &u, &w);
	}
	if (i < work->sources) {
		sccl_load_units(&v, sccl_address(x, work, i) + at, of);
		sccl_scale_units(x, work, fold, i, &v);
		sccl_fold_units(fold, &u, &v);
	}
	SCCL_ONCE
	for (i = work->sources; i < work->sources + work->targets; i++) {
		SCCL_MOVED();
		sccl_store_units(sccl_address(x, work, i) + at, &u, of);
	}
}

/* A unit of a reduction that takes many registers: 16 bytes are up to 16 numbers in f32, so that a thread sums one unit at a
 * time. */
typedef struct sccl_unit_sum {
	sccl_sum_t low, high;
} sccl_unit_sum_t;

SCCL_FN sccl_unit_t sccl_source_unit(const sccl_block_t *x, const sccl_work_t *work, sccl_fold_t fold, uint32_t i, sccl_unit_t u)
{
	u.low = sccl_source_word(x, work, fold, i, u.low);
	u.high = sccl_source_word(x, work, fold, i, u.high);
	return u;
}

SCCL_FN sccl_unit_sum_t sccl_unit_begin(sccl_fold_t fold, sccl_unit_t u)
{
	sccl_unit_sum_t s = {sccl_sum_begin(fold, u.low), sccl_sum_begin(fold, u.high)};
	return s;
}

SCCL_FN void sccl_unit_add(sccl_fold_t fold, sccl_unit_sum_t *s, sccl_unit_t u)
{
	sccl_sum_add(fold, &s->low, u.low);
	sccl_sum_add(fold, &s->high, u.high);
}

SCCL_FN sccl_unit_t sccl_unit_end(const sccl_block_t *x, const sccl_work_t *work, sccl_fold_t fold, const sccl_unit_sum_t *s)
{
	sccl_unit_t u = {sccl_result_word(x, work, fold, &s->low), sccl_result_word(x, work, fold, &s->high)};
	return u;
}

SCCL_FN int sccl_by_units(sccl_fold_t fold)
{
	uint32_t type = SCCL_FOLD_TYPE(fold);

	return sccl_is_wide(fold) || sccl_divides(fold) || sccl_scales_narrow(fold) || type == SCCL_FOLD_f8e4m3 || type == SCCL_FOLD_f8e5m2;
}

/* As sccl_reduce_tile, unit by unit. The next source is loaded before one is combined. */
SCCL_FN void sccl_reduce_by_unit(const sccl_block_t *x, const sccl_work_t *work, sccl_fold_t fold, uint64_t at, uint32_t of)
{
	SCCL_ONCE
	for (uint32_t k = 0; k < of; k++, at += SCCL_UNITS_APART) {
		sccl_unit_t v = sccl_load_unit(sccl_address(x, work, 0) + at), w = sccl_load_unit(sccl_address(x, work, 1) + at), y = w;
		uint32_t i = 1;

		if (work->sources > 2)
			y = sccl_load_unit(sccl_address(x, work, 2) + at);
		sccl_unit_sum_t s = sccl_unit_begin(fold, sccl_source_unit(x, work, fold, 0, v));
		SCCL_ONCE
		for (;;) {
			sccl_unit_add(fold, &s, sccl_source_unit(x, work, fold, i, w));
			if (++i >= work->sources)
				break;
			w = y;
			if (i + 1 < work->sources)
				y = sccl_load_unit(sccl_address(x, work, i + 1) + at);
		}
		v = sccl_unit_end(x, work, fold, &s);
		SCCL_ONCE
		for (i = work->sources; i < work->sources + work->targets; i++) {
			SCCL_MOVED();
			sccl_store_unit(sccl_address(x, work, i) + at, v);
		}
	}
}

/* One unit, whose sources may have any alignment. */
SCCL_FN void sccl_move_across(const sccl_block_t *x, const sccl_work_t *work, sccl_fold_t fold, uint64_t at)
{
	sccl_unit_sum_t s = sccl_unit_begin(fold, sccl_source_unit(x, work, fold, 0, sccl_load_across(sccl_address(x, work, 0) + at)));
	sccl_unit_t u;

	SCCL_ONCE
	for (uint32_t i = 1; i < work->sources; i++)
		sccl_unit_add(fold, &s, sccl_source_unit(x, work, fold, i, sccl_load_across(sccl_address(x, work, i) + at)));
	u = sccl_unit_end(x, work, fold, &s);
	SCCL_ONCE
	for (uint32_t i = work->sources; i < work->sources + work->targets; i++) {
		SCCL_MOVED();
		sccl_store_unit(sccl_address(x, work, i) + at, u);
	}
}

SCCL_FN void sccl_move_element(const sccl_block_t *x, const sccl_work_t *work, sccl_fold_t fold, uint64_t at)
{
	SCCL_TALLY(x->element, 0);
#ifdef SCCL_WITH_MULTIMEM
	if (work->of_all) {
		sccl_element_of_all(x, work, fold, at);
		return;
	}
#endif
	uint64_t value = sccl_load_element(sccl_address(x, work, 0) + at, x->element);
	sccl_sum_t s = sccl_sum_begin(fold, sccl_source_word(x, work, fold, 0, value));

	SCCL_ONCE
	for (uint32_t i = 1; i < work->sources; i++) {
		value = sccl_load_element(sccl_address(x, work, i) + at, x->element);
		sccl_sum_add(fold, &s, sccl_source_word(x, work, fold, i, value));
	}
	value = sccl_result_word(x, work, fold, &s);
	SCCL_ONCE
	for (uint32_t i = work->sources; i < work->sources + work->targets; i++) {
		SCCL_MOVED();
		sccl_store_element(sccl_address(x, work, i) + at, x->element, value);
	}
}

/* Tile number TILE of units of a move, of which there are UNITS in all. */
SCCL_FN void sccl_move_tile(const sccl_block_t *x, const sccl_work_t *work, sccl_fold_t fold, uint64_t tile, uint32_t each, uint64_t units)
{
	uint64_t first = tile * SCCL_LANES * each + sccl_lane(), at = work->head + first * 16;
	uint64_t left = first < units ? (units - first + SCCL_LANES - 1) / SCCL_LANES : 0;
	uint32_t of = left < each ? (uint32_t)left : each;

	SCCL_TALLY(16 * of, 1);
#ifdef SCCL_WITH_MULTIMEM
	if (work->of_all) {
		if (of)
			sccl_tile_of_all(x, work, fold, at, of);
		return;
	}
#endif
	if (work->kind == SCCL_APART || (sccl_scales_narrow(fold) && work->sources == 1)) {
		SCCL_ONCE
		for (uint32_t k = 0; k < of; k++)
			sccl_move_across(x, work, fold, at + k * SCCL_LANES * 16);
	} else if (fold == SCCL_NO_FOLD || work->sources == 1)
		sccl_copy_tile(x, work, fold, at, of);
	else if (sccl_by_units(fold))
		sccl_reduce_by_unit(x, work, fold, at, of);
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

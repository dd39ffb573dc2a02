/* The host's reductions against the same computed one number at a time. */

#include "tests/support/random.h"

#include <sccl/device.h>

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

TestSuite(device, .description = "what generated programs stand on");

enum { MOST = 70 };

static uint64_t state = 1;

/* f16 and bf16 by their definition: significand and exponent; rounding by trying both neighbours. */
static double wide(uint16_t h, int exponent_bits)
{
	int fraction_bits = 15 - exponent_bits, exponent = (h & 0x7fff) >> fraction_bits;
	int fraction = h & ((1 << fraction_bits) - 1), bias = (1 << (exponent_bits - 1)) - 1;
	double v;

	if (exponent == (1 << exponent_bits) - 1)
		v = fraction ? NAN : INFINITY;
	else
		v = ldexp(fraction + (exponent ? 1 << fraction_bits : 0), (exponent ? exponent : 1) - bias - fraction_bits);
	return h & 0x8000 ? -v : v;
}

/* What a rounding of V must be: H, if neither neighbour is nearer, or as near and even. */
static bool nearest(double v, uint16_t h, int exponent_bits)
{
	uint16_t infinity = (uint16_t)(((1 << exponent_bits) - 1) << (15 - exponent_bits)), magnitude = h & 0x7fff;

	if (isnan(v))
		return isnan(wide(h, exponent_bits));
	if (isnan(wide(h, exponent_bits)) || !!signbit(v) != (h >> 15))
		return false;
	v = fabs(v);
	/* Above the greatest number lies, for rounding, the next power of two. */
	double below = magnitude ? wide((uint16_t)(magnitude - 1), exponent_bits) : -1;
	double greatest = wide((uint16_t)(infinity - 1), exponent_bits), step = greatest - wide((uint16_t)(infinity - 2), exponent_bits);
	double here = magnitude == infinity ? greatest + step : wide(magnitude, exponent_bits);
	double above = magnitude == infinity ? INFINITY
		       : magnitude == infinity - 1 ? greatest + step : wide((uint16_t)(magnitude + 1), exponent_bits);
	if (magnitude == infinity && isinf(v))
		return true;
	double low = (below + here) / 2, high = (here + above) / 2;
	return (v > low || (v == low && magnitude % 2 == 0)) && (v < high || (v == high && magnitude % 2 == 0));
}

static double scalar(double a, double b, int op)
{
	const double of[] = {a + b, a * b, b < a ? b : a, b > a ? b : a};
	return of[op];
}

typedef void (*judge_t)(const uint8_t *d, const uint8_t *a, const uint8_t *b, int op);

static void judge_f32(const uint8_t *d, const uint8_t *a, const uint8_t *b, int op)
{
	float x, y, z;

	memcpy(&x, a, 4), memcpy(&y, b, 4), memcpy(&z, d, 4);
	float want[] = {x + y, x * y, y < x ? y : x, y > x ? y : x};
	cr_assert(memcmp(&z, &want[op], 4) == 0 || (isnan(z) && isnan(want[op])), "%a, %a: %a", (double)x, (double)y, (double)z);
}

static void judge_f64(const uint8_t *d, const uint8_t *a, const uint8_t *b, int op)
{
	double x, y, z;

	memcpy(&x, a, 8), memcpy(&y, b, 8), memcpy(&z, d, 8);
	double want = scalar(x, y, op);
	cr_assert(memcmp(&z, &want, 8) == 0 || (isnan(z) && isnan(want)), "%a, %a: %a", x, y, z);
}

static void judge_half(const uint8_t *d, const uint8_t *a, const uint8_t *b, int op, int exponent_bits)
{
	uint16_t x, y, z;

	memcpy(&x, a, 2), memcpy(&y, b, 2), memcpy(&z, d, 2);
	/* In f32 first, as promised. */
	double want = (double)(float)scalar(wide(x, exponent_bits), wide(y, exponent_bits), op);
	cr_assert(nearest(want, z, exponent_bits), "%x, %x: %x, not %a", x, y, z, want);
}

static void judge_f16(const uint8_t *d, const uint8_t *a, const uint8_t *b, int op)
{
	judge_half(d, a, b, op, 5);
}

static void judge_bf16(const uint8_t *d, const uint8_t *a, const uint8_t *b, int op)
{
	judge_half(d, a, b, op, 8);
}

static void judge_i32(const uint8_t *d, const uint8_t *a, const uint8_t *b, int op)
{
	uint32_t x, y, z;

	memcpy(&x, a, 4), memcpy(&y, b, 4), memcpy(&z, d, 4);
	bool less = (int32_t)y < (int32_t)x, more = (int32_t)y > (int32_t)x;
	uint32_t want[] = {x + y, x * y, less ? y : x, more ? y : x};
	cr_assert(eq(u32, z, want[op]));
}

static void judge_i64(const uint8_t *d, const uint8_t *a, const uint8_t *b, int op)
{
	uint64_t x, y, z;

	memcpy(&x, a, 8), memcpy(&y, b, 8), memcpy(&z, d, 8);
	bool less = (int64_t)y < (int64_t)x, more = (int64_t)y > (int64_t)x;
	uint64_t want[] = {x + y, x * y, less ? y : x, more ? y : x};
	cr_assert(eq(u64, z, want[op]));
}

static void judge_u8(const uint8_t *d, const uint8_t *a, const uint8_t *b, int op)
{
	uint8_t want[] = {(uint8_t)(*a + *b), (uint8_t)(*a * *b), *b < *a ? *b : *a, *b > *a ? *b : *a};
	cr_assert(eq(u8, *d, want[op]));
}

#define FOLDS(type) {sccl_fold_##type##_sum, sccl_fold_##type##_prod, sccl_fold_##type##_min, sccl_fold_##type##_max}
typedef void (*combine_t)(uint8_t *d, const uint8_t *a, const uint8_t *b, uint64_t bytes);
enum { COMBINED = SCCL_MAX + 1 }; /* operations of two numbers */
static const struct {
	combine_t folds[COMBINED];
	judge_t judge;
	size_t size;
} types[SCCL_U8 + 1] = {
	[SCCL_F32] = {FOLDS(f32), judge_f32, SCCL_SIZE_f32},
	[SCCL_F64] = {FOLDS(f64), judge_f64, SCCL_SIZE_f64},
	[SCCL_F16] = {FOLDS(f16), judge_f16, SCCL_SIZE_f16},
	[SCCL_BF16] = {FOLDS(bf16), judge_bf16, SCCL_SIZE_bf16},
	[SCCL_I32] = {FOLDS(i32), judge_i32, SCCL_SIZE_i32},
	[SCCL_I64] = {FOLDS(i64), judge_i64, SCCL_SIZE_i64},
	[SCCL_U8] = {FOLDS(u8), judge_u8, SCCL_SIZE_u8},
};

/* N elements at an odd place; IN_PLACE 0: d apart, 1: d is a, 2: d is b. */
static void try(int type, int op, size_t n, int in_place)
{
	size_t bytes = n * types[type].size;
	uint8_t buffers[3][MOST * 8 + 8], a[MOST * 8], b[MOST * 8], *d = buffers[in_place] + 1;

	for (size_t i = 0; i < sizeof buffers; i++)
		(&buffers[0][0])[i] = (uint8_t)(random_bits(&state) >> 20);
	memcpy(a, buffers[1] + 1, bytes);
	memcpy(b, buffers[2] + 1, bytes);
	uint8_t before = d[-1], after = d[bytes];
	types[type].folds[op](d, buffers[1] + 1, buffers[2] + 1, bytes);
	cr_assert(eq(u8, d[-1], before));
	cr_assert(eq(u8, d[bytes], after), "it writes past its end");
	for (size_t i = 0; i < bytes; i += types[type].size)
		types[type].judge(d + i, a + i, b + i, op);
}

Test(device, every_type_and_operation_is_right_for_random_bits_at_every_length)
{
	for (int type = 0; type <= SCCL_U8; type++)
		for (int op = 0; op < COMBINED; op++)
			for (size_t n = 0; n < MOST; n++)
				try(type, op, n, (int)n % 3);
}

Test(device, sixteen_bit_numbers_are_right_for_every_bit_pattern)
{
	for (int type = SCCL_F16; type <= SCCL_BF16; type++)
		for (int op = 0; op < COMBINED; op++)
			for (uint32_t x = 0; x < 65536; x++) {
				uint16_t a = (uint16_t)x, b = (uint16_t)random_bits(&state), d;
				if (x % 3 == 0) /* near each other, near zero */
					b = a ^ (uint16_t)(1u << random_bits(&state) % 16);
				types[type].folds[op]((uint8_t *)&d, (const uint8_t *)&a, (const uint8_t *)&b, 2);
				types[type].judge((const uint8_t *)&d, (const uint8_t *)&a, (const uint8_t *)&b, op);
			}
}

Test(device, chunks_cover_a_length_and_do_not_overlap)
{
	for (uint64_t count = 0; count < 40; count++)
		for (uint32_t blocks = 1; blocks < 6; blocks++)
			for (uint32_t parts = 1; parts < 6; parts++) {
				uint64_t at = 0;
				for (uint32_t i = 0; i < blocks * parts; i++) {
					sccl_chunk_t c = {i / parts, blocks, i % parts, parts};
					sccl_span_t s = sccl_chunk_span(&c, count);
					cr_assert(eq(u64, s.base + s.start, at));
					cr_assert(le(u64, s.end - s.start, sccl_longest(count, blocks, parts)));
					at = s.base + s.end;
				}
				cr_assert(eq(u64, at, count));
			}
}

Test(device, chunks_of_the_largest_counts_do_not_overflow)
{
	cr_expect(eq(u64, sccl_cut(UINT64_MAX, 1u << 24, 1u << 24), UINT64_MAX));
	cr_expect(eq(u64, sccl_cut(UINT64_MAX, 1, 3), UINT64_MAX / 3));
	cr_expect(eq(u64, sccl_longest(UINT64_MAX, 2, 1), UINT64_MAX / 2 + 1));
}

Test(device, blocks_cover_a_slot_in_whole_cache_lines)
{
	for (uint64_t bytes = 0; bytes <= 1280; bytes += 64)
		for (uint32_t blocks = 1; blocks < 9; blocks++) {
			uint64_t at = 0;
			for (uint32_t b = 0; b < blocks; b++) {
				cr_assert(eq(u64, sccl_block_begin(bytes, b, blocks), at));
				at = sccl_block_begin(bytes, b + 1, blocks);
				cr_assert(eq(u64, at % 64, 0));
			}
			cr_assert(eq(u64, at, bytes));
		}
}

Test(device, progress_is_told_in_one_word)
{
	uint64_t word = SCCL_PROGRESS(SCCL_WAITS_FOR_READY, 70000, 4095);

	cr_expect(eq(u32, SCCL_PROGRESS_STATE(word), SCCL_WAITS_FOR_READY));
	cr_expect(eq(u32, SCCL_PROGRESS_STEP(word), 70000));
	cr_expect(eq(u32, SCCL_PROGRESS_PEER(word), 4095));
}

/* The largest number of parts included. */
Test(device, spans_without_divisions_are_those_with_them)
{
	static const uint32_t parts[] = {1, 2, 3, 7, 8, 48, 1000, 65537, SCCL_PARTS_MOST};
	static const uint64_t most[] = {1, 100, 100000, 1u << 31, 1ull << 50};

	for (int i = 0; i < 200000; i++) {
		sccl_launch_t l = {.count = random_bits(&state) % most[random_bits(&state) % 5]};
		sccl_chunk_t c = {.blocks = parts[random_bits(&state) % 9], .parts = parts[random_bits(&state) % 9]};
		c.block = (uint32_t)(random_bits(&state) % c.blocks);
		c.part = (uint32_t)(random_bits(&state) % c.parts);
		sccl_launch_divide(&l, &c);
		sccl_span_t want = sccl_chunk_span(&c, l.count), got = sccl_launch_span(&l, &c);
		cr_assert(want.base == got.base && want.length == got.length && want.start == got.start && want.end == got.end,
			  "part %u of %u of block %u of %u of %llu", c.part, c.parts, c.block, c.blocks, (unsigned long long)l.count);
	}
}

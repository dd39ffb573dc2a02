/*
 * 8-bit floating-point numbers, sums in f32, factors and averages, against the definitions computed one number at a time in
 * double. Compiled for the host's vectors, and for devices with threads (-DSCCL_EMULATE), whose functions combine 8 bytes.
 */

#include "tests/support/random.h"

#include <sccl/device.h>

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>
#include <stdint.h>
#include <string.h>

TestSuite(numbers, .description = "narrow numbers, factors and averages");

enum { BYTES = 40 }; /* of a call: odd numbers of vectors and of words */

static uint64_t state = 1;

#ifdef SCCL_SIMT
uint32_t sccl_emulated_thread(void) { return 0; }
uint32_t sccl_emulated_threads(void) { return 1; }
int sccl_emulated_meet(int wants) { return wants; }
void sccl_emulated_hop(void) {}
void sccl_emulated_tally(uint32_t bytes, int wide) { (void)bytes, (void)wide; }
void *sccl_emulated_shared(size_t bytes) { (void)bytes; return NULL; }
void sccl_emulated_pause(void) {}
void sccl_emulated_launch(void (*kernel)(const sccl_launch_t *l, uint32_t block), const sccl_launch_t *l) { (void)kernel, (void)l; }

static void reduce(sccl_fold_t fold, uint8_t *d, const uint8_t *const from[], uint32_t n, size_t bytes)
{
	uint64_t words[BYTES / 8], word;

	memset(words, 0, sizeof words);
	for (size_t w = 0; w * 8 < bytes; w++) {
		memcpy(&word, from[0] + 8 * w, 8);
		sccl_sum_t s = sccl_sum_begin(fold, word);
		for (uint32_t i = 1; i < n; i++) {
			memcpy(&word, from[i] + 8 * w, 8);
			sccl_sum_add(fold, &s, word);
		}
		words[w] = sccl_sum_end(fold, &s);
	}
	memcpy(d, words, bytes);
}

static void scale(sccl_fold_t fold, uint8_t *d, uint64_t factor, size_t bytes)
{
	uint64_t word;

	for (size_t w = 0; w * 8 < bytes; w++) {
		memcpy(&word, d + 8 * w, 8);
		word = sccl_scale_word(fold, word, factor);
		memcpy(d + 8 * w, &word, 8);
	}
}

static void divide(sccl_fold_t fold, uint8_t *d, uint32_t ranks, size_t bytes)
{
	uint64_t word;

	for (size_t w = 0; w * 8 < bytes; w++) {
		memcpy(&word, d + 8 * w, 8);
		word = sccl_divide_word(fold, word, UINT64_MAX / ranks + 1, ranks);
		memcpy(d + 8 * w, &word, 8);
	}
}
#else
static void reduce(sccl_fold_t fold, uint8_t *d, const uint8_t *const from[], uint32_t n, size_t bytes)
{
	float sum[BYTES * 4];

	if (!fold->widen) {
		fold->combine(d, from[0], from[1], bytes);
		for (uint32_t i = 2; i < n; i++)
			fold->combine(d, d, from[i], bytes);
		return;
	}
	fold->widen(sum, from[0], bytes);
	for (uint32_t i = 1; i < n; i++)
		fold->add(sum, from[i], bytes);
	fold->narrow(d, sum, bytes);
}

static void scale(sccl_fold_t fold, uint8_t *d, uint64_t factor, size_t bytes)
{
	fold->scale(d, d, bytes, factor);
}

static void divide(sccl_fold_t fold, uint8_t *d, uint32_t ranks, size_t bytes)
{
	fold->divide(d, bytes, ranks);
}
#endif

/* A floating-point type by its definition. */
struct format {
	int bits, fraction, bias;
	bool infinite;  /* the largest exponent means infinity and NaN; otherwise only the largest number is NaN */
	bool saturates; /* what is too large becomes the largest number */
};
static const struct format e4m3 = {8, 3, 7, false, true}, e5m2 = {8, 2, 15, true, true}, half = {16, 10, 15, true, false},
			   brain = {16, 7, 127, true, false};

static double decode(const struct format *f, uint32_t h)
{
	uint32_t magnitude = h & ((1u << (f->bits - 1)) - 1), exponent = magnitude >> f->fraction, part = magnitude & ((1u << f->fraction) - 1);
	double v = ldexp(part + (exponent ? 1u << f->fraction : 0), (exponent ? (int)exponent : 1) - f->bias - f->fraction);

	if (f->infinite && exponent == (1u << (f->bits - 1 - f->fraction)) - 1)
		v = part ? NAN : INFINITY;
	if (!f->infinite && magnitude == (1u << (f->bits - 1)) - 1)
		v = NAN;
	return h >> (f->bits - 1) ? -v : v;
}

/* The largest finite number. */
static uint32_t largest(const struct format *f)
{
	uint32_t h = (1u << (f->bits - 1)) - 1;

	while (!isfinite(decode(f, h)))
		h--;
	return h;
}

/* The nearest number, by bisection; of two the even one. */
static uint32_t encode(const struct format *f, double v)
{
	uint32_t low = 0, high = largest(f), sign = signbit(v) ? 1u << (f->bits - 1) : 0;

	if (isnan(v))
		return sign | ((1u << (f->bits - 1)) - 1);
	v = fabs(v);
	double step = decode(f, high) - decode(f, high - 1);
	if (v >= decode(f, high) + step / 2)
		return sign | (f->saturates ? high : high + 1);
	while (high - low > 1) {
		uint32_t middle = (low + high) / 2;
		if (decode(f, middle) <= v)
			low = middle;
		else
			high = middle;
	}
	double below = v - decode(f, low), above = decode(f, high) - v;
	return sign | (below < above || (below == above && low % 2 == 0) ? low : high);
}

static uint32_t number_at(const struct format *f, const uint8_t *at, size_t i)
{
	return f->bits == 8 ? at[i] : (uint32_t)(at[2 * i] | at[2 * i + 1] << 8);
}

static void expect(const struct format *f, uint32_t got, double want, const char *what)
{
	cr_assert(isnan(want) ? isnan(decode(f, got)) : got == encode(f, want), "%s: %x, not %a (%x)", what, got, want, encode(f, want));
}

static void fill(uint8_t *at)
{
	for (size_t i = 0; i < BYTES; i++)
		at[i] = (uint8_t)(random_bits(&state) >> 20);
}

/* N sources are added from the left in f32, and rounded once. */
static void sums_are_rounded_once(const struct format *f, sccl_fold_t sum, sccl_fold_t product)
{
	uint8_t sources[5][BYTES], d[BYTES];
	const uint8_t *from[5];

	for (int i = 0; i < 5; i++)
		from[i] = sources[i];
	for (int run = 0; run < 1500; run++) {
		uint32_t n = 2 + (uint32_t)run % 4;
		for (int i = 0; i < 5; i++)
			fill(sources[i]);
		for (int op = 0; op < 2; op++) {
			reduce(op ? product : sum, d, from, n, BYTES);
			for (size_t i = 0; i < BYTES * 8 / (size_t)f->bits; i++) {
				float want = (float)decode(f, number_at(f, from[0], i));
				for (uint32_t k = 1; k < n; k++) {
					float next = (float)decode(f, number_at(f, from[k], i));
					want = op ? want * next : want + next;
				}
				expect(f, number_at(f, d, i), (double)want, op ? "product" : "sum");
			}
		}
	}
}

Test(numbers, sums_in_f32_are_rounded_once)
{
	sums_are_rounded_once(&e4m3, SCCL_FOLD(f8e4m3, sum), SCCL_FOLD(f8e4m3, prod));
	sums_are_rounded_once(&e5m2, SCCL_FOLD(f8e5m2, sum), SCCL_FOLD(f8e5m2, prod));
	sums_are_rounded_once(&half, SCCL_FOLD(f16_wide, sum), SCCL_FOLD(f16_wide, prod));
	sums_are_rounded_once(&brain, SCCL_FOLD(bf16_wide, sum), SCCL_FOLD(bf16_wide, prod));
}

/* All pairs of 8-bit numbers, NaNs and zeros with signs included: the bits of one of the two. */
static void picks(const struct format *f, sccl_fold_t least, sccl_fold_t most)
{
	uint8_t a[BYTES], b[BYTES], d[BYTES];
	const uint8_t *from[] = {a, b};

	for (uint32_t pair = 0; pair < 65536; pair += BYTES) {
		for (uint32_t i = 0; i < BYTES; i++) {
			a[i] = (uint8_t)(pair + i);
			b[i] = (uint8_t)((pair + i) >> 8);
		}
		for (int op = 0; op < 2; op++) {
			reduce(op ? most : least, d, from, 2, BYTES);
			for (uint32_t i = 0; i < BYTES; i++) {
				double x = decode(f, a[i]), y = decode(f, b[i]);
				uint8_t want = (op ? y > x : y < x) ? b[i] : a[i];
				cr_assert(eq(u8, d[i], want), "%x, %x", a[i], b[i]);
			}
		}
	}
}

Test(numbers, eight_bit_numbers_are_compared_as_numbers)
{
	picks(&e4m3, SCCL_FOLD(f8e4m3, min), SCCL_FOLD(f8e4m3, max));
	picks(&e5m2, SCCL_FOLD(f8e5m2, min), SCCL_FOLD(f8e5m2, max));
}

static uint64_t bits_of_float(float f)
{
	uint32_t bits;
	memcpy(&bits, &f, sizeof bits);
	return bits;
}

static void products(const struct format *f, sccl_fold_t fold)
{
	uint8_t a[BYTES], d[BYTES];

	for (int run = 0; run < 1500; run++) {
		float factor = run % 3 ? 1.0f / (float)(1 + run % 64) : (float)ldexp((double)(random_bits(&state) % 4096), -run % 16);
		fill(a);
		memcpy(d, a, BYTES);
		scale(fold, d, bits_of_float(factor), BYTES);
		for (size_t i = 0; i < BYTES * 8 / (size_t)f->bits; i++)
			expect(f, number_at(f, d, i), (double)((float)decode(f, number_at(f, a, i)) * factor), "multiple");
	}
}

Test(numbers, products_with_a_factor_are_rounded_to_the_type)
{
	products(&e4m3, SCCL_FOLD(f8e4m3, premulsum));
	products(&e5m2, SCCL_FOLD(f8e5m2, premulsum));
	products(&half, SCCL_FOLD(f16, premulsum));
	products(&brain, SCCL_FOLD(bf16, premulsum));
}

#define DEFINE_WHOLE(name, type, fold_of)                                                       \
	static void name(uint32_t ranks)                                                        \
	{                                                                                       \
		type v[BYTES / sizeof(type)], d[BYTES / sizeof(type)];                          \
		fill((uint8_t *)v);                                                             \
		v[0] = 0;                                                                       \
		v[1] = (type)-1;                                                                \
		v[2] = (type)((uint64_t)1 << (8 * sizeof(type) - 1));                           \
		memcpy(d, v, BYTES);                                                            \
		divide(SCCL_FOLD(fold_of, avg), (uint8_t *)d, ranks, BYTES);                    \
		for (size_t i = 0; i < BYTES / sizeof(type); i++)                               \
			cr_assert(d[i] == (type)(sizeof(type) < 8 ? (type)((int64_t)v[i] / (int64_t)ranks) : v[i] / (type)ranks), \
				  "%lld / %u: %lld", (long long)v[i], ranks, (long long)d[i]);  \
	}
DEFINE_WHOLE(i8, int8_t, i8)
DEFINE_WHOLE(u8, uint8_t, u8)
DEFINE_WHOLE(i32, int32_t, i32)
DEFINE_WHOLE(u32, uint32_t, u32)
DEFINE_WHOLE(i64, int64_t, i64)
DEFINE_WHOLE(u64, uint64_t, u64)

Test(numbers, averages_of_integers_are_rounded_towards_zero)
{
	void (*const types[])(uint32_t) = {i8, u8, i32, u32, i64, u64};

	for (uint32_t ranks = 2; ranks < 3000; ranks += ranks < 70 ? 1 : 97)
		for (int run = 0; run < 60; run++)
			types[run % 6](ranks);
}

Test(numbers, integers_are_compared_with_and_without_sign_and_multiplied_with_wrapping)
{
	uint8_t a[BYTES], b[BYTES], d[BYTES];
	const uint8_t *from[] = {a, b};

	for (int run = 0; run < 2000; run++) {
		fill(a), fill(b);
		reduce(SCCL_FOLD(u32, max), d, from, 2, BYTES);
		for (size_t i = 0; i < BYTES / 4; i++) {
			uint32_t x, y, z;
			memcpy(&x, a + 4 * i, 4), memcpy(&y, b + 4 * i, 4), memcpy(&z, d + 4 * i, 4);
			cr_assert(eq(u32, z, y > x ? y : x));
		}
		reduce(SCCL_FOLD(u64, min), d, from, 2, BYTES);
		for (size_t i = 0; i < BYTES / 8; i++) {
			uint64_t x, y, z;
			memcpy(&x, a + 8 * i, 8), memcpy(&y, b + 8 * i, 8), memcpy(&z, d + 8 * i, 8);
			cr_assert(eq(u64, z, y < x ? y : x));
		}
		reduce(SCCL_FOLD(i8, max), d, from, 2, BYTES);
		for (size_t i = 0; i < BYTES; i++)
			cr_assert(eq(i8, (int8_t)d[i], (int8_t)b[i] > (int8_t)a[i] ? (int8_t)b[i] : (int8_t)a[i]));
		uint8_t factor = (uint8_t)random_bits(&state);
		memcpy(d, a, BYTES);
		scale(SCCL_FOLD(u8, premulsum), d, factor, BYTES);
		for (size_t i = 0; i < BYTES; i++)
			cr_assert(eq(u8, d[i], (uint8_t)(a[i] * factor)));
	}
}

/*
 * Generates inputs and checks outputs. One pseudo-random table per type and operation holds values whose reduction is
 * exact in any order; every (key, call) pair starts at its own position in it.
 */
#include "runtime/runner/data.h"

#include <stdlib.h>
#include <string.h>

static uint64_t mix(uint64_t x)
{
	x += 0x9e3779b97f4a7c15u;
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 27) * 0x94d049bb133111ebu;
	return x ^ x >> 31;
}

/* Limits on the numbers: integers up to `exact` and powers of two up to 2^`powers` are stored exactly. */
static const struct {
	bool whole;
	uint32_t exact, powers;
} limits[SCCL_DTYPES] = {
	[SCCL_F32] = {false, 1 << 24, 120}, [SCCL_F64] = {false, 1 << 30, 1000}, [SCCL_F16] = {false, 1 << 11, 14},
	[SCCL_BF16] = {false, 1 << 8, 120}, [SCCL_I32] = {true, 0, 0},           [SCCL_I64] = {true, 0, 0},
	[SCCL_U8] = {true, 0, 0},                [SCCL_F8E4M3] = {false, 1 << 4, 6},   [SCCL_F8E5M2] = {false, 1 << 3, 14},
	[SCCL_I8] = {true, 0, 0},                [SCCL_U32] = {true, 0, 0},            [SCCL_U64] = {true, 0, 0},
};

static bool adds(sccl_op_t op)
{
	return op == SCCL_SUM || op == SCCL_AVG || op == SCCL_PREMUL_SUM;
}

/* Of a premultiplied sum. */
enum { FACTOR_MOST = 2 };
static int64_t factor_of(const struct data *d, uint64_t key)
{
	if (d->op != SCCL_PREMUL_SUM)
		return 1;
	return limits[d->type].whole ? (int64_t)(key % 100) + 1 : 1 + (int64_t)(key % FACTOR_MOST);
}

/* Number of ranks of which the sum of the largest contributions is exact. */
static uint32_t most_exact(const struct data *d)
{
	return d->op == SCCL_PREMUL_SUM ? limits[d->type].exact / FACTOR_MOST : limits[d->type].exact;
}

/* Size of the groups of ranks of which only one contributes a number that changes the result, so that partial results
 * stay within the limits. */
static uint32_t share(const struct data *d)
{
	uint32_t most = adds(d->op) ? most_exact(d) : limits[d->type].powers;
	if (!d->combining || limits[d->type].whole || (!adds(d->op) && d->op != SCCL_PROD))
		return 1;
	return (d->ranks + most - 1) / most;
}

/* Is the whole number X times the inverse of the number of ranks, rounded to the type, the quotient? And is X exact? */
static bool divides(const struct data *d, double x, double quotient)
{
	float product = (float)x * (float)(1.0 / d->ranks);
	double significand = x;

	while (significand >= (double)limits[d->type].exact)
		significand /= 2;
	if (significand != (double)(uint64_t)significand || (d->type == SCCL_F8E4M3 && x > 448))
		return false;
	return d->type == SCCL_F64 ? x * (1.0 / d->ranks) == quotient : d->type != SCCL_F32 || (double)product == quotient;
}

/* What a rank contributes. */
static double number(const struct data *d, uint64_t random)
{
	double sign = random & 1 ? -1 : 1;
	uint64_t rest = random >> 1;
	uint32_t each = most_exact(d) / d->ranks;

	if (adds(d->op)) { /* so small that no partial sum is rounded; + 0.0 avoids a negative zero */
		double x = (double)(rest % ((each ? each : 1) + 1));
		return d->op == SCCL_AVG && !divides(d, x * d->ranks, x) ? 0.0 : sign * x + 0.0;
	}
	if (d->op == SCCL_PROD) { /* powers of two: only exponents are added */
		static const double factors[] = {0.5, 1, 2};
		return sign * factors[rest % 3];
	}
	/* As many significant bits as are exact. Never zero, because there are two zeros. */
	if (d->type == SCCL_F8E4M3)
		return sign * (double)(8 + rest % 8) * (double)(1 << (rest >> 8) % 11) / 64;
	if (d->type == SCCL_F8E5M2)
		return sign * (double)(4 + rest % 4) * (double)(1 << (rest >> 8) % 12) / 1024;
	return sign * (double)(128 + rest % 128) * (double)(1 << (rest >> 8) % 12) / 1024;
}

/* Zero, or a number that is exact and not subnormal in 8 bits, FRACTION of them of the fraction, with an exponent bias of BIAS. */
static uint8_t small_number(double x, int fraction, int bias)
{
	double magnitude = x < 0 ? -x : x, whole = (double)(1 << fraction);
	int exponent = bias + fraction;

	if (magnitude == 0)
		return 0;
	for (; magnitude >= 2 * whole; magnitude /= 2)
		exponent++;
	for (; magnitude < whole; magnitude *= 2)
		exponent--;
	return (uint8_t)((x < 0 ? 0x80 : 0) + (exponent << fraction) + (int)magnitude - (1 << fraction));
}

/* The numbers above are exact in all types, so there is nothing to round. */
static void store_number(const struct data *d, double x, unsigned char *to)
{
	float f = (float)x;
	uint32_t u;
	uint16_t h;
	memcpy(&u, &f, sizeof u);

	if (d->type == SCCL_F64) {
		memcpy(to, &x, sizeof x);
	} else if (d->type == SCCL_F32) {
		memcpy(to, &f, sizeof f);
	} else if (d->type == SCCL_F8E4M3 || d->type == SCCL_F8E5M2) {
		*to = d->type == SCCL_F8E4M3 ? small_number(x, 3, 7) : small_number(x, 2, 15);
	} else if (d->type == SCCL_BF16) {
		h = (uint16_t)(u >> 16);
		memcpy(to, &h, sizeof h);
	} else {
		uint32_t magnitude = (u & 0x7fffffffu) ? ((u & 0x7fffffffu) >> 13) - (112u << 10) : 0;
		h = (uint16_t)(magnitude | (u >> 16 & 0x8000u));
		memcpy(to, &h, sizeof h);
	}
}

/* Stores the low bytes: integers wrap. */
static void store_whole(const struct data *d, uint64_t x, unsigned char *to)
{
	uint32_t word = (uint32_t)x;
	uint8_t byte = (uint8_t)x;
	if (d->element == sizeof x)
		memcpy(to, &x, sizeof x);
	else if (d->element == sizeof word)
		memcpy(to, &word, sizeof word);
	else
		memcpy(to, &byte, sizeof byte);
}

/* The value that the low bytes represent, so that comparisons agree with the type's own order. */
static int64_t whole(const struct data *d, uint64_t random)
{
	bool is_signed = d->type == SCCL_I8 || d->type == SCCL_I32;

	if (d->element == 1)
		return is_signed ? (int8_t)(uint8_t)random : (uint8_t)random;
	if (d->element == 4)
		return is_signed ? (int32_t)(uint32_t)random : (int64_t)(uint32_t)random;
	return (int64_t)random;
}

static void draw(struct data *d)
{
	for (size_t i = 0; i < 2 * DATA_PERIOD; i++) {
		uint64_t random = mix(i % DATA_PERIOD);
		unsigned char *to = d->stored + i * d->element;
		if (!d->combining) {
			memcpy(to, &random, d->element);
		} else if (limits[d->type].whole) {
			d->wholes[i] = whole(d, random);
			store_whole(d, random, to);
		} else {
			d->numbers[i] = number(d, random);
			store_number(d, d->op == SCCL_AVG ? d->numbers[i] * d->ranks : d->numbers[i], to);
		}
	}
}

bool data_open(struct data *d, sccl_dtype_t type, sccl_op_t op, bool combining, uint32_t ranks)
{
	*d = (struct data){.type = type, .op = op, .combining = combining, .ranks = ranks, .element = sccl_dtype_size(type)};
	d->stored = calloc(2 * DATA_PERIOD, d->element);
	d->numbers = calloc(2 * DATA_PERIOD, sizeof *d->numbers);
	d->wholes = calloc(2 * DATA_PERIOD, sizeof *d->wholes);
	if (!d->stored || !d->numbers || !d->wholes) {
		data_close(d);
		return false;
	}
	draw(d);
	return true;
}

void data_factor(const struct data *d, uint64_t key, void *to)
{
	if (limits[d->type].whole)
		store_whole(d, (uint64_t)factor_of(d, key), to);
	else
		store_number(d, (double)factor_of(d, key), to);
}

void data_close(struct data *d)
{
	free(d->stored);
	free(d->numbers);
	free(d->wholes);
	*d = (struct data){0};
}

/* Position in the table at which a stretch begins. */
static size_t begin(struct stretch s)
{
	return (size_t)((mix(mix(s.key) + s.call) + s.first) % DATA_PERIOD);
}

/* Whether this key contributes only neutral elements: 0 for a sum, 1 for a product. */
static bool is_neutral(const struct data *d, struct stretch s)
{
	uint32_t n = share(d);
	return n > 1 && (s.key + s.call) % n != 0;
}

static void fill_neutral(const struct data *d, unsigned char *to, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++)
		store_number(d, d->op == SCCL_PROD ? 1 : 0, to + i * d->element);
}

void data_fill(const struct data *d, struct stretch s, void *to, uint64_t n)
{
	unsigned char *at = to;

	if (is_neutral(d, s)) {
		fill_neutral(d, at, n);
		return;
	}
	for (uint64_t part; n > 0; n -= part, at += part * d->element, s.first += part) {
		part = n < DATA_PERIOD ? n : DATA_PERIOD;
		memcpy(at, d->stored + begin(s) * d->element, part * d->element);
	}
}

/* Adds the differences between N elements at A and B, which begin at element DONE of the whole. */
static void add_differences(const struct data *d, const unsigned char *a, const unsigned char *b, uint64_t done, uint64_t n,
                            struct differences *found)
{
	if (n == 0 || memcmp(a, b, n * d->element) == 0)
		return;
	for (uint64_t i = 0; i < n; i++) {
		if (memcmp(a + i * d->element, b + i * d->element, d->element) == 0)
			continue;
		if (found->n++ == 0)
			found->first = done + i;
	}
}

struct differences data_compare(const struct data *d, struct stretch s, const void *at, uint64_t n)
{
	unsigned char neutral[8 * DATA_PERIOD];
	const unsigned char *from = at;
	struct differences found = {0, n};
	bool is_all_neutral = is_neutral(d, s);

	if (is_all_neutral)
		fill_neutral(d, neutral, n < DATA_PERIOD ? n : DATA_PERIOD);
	for (uint64_t done = 0, part; done < n; done += part) {
		struct stretch here = {s.key, s.call, s.first + done};
		part = n - done < DATA_PERIOD ? n - done : DATA_PERIOD;
		add_differences(d, is_all_neutral ? neutral : d->stored + begin(here) * d->element, from + done * d->element, done,
		                part, &found);
	}
	return found;
}

/*
 * The reference result of a reduction, tile by tile, in double or int64_t, which hold the values of all types. Each
 * fold is a separate loop over a whole tile so that compilers can vectorize it; elements beyond the end of a stretch
 * are computed but not used.
 */
enum { TILE = 1024 };

union tile {
	double numbers[TILE];
	int64_t wholes[TILE];
};

#define DEFINE_FOLD(name, type, member, expression)                                           \
	static void fold_##name(const struct data *d, union tile *t, size_t first, int64_t by)\
	{                                                                                     \
		const type *from = d->member + first;                                         \
		const type f = (type)by;                                                      \
		(void)f;                                                                      \
		for (int i = 0; i < TILE; i++) {                                              \
			type a = t->member[i], b = from[i];                                   \
			t->member[i] = (expression);                                          \
		}                                                                             \
	}
DEFINE_FOLD(number_sum, double, numbers, a + b * f)
DEFINE_FOLD(number_prod, double, numbers, a * b)
DEFINE_FOLD(number_min, double, numbers, b < a ? b : a)
DEFINE_FOLD(number_max, double, numbers, b > a ? b : a)
DEFINE_FOLD(whole_sum, int64_t, wholes, (int64_t)((uint64_t)a + (uint64_t)b * (uint64_t)f))
DEFINE_FOLD(whole_prod, int64_t, wholes, (int64_t)((uint64_t)a * (uint64_t)b))
DEFINE_FOLD(whole_min, int64_t, wholes, b < a ? b : a)
DEFINE_FOLD(whole_max, int64_t, wholes, b > a ? b : a)
DEFINE_FOLD(unsigned_min, int64_t, wholes, (uint64_t)b < (uint64_t)a ? b : a)
DEFINE_FOLD(unsigned_max, int64_t, wholes, (uint64_t)b > (uint64_t)a ? b : a)

/* Numbers, whole numbers, and those that need all of 64 bits. */
static void (*const folds[3][SCCL_OPS])(const struct data *d, union tile *t, size_t first, int64_t by) = {
	{fold_number_sum, fold_number_prod, fold_number_min, fold_number_max, fold_number_sum, fold_number_sum},
	{fold_whole_sum, fold_whole_prod, fold_whole_min, fold_whole_max, fold_whole_sum, fold_whole_sum},
	{fold_whole_sum, fold_whole_prod, fold_unsigned_min, fold_unsigned_max, fold_whole_sum, fold_whole_sum},
};

/* Sums and products start from the neutral element, because keys that contribute only neutral elements are skipped. */
static void begin_tile(const struct data *d, union tile *t, size_t first)
{
	bool is_whole = limits[d->type].whole, starts_neutral = adds(d->op) || d->op == SCCL_PROD;
	for (int i = 0; i < TILE; i++)
		if (is_whole)
			t->wholes[i] = starts_neutral ? d->op == SCCL_PROD : d->wholes[first + (size_t)i];
		else
			t->numbers[i] = starts_neutral ? d->op == SCCL_PROD : d->numbers[first + (size_t)i];
}

static void reduce_tile(const struct data *d, const uint64_t *keys, size_t n_keys, struct stretch s, union tile *t)
{
	begin_tile(d, t, begin((struct stretch){keys[0], s.call, s.first}));
	for (size_t k = 0; k < n_keys; k++) {
		struct stretch one = {keys[k], s.call, s.first};
		if (!is_neutral(d, one))
			folds[d->type == SCCL_U64 ? 2 : limits[d->type].whole][d->op](d, t, begin(one), factor_of(d, keys[k]));
	}
}

/* Of a sum, which wraps in the type first. */
static uint64_t average(const struct data *d, int64_t sum)
{
	int64_t wrapped = whole(d, (uint64_t)sum);
	return d->type == SCCL_U64 ? (uint64_t)sum / d->ranks : (uint64_t)(wrapped / (int64_t)d->ranks);
}

static void store_tile(const struct data *d, const union tile *t, unsigned char *to)
{
	for (size_t i = 0; i < TILE; i++)
		if (limits[d->type].whole)
			store_whole(d, d->op == SCCL_AVG ? average(d, t->wholes[i]) : (uint64_t)t->wholes[i], to + i * d->element);
		else
			store_number(d, t->numbers[i], to + i * d->element);
}

struct differences data_compare_reduced(const struct data *d, const uint64_t *keys, size_t n_keys, struct stretch s, const void *at,
                                        uint64_t n)
{
	union tile tile;
	unsigned char expected[sizeof tile];
	struct differences found = {0, n};

	for (uint64_t done = 0, part; done < n; done += part) {
		part = n - done < TILE ? n - done : TILE;
		reduce_tile(d, keys, n_keys, (struct stretch){s.key, s.call, s.first + done}, &tile);
		store_tile(d, &tile, expected);
		add_differences(d, expected, (const unsigned char *)at + done * d->element, done, part, &found);
	}
	return found;
}

#include "runtime/run/data.h"

#include <stdlib.h>
#include <string.h>

static uint64_t mix(uint64_t x)
{
	x += 0x9e3779b97f4a7c15u;
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 27) * 0x94d049bb133111ebu;
	return x ^ x >> 31;
}

/* How far every number may go: whole numbers up to `exact` and powers of two up to 2^`powers` are stored exactly. */
static const struct {
	bool whole;
	uint32_t exact, powers;
} limits[SCCL_DTYPES] = {
	[SCCL_F32] = {false, 1 << 24, 120}, [SCCL_F64] = {false, 1 << 30, 1000}, [SCCL_F16] = {false, 1 << 11, 14},
	[SCCL_BF16] = {false, 1 << 8, 120}, [SCCL_I32] = {true, 0, 0},           [SCCL_I64] = {true, 0, 0},
	[SCCL_U8] = {true, 0, 0},
};

/* Of so many ranks one each puts in a number that changes the result, so that no partial result goes too far. */
static uint32_t share(const struct data *d)
{
	uint32_t most = d->op == SCCL_SUM ? limits[d->type].exact : limits[d->type].powers;
	if (!d->combining || limits[d->type].whole || (d->op != SCCL_SUM && d->op != SCCL_PROD))
		return 1;
	return (d->ranks + most - 1) / most;
}

static double number(const struct data *d, uint64_t random)
{
	double sign = random & 1 ? -1 : 1;
	uint64_t rest = random >> 1;
	uint32_t each = limits[d->type].exact / d->ranks;

	if (d->op == SCCL_SUM) /* so small that no partial sum is rounded; and one zero only */
		return sign * (double)(rest % ((each ? each : 1) + 1)) + 0.0;
	if (d->op == SCCL_PROD) { /* powers of two: only exponents are added */
		static const double factors[] = {0.5, 1, 2};
		return sign * factors[rest % 3];
	}
	/* Eight digits of two are exact in every type; no zero, for there are two of it. */
	return sign * (double)(128 + rest % 128) * (double)(1 << (rest >> 8) % 12) / 1024;
}

/* Numbers that f16 and bf16 hold exactly, as above: there is nothing to round. */
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
	} else if (d->type == SCCL_BF16) {
		h = (uint16_t)(u >> 16);
		memcpy(to, &h, sizeof h);
	} else {
		uint32_t magnitude = (u & 0x7fffffffu) ? ((u & 0x7fffffffu) >> 13) - (112u << 10) : 0;
		h = (uint16_t)(magnitude | (u >> 16 & 0x8000u));
		memcpy(to, &h, sizeof h);
	}
}

/* The low bytes: integers wrap. */
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

static void draw(struct data *d)
{
	for (size_t i = 0; i < 2 * DATA_PERIOD; i++) {
		uint64_t random = mix(i % DATA_PERIOD);
		unsigned char *to = d->stored + i * d->element;
		if (!d->combining) {
			memcpy(to, &random, d->element);
		} else if (limits[d->type].whole) {
			d->wholes[i] = random;
			store_whole(d, random, to);
		} else {
			d->numbers[i] = number(d, random);
			store_number(d, d->numbers[i], to);
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

void data_close(struct data *d)
{
	free(d->stored);
	free(d->numbers);
	free(d->wholes);
	*d = (struct data){0};
}

/* Where in the table a stretch begins. */
static size_t begin(struct stretch s)
{
	return (size_t)((mix(mix(s.key) + s.call) + s.first) % DATA_PERIOD);
}

/* What this key puts in changes nothing: 0 for a sum, 1 for a product. */
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

static uint64_t first_difference(const struct data *d, const unsigned char *a, const unsigned char *b, uint64_t n)
{
	uint64_t i = 0;
	if (n == 0 || memcmp(a, b, n * d->element) == 0)
		return n;
	while (memcmp(a + i * d->element, b + i * d->element, d->element) == 0)
		i++;
	return i;
}

uint64_t data_compare(const struct data *d, struct stretch s, const void *at, uint64_t n)
{
	unsigned char neutral[8];
	const unsigned char *from = at;

	for (uint64_t done = 0, part; done < n; done += part) {
		struct stretch here = {s.key, s.call, s.first + done};
		part = n - done < DATA_PERIOD ? n - done : DATA_PERIOD;
		uint64_t same = 0;
		if (is_neutral(d, s)) {
			fill_neutral(d, neutral, 1);
			while (same < part && memcmp(from + (done + same) * d->element, neutral, d->element) == 0)
				same++;
		} else {
			same = first_difference(d, d->stored + begin(here) * d->element, from + done * d->element, part);
		}
		if (same < part)
			return done + same;
	}
	return n;
}

static double apply_number(sccl_op_t op, double a, double b)
{
	if (op == SCCL_SUM)
		return a + b;
	if (op == SCCL_PROD)
		return a * b;
	return (op == SCCL_MIN) == (b < a) && a != b ? b : a;
}

/* As the type orders them. */
static bool whole_less(sccl_dtype_t type, uint64_t a, uint64_t b)
{
	if (type == SCCL_U8)
		return (uint8_t)a < (uint8_t)b;
	if (type == SCCL_I32)
		return ((uint32_t)a ^ 0x80000000u) < ((uint32_t)b ^ 0x80000000u);
	return (a ^ (uint64_t)1 << 63) < (b ^ (uint64_t)1 << 63);
}

static uint64_t apply_whole(const struct data *d, uint64_t a, uint64_t b)
{
	if (d->op == SCCL_SUM)
		return a + b;
	if (d->op == SCCL_PROD)
		return a * b;
	return (d->op == SCCL_MIN ? whole_less(d->type, b, a) : whole_less(d->type, a, b)) ? b : a;
}

static void reduce_numbers(const struct data *d, const uint64_t *keys, size_t n_keys, struct stretch s, double *sum,
                           uint64_t n)
{
	for (size_t k = 0; k < n_keys; k++) {
		struct stretch one = {keys[k], s.call, s.first};
		const double *from = d->numbers + begin(one);
		double neutral = d->op == SCCL_PROD ? 1 : 0;
		bool silent = is_neutral(d, one);
		for (uint64_t i = 0; i < n; i++) {
			double x = silent ? neutral : from[i];
			sum[i] = k == 0 ? x : apply_number(d->op, sum[i], x);
		}
	}
}

static void reduce_wholes(const struct data *d, const uint64_t *keys, size_t n_keys, struct stretch s, uint64_t *sum,
                          uint64_t n)
{
	for (size_t k = 0; k < n_keys; k++) {
		const uint64_t *from = d->wholes + begin((struct stretch){keys[k], s.call, s.first});
		for (uint64_t i = 0; i < n; i++)
			sum[i] = k == 0 ? from[i] : apply_whole(d, sum[i], from[i]);
	}
}

uint64_t data_compare_reduced(const struct data *d, const uint64_t *keys, size_t n_keys, struct stretch s, const void *at,
                              uint64_t n)
{
	enum { TILE = 1024 };
	double numbers[TILE];
	uint64_t wholes[TILE];
	unsigned char expected[TILE * sizeof(uint64_t)];

	for (uint64_t done = 0, part; done < n; done += part) {
		struct stretch here = {s.key, s.call, s.first + done};
		part = n - done < TILE ? n - done : TILE;
		if (limits[d->type].whole)
			reduce_wholes(d, keys, n_keys, here, wholes, part);
		else
			reduce_numbers(d, keys, n_keys, here, numbers, part);
		for (uint64_t i = 0; i < part; i++)
			if (limits[d->type].whole)
				store_whole(d, wholes[i], expected + i * d->element);
			else
				store_number(d, numbers[i], expected + i * d->element);
		uint64_t same = first_difference(d, expected, (const unsigned char *)at + done * d->element, part);
		if (same < part)
			return done + same;
	}
	return n;
}

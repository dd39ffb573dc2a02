/* Computes in 128 bits, reduces, and only then checks that the result fits in 64. */

#include "core/base/rational.h"

#include "core/base/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

__extension__ typedef __int128 wide; /* a product of two 64-bit numbers fits */

static wide greatest_common_divisor(wide a, wide b)
{
	while (b) {
		wide rest = a % b;
		a = b;
		b = rest;
	}
	return a < 0 ? -a : a;
}

/* In lowest terms with a positive denominator, or not a number. */
static struct rational reduced(wide num, wide den)
{
	if (den == 0)
		return (struct rational){0, 0};
	wide divisor = greatest_common_divisor(num, den);
	if (den < 0)
		divisor = -divisor;
	num /= divisor;
	den /= divisor;
	if (num > INT64_MAX || num < INT64_MIN || den > INT64_MAX)
		return (struct rational){0, 0};
	return (struct rational){(int64_t)num, (int64_t)den};
}

int64_t common_divisor(int64_t a, int64_t b)
{
	return (int64_t)greatest_common_divisor(a, b);
}

int64_t common_denominator(const double *values, size_t n, int64_t most, double tolerance)
{
	for (int64_t factor = 1; factor <= most; factor++) {
		size_t i = 0;
		while (i < n && fabs(values[i] * (double)factor - round(values[i] * (double)factor)) < tolerance)
			i++;
		if (i == n)
			return factor;
	}
	return 0;
}

struct rational rational(int64_t num, int64_t den)
{
	return reduced(num, den);
}

bool rational_ok(struct rational a)
{
	return a.den != 0;
}

struct rational rational_mul(struct rational a, struct rational b)
{
	return reduced((wide)a.num * b.num, (wide)a.den * b.den);
}

struct rational rational_div(struct rational a, struct rational b)
{
	return reduced((wide)a.num * b.den, (wide)a.den * b.num);
}

/*
 * A + SIGN * B over the least common denominator: each product has only two 64-bit factors, so that nothing overflows.
 */
static struct rational sum(struct rational a, struct rational b, int sign)
{
	if (!rational_ok(a) || !rational_ok(b))
		return (struct rational){0, 0};
	wide g = greatest_common_divisor(a.den, b.den);
	return reduced((wide)a.num * (b.den / g) + sign * (wide)b.num * (a.den / g), (wide)a.den * (b.den / g));
}

struct rational rational_add(struct rational a, struct rational b)
{
	return sum(a, b, 1);
}

struct rational rational_sub(struct rational a, struct rational b)
{
	return sum(a, b, -1);
}

int rational_compare(struct rational a, struct rational b)
{
	wide left = (wide)a.num * b.den, right = (wide)b.num * a.den;
	return (left > right) - (left < right);
}

int64_t rational_floor(struct rational a)
{
	int64_t q = a.num / a.den;
	return a.num % a.den < 0 ? q - 1 : q;
}

int64_t rational_ceil(struct rational a)
{
	int64_t q = a.num / a.den;
	return a.num % a.den > 0 ? q + 1 : q;
}

double rational_double(struct rational a)
{
	return (double)a.num / (double)a.den;
}

const char *rational_text(struct rational a, char text[RATIONAL_TEXT])
{
	if (!rational_ok(a))
		snprintf(text, RATIONAL_TEXT, "not a number");
	else if (a.den == 1)
		snprintf(text, RATIONAL_TEXT, "%lld", (long long)a.num);
	else
		snprintf(text, RATIONAL_TEXT, "%lld/%lld", (long long)a.num, (long long)a.den);
	return text;
}

bool rational_parse(const char *text, struct rational *out)
{
	char num[32];
	const char *slash = strchr(text, '/');
	size_t length = slash ? (size_t)(slash - text) : strlen(text);
	int64_t n, d = 1;

	if (length >= sizeof num)
		return false;
	memcpy(num, text, length);
	num[length] = '\0';
	if (!parse_integer(num, INT64_MIN, INT64_MAX, &n) || (slash && !parse_integer(slash + 1, 1, INT64_MAX, &d)))
		return false;
	*out = rational(n, d);
	return rational_ok(*out);
}

/* Multiplies by 10^EXPONENT. */
static struct rational shifted(struct rational r, int64_t exponent)
{
	for (; exponent > 0; exponent--)
		r = rational_mul(r, rational(10, 1));
	for (; exponent < 0; exponent++)
		r = rational_div(r, rational(10, 1));
	return r;
}

bool rational_parse_decimal(const char *text, struct rational *out)
{
	enum { DIGITS_MAX = 15, SCALE_MAX = 18, EXPONENT_MAX = 30 };
	int64_t n = 0, scale = 1, exponent = 0;
	bool negative = *text == '-', point = false;
	int digits = 0, counting = 0, behind = 0; /* leading zeros do not count */

	for (text += negative; *text && *text != 'e'; text++) {
		if (*text == '.' && !point && digits) {
			point = true;
			continue;
		}
		if (*text < '0' || *text > '9')
			return false;
		digits++;
		counting += counting || *text != '0';
		behind += point;
		if (counting > DIGITS_MAX || behind > SCALE_MAX)
			return false;
		n = n * 10 + (*text - '0');
		scale *= point ? 10 : 1;
	}
	if (digits == 0 || text[-1] == '.')
		return false;
	bool plus = *text == 'e' && text[1] == '+'; /* printf writes e+20 */
	if (*text == 'e' && !parse_integer(text + 1 + plus, plus ? 0 : -EXPONENT_MAX, EXPONENT_MAX, &exponent))
		return false;
	*out = shifted(rational(negative ? -n : n, scale), exponent);
	return rational_ok(*out);
}

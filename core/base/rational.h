#ifndef SCCL_CORE_BASE_RATIONAL_H
#define SCCL_CORE_BASE_RATIONAL_H

/*
 * Exact ratios in lowest terms. A result whose numerator or denominator does not fit in 64 bits is not a number, and
 * neither is anything computed from it: it is enough to check once, at the end, with rational_ok.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rational {
	int64_t num;
	int64_t den; /* > 0; 0: not a number */
};

struct rational rational(int64_t num, int64_t den); /* den of any sign; 0 gives not a number */
struct rational rational_add(struct rational a, struct rational b);
struct rational rational_sub(struct rational a, struct rational b);
struct rational rational_mul(struct rational a, struct rational b);
struct rational rational_div(struct rational a, struct rational b);

bool rational_ok(struct rational a);
/* Arguments of these must be ok. rational_compare returns <0, 0 or >0 and never overflows. */
int rational_compare(struct rational a, struct rational b);
int64_t rational_floor(struct rational a);
int64_t rational_ceil(struct rational a);
double rational_double(struct rational a);

/* The quotient A / B of nonnegative numbers, rounded up. */
static inline int64_t quotient_up(int64_t a, int64_t b)
{
	return a / b + (a % b != 0);
}

/* The greatest common divisor of two nonnegative numbers; if one is 0, the other. */
int64_t common_divisor(int64_t a, int64_t b);
/*
 * The least positive factor, at most MOST, with which all N values are integers up to TOLERANCE; 0: there is none.
 */
int64_t common_denominator(const double *values, size_t n, int64_t most, double tolerance);

/*
 * The text form (docs/reference/formats.md): "7/6" in lowest terms, or "2" for an integer. rational_text returns TEXT.
 */
enum { RATIONAL_TEXT = 48 };
const char *rational_text(struct rational a, char text[RATIONAL_TEXT]);
/* Decimals: "12.5", "0.7", "3", "5e-05". False: not a decimal, more than 15 digits, or too large or small. */
bool rational_parse_decimal(const char *text, struct rational *out);
bool rational_parse(const char *text, struct rational *out); /* false: not a ratio. "2/4" is accepted and reduced. */

#endif

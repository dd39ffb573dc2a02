#ifndef SCCL_CORE_BASE_RATIONAL_H
#define SCCL_CORE_BASE_RATIONAL_H

/*
 * Exact ratios in lowest terms. A result that does not fit 64 bits is not a number, and
 * neither is anything computed from it: check once, at the end, with rational_ok.
 */

#include <stdbool.h>
#include <stdint.h>

struct rational {
	int64_t num;
	int64_t den; /* > 0; 0: not a number */
};

struct rational rational(int64_t num, int64_t den); /* den != 0 and any sign, else not a number */
struct rational rational_add(struct rational a, struct rational b);
struct rational rational_sub(struct rational a, struct rational b);
struct rational rational_mul(struct rational a, struct rational b);
struct rational rational_div(struct rational a, struct rational b);

bool rational_ok(struct rational a);
int rational_compare(struct rational a, struct rational b); /* <0, 0, >0; both must be ok; never overflows */
int64_t rational_floor(struct rational a);
int64_t rational_ceil(struct rational a);
double rational_double(struct rational a);

/* The greatest, of numbers that are not negative; with 0 the other one. */
int64_t common_divisor(int64_t a, int64_t b);

/* "7/6", and a whole one as "2". FORMATS: a ratio is a string in lowest terms, or an integer. */
enum { RATIONAL_TEXT = 48 };
const char *rational_text(struct rational a, char text[RATIONAL_TEXT]);
bool rational_parse(const char *text, struct rational *out); /* false: not a ratio; "2/4" is accepted and reduced */

#endif

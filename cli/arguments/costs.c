/* Reads decimal numbers as exact rationals: the digits as an integer, scaled by a power of ten. */

#include "cli/arguments/costs.h"

#include "cli/arguments/options.h"

#include "core/base/text.h"

#include <string.h>

/* Multiplies by 10^EXPONENT: "4e-5" is 4/100000. False: it does not fit into a ratio of 64-bit integers. */
static bool shift(struct rational *r, long exponent)
{
	for (; exponent > 0 && rational_ok(*r); exponent--)
		*r = rational_mul(*r, rational(10, 1));
	for (; exponent < 0 && rational_ok(*r); exponent++)
		*r = rational_div(*r, rational(10, 1));
	return rational_ok(*r);
}

/* Reads "0.7", "4e-5" or "7/10" exactly. */
static bool read_decimal(const char *text, struct rational *out)
{
	char digits[20] = "";
	size_t n = 0;
	long exponent = 0;
	int64_t whole;
	const char *s = text;
	bool point = false;

	if (strchr(text, '/'))
		return rational_parse(text, out) && out->num >= 0;
	for (; (*s >= '0' && *s <= '9') || (*s == '.' && !point); s++) {
		if (*s == '.') {
			point = true;
			continue;
		}
		if (n + 1 == sizeof digits)
			return false;
		digits[n++] = *s;
		exponent -= point;
	}
	if (*s == 'e') {
		int64_t power;
		if (!parse_integer(s + 1, -30, 30, &power))
			return false;
		exponent += (long)power;
	} else if (*s)
		return false;
	if (!parse_integer(digits, 0, INT64_MAX, &whole))
		return false;
	*out = rational(whole, 1);
	return shift(out, exponent);
}

bool option_cost(const struct option_row *r, const char *s, void *field, struct error *e)
{
	struct cost_option *o = field;

	o->is_given = true;
	return read_decimal(s, &o->value) || option_refuse(r, e, "must be microseconds as in 0.7, 4e-5 or 7/10, not \"%.64s\"", s);
}

bool option_step_cost(const struct option_row *r, const char *s, void *field, struct error *e)
{
	struct step_overhead *to = field;

	*to = (struct step_overhead){0}; /* the last counts */
	if (step_overhead_has(s)) {
		to->target = s;
		return true;
	}
	return read_decimal(s, &to->us) || option_refuse(r, e, "must be microseconds as in 0.7, 4e-5 or 7/10, or a target (cuda or hip), not \"%.64s\"", s);
}

/* Equation 8, rounded so that the first part is a multiple of SPLIT_BYTES or the whole buffer. */

#include "core/schedule/split.h"

#include <math.h>

static double time_of(const struct pace *p, int64_t bytes)
{
	return bytes ? p->fixed + p->per_byte * (double)bytes : 0;
}

/* Equation 8 without rounding; may be negative or more than BYTES. */
static double share_of_second(const struct pace *first, const struct pace *second, double bytes)
{
	return (first->per_byte * bytes - (second->fixed - first->fixed)) / (first->per_byte + second->per_byte);
}

struct split split_bytes(const struct pace *first, const struct pace *second, int64_t bytes)
{
	double share = share_of_second(first, second, (double)bytes);
	int64_t most = share > 0 ? (int64_t)fmin(share, (double)bytes) : 0;
	struct split s = {.first = (bytes - most + SPLIT_BYTES - 1) / SPLIT_BYTES * SPLIT_BYTES};

	s.first = s.first < bytes ? s.first : bytes;
	s.second = bytes - s.first;
	s.together = fmax(time_of(first, s.first), time_of(second, s.second));
	s.alone = time_of(first, bytes);
	return s;
}

double split_pays_from(const struct pace *first, const struct pace *second)
{
	return second->fixed > first->fixed ? (second->fixed - first->fixed) / first->per_byte : 0;
}

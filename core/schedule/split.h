#ifndef SCCL_CORE_SCHEDULE_SPLIT_H
#define SCCL_CORE_SCHEDULE_SPLIT_H

/*
 * Splits one buffer between two networks that are used in parallel: each runs its own program on its part of the
 * buffer, and the parts are such that both finish at the same time (Blink, MLSys 2020, section 3.4). If a part of x
 * bytes takes fixed + x per_byte, with BW = 1 / per_byte, that is equation 8:
 *
 *   D_second = D BW_second / (BW_first + BW_second) - T_dpa BW_first BW_second / (BW_first + BW_second)
 *
 * T_dpa is the additional startup time of the second network: the time to switch to it, and the difference of
 * latencies.
 */

#include <stdint.h>

/* What a program takes: µs independent of the size, and µs per byte of one rank's input, which must be positive. */
struct pace {
	double fixed, per_byte;
};

/* The second part begins at a multiple of this: of the size of every element type, and of a cache line. */
enum { SPLIT_BYTES = 64 };

struct split {
	int64_t first, second;   /* bytes: the beginning of the buffer, and the rest */
	double together, alone;  /* µs for the split, and for the first network with the whole buffer */
};

/* Splits BYTES, at least 0. If equation 8 gives a negative size for the second part, it is empty. */
struct split split_bytes(const struct pace *first, const struct pace *second, int64_t bytes);

/* The size in bytes beyond which the second network gets a part; 0: always. */
double split_pays_from(const struct pace *first, const struct pace *second);

#endif

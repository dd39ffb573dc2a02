#ifndef SCCL_CORE_SCHEDULE_SPLIT_H
#define SCCL_CORE_SCHEDULE_SPLIT_H

/*
 * One buffer over two networks beside each other: each has a program of its own, and a share such that both end at once (Blink, MLSys
 * 2020, section 3.4). With T of a share x as fixed + x per_byte, and 1 / per_byte called BW, that is equation 8:
 *
 *   D_second = D BW_second / (BW_first + BW_second) - T_dpa BW_first BW_second / (BW_first + BW_second)
 *
 * T_dpa is what the second takes longer to begin: to switch to it, and its latencies less those of the first.
 */

#include <stdint.h>

/* µs that a program takes, and µs for each byte of one rank's input; the latter is more than 0. */
struct pace {
	double fixed, per_byte;
};

/* Shares begin at multiples of so many bytes: of every type's elements, and of a line of memory. */
enum { SPLIT_BYTES = 64 };

struct split {
	int64_t first, second;   /* bytes: the buffer's beginning, and the rest */
	double together, alone;  /* µs of both, and of the first with all of it */
};

/* Of BYTES, 0 or more. A share that would come out less than nothing is nothing. */
struct split split_bytes(const struct pace *first, const struct pace *second, int64_t bytes);

/* The bytes beyond which the second gets a share; 0: always. */
double split_pays_from(const struct pace *first, const struct pace *second);

#endif

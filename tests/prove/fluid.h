#ifndef SCCL_TESTS_PROVE_FLUID_H
#define SCCL_TESTS_PROVE_FLUID_H

/*
 * What schedules can do. Where all delays are multiples of a tick, bytes that are sent evenly in one tick arrive evenly in
 * a later one, and are passed on as they come. So the most bytes that such schedules bring to all nodes by a time are the
 * optimum of a linear program.
 */

#include "core/base/rational.h"

struct collective;
struct topology;

enum { TICKS_PER_US = 2 };

/*
 * The bytes of one input of K that can at least get where they must in TICKS: the larger number of fair shares and service
 * in order. Links have the latencies of their kinds, which are whole ticks, as are the STEP µs that a step costs besides.
 * For up to 4 nodes, with up to 3 links in a route. 0: nothing is known, or nothing has to be sent.
 */
double fluid_bytes(const struct topology *t, const struct collective *k, struct rational step, int ticks);

#endif

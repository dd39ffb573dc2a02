#ifndef SCCL_SIMULATE_FABRIC_REGIONS_H
#define SCCL_SIMULATE_FABRIC_REGIONS_H

/* Where the routes of a fabric differ in speed by a factor: parts of it that fast ones join. */

struct fabric;

/*
 * Rates in bytes per µs, ascending, at most N: some route has such a rate, and those that are slower are so by a factor of 1.5 or
 * more. Returns how many.
 */
int fabric_gaps(const struct fabric *f, double *into, int n);

/* Sets the region of each node, from 0 on: routes of at least RATE join them. Returns the number of regions. */
int fabric_regions(const struct fabric *f, double rate, int *region);

#endif

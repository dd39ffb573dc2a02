#ifndef SCCL_SIMULATE_TIME_BOUND_H
#define SCCL_SIMULATE_TIME_BOUND_H

/*
 * Lower bounds on the time of any schedule of a collective in the model of simulate/simulator.h, whether messages start in
 * steps or by dataflow, share links fairly or are served in order, and however small or many they are. Every bound has the
 * form a + b L; docs/concepts/simulation.md, "Lower bounds".
 */

#include <stdbool.h>
#include <stddef.h>

struct bounds;
struct collective;
struct error;
struct speeds;
struct topology;

/* No schedule is faster than LATENCY + PER_BYTE * L. */
struct time_line {
	double latency;  /* µs */
	double per_byte; /* µs per byte of one rank's input */
};

/* The largest of its lines holds; released by time_bound_free. */
struct time_bound {
	size_t n;
	struct time_line *lines; /* by ascending per_byte, each the largest somewhere; owned */
	double least_latency;    /* µs of the quickest route, or less: of each step */
	struct time_line cut;    /* one of the bounds by R/C; 0: not known */
};

/*
 * Computes the bounds of K on T. BOUNDS: those of bounds_compute, whose R/C then counts too; NULL: not known. False
 * with *e set as fabric_open does, and nothing to free.
 */
bool time_bound_new(const struct topology *t, const struct collective *k, const struct speeds *s, const struct bounds *bounds,
		    struct time_bound *out, struct error *e);
void time_bound_free(struct time_bound *b);

/* µs for an input of BYTES per rank; and by R/C alone. */
double time_bound_at(const struct time_bound *b, double bytes);
double time_bound_cut(const struct time_bound *b, double bytes);

#endif

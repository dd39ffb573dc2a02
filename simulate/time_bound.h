#ifndef SCCL_SIMULATE_TIME_BOUND_H
#define SCCL_SIMULATE_TIME_BOUND_H

/*
 * Lower bounds on the time of any schedule of a collective in the model of simulate/simulator.h, whether messages start in
 * steps or by dataflow, share links fairly or are served in order, and however small or many they are. Every bound is a line
 * a + b L, or the smaller of two lines; docs/concepts/simulation.md, "Lower bounds".
 */

#include "core/base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct bounds;
struct collective;
struct error;
struct speeds;
struct topology;

/* What shows a line (docs/reference/proofs.md, "Bounds on time"). */
enum time_reason {
	TIME_NOTHING,  /* none is needed: the line is 0 */
	TIME_INTO,     /* what must enter NODE, or a set for NODE or any node of it, from AWAY or farther, over what the resources let in */
	TIME_OUT_OF,   /* what must leave NODE for a node AWAY or farther, over what the resources let out */
	TIME_CUT,      /* what crosses the cut of the bounds, over what the resources let through */
	TIME_ROUNDS,   /* the R/C of the bounds, in the fastest units of the machine */
	TIME_RELAYS_OUT_OF, TIME_RELAYS_INTO, /* see struct time_bend */
	TIME_DIRECT_OUT_OF, TIME_DIRECT_INTO, /* the same, of nodes to or from which the quickest route takes AWAY */
};

/* No schedule is faster than LATENCY + PER_BYTE * L. */
struct time_line {
	double latency;  /* µs */
	double per_byte; /* µs per byte of one rank's input */
	enum time_reason reason;
	int node;        /* TIME_INTO: -1: any of the set */
	double away;     /* µs; not of relays */
	bool at_end;     /* TIME_INTO of a set, TIME_CUT, relays: routes are counted at the last resource of OVER, else at the first */
	bool *inside;    /* TIME_INTO: [node]: in the set; NULL: NODE alone. Owned. */
	size_t n_over;
	int *over;       /* resources of the fabric that carry all that is counted; owned */
};

/*
 * What at least COPIES others want of NODE is sent to each of them by NODE, or passed on by a node to which it was sent
 * early enough; or the same backwards for sums at NODE. The smaller of both lines holds.
 */
struct time_bend {
	struct time_line early, late; /* EARLY: if nothing is passed on; LATE: if something is, and the owner of the lists */
	int copies;
};

/* No schedule of BYTES of one rank's input, or more, takes less than MICROSECONDS. */
struct time_point {
	int64_t bytes;
	double microseconds;
	struct text claim; /* what shows it, as in a certificate; owned */
};

/* The largest of its lines, bends and points holds; released by time_bound_free. */
struct time_bound {
	size_t n_bends;
	struct time_bend *bends; /* owned */
	size_t n;
	struct time_line *lines; /* by ascending per_byte, each the largest somewhere; owned */
	size_t n_points;
	struct time_point *points; /* owned */
	double least_latency;    /* µs that every step takes at least: the delay of the quickest route, or less */
	struct time_line cut;    /* that by R/C alone; 0: not known */
};

/*
 * Computes the bounds of K on T. BOUNDS: those of bounds_compute, whose R/C then counts too; NULL: not known. False
 * with *e set as fabric_open does, and nothing to free.
 */
bool time_bound_new(const struct topology *t, const struct collective *k, const struct speeds *s, const struct bounds *bounds,
		    struct time_bound *out, struct error *e);
void time_bound_free(struct time_bound *b);

/* What bounds are of. Everything is borrowed. */
struct time_subject {
	const struct topology *topology;
	const struct collective *collective;
	const struct speeds *speeds; /* without a buffer */
	const struct bounds *bounds; /* those given to time_bound_new; may be NULL */
};
/*
 * Adds points for those of the N sizes, ascending, for which a linear program over expanded time shows more (simulate/time_expanded.c),
 * as far as the machine is small, the speeds are multiples of 1e-6 µs, and the time suffices (core/base/stop.h).
 */
void time_bound_expand(struct time_bound *b, const struct time_subject *of, size_t n, const int64_t *sizes);
/*
 * Appends a file of format "sccl-time-bound" (docs/reference/formats.md): the lines, bends and points of B, rounded down, with what
 * shows each. Left out is what has no certificate: the R/C of a scan. False with *e set: the step cost has no default for a
 * kind of link, or α or β has no exact decimal.
 */
bool time_bound_write(const struct time_bound *b, const struct time_subject *of, struct text *into, struct error *e);

extern const char *const time_reason_names[]; /* "into" */
/* The largest line for an input of BYTES per rank; if a bend is larger, its late line; NULL: a point is larger. */
const struct time_line *time_bound_line(const struct time_bound *b, double bytes);
double time_bound_at(const struct time_bound *b, double bytes);  /* µs of the largest line, bend or point */
double time_bound_cut(const struct time_bound *b, double bytes); /* µs by R/C alone */

#endif

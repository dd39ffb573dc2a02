#ifndef SCCL_INTEROP_MACHINES_SPEEDS_H
#define SCCL_INTEROP_MACHINES_SPEEDS_H

/* Links with speeds in GB/s, as most formats state them, and the topology in whole units that follows from them. */

#include "core/base/rational.h"

#include <stdbool.h>
#include <stddef.h>

struct error;
struct text;
struct topology;

struct speed_link {
	int src, dst;                         /* nodes first, then switches */
	struct rational gigabytes_per_second; /* positive */
	struct rational latency_us;           /* den 0: as the row of KIND assumes */
	const char *kind;                     /* static: a name of speeds_latency's table, or any other */
};

struct speed_links {
	size_t n, capacity;
	struct speed_link *of; /* owned */
};

/* A stated latency times NUM / DEN, in us. False: it is negative, or no latency of a link (more than 1000 s). */
bool speeds_latency_us(struct rational stated, int64_t num, int64_t den, struct rational *us);

/* A directed link; links of the same pair add up. */
void speeds_add(struct speed_links *l, int src, int dst, struct rational speed, struct rational latency, const char *kind);
void speeds_add_both(struct speed_links *l, int a, int b, struct rational speed, struct rational latency, const char *kind);
void speeds_free(struct speed_links *l);

/*
 * The topology of these links, validated by the reader of topology files and owned by the caller. The unit of bandwidth
 * is the greatest common divisor of all speeds; if that would give a link more than UNITS_MAX units, speeds are
 * rounded, and NOTES gets a line that says so. NULL with *e set. DESCRIPTION and SOURCE may be NULL.
 */
struct speeds_head {
	const char *path, *name, *description, *source;
	int nodes, switches;
};
struct topology *speeds_topology(const struct speeds_head *head, struct speed_links *l, struct text *notes, struct error *e);

/* T after a pass through the reader of topology files, for errors at PATH; the caller owns it, NULL with *e set. */
struct topology *machines_judged(const struct topology *t, const char *path, struct error *e);

enum { UNITS_MAX = 64 };

#endif

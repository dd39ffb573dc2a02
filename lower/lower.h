#ifndef SCCL_LOWER_LOWER_H
#define SCCL_LOWER_LOWER_H

/*
 * Lowering: turns a verified schedule into the C source of a program. This is the public interface of lower/ for cli/;
 * only the MSCCL plans (lower/plans/msccl.h) have one of their own.
 */

#include "core/base/text.h"
#include "lower/program/kernels.h"

struct algorithm;
struct error;

/* What --target accepts. What a new target takes is in CONTRIBUTING.md. */
struct target {
	const char *name;   /* "host" */
	const char *suffix; /* ".c" */
	const char *about;
};
/* The table of targets, static and sorted by name; *n is its length. */
const struct target *lower_targets(size_t *n);
/* The target called NAME, static. NULL with *e set: there is none. */
const struct target *lower_target(const char *name, struct error *e);

/* Lowering takes about 700 bytes of memory per send. */
enum { LOWERED_SENDS_MAX = 1 << 20 };
/* SCCL_PARTS_MOST of sccl/device.h: up to this, spans are computed without divisions. */
enum { LOWERED_CHUNKS_MAX = 1 << 21 };

/* False with *e set: A has more than LOWERED_SENDS_MAX sends or LOWERED_CHUNKS_MAX chunks. */
bool lower_fits(const struct algorithm *a, struct error *e);

/* The source of one kernel. */
struct lowered_unit {
	char *file; /* its name: "NAME.f32_sum.cu" */
	struct text source;
};

/* A generated program. The caller releases it with lowered_free. */
struct lowered {
	char *name;               /* an identifier: file name without suffix, and symbol of the sccl_program_t */
	struct text source, header;
	size_t n_units;           /* 0 unless the kernels are split off; then source and units together are the program */
	struct lowered_unit *units;
};

/*
 * Verifies A once more, builds and schedules its program in both protocols, checks them (races, deadlock, coverage) and
 * emits their source for target T with the kernels of K (NULL: all of them). False with *e set and *out empty: A has
 * more than LOWERED_SENDS_MAX sends or does not verify, the program would be too large, or a check rejected it; the
 * message gives the place.
 */
bool lower(const struct algorithm *a, const struct target *t, const struct kernels *k, struct lowered *out,
	   struct error *e);
void lowered_free(struct lowered *l);

/* Do the generated headers HEADER (found in a file) and OURS carry the digests of two different schedules? False if
 * either has no digest. */
bool header_is_of_another(const char *header, const char *ours);

/*
 * Builds the programs of A, which must verify, and finds the order in which they add (lower/program/order.h), in all
 * protocols but the one whose sums a switch adds, in an order of its own: struct kernels can leave that out. *SAME: it is the
 * same for every element, whatever the size of a call, the protocol and the number of blocks; TEXT gets the order, and
 * otherwise the reason. With ROUNDING, sums are also rounded at the same places (kernels_round). False with *e set: A cannot
 * be lowered.
 */
bool lower_order(const struct algorithm *a, bool rounding, bool *same, struct text *text, struct error *e);

/* The name that lower() will give the program. The caller frees it. */
char *lower_name(const struct algorithm *a);

#endif

#ifndef SCCL_LOWER_PLANS_MSCCLPP_H
#define SCCL_LOWER_PLANS_MSCCLPP_H

/*
 * Exports a schedule as a plan for MSCCL++ 0.9 and later, in its JSON. Each rank has a thread block for each peer, which
 * puts into the peer's memory, signals, and waits for the peer's signals; blocks of a rank meet where one needs what
 * another received. Where switches copy and add, and all that is sent is multicasts and sums of theirs, it goes through
 * switch channels (mscclpp_switch.c). docs/reference/formats.md describes the plan and how MSCCL++ gets it.
 */

#include <stdbool.h>
#include <stdint.h>

struct algorithm;
struct error;
struct text;

struct mscclpp_options {
	bool in_place;
	bool packets; /* "LL": data with flags; for small sizes */
	/*
	 * Everything that arrives, and every sum, is kept in scratch until all blocks of its rank have met for the last
	 * time: slower, and surely in order where a place would otherwise be written while others may still read it.
	 */
	bool staged;
	int64_t least_bytes, most_bytes; /* 0: no limit */
};

/*
 * Verifies A, plans it, and appends it to INTO as JSON. False with *e set and nothing appended: A has more than
 * LOWERED_SENDS_MAX sends or does not verify, MSCCL++ has no such collective, or a limit of MSCCL++ is passed, which is
 * named. Whether the plan is right is for interop/plans to find, which shares nothing with this.
 */
bool mscclpp_export(const struct algorithm *a, const struct mscclpp_options *o, struct text *into, struct error *e);

/*
 * Appends a Python file that registers the plan in the file PLAN, for a program that uses MSCCL++'s algorithm collection.
 */
void mscclpp_register(const struct algorithm *a, const char *plan, struct text *into);

/* The limits of MSCCL++; more are in mscclpp_blocks.h. */
enum { MSCCLPP_PLACES_MAX = 8, MSCCLPP_BLOCKS_MAX = 108 };

#endif

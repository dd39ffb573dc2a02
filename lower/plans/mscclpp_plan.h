#ifndef SCCL_LOWER_PLANS_MSCCLPP_PLAN_H
#define SCCL_LOWER_PLANS_MSCCLPP_PLAN_H

/* A plan for MSCCL++ as its parts. Internal to lower/plans/. */

#include "lower/plans/mscclpp.h"
#include "lower/plans/mscclpp_blocks.h"

struct mscclpp_plan {
	const char *name, *collective; /* borrowed */
	int ranks;
	struct pp_rank *of; /* borrowed */
};

struct pushes;

/* mscclpp_switch.c: the same through switch channels, into R, whose blocks and numbers of chunks are set. False, and nothing is
 * done: switches do not copy and add, or A sends otherwise than they do. */
bool mscclpp_through_switches(const struct algorithm *a, const struct mscclpp_options *o, const struct pushes *pushes, struct pp_rank *r);

/* mscclpp_text.c: appends it as JSON. */
void mscclpp_write(const struct mscclpp_plan *p, const struct mscclpp_options *o, struct text *into);

#endif

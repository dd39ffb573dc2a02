#ifndef SCCL_INTEROP_PLANS_LIMITS_H
#define SCCL_INTEROP_PLANS_LIMITS_H

#include "interop/plans/lint.h"

/* Adds to F the limits of CONSUMER that P passes; BYTES: of its file. */
void plan_check_limits(const struct foreign_plan *p, enum plan_consumer consumer, const char *bytes, struct plan_faults *f);

#endif

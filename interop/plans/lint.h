#ifndef SCCL_INTEROP_PLANS_LINT_H
#define SCCL_INTEROP_PLANS_LINT_H

/* Is a plan of another library right, and would its consumer load it? */

#include "interop/plans/plan.h"

enum plan_consumer { FOR_MSCCLPP, FOR_MSCCL, FOR_RCCL, FOR_AZURE, CONSUMERS, FOR_ANY = -1 };
extern const char *const plan_consumer_names[]; /* NULL-terminated */

/* Reads a plan, by content. NULL with *e set. */
struct foreign_plan *plan_open(const char *path, struct error *e);
/* The same for the N bytes, which end with a NUL; errors call them PATH. */
struct foreign_plan *plan_parse(const char *path, const char *bytes, size_t n, struct error *e);

/*
 * Adds to F what is wrong with P: what plan_play finds in each mode that it states, and limits of CONSUMER (FOR_ANY: of
 * none) that it passes. BYTES: of its file, for what a consumer's own reader of XML does not take. NOTES gets remarks, one
 * a line. False with *e set: too large to be played.
 */
bool plan_lint(const struct foreign_plan *p, enum plan_consumer consumer, const char *bytes, struct plan_faults *f, struct text *notes, struct error *e);

/* Appends for which sizes and counts the consumer takes P, as lines of text. */
void plan_sizes(const struct foreign_plan *p, struct text *into);

#endif

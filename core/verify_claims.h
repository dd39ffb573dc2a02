#ifndef SCCL_CORE_VERIFY_CLAIMS_H
#define SCCL_CORE_VERIFY_CLAIMS_H

#include <stdbool.h>
#include <stddef.h>

struct algorithm;

/* Are the bounds and the optimality that an algorithm states those that core/bounds.h computes anew? WHY: which is not. A
 * refutation itself is taken at its word here: its proof is checked apart. */
bool claims_hold(const struct algorithm *a, char *why, size_t size);

#endif

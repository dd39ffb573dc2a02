#ifndef SCCL_PROVE_TIME_EXPANDED_H
#define SCCL_PROVE_TIME_EXPANDED_H

/* Lines that prices in expanded time show: docs/reference/proofs.md, "expanded_time". */

#include "prove/time_count.h"

/* Is the line shown for inputs of its number of bytes, and more? NULL; or what is wrong, static. */
const char *time_expanded_fault(const struct time_checking *k, const struct time_claim *c);

#endif

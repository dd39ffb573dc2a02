#ifndef SCCL_PROVE_PROGRAM_PRICES_H
#define SCCL_PROVE_PROGRAM_PRICES_H

/* Prices of edges and limits by step, expanded and added up. */

#include "prove/program.h"
#include "prove/tree_table.h"

__extension__ typedef unsigned __int128 wide;

/* Released by free(costs.of). */
struct expanded_prices {
	struct step_costs costs; /* what a chunk pays for each edge: its own price, and those of the limits on it */
	wide round;              /* the most that one round of any step can pay */
};

/* False with *OUT empty: WHY is one line, or *TOO_LARGE is set. */
bool step_program_expand(const struct network *w, const struct step_program *p, struct expanded_prices *out,
			 char why[PROGRAM_WHY], bool *too_large);

#endif

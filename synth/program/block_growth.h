#ifndef SCCL_SYNTH_PROGRAM_BLOCK_GROWTH_H
#define SCCL_SYNTH_PROGRAM_BLOCK_GROWTH_H

/* The cheapest timed tree where nodes are interchangeable together with a partner: two boxes joined by links between pairs. */

#include "synth/program/tree_growth.h"

/*
 * Answers the question, adding to what *OUT says, as tree_growth_cheapest; q->left is used if it is known. False: there are
 * too many states, or the deadline has come (core/base/stop.h), and *OUT is unchanged.
 */
bool block_growth_cheapest(const struct tree_question *q, struct priced_tree *out);

#endif

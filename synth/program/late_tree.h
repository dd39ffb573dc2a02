#ifndef SCCL_SYNTH_PROGRAM_LATE_TREE_H
#define SCCL_SYNTH_PROGRAM_LATE_TREE_H

/* A timed tree for one more chunk in the room that others leave. */

#include "synth/program/room.h"
#include "synth/program/timed_tree.h"

/*
 * For a chunk of a commodity with ROLE [node]. Its loads are added to R. The caller frees out->of. False: none was found,
 * and nothing has changed; there may be one.
 */
bool late_tree_find(struct room *r, const uint8_t *role, struct timed_tree *out);

#endif

#ifndef SCCL_LOWER_PROGRAM_SHARED_H
#define SCCL_LOWER_PROGRAM_SHARED_H

/*
 * Rewrites a program so that ranks read each other's inputs, which must then lie in memory that all ranks can read: what a
 * rank would only copy from its input into a peer's scratch slot stays where it is, and the peer reads it there when it
 * needs it. This saves a write and a read of each such byte, and the slots. The signals stay; they now say that the input is
 * there, and later ones that it has been read.
 */

struct program;

/* Returns the rewritten program (`shared` is set), which has passed program_check and program_interpret; NULL: nothing would
 * change. P must be a scheduled program with flags
 * (program_build), before program_sync. The caller releases the result with program_free. */
struct program *program_share(const struct program *p);

#endif

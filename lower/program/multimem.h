#ifndef SCCL_LOWER_PROGRAM_MULTIMEM_H
#define SCCL_LOWER_PROGRAM_MULTIMEM_H

/*
 * Rewrites a program for switches that copy and add (core/machine/topology.h; on NVIDIA GPUs the instructions multimem.st
 * and multimem.ld_reduce): what a rank reads from the inputs of all ranks is loaded as one sum, and what it writes to the
 * outputs of all ranks is stored once.
 */

struct program;

/* Returns the rewritten program, which has passed program_check and program_interpret. NULL: nothing would change, or the
 * ranks are not joined, each pair by one hop, by switches that copy and add. P must be a scheduled program with flags
 * (program_build, program_share), before program_sync. The caller releases the result with program_free. */
struct program *program_multimem(const struct program *p);

#endif

#ifndef SCCL_SYNTH_PROGRAM_PARTIAL_SUMS_H
#define SCCL_SYNTH_PROGRAM_PARTIAL_SUMS_H

/* Which sends of an allreduce add to a value, and which replace it. */

struct dropping_patterns;
struct step;

/*
 * Of N STEPS whose sends are all copies yet, on at most 64 nodes: makes those that add to a value, or to what another send
 * brings in the same step, reduces. DROPPING (or NULL): patterns that may be among them. Values that a pattern of sends
 * does not allow are left to the verifier.
 */
void partial_sums_tell_apart(struct step *steps, int n, int chunks, int nodes, const struct dropping_patterns *dropping);

#endif

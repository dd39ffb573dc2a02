#ifndef SCCL_SYNTH_REPLICATE_DISTRIBUTE_H
#define SCCL_SYNTH_REPLICATE_DISTRIBUTE_H

/*
 * An algorithm for several copies of a machine out of algorithms for one: what the tool of the SCCL paper's authors calls a
 * distributor (docs/howto/scale-out.md has what each kind becomes). Node n of copy c is node c L + n of the whole.
 */

#include "core/schedule/algorithm.h"

struct error;

/*
 * LOCAL: one algorithm (an alltoall, allgather, broadcast, gather, or an inverse of these), in full and verified; or two: a gather
 * and a scatter of the same roots' number make an alltoall, a reducescatter and an allgather an allreduce. T has two copies or more,
 * each with the links that LOCAL uses. STEPS: what is carried between copies comes in several groups, each played while the next
 * is carried, so that there are so many steps or fewer, and fewer rounds; 0: in one group. Verified and classified, or NULL with
 * *e set.
 */
struct algorithm *distributed(const struct topology *t, struct algorithm *const *local, size_t n_local, int steps, struct error *e);

#endif

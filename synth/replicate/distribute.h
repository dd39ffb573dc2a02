#ifndef SCCL_SYNTH_REPLICATE_DISTRIBUTE_H
#define SCCL_SYNTH_REPLICATE_DISTRIBUTE_H

/*
 * Builds an algorithm for several copies of a machine from algorithms for one copy: what the tool of the SCCL paper's
 * authors calls a distributor (docs/howto/scale-out.md lists what each kind becomes). Node n of copy c is node c L + n
 * of the whole machine, where L is the number of nodes of one copy.
 */

#include "core/schedule/algorithm.h"

struct error;

/*
 * LOCAL: one algorithm (an alltoall, allgather, broadcast, gather, or an inverse of these), expanded and verified; or
 * two, in either order: a gather and a scatter with the same number of roots make an alltoall, a reducescatter and an
 * allgather an allreduce. T consists of two copies or more, each with the links that LOCAL uses. STEPS: the most steps
 * allowed. Chunks of other copies are then received in several groups, each distributed within the copies while the
 * next is delivered between them, which takes more steps but usually fewer rounds; one group is used if that fits and
 * takes fewer. 0: any number of steps, and one group. The result is the caller's, verified and classified, or NULL with
 * *e set (ERROR_INPUT if it takes more than STEPS).
 */
struct algorithm *distributed(const struct topology *t, struct algorithm *const *local, size_t n_local, int steps, struct error *e);

#endif

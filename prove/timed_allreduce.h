#ifndef SCCL_PROVE_TIMED_ALLREDUCE_H
#define SCCL_PROVE_TIMED_ALLREDUCE_H

/* Bounds for a given number of steps of an allreduce that is asked about directly. */

#include "prove/proof.h"

struct network;

/*
 * The R/C that the cuts force on the network W in t->steps steps. 0: no bound; a symmetry that is not an automorphism of W
 * gives none.
 */
struct rational timed_allreduce_bandwidth(const struct network *w, const struct timed *t);

#endif

#ifndef SCCL_SYNTH_PROGRAM_HUB_ORBITS_H
#define SCCL_SYNTH_PROGRAM_HUB_ORBITS_H

/* Cores that a symmetry of the machine maps to each other: one of them stands for all, at prices that are as symmetric. */

#include "synth/program/hub_cores.h"

/*
 * Fills WHICH [cores->n] with cores, ascending, of which all others are images under the group that N automorphisms
 * generate (generator g maps node v to GENERATORS [g * P + v]), as far as their images are among the cores. Their number.
 */
size_t hub_cores_apart(const struct network *w, const struct hub_cores *cores, const int *generators, size_t n, size_t *which);

#endif

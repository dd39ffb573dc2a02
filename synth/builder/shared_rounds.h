#ifndef SCCL_SYNTH_BUILDER_SHARED_ROUNDS_H
#define SCCL_SYNTH_BUILDER_SHARED_ROUNDS_H

/*
 * The fewest rounds of a step where switches copy and add, so that sends of one chunk may share a link
 * (core/machine/network.h); network_rounds counts them all.
 */

#include <stdbool.h>
#include <stddef.h>

struct error;
struct network;
struct step;

/*
 * Sets the rounds of each of the N steps, whose sends must be over edges of W, to the fewest that carry it, at least 1.
 * NAME is the method's, for errors: ERROR_LIMIT for too many rounds.
 */
bool shared_rounds_set(const struct network *w, const char *name, struct step *steps, size_t n, struct error *e);

#endif

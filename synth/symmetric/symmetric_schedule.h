#ifndef SCCL_SYNTH_SYMMETRIC_SYMMETRIC_SCHEDULE_H
#define SCCL_SYNTH_SYMMETRIC_SYMMETRIC_SCHEDULE_H

/*
 * The schedule of node 0's chunks on a machine with a regular group (core/symmetry/transitive_group.h) while it is drawn: those of all others
 * are its images, and a link carries what all links of its direction carry.
 */

#include "core/schedule/algorithm.h"
#include "core/schedule/instance.h"
#include "core/symmetry/transitive_group.h"

struct sketch {
	const struct regular *g;  /* borrowed */
	const struct instance *i; /* borrowed */
	int steps;
	struct step *of;          /* [steps]; owned until taken */
	size_t *room;             /* [steps] */
	int64_t *loads;           /* [steps * neighbours]: what goes in each direction */
	int *way;                 /* [edge]: its direction, as an index of a neighbour of 0 */
	int *bandwidth;           /* [neighbour]: of the links of that direction */
};

struct sketch sketch_new(const struct regular *g, const struct instance *i, int steps);
void sketch_free(struct sketch *d);

int sketch_diameter(const struct network *w); /* the same from every node */

/* In step STEP, counted from 0. */
void sketch_send(struct sketch *d, int step, int chunk, int edge);

/* Sets the rounds that the loads need; steps and rounds that are over go to the end. False: they do not suffice. */
bool sketch_fit(struct sketch *d, int steps, int rounds);

/* Numbers without an order to see, the same in every run. */
uint64_t sketch_random(uint64_t *state);

/* The ways to draw; ATTEMPT counts from 0, and another gives another sketch. False: none by this way. */
bool sketch_layers(struct sketch *d, int rounds, int attempt); /* allgather, each step for itself */
bool sketch_late(struct sketch *d, int rounds, int attempt);   /* allgather, full steps: what does not fit waits */
bool sketch_turned(struct sketch *d, int rounds, int attempt); /* alltoall, one tree turned */
bool sketch_shop(struct sketch *d, int rounds, int attempt);   /* alltoall, hops in any order */

#endif

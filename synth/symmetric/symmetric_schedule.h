#ifndef SCCL_SYNTH_SYMMETRIC_SYMMETRIC_SCHEDULE_H
#define SCCL_SYNTH_SYMMETRIC_SYMMETRIC_SCHEDULE_H

/*
 * The schedule of node 0's chunks on a machine with a regular group (core/symmetry/transitive_group.h) while it is drawn: those of all others
 * are its images, and a link carries what all links of its direction carry.
 */

#include "core/schedule/algorithm.h"
#include "core/schedule/instance.h"
#include "core/symmetry/transitive_group.h"

struct symmetric_schedule {
	const struct transitive_group *g;  /* borrowed */
	const struct instance *i; /* borrowed */
	int steps;
	struct step *of;          /* [steps]; owned until taken */
	size_t *room;             /* [steps] */
	int64_t *loads;           /* [steps * neighbours]: what goes in each direction */
	int *way;                 /* [edge]: its direction, as an index of a neighbour of 0 */
	int *bandwidth;           /* [neighbour]: of the links of that direction */
};

struct symmetric_schedule symmetric_schedule_new(const struct transitive_group *g, const struct instance *i, int steps);
void symmetric_schedule_free(struct symmetric_schedule *d);

int symmetric_schedule_diameter(const struct network *w); /* the same from every node */

/* In step STEP, counted from 0. */
void symmetric_schedule_send(struct symmetric_schedule *d, int step, int chunk, int edge);

/* Sets the rounds that the loads need; steps and rounds that are over go to the end. False: they do not suffice. */
bool symmetric_schedule_fit(struct symmetric_schedule *d, int steps, int rounds);

/* Numbers without an order to see, the same in every run. */
uint64_t symmetric_schedule_random(uint64_t *state);

/* The ways to draw; ATTEMPT counts from 0, and another gives another sketch. False: none by this way. */
bool layered_allgather(struct symmetric_schedule *d, int rounds, int attempt); /* allgather, each step for itself */
bool greedy_allgather(struct symmetric_schedule *d, int rounds, int attempt);   /* allgather, full steps: what does not fit waits */
bool rotational_alltoall(struct symmetric_schedule *d, int rounds, int attempt); /* alltoall, one tree turned */
bool open_shop_alltoall(struct symmetric_schedule *d, int rounds, int attempt);   /* alltoall, hops in any order */

#endif

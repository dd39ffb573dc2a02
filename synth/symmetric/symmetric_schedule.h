#ifndef SCCL_SYNTH_SYMMETRIC_SYMMETRIC_SCHEDULE_H
#define SCCL_SYNTH_SYMMETRIC_SYMMETRIC_SCHEDULE_H

/*
 * A symmetric schedule under construction: the sends of node 0's chunks on a machine with a regular group
 * (core/symmetry/transitive_group.h). The schedules of all other nodes are images of it, so that the load of every link
 * is the load of its direction.
 */

#include "core/schedule/algorithm.h"
#include "core/schedule/instance.h"
#include "core/symmetry/transitive_group.h"

struct symmetric_schedule {
	const struct transitive_group *g;  /* borrowed */
	const struct instance *i; /* borrowed */
	int steps;
	struct step *of;          /* [steps]; owned, unless the caller takes it and sets NULL */
	size_t *room;             /* [steps]: capacity of the sends */
	int64_t *loads;           /* [step * neighbours + way]: chunks sent in each direction */
	int *way;                 /* [edge]: its direction, as the index of a neighbour of 0 */
	int *bandwidth;           /* [way]: bandwidth of the links of that direction */
};

/* Without sends; symmetric_schedule_free frees it. */
struct symmetric_schedule symmetric_schedule_new(const struct transitive_group *g, const struct instance *i, int steps);
void symmetric_schedule_free(struct symmetric_schedule *d);

int symmetric_schedule_diameter(const struct network *w); /* the same from every node */

/* Sends CHUNK, a chunk of node 0, over EDGE in STEP, counted from 0. */
void symmetric_schedule_send(struct symmetric_schedule *d, int step, int chunk, int edge);

/* The rounds that all steps need. */
int64_t symmetric_schedule_rounds(const struct symmetric_schedule *d);

/* Sets the rounds of each step from its loads; unused steps and rounds are added at the end. False: STEPS or ROUNDS
 * do not suffice. */
bool symmetric_schedule_fit(struct symmetric_schedule *d, int steps, int rounds);

/* Pseudorandom numbers (splitmix64), the same in every run; *STATE is the seed at first. */
uint64_t symmetric_schedule_random(uint64_t *state);

/* The constructions. They fill an empty D with a schedule of d->steps steps. ATTEMPT, from 0, seeds the random choices;
 * constructions without any ignore it and ROUNDS. False: none was found that takes at most ROUNDS. */
bool layered_allgather(struct symmetric_schedule *d, int rounds, int attempt); /* allgather, each step on its own */
bool hierarchical_allgather(struct symmetric_schedule *d, int rounds, int attempt); /* allgather, between boxes and in them */
bool greedy_allgather(struct symmetric_schedule *d, int rounds, int attempt);   /* allgather, full steps */
bool rotational_alltoall(struct symmetric_schedule *d, int rounds, int attempt); /* alltoall, one tree, rotated */
bool open_shop_alltoall(struct symmetric_schedule *d, int rounds, int attempt);   /* alltoall, hops in any order */

#endif

#ifndef SCCL_SYNTH_FRONTIER_GOSSIP_PROGRAM_H
#define SCCL_SYNTH_FRONTIER_GOSSIP_PROGRAM_H

/*
 * The least rounds in which a mixture of gossips (encode/cnf/gossip.h) fits, each averaged over the automorphisms of the machine and
 * over its reverse: a linear program over the gossips known so far, whose dual prices show what a gossip pays at least.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct algorithm;
struct linear;
struct network;

enum { GOSSIP_LINKS_MOST = 64, GOSSIP_STEPS_MOST = 16 };

/* The sends of each step, a bit for each edge. */
struct gossip_sends {
	uint64_t on[GOSSIP_STEPS_MOST];
};

struct gossip_program {
	const struct network *w;
	int steps, halves; /* halves: steps of which no other is the mirror image */
	int n_orbits, *orbit;        /* [step * n_edges + edge]: under automorphisms and reversal */
	int *step_of, *capacity;     /* [orbit]: its earlier step; of all its members */
	struct linear *l;            /* columns: rounds of the earlier steps, then gossips. Rows: all of a chunk, then orbits */
	size_t n, room, sends_room;
	struct gossip_sends *sends;  /* [gossip] */
	int *loads;                  /* [gossip * n_orbits + orbit] */
	double least, *dual, *price; /* what a gossip pays at the prices DUAL [orbit]; PRICE [cell] */
	uint64_t random;
};

/* W has at most GOSSIP_LINKS_MOST links and nodes, each link in both directions alike, and no limits; STEPS <= GOSSIP_STEPS_MOST. */
void gossip_program_new(struct gossip_program *g, const struct network *w, int steps);
void gossip_program_free(struct gossip_program *g);
/* Of the prices of an edge in a step. */
size_t gossip_program_cell(const struct gossip_program *g, int step, int edge);
/* How many steps the rounds of HALF stand for. */
int gossip_program_times(const struct gossip_program *g, int half);
void gossip_program_add(struct gossip_program *g, const struct gossip_sends *x);
/* Fills the prices. False: not by the deadline (core/base/stop.h). */
bool gossip_program_solve(struct gossip_program *g);
/*
 * Adds the chunks of KNOWN, an algorithm of so many steps (of others, or NULL, none), and what annealing finds, and solves the
 * program. The work is limited. False: it could not be solved by the deadline.
 */
bool gossip_program_generate(struct gossip_program *g, const struct algorithm *known);
/* The rounds of a chunk: no gossips show more. */
double gossip_program_value(const struct gossip_program *g);
/* Leaves out sends that nothing needs, the dearest first. */
void gossip_program_prune(const struct gossip_program *g, struct gossip_sends *x);

#endif

#ifndef SCCL_SYNTH_FRONTIER_SOLVER_POOL_H
#define SCCL_SYNTH_FRONTIER_SOLVER_POOL_H

/* Questions under way: up to N solver processes at once, each with the instance that it reads; or as many as there are workers
 * elsewhere. */

#include "synth/problem/problem.h"

struct lanes;
struct spread;

/* SPREAD: who is asked in place of processes of our own; or NULL. */
struct lanes *lanes_new(const struct problem *p, const struct solve_options *o, int n, struct spread *spread);
void lanes_free(struct lanes *l); /* kills what still runs; NULL is fine */

/* Gives the question up after SECONDS; INFINITY: never. False with *e set: bad input or a fault. Only while lanes_room. */
bool lanes_ask(struct lanes *l, struct candidate c, double seconds, struct error *e);
size_t lanes_size(const struct lanes *l); /* questions that may run at once */
bool lanes_room(const struct lanes *l);
size_t lanes_running(const struct lanes *l, const struct candidate **running);

/* One answer, if there is one within MILLISECONDS: true and *got with the candidate. The steps of a found one are the
 * caller's. False without *e set: none yet. */
bool lanes_answer(struct lanes *l, int milliseconds, struct candidate *c, struct solution *got, struct error *e);
/* Kills every question that IDLE says is idle by now. */
void lanes_drop(struct lanes *l, bool (*idle)(void *context, struct candidate c), void *context);

#endif

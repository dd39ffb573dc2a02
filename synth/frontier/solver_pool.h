#ifndef SCCL_SYNTH_FRONTIER_SOLVER_POOL_H
#define SCCL_SYNTH_FRONTIER_SOLVER_POOL_H

/* Questions under way: up to N solver processes at once, each with the instance that it reads; or as many as there are workers
 * elsewhere. */

#include "synth/problem/problem.h"

struct solver_pool;
struct remote_pool;

/* SPREAD: who is asked in place of processes of our own; or NULL. */
struct solver_pool *solver_pool_new(const struct problem *p, const struct solve_options *o, int n, struct remote_pool *remote);
void solver_pool_free(struct solver_pool *l); /* kills what still runs; NULL is fine */

/* Gives the question up after SECONDS; INFINITY: never. False with *e set: bad input or a fault. Only while solver_pool_room. */
bool solver_pool_ask(struct solver_pool *l, struct candidate c, double seconds, struct error *e);
size_t lanes_size(const struct solver_pool *l); /* questions that may run at once */
bool solver_pool_room(const struct solver_pool *l);
size_t solver_pool_running(const struct solver_pool *l, const struct candidate **running);

/* One answer, if there is one within MILLISECONDS: true and *got with the candidate. The steps of a found one are the
 * caller's. False without *e set: none yet. */
bool solver_pool_answer(struct solver_pool *l, int milliseconds, struct candidate *c, struct solution *got, struct error *e);
/* Kills every question that IDLE says is idle by now. */
void solver_pool_drop(struct solver_pool *l, bool (*idle)(void *context, struct candidate c), void *context);

#endif

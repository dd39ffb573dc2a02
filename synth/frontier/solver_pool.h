#ifndef SCCL_SYNTH_FRONTIER_SOLVER_POOL_H
#define SCCL_SYNTH_FRONTIER_SOLVER_POOL_H

/* The questions being solved: by up to N local solver processes at once, or by remote workers, one question each. */

#include "synth/problem/problem.h"

struct solver_pool;
struct remote_pool;

/* REMOTE: workers that solve in place of local processes, borrowed, and then N is their number; or NULL. P is
 * borrowed until solver_pool_free. */
struct solver_pool *solver_pool_new(const struct problem *p, const struct solve_options *o, int n, struct remote_pool *remote);
void solver_pool_free(struct solver_pool *l); /* cancels what still runs; NULL is fine */

/* Starts a question, to be given up after SECONDS; INFINITY: never. False with *e set: bad input or a fault. To be
 * called only while solver_pool_room. */
bool solver_pool_ask(struct solver_pool *l, struct candidate c, double seconds, struct error *e);
size_t solver_pool_size(const struct solver_pool *l); /* how many questions may run at once */
bool solver_pool_room(const struct solver_pool *l);
size_t solver_pool_running(const struct solver_pool *l, const struct candidate **running);

/* Waits up to MILLISECONDS for an answer: true, with the candidate in *c and the solution in *got, whose steps are the
 * caller's. False: none yet, or *e is set. */
bool solver_pool_answer(struct solver_pool *l, int milliseconds, struct candidate *c, struct solution *got, struct error *e);
/* Cancels every running question for which IDLE returns true: its answer is no longer of use. */
void solver_pool_drop(struct solver_pool *l, bool (*idle)(void *context, struct candidate c), void *context);

#endif

#ifndef SCCL_SYNTH_FRONTIER_REMOTE_POOL_H
#define SCCL_SYNTH_FRONTIER_REMOTE_POOL_H

/*
 * Questions solved by remote workers: the search hands each question to a worker, which solves it in a separate process
 * with solve_start. Questions and results are the same as without workers. A worker that fails or falls silent gets no
 * more questions, and its question is given to another.
 */

#include "synth/problem/problem.h"

struct transport;
struct remote_pool;

/* TELL is called when a worker is given up, with the reason. POST is borrowed until remote_pool_free. */
struct remote_pool *remote_pool_new(const struct transport *post, void (*gone)(int worker, const char *why));
void remote_pool_free(struct remote_pool *s); /* NULL is fine */
int remote_pool_workers(const struct remote_pool *s); /* how many questions at once */
/* Ends all workers that can still be reached. True: no worker was lost, and all processes may shut down together;
 * false: each ends without waiting for the others. */
bool remote_pool_end(struct remote_pool *s);

/* Returns the number of the question, > 0; the question may wait until a worker is free. At most remote_pool_workers
 * may be pending. */
int remote_pool_ask(struct remote_pool *s, const struct problem *p, struct candidate c, const struct solve_options *o);
/* The number of a question that has been answered; 0: none within MILLISECONDS, or *e is set since no worker is
 * left. */
int remote_pool_wait(struct remote_pool *s, int milliseconds, struct error *e);
/* Takes the answer and forgets the question. False with *e set: the question is invalid. The steps are the caller's. */
bool remote_pool_finish(struct remote_pool *s, int number, struct solution *out, struct error *e);
void remote_pool_cancel(struct remote_pool *s, int number);

/* The main loop of a worker, until the search ends it, falls silent, or *INTERRUPTED is set. True: all processes may
 * shut down together. */
bool remote_worker_run(const struct transport *post, const volatile int *interrupted);

#endif

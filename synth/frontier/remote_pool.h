#ifndef SCCL_SYNTH_FRONTIER_REMOTE_POOL_H
#define SCCL_SYNTH_FRONTIER_REMOTE_POOL_H

/*
 * Questions answered elsewhere: the one who walks hands each to a worker, which answers it in a process of its own as solve_start
 * does. What is asked, and what comes of it, is as without workers. A worker that fails, or that is not heard of any more, gets
 * no more questions, and another is asked what it was asked.
 */

#include "synth/problem/problem.h"

struct transport;
struct remote_pool;

/* TELL: a worker is given up, and why. The post must live as long. */
struct remote_pool *remote_pool_new(const struct transport *post, void (*tell)(int worker, const char *why));
void remote_pool_free(struct remote_pool *s); /* NULL is fine */
int remote_pool_workers(const struct remote_pool *s); /* how many questions at once */
/* Ends the workers: all together, which is returned, if all were heard of to the end; else each for itself. */
bool remote_pool_end(struct remote_pool *s);

/* The number of the question, > 0; it may wait until a worker is free. */
int remote_pool_ask(struct remote_pool *s, const struct problem *p, struct candidate c, const struct solve_options *o);
/* The number of one that is answered, or 0: none within MILLISECONDS, or *e is set. */
int remote_pool_wait(struct remote_pool *s, int milliseconds, struct error *e);
/* False with *e set: it cannot be asked. The steps are the caller's. */
bool remote_pool_finish(struct remote_pool *s, int number, struct solution *out, struct error *e);
void remote_pool_cancel(struct remote_pool *s, int number);

/* A worker's whole life, until the other ends it or *INTERRUPTED. True: all may end in an orderly way. */
bool remote_worker_run(const struct transport *post, const volatile int *interrupted);

#endif

#ifndef SCCL_SYNTH_FRONTIER_REMOTE_POOL_H
#define SCCL_SYNTH_FRONTIER_REMOTE_POOL_H

/*
 * Questions answered elsewhere: the one who walks hands each to a worker, which answers it in a process of its own as solve_start
 * does. What is asked, and what comes of it, is as without workers. A worker that fails, or that is not heard of any more, gets
 * no more questions, and another is asked what it was asked.
 */

#include "synth/problem/problem.h"

struct post;
struct spread;

/* TELL: a worker is given up, and why. The post must live as long. */
struct spread *spread_new(const struct post *post, void (*tell)(int worker, const char *why));
void spread_free(struct spread *s); /* NULL is fine */
int spread_workers(const struct spread *s); /* how many questions at once */
/* Ends the workers: all together, which is returned, if all were heard of to the end; else each for itself. */
bool spread_end(struct spread *s);

/* The number of the question, > 0; it may wait until a worker is free. */
int spread_ask(struct spread *s, const struct problem *p, struct candidate c, const struct solve_options *o);
/* The number of one that is answered, or 0: none within MILLISECONDS, or *e is set. */
int spread_wait(struct spread *s, int milliseconds, struct error *e);
/* False with *e set: it cannot be asked. The steps are the caller's. */
bool spread_finish(struct spread *s, int number, struct solution *out, struct error *e);
void spread_cancel(struct spread *s, int number);

/* A worker's whole life, until the other ends it or *INTERRUPTED. True: all may end in an orderly way. */
bool spread_work(const struct post *post, const volatile int *interrupted);

#endif

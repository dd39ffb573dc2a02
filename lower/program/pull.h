#ifndef SCCL_LOWER_PROGRAM_PULL_H
#define SCCL_LOWER_PROGRAM_PULL_H

/*
 * Rewrites a program so that receivers load from peers instead of senders storing there: what a rank would write into the
 * memory of others it keeps in a scratch slot of its own, and its signals say that it is there. A receiver reads it where it
 * lies when it adds or forwards it, or copies it to its output at the end. Nobody writes the memory of others, so there are
 * no offers, and outputs may lie anywhere; every rank leaves only when all others have read what it keeps.
 */

struct error;
struct program;

/* Returns the rewritten program (`pulls` is set), to be judged like P: a scheduled program with flags (program_build), before
 * program_sync. The caller releases the result with program_free. */
struct program *program_pull(const struct program *p);

#endif

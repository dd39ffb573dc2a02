#ifndef SCCL_CLI_COMMANDS_REMOTE_SEARCH_H
#define SCCL_CLI_COMMANDS_REMOTE_SEARCH_H

/* A search over all processes that mpirun started: the first one runs it, and the others solve candidates for it and
 * print nothing. */

struct error;
struct remote_pool;

/*
 * Returns the pool of workers, which is static and ended at exit. NULL without an error: there is only one process, and
 * MPI is not used. NULL with *e set: the processes cannot communicate. In a worker, this does not return: it serves the
 * search until that ends, and exits. The end of the first process, however it comes, ends the others.
 */
struct remote_pool *remote_search_begin(struct error *e);

#endif

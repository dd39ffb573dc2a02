#ifndef SCCL_CLI_COMMANDS_REMOTE_SEARCH_H
#define SCCL_CLI_COMMANDS_REMOTE_SEARCH_H

/* A search over all processes that mpirun started: the first walks, the others answer it and print nothing. */

struct error;
struct remote_pool;

/*
 * NULL without an error: we are alone, and nothing is other than it would be without MPI. What a worker does ends here: it answers
 * until the walk ends, and exits. The end of the process, however it comes, ends the others.
 */
struct remote_pool *remote_search_begin(struct error *e);

#endif

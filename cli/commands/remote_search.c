/* The processes of a search that mpirun started: detects them, serves as a worker, and ends them all. */

#define _DEFAULT_SOURCE /* on_exit */
#include "cli/commands/remote_search.h"

#include "cli/output/command.h"
#include "cli/commands/transport.h"
#include "core/base/text.h"
#include "synth/frontier/remote_pool.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { LAST_SECONDS = 3 };

static struct transport post;
static struct remote_pool *remote;

/* The number of processes, from the environment variables that Open MPI, MPICH and Slurm set. */
static int ranks_announced(void)
{
	static const char *const names[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"};
	int64_t n = 1;

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		const char *value = getenv(names[i]);
		if (value && parse_integer(value, 1, 1 << 20, &n))
			return (int)n;
	}
	return 1;
}

static void report_lost_worker(int worker, const char *why)
{
	fprintf(stderr, "sccl-synth: worker %d: %s; the others continue\n", worker, why);
}

/* Runs at exit, last of all. If some workers do not respond, MPI_Finalize would wait for them forever. */
static void end(int status, void *unused)
{
	bool whole = remote_pool_end(remote);

	(void)unused;
	if (interrupted) {
		/* The signal may have ended other processes, for which MPI would wait. */
		signal(SIGALRM, SIG_DFL);
		alarm(LAST_SECONDS);
		fputs("sccl-synth: the search was ended by a signal, perhaps because a worker died; with -o, the same command with "
		      "--resume continues it\n", stderr);
	}
	fflush(NULL);
	transport_close(whole);
	remote_pool_free(remote);
	if (!whole)
		_exit(status);
}

/* A worker: serves the search until it ends, and exits. */
static void work(void)
{
	catch_interrupts();
	bool whole = remote_worker_run(&post, &interrupted);
	transport_close(whole);
	_exit(interrupted ? STATUS_INTERRUPTED : STATUS_DONE);
}

struct remote_pool *remote_search_begin(struct error *e)
{
	int ranks = ranks_announced();

	if (ranks < 2 || !transport_open(&post, ranks, e))
		return NULL;
	if (post.rank != 0)
		work();
	remote = remote_pool_new(&post, report_lost_worker);
	on_exit(end, NULL);
	return remote;
}

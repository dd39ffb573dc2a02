/* The transport of a build without MPI: reports that there is none. */

#include "cli/commands/transport.h"

#include "core/base/error.h"

bool transport_open(struct transport *out, int ranks, struct error *e)
{
	(void)out;
	return error_set(e, ERROR_INPUT, "pareto", "mpirun started %d processes, but this build has no MPI: start one process, with -j", ranks);
}

void transport_close(bool whole)
{
	(void)whole;
}

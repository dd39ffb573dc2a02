#include "cli/commands/transport.h"

#include "core/base/error.h"

bool post_open(struct post *out, int ranks, struct error *e)
{
	(void)out;
	return error_set(e, ERROR_INPUT, "pareto", "mpirun started %d of us, and this build has no MPI: start one, with -j", ranks);
}

void post_close(bool whole)
{
	(void)whole;
}

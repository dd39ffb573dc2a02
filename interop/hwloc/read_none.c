/* Stands in for read_hwloc.c in builds without hwloc: reading a machine is always an error. */

#include "interop/hwloc/machine.h"

#include "core/base/error.h"

bool machine_read(const char *from, const struct text *xml, struct machine *m, struct error *e)
{
	(void)from, (void)xml, (void)m;
	return error_set(e, ERROR_INPUT, "topology probe",
			 "this program was built without hwloc, which reads machines; install libhwloc-dev and rebuild it");
}

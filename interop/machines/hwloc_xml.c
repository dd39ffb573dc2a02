/* hwloc's XML, through the reader that runs hwloc in a process of its own. */

#include "interop/machines/readers.h"

#include "interop/hwloc/probe.h"

#include "core/base/error.h"

struct topology *read_hwloc_xml(const struct machine_source *s, struct error *e)
{
	struct probe_sights seen;
	struct topology *t = probe_xml(s->path, s->bytes, s->n, s->name, &seen, e);

	if (!t && e->kind == ERROR_NONE)
		error_set(e, ERROR_INPUT, s->path, "hwloc sees no accelerator in it (%d packages, %d cores, %d PCI devices)", seen.packages, seen.cores,
			  seen.pci_devices);
	return t;
}

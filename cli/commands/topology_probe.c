/* `topology probe`: describes this computer, or one saved by lstopo, as a machine. */

#include "cli/commands/topologies.h"

#include "cli/output/command.h"

#include "core/base/file.h"
#include "core/base/text.h"
#include "core/machine/topology.h"
#include "interop/hwloc/probe.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *topology_name_for(const char *path, const char *ending, const char *otherwise)
{
	struct text name = {0};
	const char *slash = path ? strrchr(path, '/') : NULL, *base = slash ? slash + 1 : path ? path : "";
	const char *end = ending ? NULL : strrchr(base, '.');
	size_t n = end ? (size_t)(end - base) : strlen(base), tail = ending ? strlen(ending) : 0;

	if (tail && n > tail && strcmp(base + n - tail, ending) == 0)
		n -= tail;
	text_add_bytes(&name, n ? base : otherwise, n ? n : strlen(otherwise));
	return text_take(&name);
}

/* Finding none is not bad input but the answer no, so this does not go through fail. */
static int report_none(const char *from, const struct probe_sights *seen)
{
	fprintf(stderr,
		"sccl-synth: topology probe: hwloc sees no accelerator %s (%d package%s, %d core%s, %d PCI device%s)\n",
		from ? "in that file" : "on this computer", seen->packages, plural(seen->packages), seen->cores, plural(seen->cores),
		seen->pci_devices, plural(seen->pci_devices));
	return STATUS_NO;
}

bool topology_write_to(const char *out, const struct topology *t, struct error *e)
{
	struct text text = {0};
	bool ok = true;

	topology_write(t, &text, 0);
	text_add(&text, "\n");
	if (out)
		ok = file_write(out, text.bytes, text.length, e);
	else
		fwrite(text.bytes, 1, text.length, stdout);
	text_free(&text);
	return ok;
}

int topology_probe(const struct topology_options *o)
{
	struct error e = {0};
	struct probe_sights seen;
	char *name = topology_name_for(o->out, ".json", "probed");
	struct topology *t = probe(o->from, name, &seen, &e);
	int status;

	if (t)
		status = topology_write_to(o->out, t, &e) ? STATUS_DONE : fail(&e);
	else
		status = e.kind == ERROR_NONE ? report_none(o->from, &seen) : fail(&e);
	if (status == STATUS_DONE && o->out)
		printf("found %d accelerator%s: %s\n", t->nodes, plural(t->nodes), printable(o->out));
	topology_free(t);
	free(name);
	return status;
}

/* `topology list`: machines by name, examples of shapes, switches that copy and add, other names of machines, and networks. */

#include "cli/commands/topologies.h"

#include "cli/output/command.h"
#include "core/base/names.h"

#include "core/base/text.h"
#include "core/machine/networks.h"
#include "core/machine/topology.h"

#include <stdio.h>

static void list_one(const char *name, bool json)
{
	struct error e = {0};
	struct text line = {0};
	struct topology *t = topology_open(name, &e);

	if (!t) {
		fail(&e);
		return;
	}
	if (json) {
		text_add(&line, "{\"name\": ");
		text_add_json_string(&line, name);
		text_add(&line, ", \"nodes\": %d, \"switches\": %d, \"links\": %zu, \"description\": ", t->nodes, t->switches,
			 t->n_links);
		text_add_json_string(&line, t->description ? t->description : "");
		text_add(&line, "}\n");
	} else
		text_add(&line, "  %-18s %4d nodes %5zu links  %s\n", printable(name), t->nodes, t->n_links,
			 t->description ? printable(t->description) : "");
	fputs(line.bytes, stdout);
	text_free(&line);
	topology_free(t);
}

static void list_aliases(void)
{
	size_t n;
	const struct machine_alias *aliases = topology_aliases(&n);

	puts("\nOther names of machines:");
	for (size_t i = 0; i < n; i++)
		printf("  %-18s %s\n", aliases[i].alias, aliases[i].name);
}

static void list_nvls(void)
{
	size_t n;
	const char *const *names = topology_nvls_machines(&n);

	puts("\nMachines whose switches can copy and add (NVLink SHARP), if +nvls follows the name:");
	for (size_t i = 0; i < n; i++)
		printf("  %s+nvls\n", names[i]);
}

static void list_networks(void)
{
	size_t n;
	char speed[RATIONAL_TEXT], latency[RATIONAL_TEXT];
	const struct box_network *networks = box_networks(&n);

	puts("\nNetworks between boxes, as in dgx-h100*4:ib400, dgx-h100*4:ib400+rails or, with 4 NICs per box, dgx-h100*4:4xib400:");
	for (size_t i = 0; i < n; i++)
		printf("  %-18s %5s GB/s per NIC and direction, %s us; %s\n", networks[i].name,
		       rational_text(networks[i].gigabytes_per_second, speed), rational_text(networks[i].latency_us, latency), networks[i].source);
}

int topology_list(const struct topology_options *o)
{
	struct names l = names_of("topologies");
	size_t n;
	const struct shape *shapes = topology_shapes(&n);

	if (!o->json)
		puts("Machines (a link in two directions counts twice):");
	for (size_t i = 0; i < l.n; i++)
		list_one(l.all[i], o->json);
	names_free(&l);
	if (!o->json)
		puts("\nShapes, by their dimensions:");
	for (size_t i = 0; i < n && !o->json; i++)
		printf("  %-18s %s\n", shapes[i].example, shapes[i].about);
	if (!o->json) {
		list_nvls();
		list_aliases();
		list_networks();
	}
	return STATUS_DONE;
}

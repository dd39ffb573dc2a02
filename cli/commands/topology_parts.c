/* `topology parts`: the connected sub-machines of a machine, one per isomorphism class. */

#include "cli/commands/topologies.h"

#include "cli/output/command.h"

#include "core/base/text.h"
#include "core/symmetry/submachines.h"

#include <stdio.h>
#include <string.h>

enum { LEAST_NODES = 3 }; /* between two nodes, there is nothing to choose */

static void add_roots(struct text *line, const struct submachine *p, const char *between)
{
	for (int n = 0; n < p->nodes; n++)
		if (p->orbit[n] == n)
			text_add(line, "%s%d", n ? between : "", n); /* node 0 always leads its orbit */
}

static void print_part(const struct submachine *p, bool json, size_t width)
{
	struct text line = {0};

	if (json) {
		text_add(&line, "{\"name\": ");
		text_add_json_string(&line, p->name);
		text_add(&line, ", \"nodes\": %d, \"digest\": \"%s\", \"alike\": %d, \"roots\": [", p->nodes, p->digest, p->alike);
		add_roots(&line, p, ", ");
		text_add(&line, "]}");
	} else {
		text_add(&line, "  %-*s  %2d nodes  %s  %d isomorphic, roots ", (int)width, printable(p->name), p->nodes, p->digest, p->alike);
		add_roots(&line, p, ",");
	}
	puts(line.bytes);
	text_free(&line);
}

int topology_parts(const struct topology_options *o)
{
	struct error e = {0};
	struct submachines parts;
	size_t width = 0;

	if (!submachines_new(o->words.at[1], LEAST_NODES, &parts, &e))
		return fail(&e);
	for (size_t i = 0; i < parts.n; i++)
		width = strlen(parts.all[i].name) > width ? strlen(parts.all[i].name) : width;
	if (!o->json)
		printf("%s: %zu connected sub-machine%s of %d nodes or more, up to isomorphism\n", printable(o->words.at[1]), parts.n,
		       plural((int64_t)parts.n), LEAST_NODES);
	for (size_t i = 0; i < parts.n; i++)
		print_part(&parts.all[i], o->json, width);
	submachines_free(&parts);
	return STATUS_DONE;
}

/* `topology isomorphic`: relabels one machine as another by canonical forms, if they are isomorphic. */

#include "cli/commands/topologies.h"

#include "cli/output/command.h"

#include "core/base/memory.h"
#include "core/machine/network.h"
#include "core/base/text.h"
#include "core/machine/topology.h"
#include "core/symmetry/canonical.h"

#include <stdio.h>
#include <stdlib.h>

static struct network *network_of(const char *machine, struct error *e)
{
	struct topology *t = topology_open(machine, e);
	struct network *w = t ? network_new(t, e) : NULL;

	topology_free(t);
	return w;
}

static void print_map(const int *to, int nodes)
{
	struct text line = {0};

	for (int n = 0; n < nodes; n++)
		text_add(&line, "%s%d->%d", n ? " " : "", n, to[n]);
	puts(line.bytes);
	text_free(&line);
}

/* TO is NULL if the machines are not isomorphic. */
static void print_json(const struct topology_options *o, const int *to, int nodes)
{
	struct text line = {0};

	text_add(&line, "{\"a\": ");
	text_add_json_string(&line, o->words.at[1]);
	text_add(&line, ", \"b\": ");
	text_add_json_string(&line, o->words.at[2]);
	text_add(&line, ", \"isomorphic\": %s, \"to\": ", to ? "true" : "false");
	for (int n = 0; to && n < nodes; n++)
		text_add(&line, "%s%d", n ? ", " : "[", to[n]);
	text_add(&line, to ? "]}" : "null}");
	puts(line.bytes);
	text_free(&line);
}

int topology_isomorphic(const struct topology_options *o)
{
	struct error e = {0};
	struct network *a = network_of(o->words.at[1], &e), *b = a ? network_of(o->words.at[2], &e) : NULL;
	int status = STATUS_DONE;

	if (!b)
		status = fail(&e);
	else {
		int *to = new_array(int, (size_t)a->nodes);
		bool alike = network_isomorphism(a, -1, b, -1, to);
		if (o->json)
			print_json(o, alike ? to : NULL, a->nodes);
		else if (alike)
			print_map(to, a->nodes);
		else
			printf("%s and %s are not isomorphic\n", printable(o->words.at[1]), printable(o->words.at[2]));
		status = alike ? STATUS_DONE : STATUS_NO;
		free(to);
	}
	network_free(a);
	network_free(b);
	return status;
}

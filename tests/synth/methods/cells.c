#include "tests/synth/methods/cells.h"

#include "core/bounds/bounds.h"
#include "core/base/text.h"
#include "core/machine/topology.h"
#include "core/verify/verify.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void visit_cell(const struct topology *t, struct cell *c, cell_visitor visit, void *context)
{
	const struct method_options o = {0};
	struct text report = {0};

	c->refusal = (struct error){0};
	c->algorithm = method_build(c->method, t, &c->collective, &o, &report, &c->refusal);
	visit(context, c);
	algorithm_free(c->algorithm);
	text_free(&report);
}

bool cells_visit(const char *machine, struct sample sample, cell_visitor visit, void *context, struct error *e)
{
	size_t n_methods;
	const struct method *all = methods_all(&n_methods);
	struct topology *t = topology_open(machine, e);
	int n = 0;

	for (size_t m = 0; t && m < n_methods; m++)
		for (int kind = 0; kind < CUSTOM; kind++) {
			struct cell c = {.machine = machine, .method = &all[m], .collective = {.kind = (enum collective_kind)kind}};
			if (n++ % sample.every == sample.from)
				visit_cell(t, &c, visit, context);
			c.collective.root = t->nodes - 1;
			if (collective_rows()[kind].rooted && c.collective.root && n++ % sample.every == sample.from)
				visit_cell(t, &c, visit, context);
		}
	topology_free(t);
	return t;
}

static bool is_refused_well(const struct cell *c, char fault[CELL_FAULT])
{
	if (c->refusal.kind == ERROR_INPUT && c->refusal.what[0])
		return true;
	snprintf(fault, CELL_FAULT, "is refused with %d: %s", (int)c->refusal.kind, c->refusal.what);
	return false;
}

bool cell_keeps_bounds(const struct algorithm *a, char fault[CELL_FAULT])
{
	struct error e = {0};
	struct bounds b;

	fault[0] = 0;
	if (!bounds_compute(a->topology, &a->collective, &b, &e)) {
		snprintf(fault, CELL_FAULT, "has no bounds: %s", e.what);
		return false;
	}
	bool steps = b.steps <= (int)a->n_steps, rounds = rational_compare(algorithm_bandwidth(a), b.bandwidth) >= 0;
	if (!steps || !rounds)
		snprintf(fault, CELL_FAULT, "has fewer %s than the bound", steps ? "rounds" : "steps");
	bounds_free(&b);
	return steps && rounds;
}

bool cell_is_well(const struct cell *c, char fault[CELL_FAULT])
{
	fault[0] = 0;
	if (!c->algorithm)
		return is_refused_well(c, fault);
	struct verdict v = algorithm_verify(c->algorithm);
	if (v.fault == FAULT_NONE && method_serves(c->method, c->collective.kind))
		return cell_keeps_bounds(c->algorithm, fault);
	snprintf(fault, CELL_FAULT, "%s", v.fault == FAULT_NONE ? "is of a kind that the method does not serve" : v.why);
	return false;
}

/* "GROUP MACHINE SERVED", or nothing where a line is empty or a remark. */
static bool read_line(char *line, struct cell_machine *m)
{
	m->group = strtok(line, " \n");
	m->name = m->group && *m->group != '#' ? strtok(NULL, " \n") : NULL;
	const char *served = m->name ? strtok(NULL, " \n") : NULL;
	m->served = served ? atoi(served) : 0;
	return served;
}

int machines_visit(const char *group, void (*visit)(const struct cell_machine *m), struct error *e)
{
	char path[4096], line[256];
	const char *source = getenv("SOURCE_ROOT");
	struct cell_machine m;
	int n = 0;

	snprintf(path, sizeof path, "%s/tests/synth/methods/machines.txt", source ? source : ".");
	FILE *f = fopen(path, "r");
	if (!f) {
		error_set(e, ERROR_SYSTEM, path, "%s", strerror(errno));
		return -1;
	}
	while (fgets(line, sizeof line, f))
		if (read_line(line, &m) && strcmp(group, m.group) == 0) {
			visit(&m);
			n++;
		}
	fclose(f);
	return n;
}

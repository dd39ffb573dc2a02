/*
 * Enumerates all choices of nodes, keeps the connected ones, and groups isomorphic sub-machines by their canonical
 * form.
 */

#include "core/symmetry/submachines.h"

#include "core/base/error.h"
#include "core/base/memory.h"
#include "core/machine/network.h"
#include "core/base/text.h"
#include "core/machine/topology.h"
#include "core/symmetry/automorphisms.h"

#include <stdlib.h>
#include <string.h>

enum { PARTS_OF = 16 }; /* that many nodes have 65,535 nonempty subsets */

struct known_machine {
	const char *name;
	int nodes;
};

static char *name_of(const struct known_machine *m, unsigned chosen)
{
	struct text name = {0};

	text_add(&name, "%s", m->name);
	if (chosen != (1u << m->nodes) - 1)
		for (int n = 0, any = 0; n < m->nodes; n++)
			if (chosen >> n & 1)
				text_add(&name, "%s%d", any++ ? "," : "@gpus=", n);
	return text_take(&name);
}

static bool is_connected(const struct network *w)
{
	for (int from = 0; from < w->nodes; from++)
		for (int to = 0; to < w->nodes; to++)
			if (network_distance(w, from, to) == UNREACHABLE)
				return false;
	return true;
}

/* Takes ownership of NAME. */
static void count(struct submachines *p, char *name, const struct network *w)
{
	struct canonical c = canonical_new(w, -1);

	for (size_t i = 0; i < p->n; i++)
		if (strcmp(p->all[i].form, c.form) == 0) {
			p->all[i].alike++;
			canonical_free(&c);
			free(name);
			return;
		}
	p->all = grown(p->all, &p->capacity, p->n + 1, sizeof *p->all);
	struct submachine *new_one = &p->all[p->n++];
	*new_one = (struct submachine){.name = name, .nodes = w->nodes, .alike = 1, .form = copy_string(c.form)};
	new_one->orbit = new_array(int, (size_t)w->nodes);
	automorphisms_node_orbits(w, new_one->orbit);
	canonical_digest(&c, new_one->digest);
	canonical_free(&c);
}

static bool add_choice(const struct known_machine *m, unsigned chosen, struct submachines *p, struct error *e)
{
	char *name = name_of(m, chosen);
	struct topology *part = topology_open(name, e);
	struct network *w = part ? network_new(part, e) : NULL;

	topology_free(part);
	if (w && is_connected(w))
		count(p, name, w);
	else
		free(name);
	network_free(w);
	return w || e->kind == ERROR_NONE;
}

/*
 * Chooses N of the nodes from FROM on, in lexicographic order (0,1,2 before 0,1,3): first with node FROM, then without
 * it.
 */
static bool add_choices(const struct known_machine *m, int n, int from, unsigned chosen, struct submachines *p, struct error *e)
{
	if (n == 0)
		return add_choice(m, chosen, p, e);
	if (m->nodes - from < n)
		return true;
	return add_choices(m, n - 1, from + 1, chosen | 1u << from, p, e) && add_choices(m, n, from + 1, chosen, p, e);
}

bool submachines_new(const char *machine, int least, struct submachines *out, struct error *e)
{
	struct topology *t = topology_open(machine, e);
	struct known_machine m = {machine, t ? t->nodes : 0};
	bool ok = t != NULL;

	*out = (struct submachines){0};
	topology_free(t);
	if (m.nodes > PARTS_OF)
		return error_set(e, ERROR_LIMIT, machine, "has %d nodes; parts can be listed for at most %d", m.nodes, PARTS_OF);
	for (int n = least; n <= m.nodes && ok; n++)
		ok = add_choices(&m, n, 0, 0, out, e);
	if (!ok)
		submachines_free(out);
	return ok;
}

void submachines_free(struct submachines *p)
{
	for (size_t i = 0; i < p->n; i++) {
		free(p->all[i].name);
		free(p->all[i].form);
		free(p->all[i].orbit);
	}
	free(p->all);
	*p = (struct submachines){0};
}

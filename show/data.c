/* Only what is drawn, with nodes and chunks as numbers. */

#include "show/data.h"

#include "core/base/error.h"
#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/machine/network.h"
#include "core/machine/topology.h"
#include "core/schedule/algorithm.h"
#include "core/schedule/collective.h"
#include "show/layout.h"

#include <stdlib.h>

/* ---- machines ---- */

static void add_speed(const struct topology *t, const struct link *l, struct text *into)
{
	if (l->kind < 0)
		return;
	const struct link_kind *k = &t->kinds[l->kind];
	text_add(into, ", %s: %.6g GB/s, %.3g us", k->name, l->bandwidth * rational_double(k->gigabytes_per_second), rational_double(k->latency_us));
}

/* One line for both directions where they are equal. */
static void add_links(const struct topology *t, struct text *into)
{
	const char *comma = "";

	for (size_t i = 0; i < t->n_links; i++) {
		const struct link *l = &t->links[i], *back = topology_link(t, l->dst, l->src);
		struct text what = {0};
		bool both = back && back->bandwidth == l->bandwidth && back->kind == l->kind;
		if (l->src >= t->nodes || l->dst >= t->nodes || (both && l->src > l->dst))
			continue;
		text_add(&what, "%d %s %d: bandwidth %d", l->src, both ? "and" : "to", l->dst, l->bandwidth);
		add_speed(t, l, &what);
		text_add(into, "%s[%d,%d,%d,", comma, l->src, l->dst, l->bandwidth);
		text_add_json_string(into, what.bytes);
		text_add(into, "]");
		comma = ",";
		text_free(&what);
	}
}

static void add_hubs(const struct layout *l, struct text *into)
{
	for (size_t i = 0; i < l->n_hubs; i++) {
		const struct layout_hub *h = &l->hubs[i];
		text_add(into, "%s{\"at\":[%.1f,%.1f],\"name\":\"%s\",\"what\":\"%d switch%s, joined to %d node%s\",\"nodes\":[", i ? "," : "", h->at[0],
			 h->at[1], h->n_switches == 1 ? "switch" : "switches", h->n_switches, h->n_switches == 1 ? "" : "es", h->n_nodes,
			 h->n_nodes == 1 ? "" : "s");
		for (int k = 0; k < h->n_nodes; k++)
			text_add(into, "%s%d", k ? "," : "", h->nodes[k]);
		text_add(into, "]}");
	}
}

void data_machine(const struct topology *t, struct text *into)
{
	struct layout l = layout_new(t);

	text_add(into, "{\"name\":");
	text_add_json_string(into, t->name);
	text_add(into, ",\"radius\":%.0f,\"view\":[%.1f,%.1f,%.1f,%.1f],\"at\":[", l.radius, l.view[0], l.view[1], l.view[2], l.view[3]);
	for (int v = 0; v < t->nodes; v++)
		text_add(into, "%s[%.1f,%.1f]", v ? "," : "", l.at[v][0], l.at[v][1]);
	text_add(into, "],\"links\":[");
	add_links(t, into);
	text_add(into, "],\"hubs\":[");
	add_hubs(&l, into);
	text_add(into, "]}");
	layout_free(&l);
}

/* ---- algorithms ---- */

void data_proof(const struct algorithm *a, struct text *into)
{
	static const char *const claims[] = {
		[CLASS_NONE] = "Nothing is claimed about what other algorithms can do.",
		[CLASS_LATENCY] = "Proved: no algorithm has fewer steps",
		[CLASS_BANDWIDTH] = "Proved: no algorithm has a smaller R/C",
		[CLASS_BOTH] = "Proved: no algorithm has fewer steps or a smaller R/C",
		[CLASS_PARETO] = "Proved: no algorithm with as few steps has a smaller R/C, and none with as small an R/C has fewer steps",
	};
	const struct optimality *o = &a->optimality;

	text_add(into, "%s", claims[o->class]);
	if (o->class == CLASS_NONE)
		return;
	if (o->within == WITHIN_COMPOSITION)
		text_add(into, ", among those that are a reducescatter followed by an allgather");
	if (o->within == WITHIN_ONE_VALUE)
		text_add(into, ", among those in which each node keeps one value of each chunk");
	text_add(into, "%s", o->proof == PROOF_BOUND ? ": its cost meets a lower bound." :
		 o->proof == PROOF_EXHAUSTED ? ": a solver refuted every better one with few more rounds than steps." :
		 o->proof == PROOF_PROGRAM ? ": linear programs show it for every number of chunks." : ".");
}

static void add_sends(const char *key, const struct send *s, size_t n, struct text *into)
{
	text_add(into, "\"%s\":[", key);
	for (size_t i = 0; i < n; i++)
		text_add(into, "%s[%d,%d,%d]", i ? "," : "", s[i].chunk, s[i].src, s[i].dst);
	text_add(into, "]");
}

static void mark(const struct network *w, const struct send *s, size_t n, bool *used)
{
	for (size_t i = 0; i < n; i++) {
		int e = network_edge(w, s[i].src, s[i].dst);
		if (e >= 0)
			used[e] = true;
	}
}

/* The pairs that send, with their bandwidth. */
static void add_pairs(const struct algorithm *a, const struct network *w, struct text *into)
{
	bool *used = new_array(bool, w->n_edges);
	const char *comma = "";

	for (size_t s = 0; s < a->n_steps; s++) {
		mark(w, a->steps[s].sends, a->steps[s].n_sends, used);
		mark(w, a->steps[s].reduces, a->steps[s].n_reduces, used);
	}
	text_add(into, ",\"pairs\":[");
	for (size_t e = 0; e < w->n_edges; e++)
		if (used[e]) {
			text_add(into, "%s[%d,%d,%d]", comma, w->edges[e].src, w->edges[e].dst, w->edges[e].bandwidth);
			comma = ",";
		}
	text_add(into, "]");
	free(used);
}

/* How many inputs what node V wants of a chunk is made of; 0: it does not want it. */
static int parts_wanted(const struct algorithm *a, int chunk, int v)
{
	int nodes = a->topology->nodes, n = 0;

	if (!collective_post(&a->collective, nodes, chunk, v))
		return 0;
	if (!collective_row(&a->collective)->combining)
		return 1;
	for (int of = 0; of < nodes; of++)
		n += collective_wants_part(&a->collective, nodes, chunk, v, of);
	return n;
}

/* [chunk][...]: the nodes that have it before, and [chunk][node]: what is wanted there. */
static void add_places(const struct algorithm *a, struct text *into)
{
	int nodes = a->topology->nodes;

	text_add(into, ",\"pre\":[");
	for (int c = 0; c < a->global_chunks; c++) {
		const char *comma = "";
		text_add(into, "%s[", c ? "," : "");
		for (int v = 0; v < nodes; v++)
			if (collective_pre(&a->collective, nodes, c, v)) {
				text_add(into, "%s%d", comma, v);
				comma = ",";
			}
		text_add(into, "]");
	}
	text_add(into, "],\"wants\":[");
	for (int c = 0; c < a->global_chunks; c++) {
		text_add(into, "%s[", c ? "," : "");
		for (int v = 0; v < nodes; v++)
			text_add(into, "%s%d", v ? "," : "", parts_wanted(a, c, v));
		text_add(into, "]");
	}
	text_add(into, "]");
}

bool data_fits(const struct algorithm *a)
{
	return !a->symmetry && algorithm_listed(a) <= DATA_SENDS_MAX && (int64_t)a->global_chunks * a->topology->nodes <= DATA_CELLS_MAX;
}

bool data_algorithm(const struct algorithm *a, struct text *into, struct error *e)
{
	if (!data_fits(a))
		return error_set(e, ERROR_LIMIT, a->name, "is too large for a page: more than %d sends, or too many chunks", (int)DATA_SENDS_MAX);
	struct network *w = network_new(a->topology, e);
	if (!w)
		return false;
	text_add(into, "{\"nodes\":%d,\"global\":%d,\"combining\":%s,\"machine\":", a->topology->nodes, a->global_chunks,
		 collective_row(&a->collective)->combining ? "true" : "false");
	data_machine(a->topology, into);
	add_pairs(a, w, into);
	add_places(a, into);
	text_add(into, ",\"steps\":[");
	for (size_t s = 0; s < a->n_steps; s++) {
		const struct step *step = &a->steps[s];
		text_add(into, "%s{\"rounds\":%d,", s ? "," : "", step->rounds);
		add_sends("sends", step->sends, step->n_sends, into);
		text_add(into, ",");
		add_sends("reduces", step->reduces, step->n_reduces, into);
		text_add(into, "}");
	}
	text_add(into, "]}");
	network_free(w);
	return true;
}

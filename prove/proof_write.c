/* Writes a proof as JSON, one refutation a line. */

#include "prove/proof.h"

#include "core/base/text.h"
#include "core/machine/topology.h"
#include "prove/program.h"
#include "prove/timed.h"

static void write_candidate(struct text *into, struct candidate c)
{
	text_add(into, "[%d, %d, %d]", c.chunks, c.steps, c.rounds);
}

static void write_refusals(struct text *into, const char *margin, const struct refusal *list, size_t n)
{
	text_add(into, "%s\"refuted\": [", margin);
	for (size_t i = 0; i < n; i++) {
		text_add(into, "%s\n%s  {\"candidate\": ", i ? "," : "", margin);
		write_candidate(into, list[i].candidate);
		text_add(into, ", \"by\": \"%s\"", refused_by_names[list[i].by]);
		if (list[i].by == BY_IMPLIED) {
			text_add(into, ", \"from\": ");
			write_candidate(into, list[i].from);
		}
		if (list[i].by == BY_TRACE || list[i].by == BY_SHARE)
			recipe_write(into, list[i].recipe);
		text_add(into, "}");
	}
	if (n)
		text_add(into, "\n%s", margin);
	text_add(into, "]");
}

static void write_nodes(struct text *into, const struct cut *k, int nodes, int side)
{
	bool first = true;

	text_add(into, "[");
	for (int n = 0; n < nodes; n++)
		if (k->part[n] == side) {
			text_add(into, "%s%d", first ? "" : ", ", n);
			first = false;
		}
	text_add(into, "]");
}

static void write_bounds(struct text *into, const char *margin, const struct side *s, int nodes)
{
	char ratio[RATIONAL_TEXT];

	text_add(into, "%s\"bounds\": {\"steps\": %d, \"bandwidth\": {\"at_least\": \"%s\"", margin, s->steps,
		 rational_text(s->cut.at_least, ratio));
	if (s->cut.kind == CUT_HOPS)
		text_add(into, ", \"hops\": true");
	for (int part = 0; part < 2 && s->cut.kind == CUT_SIDES; part++) {
		text_add(into, ", \"%s\": ", part ? "to" : "from");
		write_nodes(into, &s->cut, nodes, part);
	}
	for (int part = 0; part < s->cut.parts && s->cut.kind == CUT_PARTS; part++) {
		text_add(into, "%s", part ? ", " : ", \"parts\": [");
		write_nodes(into, &s->cut, nodes, part);
	}
	if (s->cut.kind == CUT_PARTS)
		text_add(into, "]");
	if (s->cut.kind == CUT_PRICES) {
		text_add(into, ", ");
		prices_write(s->cut.prices, s->cut.n_prices, into);
	}
	text_add(into, "}");
	timed_write(into, margin, s, nodes);
	step_programs_write(into, margin, s, nodes);
	text_add(into, "},\n");
}

static void write_points(struct text *into, const struct proof *p)
{
	text_add(into, "  \"points\": [");
	for (size_t i = 0; i < p->n_points; i++) {
		text_add(into, "%s\n    {\"point\": ", i ? "," : "");
		write_candidate(into, p->points[i].candidate);
		text_add(into, ", \"by\": [");
		for (unsigned b = 0, n = 0; b < POINT_BY_KINDS; b++)
			if (p->points[i].by >> b & 1)
				text_add(into, "%s\"%s\"", n++ ? ", " : "", point_by_names[b]);
		text_add(into, "]}");
	}
	text_add(into, p->n_points ? "\n  ],\n" : "],\n");
}

static void write_composition(struct text *into, const struct proof *p)
{
	text_add(into, ",\n  \"composition\": {\n    \"halves\": [");
	for (int i = SCATTERS; i < p->n_sides; i++) {
		text_add(into, "%s{\n      \"collective\": \"%s\",\n", i > SCATTERS ? ", " : "", collective_name(&p->sides[i].collective));
		write_bounds(into, "      ", &p->sides[i], p->topology->nodes);
		write_refusals(into, "      ", p->sides[i].refused, p->sides[i].n_refused);
		text_add(into, "\n    }");
	}
	text_add(into, "],\n");
	write_refusals(into, "    ", p->refused, p->n_refused);
	text_add(into, "\n  }");
}

void proof_write(const struct proof *p, struct text *into)
{
	text_add(into, "{\n  \"format\": \"sccl-proof\",\n  \"version\": 1,\n  \"formulas\": %d,\n", CNF_VERSION);
	if (p->frontier) {
		text_add(into, "  \"frontier\": ");
		text_add_json_string(into, p->frontier);
		text_add(into, ",\n");
	}
	text_add(into, "  \"collective\": ");
	collective_write(&p->collective, into, 2);
	text_add(into, ",\n  \"topology\": ");
	topology_write(p->topology, into, 2);
	text_add(into, ",\n");
	write_points(into, p);
	write_bounds(into, "  ", &p->sides[WHOLE], p->topology->nodes);
	write_refusals(into, "  ", p->sides[WHOLE].refused, p->sides[WHOLE].n_refused);
	if (p->n_sides > 1)
		write_composition(into, p);
	text_add(into, "\n}\n");
}

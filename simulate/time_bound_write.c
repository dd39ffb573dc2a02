/*
 * Writes bounds on time with what shows them, for prove/time_check.c. Numbers are rounded down by more than the error of the
 * doubles that they come from, so that no number is larger than what exact arithmetic shows.
 */

#include "simulate/time_bound.h"

#include "core/base/error.h"
#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/bounds/bounds.h"
#include "core/machine/prices.h"
#include "core/machine/topology.h"
#include "core/schedule/collective.h"
#include "core/schedule/step_overhead.h"
#include "simulate/fabric.h"

#include <stdio.h>
#include <stdlib.h>

const char *const time_reason_names[] = {[TIME_NOTHING] = "nothing", [TIME_INTO] = "into", [TIME_OUT_OF] = "out_of",
						 [TIME_CUT] = "cut", [TIME_ROUNDS] = "rounds", [TIME_RELAYS_OUT_OF] = "relays_out_of",
						 [TIME_RELAYS_INTO] = "relays_into", [TIME_DIRECT_OUT_OF] = "direct_out_of",
						 [TIME_DIRECT_INTO] = "direct_into"};

static void add_below(struct text *into, const char *key, double x)
{
	static const double less = 1e-10;

	char number[40];
	struct rational read;

	snprintf(number, sizeof number, "%.11g", x > 0 ? x * (1 - less) : 0);
	text_add(into, ", \"%s\": %s", key, rational_parse_decimal(number, &read) ? number : "0"); /* too small to be read again */
}

static void add_nodes(struct text *into, const struct bounds *b, int part)
{
	const char *between = "";

	text_add(into, "[");
	for (int n = 0; n < b->nodes; n++)
		if (b->part[n] == part) {
			text_add(into, "%s%d", between, n);
			between = ", ";
		}
	text_add(into, "]");
}

/* As in a proof: the sides of a cut, all parts, hops, or prices. */
static void add_witness(struct text *into, const struct bounds *b)
{
	if (b->n_prices) {
		text_add(into, ", ");
		prices_write(b->prices, b->n_prices, into);
	} else if (!b->parts)
		text_add(into, ", \"hops\": true");
	else if (b->crossing == CROSSING_BOTH) {
		for (int p = 0; p < b->parts; p++) {
			text_add(into, p ? ", " : ", \"parts\": [");
			add_nodes(into, b, p);
		}
		text_add(into, "]");
	} else {
		text_add(into, ", \"from\": ");
		add_nodes(into, b, b->crossing != CROSSING_IN);
		text_add(into, ", \"to\": ");
		add_nodes(into, b, b->crossing == CROSSING_IN);
	}
}

static void add_inside(struct text *into, const struct time_line *l, const struct topology *t)
{
	const char *between = "";

	text_add(into, ", \"inside\": [");
	for (int v = 0; v < t->nodes; v++)
		if (l->inside[v]) {
			text_add(into, "%s%d", between, v);
			between = ", ";
		}
	text_add(into, "]");
}

static void add_over(struct text *into, const struct time_line *l, const struct topology *t)
{
	const char *between = "";

	text_add(into, ", \"links\": [");
	for (size_t i = 0; i < l->n_over; i++)
		if ((size_t)l->over[i] < t->n_links) {
			text_add(into, "%s[%d, %d]", between, t->links[l->over[i]].src, t->links[l->over[i]].dst);
			between = ", ";
		}
	between = "";
	text_add(into, "], \"limits\": [");
	for (size_t i = 0; i < l->n_over; i++)
		if ((size_t)l->over[i] >= t->n_links) {
			text_add(into, "%s%zu", between, (size_t)l->over[i] - t->n_links);
			between = ", ";
		}
	text_add(into, "]");
}

static void add_line(struct text *into, const struct time_line *l, const struct topology *t, const struct bounds *b)
{
	char ratio[RATIONAL_TEXT];

	text_add(into, "    {\"by\": \"%s\"", time_reason_names[l->reason]);
	add_below(into, "latency_us", l->latency);
	add_below(into, "us_per_megabyte", 1e6 * l->per_byte);
	if (l->reason == TIME_ROUNDS || l->reason == TIME_CUT) {
		text_add(into, ", \"bandwidth\": {\"at_least\": \"%s\"", rational_text(b->bandwidth, ratio));
		add_witness(into, b);
		text_add(into, "}");
	} else {
		if (l->node >= 0)
			text_add(into, ", \"node\": %d", l->node);
		add_below(into, "away_us", l->away);
	}
	if (l->inside)
		add_inside(into, l, t);
	if (l->inside || l->reason == TIME_CUT)
		text_add(into, ", \"at\": \"%s\"", l->at_end ? "end" : "beginning");
	if (l->n_over)
		add_over(into, l, t);
	text_add(into, "}");
}

static void add_bend(struct text *into, const struct time_bend *b, const struct topology *t)
{
	text_add(into, "    {\"by\": \"%s\"", time_reason_names[b->late.reason]);
	add_below(into, "latency_us", b->late.latency);
	add_below(into, "us_per_megabyte", 1e6 * b->late.per_byte);
	add_below(into, "early_latency_us", b->early.latency);
	add_below(into, "early_us_per_megabyte", 1e6 * b->early.per_byte);
	if (b->late.reason == TIME_DIRECT_OUT_OF || b->late.reason == TIME_DIRECT_INTO)
		add_below(into, "away_us", b->late.away);
	text_add(into, ", \"node\": %d, \"copies\": %d, \"at\": \"%s\"", b->late.node, b->copies, b->late.at_end ? "end" : "beginning");
	add_over(into, &b->late, t);
	text_add(into, "}");
}

static bool add_speed(struct text *into, const char *key, double x, struct error *e)
{
	char number[40];
	struct rational read;

	snprintf(number, sizeof number, "%.15g", x);
	text_add(into, "  \"%s\": %s,\n", key, number);
	return rational_parse_decimal(number, &read) ||
	       error_set(e, ERROR_INPUT, key, "%s cannot be written into a certificate: it has too many digits or is too small", number);
}

/* The speeds that are not the machine's own. */
static bool add_speeds(struct text *into, const struct topology *t, const struct speeds *s, struct error *e)
{
	const struct step_overhead none = {0}, *step = s->step ? s->step : &none;
	struct rational *by_kind = step_overhead_by_kind(step, t, e);
	char ratio[RATIONAL_TEXT];

	if ((s->alpha >= 0 && !add_speed(into, "alpha_us", s->alpha, e)) || (s->beta > 0 && !add_speed(into, "beta_us", s->beta, e))) {
		free(by_kind);
		return false;
	}
	if (by_kind && step->target) {
		text_add(into, "  \"step_us\": {");
		for (size_t i = 0; i < t->n_kinds; i++) {
			text_add(into, "%s", i ? ", " : "");
			text_add_json_string(into, t->kinds[i].name);
			text_add(into, ": \"%s\"", rational_text(by_kind[i], ratio));
		}
		text_add(into, "},\n");
	} else if (by_kind && step->us.den && step->us.num)
		text_add(into, "  \"step_us\": \"%s\",\n", rational_text(step->us, ratio));
	bool ok = by_kind;
	free(by_kind);
	return ok;
}

bool time_bound_write(const struct time_bound *b, const struct time_subject *of, struct text *into, struct error *e)
{
	const char *between = "";

	text_add(into, "{\n  \"format\": \"sccl-time-bound\",\n  \"version\": 1,\n  \"collective\": ");
	collective_write(of->collective, into, 2);
	text_add(into, ",\n  \"topology\": ");
	topology_write(of->topology, into, 2);
	text_add(into, ",\n");
	if (!add_speeds(into, of->topology, of->speeds, e))
		return false;
	text_add(into, "  \"lines\": [");
	for (size_t i = 0; i < b->n; i++) {
		const struct time_line *l = &b->lines[i];
		if (l->reason == TIME_NOTHING || (l->reason == TIME_ROUNDS && of->collective->kind == SCAN))
			continue;
		text_add(into, "%s\n", between);
		add_line(into, l, of->topology, of->bounds);
		between = ",";
	}
	for (size_t i = 0; i < b->n_bends; i++) {
		text_add(into, "%s\n", between);
		add_bend(into, &b->bends[i], of->topology);
		between = ",";
	}
	for (size_t i = 0; i < b->n_points; i++) {
		text_add(into, "%s\n", between);
		text_add_bytes(into, b->points[i].claim.bytes, b->points[i].claim.length);
		between = ",";
	}
	text_add(into, "\n  ]\n}\n");
	return true;
}

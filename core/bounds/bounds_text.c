/* Writes the witness of a bandwidth bound: as a sentence, in brief for tables, and as JSON. */

#include "core/bounds/bounds_text.h"

#include "core/bounds/bounds.h"
#include "core/base/memory.h"
#include "core/machine/prices.h"
#include "core/base/text.h"

#include <stdlib.h>

static void add_nodes(struct text *into, const struct bounds *b, int part)
{
	const char *between = "";
	for (int n = 0; n < b->nodes; n++)
		if (b->part[n] == part) {
			text_add(into, "%s%d", between, n);
			between = ", ";
		}
}

void bounds_add_cut_json(const struct bounds *b, struct text *into)
{
	char demand[RATIONAL_TEXT];

	if (!b->part) {
		text_add(into, "null");
		return;
	}
	text_add(into, "{\"demand\": \"%s\", \"capacity\": %lld, ", rational_text(b->demand, demand), (long long)b->capacity);
	if (b->n_prices) {
		prices_write(b->prices, b->n_prices, into);
		text_add(into, "}");
		return;
	}
	if (b->parts == 2) {
		text_add(into, "\"from\": [");
		add_nodes(into, b, b->crossing != CROSSING_IN);
		text_add(into, "], \"to\": [");
		add_nodes(into, b, b->crossing == CROSSING_IN);
		text_add(into, "]}");
		return;
	}
	text_add(into, "\"parts\": [");
	for (int p = 0; p < b->parts; p++) {
		text_add(into, "%s[", p ? ", " : "");
		add_nodes(into, b, p);
		text_add(into, "]");
	}
	text_add(into, "]}");
}

static void add_price(const struct price *p, struct text *into)
{
	if (p->limit < 0)
		text_add(into, "%d-%d", p->src, p->dst);
	else if (p->name[0])
		text_add(into, "%s", p->name);
	else
		text_add(into, "limit %d", p->limit);
}

static int by_price(const void *va, const void *vb)
{
	const struct price *a = va, *b = vb;
	if (a->price != b->price)
		return a->price > b->price ? -1 : 1;
	if (a->limit != b->limit)
		return a->limit < b->limit ? -1 : 1;
	return a->src != b->src ? a->src - b->src : a->dst - b->dst;
}

/* Groups equal prices, the highest first. */
static void add_prices(const struct bounds *b, struct text *into)
{
	struct price *list = copy_bytes(b->prices, b->n_prices * sizeof *list);

	qsort(list, b->n_prices, sizeof *list, by_price);
	for (size_t i = 0; i < b->n_prices; i++) {
		bool first = i == 0 || list[i].price != list[i - 1].price;
		if (first)
			text_add(into, "%s%lld on ", i ? "; " : "", (long long)list[i].price);
		text_add(into, "%s", first ? "" : ", ");
		add_price(&list[i], into);
	}
	free(list);
}

void bounds_add_cut(const struct bounds *b, struct text *into)
{
	char demand[RATIONAL_TEXT];
	const char *s = plural(b->demand.num == b->demand.den ? 1 : 0);

	rational_text(b->demand, demand);
	if (b->n_prices) {
		text_add(into, "per unit of C, chunks pay at least %s, and a round can pay %lld; link prices: ", demand,
			 (long long)b->capacity);
		add_prices(b, into);
	} else if (b->parts == 0)
		text_add(into, "per unit of C, chunks cross %s link%s, and all links carry %lld a round", demand, s,
			 (long long)b->capacity);
	else if (b->crossing != CROSSING_BOTH) {
		text_add(into, "per unit of C, %s chunk%s must get from {", demand, s);
		add_nodes(into, b, b->crossing != CROSSING_IN);
		text_add(into, "} to {");
		add_nodes(into, b, b->crossing == CROSSING_IN);
		text_add(into, "}, and %lld fit%s into a round", (long long)b->capacity, plural_verb(b->capacity));
	} else {
		text_add(into, "between {");
		for (int p = 0; p < b->parts; p++) {
			text_add(into, "%s", p ? "} {" : "");
			add_nodes(into, b, p);
		}
		text_add(into, "} a chunk crosses %s time%s, and %lld fit%s into a round", demand, s, (long long)b->capacity,
			 plural_verb(b->capacity));
	}
}

/* Describes the cut by its smaller side. */
static void add_brief_side(const struct bounds *b, struct text *into)
{
	int inside = 0;

	for (int n = 0; n < b->nodes; n++)
		inside += b->part[n] == 1;
	int side = 2 * inside <= b->nodes;
	const char *way = (b->crossing == CROSSING_IN) == side ? "into" : "out of";
	text_add(into, " %s {", b->crossing == CROSSING_BOTH ? "in and out of" : way);
	add_nodes(into, b, side);
	text_add(into, "}");
}

void bounds_add_cut_brief(const struct bounds *b, struct text *into)
{
	char demand[RATIONAL_TEXT];

	if (!b->part) {
		text_add(into, "-");
		return;
	}
	text_add(into, "%s", rational_text(b->demand, demand));
	if (b->n_prices)
		text_add(into, " by prices of %zu link%s", b->n_prices, plural((int64_t)b->n_prices));
	else if (b->parts == 0)
		text_add(into, " over all links");
	else if (b->parts == 2)
		add_brief_side(b, into);
	else
		text_add(into, " between %d parts", b->parts);
	text_add(into, ", %lld a round", (long long)b->capacity);
}

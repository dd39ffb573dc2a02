#include "core/base/text.h"
#include "core/bounds/bounds.h"
#include "core/bounds/bounds_text.h"
#include "core/machine/prices.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>

TestSuite(bounds_text, .description = "witnesses as sentences, in brief and as JSON");

static void expect_text(void (*add)(const struct bounds *b, struct text *into), const struct bounds *b, const char *wanted)
{
	struct text text = {0};

	add(b, &text);
	cr_expect(eq(str, text.bytes, (char *)wanted));
	text_free(&text);
}

/* A witness of 5 nodes in PARTS, which 2 chunks cross, 3 of them in a round. */
static struct bounds of_parts(int *part, int parts, enum cut_crossing crossing)
{
	return (struct bounds){.part = part, .nodes = 5, .parts = parts, .demand = rational(2, 1), .capacity = 3, .crossing = crossing};
}

Test(bounds_text, a_cut_in_brief_is_told_by_its_smaller_side)
{
	static const struct {
		int part[5];
		enum cut_crossing crossing;
		const char *brief;
	} rows[] = {
		{{1, 0, 0, 1, 0}, CROSSING_IN, "2 into {0, 3}, 3 a round"},
		{{1, 0, 0, 1, 0}, CROSSING_OUT, "2 out of {0, 3}, 3 a round"},
		{{1, 0, 1, 1, 0}, CROSSING_IN, "2 out of {1, 4}, 3 a round"},
		{{1, 0, 1, 1, 0}, CROSSING_OUT, "2 into {1, 4}, 3 a round"},
		{{1, 0, 1, 1, 0}, CROSSING_BOTH, "2 in and out of {1, 4}, 3 a round"},
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		int part[5];
		for (int v = 0; v < 5; v++)
			part[v] = rows[i].part[v];
		struct bounds b = of_parts(part, 2, rows[i].crossing);
		expect_text(bounds_add_cut_brief, &b, rows[i].brief);
	}
}

Test(bounds_text, partitions_hops_and_none)
{
	int part[5] = {0, 1, 1, 2, 2};
	struct bounds b = of_parts(part, 3, CROSSING_BOTH);

	expect_text(bounds_add_cut_brief, &b, "2 between 3 parts, 3 a round");
	expect_text(bounds_add_cut, &b, "between {0} {1, 2} {3, 4} a chunk crosses 2 times, and 3 fit into a round");
	expect_text(bounds_add_cut_json, &b, "{\"demand\": \"2\", \"capacity\": 3, \"parts\": [[0], [1, 2], [3, 4]]}");
	b.parts = 0;
	expect_text(bounds_add_cut_brief, &b, "2 over all links, 3 a round");
	expect_text(bounds_add_cut, &b, "per unit of C, chunks cross 2 links, and all links carry 3 a round");
	b.part = NULL;
	expect_text(bounds_add_cut_brief, &b, "-");
	expect_text(bounds_add_cut_json, &b, "null");
}

Test(bounds_text, prices_are_grouped_the_highest_first)
{
	int part[5] = {0};
	struct price prices[] = {{1, 2, -1, 1, ""}, {1, 0, -1, 1, ""}, {0, 4, -1, 7, ""}, {0, 0, 3, 1, ""}, {0, 0, 2, 1, "into 4"}};
	struct bounds b = of_parts(part, 0, CROSSING_BOTH);

	b.prices = prices;
	b.n_prices = 5;
	expect_text(bounds_add_cut_brief, &b, "2 by prices of 5 links, 3 a round");
	expect_text(bounds_add_cut, &b, "per unit of C, chunks pay at least 2, and a round can pay 3; link prices: "
					"7 on 0-4; 1 on 1-0, 1-2, into 4, limit 3");
	b.n_prices = 1;
	expect_text(bounds_add_cut_brief, &b, "2 by prices of 1 link, 3 a round");
	expect_text(bounds_add_cut_json, &b, "{\"demand\": \"2\", \"capacity\": 3, \"prices\": [[1, 2, 1]], \"limit_prices\": []}");
}

#include "tests/synth/methods/built.h"

#include "core/base/json.h"
#include "core/base/text.h"
#include "core/machine/topology.h"
#include "core/verify/verify.h"
#include "synth/trees/schedule_tables.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <stdlib.h>
#include <string.h>

TestSuite(multitree, .description = "trees that grow together", .timeout = 100);

Test(multitree, allgathers_take_the_published_steps)
{
	static const struct {
		const char *machine;
		int steps;
	} rows[] = {
		{"torus:4x4", 5},    {"torus:8x8", 17},   {"torus:16x16", 64}, {"torus:32x32", 256}, {"torus:4x4x4", 12},
		{"mesh:4x4", 8},     {"mesh:8x8", 32},    {"mesh:16x16", 128}, {"hypercube:3", 3},   {"hypercube:4", 5},
		{"hypercube:5", 8},  {"hypercube:6", 13}, {"hypercube:8", 33}, {"dgx1v", 2},         {"dgx1p", 2},
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		expect_cost("multitree", rows[i].machine, ALLGATHER, (struct candidate){1, rows[i].steps, rows[i].steps});
}

Test(multitree, an_allreduce_takes_twice_the_steps_of_an_allgather)
{
	struct algorithm *a = built_well("multitree", "torus:8x8", ALLREDUCE, 0);

	cr_expect(eq(sz, a->n_steps, 34));
	cr_expect(eq(int, algorithm_rounds(a), 34));
	cr_expect(eq(int, a->chunks, 64));
	algorithm_free(a);
}

Test(multitree, sends_an_alltoall_down_the_trees_of_its_allgather)
{
	expect_cost("multitree", "torus:4x4", ALLTOALL, (struct candidate){16, 12, 12});
	expect_cost("multitree", "dgx1", ALLTOALL, (struct candidate){8, 5, 5});
}

Test(multitree, uses_every_link_into_a_node_all_the_time_on_the_published_switch_machines)
{
	expect_cost("multitree", "bigraph:4x8", ALLGATHER, (struct candidate){1, 31, 31});
	expect_cost("multitree", "bigraph:4x16", ALLGATHER, (struct candidate){1, 63, 63});
	expect_cost("multitree", "fat-tree:8x8", ALLGATHER, (struct candidate){1, 63, 63});
	expect_cost("multitree", "switch:16", ALLGATHER, (struct candidate){1, 15, 15});
}

Test(multitree, grows_the_highest_trees_first_if_told_so)
{
	const struct collective k = {.kind = ALLGATHER};
	const struct method_options o = {.prefer_height = true};
	struct error e = {0};
	struct text report = {0};
	struct topology *t = topology_open("mesh:8x8", &e);
	struct algorithm *plain = built_well("multitree", "mesh:8x8", ALLGATHER, 0);
	struct algorithm *a = method_build(method_find("multitree", &e), t, &k, &o, &report, &e);

	cr_assert(ne(ptr, a, NULL), "%s", e.what);
	cr_expect(eq(sz, a->n_steps, 32));
	struct text left = {0}, right = {0};
	algorithm_write(plain, &left);
	algorithm_write(a, &right);
	cr_expect(ne(str, left.bytes, right.bytes));
	text_free(&left);
	text_free(&right);
	text_free(&report);
	algorithm_free(a);
	algorithm_free(plain);
	topology_free(t);
}

/* Where turns by roots take 26 steps; the lowest first take 24, and by the distance alone, whatever a tree has grown, 26. */
Test(multitree, the_highest_trees_first_need_fewer_steps_on_p2_16xlarge)
{
	const struct collective k = {.kind = ALLGATHER};
	const struct method_options o = {.prefer_height = true};
	struct error e = {0};
	struct text report = {0};
	struct topology *t = topology_open("p2.16xlarge", &e);
	struct algorithm *plain = built_well("multitree", "p2.16xlarge", ALLGATHER, 0);
	struct algorithm *a = method_build(method_find("multitree", &e), t, &k, &o, &report, &e);

	cr_assert(ne(ptr, a, NULL), "%s", e.what);
	cr_expect(eq(sz, plain->n_steps, 26));
	cr_expect(eq(sz, a->n_steps, 22));
	text_free(&report);
	algorithm_free(plain);
	algorithm_free(a);
	topology_free(t);
}

Test(multitree, a_schedule_that_lacks_one_send_does_not_pass)
{
	struct algorithm *a = built_well("multitree", "torus:4x4", ALLGATHER, 0);

	cr_expect(eq(int, algorithm_verify(a).fault, FAULT_NONE));
	a->steps[a->n_steps - 1].n_sends--;
	cr_expect(eq(int, algorithm_verify(a).fault, FAULT_NOT_DELIVERED));
	algorithm_free(a);
}

Test(multitree, refuses_machines_where_a_node_cannot_be_reached)
{
	expect_refused("multitree", "line:3@drop=1-2", ALLGATHER, 0, "cannot be reached");
	expect_refused("multitree", "dgx1", GATHER, 0, "serves allgather, broadcast");
}

/* What the rows of tables say, counted. */
struct counted {
	size_t reduces, gathers, nops, sends;
};

static void count_node(const struct json_place *rows, size_t n_steps, struct counted *c)
{
	struct error e = {0};
	size_t n;
	int step = 0, last = 0;

	cr_assert(json_array_length(rows, &n, &e));
	for (size_t i = 0; i < n; i++) {
		struct json_place row = json_element(rows, i), op = json_member(&row, "op"), at = json_member(&row, "step");
		const char *name = "";
		size_t children;
		cr_assert(json_get_string(&op, &name, &e) && json_get_int(&at, 1, (int)n_steps, &step, &e), "%s", e.what);
		cr_expect(step == last || step == last + 1, "a node has no row for step %d", last + 1);
		last = step;
		struct json_place list = json_member(&row, "children");
		if (name[0] == 'n')
			c->nops++;
		else if (name[0] == 'r') {
			c->reduces++;
			c->sends++;
		} else {
			c->gathers++;
			cr_assert(json_array_length(&list, &children, &e));
			c->sends += children;
		}
	}
	cr_expect(eq(int, last, (int)n_steps));
}

Test(multitree, tables_have_a_row_for_every_node_and_step_and_each_send_once)
{
	static const struct {
		const char *method, *machine;
		enum collective_kind kind;
	} of[] = {{"multitree", "mesh:3x3", ALLREDUCE}, {"multitree", "mesh:3x3", ALLGATHER}, {"multitree", "mesh:3x3", REDUCESCATTER},
		  {"blink", "ring:3*3", ALLREDUCE}, {"blink", "torus:3x3", SCATTER}};

	for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
		struct algorithm *a = built_well(of[i].method, of[i].machine, of[i].kind, 0);
		struct error e = {0};
		struct text s = {0};
		struct counted c = {0};
		size_t sends = 0, reduces = 0, n;

		tables_write(a, &s);
		struct json_document *d = json_document_parse(s.bytes, "tables", &e);
		cr_assert(ne(ptr, d, NULL), "%s", e.what);
		struct json_place top = json_top(d), nodes = json_member(&top, "nodes");
		cr_assert(json_check_format(&top, "sccl-tables", &e) && json_array_length(&nodes, &n, &e));
		cr_expect(eq(sz, n, 9));
		for (size_t v = 0; v < n; v++) {
			struct json_place node = json_element(&nodes, v), rows = json_member(&node, "rows");
			count_node(&rows, a->n_steps, &c);
		}
		for (size_t k = 0; k < a->n_steps; k++) {
			sends += a->steps[k].n_sends + a->steps[k].n_reduces;
			reduces += a->steps[k].n_reduces;
		}
		struct algorithm *again = tables_read(d, &e);
		cr_assert(ne(ptr, again, NULL), "%s: %s", e.where, e.what);
		struct text twice = {0};
		tables_write(again, &twice);
		cr_expect(eq(str, twice.bytes, s.bytes), "tables read and written");
		text_free(&twice);
		algorithm_free(again);
		cr_expect(eq(sz, c.sends, sends));
		cr_expect(eq(sz, c.reduces, reduces));
		json_document_close(d);
		text_free(&s);
		algorithm_free(a);
	}
}

static void expect_tables_refused(const char *text, const char *why)
{
	struct error e = {0};
	struct json_document *d = json_document_parse(text, "tables", &e);

	cr_assert(ne(ptr, d, NULL), "%s", e.what);
	cr_expect(eq(ptr, tables_read(d, &e), NULL));
	cr_expect(ne(ptr, strstr(e.what, why), NULL), "%s", e.what);
	json_document_close(d);
}

/* The last node of a line only receives, so that its rows alone can be missing. */
Test(multitree, tables_without_steps_or_with_a_node_less_are_refused)
{
	static const char rounds[] = "[1, 1]", none[] = "[]    ", end[] = "]}";
	struct algorithm *a = built_well("multitree", "line:3", BROADCAST, 0);

	for (int less = 0; less < 2; less++) {
		struct text s = {0};
		tables_write(a, &s);
		char *at = strstr(s.bytes, less ? ",\n    {\"node\": 2" : rounds);
		cr_assert(ne(ptr, at, NULL));
		memcpy(at, less ? end : none, less ? sizeof end : sizeof none - 1);
		expect_tables_refused(s.bytes, less ? "2 nodes" : "from 1 to");
		text_free(&s);
	}
	algorithm_free(a);
}

#include "core/base/error.h"
#include "core/base/json.h"
#include "core/base/text.h"
#include "core/machine/network.h"
#include "core/machine/networks.h"
#include "core/machine/topology.h"
#include "core/machine/topology_rows.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

TestSuite(clusters, .description = "boxes that a network joins");

static struct topology *open_good(const char *name)
{
	struct error e = {0};
	struct topology *t = topology_open(name, &e);
	cr_assert(ne(ptr, t, NULL), "%s: %s", e.where, e.what);
	return t;
}

enum { PATH_BYTES = 32 };

/* A file in /tmp of the machine JSON; the caller removes it. */
static void write_box(char path[PATH_BYTES], const char *json)
{
	strcpy(path, "/tmp/sccl-test-box-XXXXXX");
	int file = mkstemp(path);
	cr_assert(ge(int, file, 0));
	cr_assert(eq(int, (int)write(file, json, strlen(json)), (int)strlen(json)));
	close(file);
}

static void expect_refused(const char *name, const char *what)
{
	struct error e = {0};
	cr_expect(eq(ptr, topology_open(name, &e), NULL), "%s", name);
	cr_expect(eq(int, e.kind, ERROR_INPUT));
	cr_expect(eq(str, e.what, (char *)what));
}

static const struct link_kind *kind_of(const struct topology *t, int src, int dst)
{
	const struct link *l = topology_link(t, src, dst);
	cr_assert(ne(ptr, (void *)l, NULL), "%d-%d", src, dst);
	cr_assert(ge(int, l->kind, 0));
	return &t->kinds[l->kind];
}

/* The speed of a whole link in GB/s. */
static double speed(const struct topology *t, int src, int dst)
{
	return rational_double(kind_of(t, src, dst)->gigabytes_per_second) * topology_link(t, src, dst)->bandwidth;
}

Test(clusters, links_have_the_speeds_of_their_kinds)
{
	struct topology *t = open_good("dgx-h100*4:ib400");
	cr_expect(eq(int, t->nodes, 32));
	cr_expect(eq(int, t->switches, 5));
	cr_expect(eq(dbl, speed(t, 0, 32), 450), "eighteen NVLinks");
	cr_expect(eq(int, topology_link(t, 0, 32)->bandwidth, 9), "the unit is the greatest common divisor of 450 and 50 GB/s");
	for (int node = 0; node < 32; node++) {
		cr_expect(eq(dbl, speed(t, node, 36), 50));
		cr_expect(eq(str, kind_of(t, 36, node)->name, "ib400"));
	}
	/* Half of the latency on the way to the switch, half on the way from it. */
	cr_expect(eq(dbl, rational_double(kind_of(t, 0, 36)->latency_us), 0.65));
	topology_free(t);
}

Test(clusters, units_follow_from_all_speeds_and_scale_limits)
{
	/* 8 GB/s in two units of 4, of which a limit leaves one; NICs of 12.5: the unit is 1/2. */
	static const char box[] = "{\"format\": \"sccl-topology\", \"version\": 1, \"name\": \"box\", \"nodes\": 2, \"duplex\": true, \"links\": ["
		"{\"src\": 0, \"dst\": 1, \"bandwidth\": 2, \"kind\": \"ib100\"}], \"limits\": [{\"out_of\": 0, \"bandwidth\": 1}], "
		"\"kinds\": {\"ib100\": {\"latency_us\": 3, \"gigabytes_per_second\": 4}}}";
	char path[] = "/tmp/sccl-test-box-XXXXXX";
	int file = mkstemp(path);
	cr_assert(ge(int, file, 0));
	FILE *f = fdopen(file, "w");
	fputs(box, f);
	fclose(f);
	struct text name = {0};
	text_add(&name, "%s*2:ib100", path);
	struct topology *t = open_good(name.bytes);
	remove(path);
	cr_expect(eq(int, topology_link(t, 0, 1)->bandwidth, 16));
	cr_expect(eq(int, topology_link(t, 0, 4)->bandwidth, 25));
	cr_assert(eq(sz, t->n_limits, 2));
	cr_expect(eq(int, t->limits[0].bandwidth, 8), "half of its link, as in the file");
	cr_expect(eq(dbl, rational_double(kind_of(t, 0, 1)->latency_us), 3), "the box has a kind of that name already");
	cr_expect(eq(str, kind_of(t, 0, 4)->name, "ib100 (2)"));
	text_free(&name);
	topology_free(t);
}

Test(clusters, speeds_too_far_apart_have_no_unit)
{
	static const char box[] = "{\"format\": \"sccl-topology\", \"version\": 1, \"name\": \"box\", \"nodes\": 2, \"duplex\": true, \"links\": ["
		"{\"src\": 0, \"dst\": 1, \"bandwidth\": 1, \"kind\": \"slow\"}], \"kinds\": {\"slow\": {\"latency_us\": 3, "
		"\"gigabytes_per_second\": \"1/100000\"}}}";
	char path[PATH_BYTES];
	write_box(path, box);
	struct text name = {0};
	struct error e = {0};
	text_add(&name, "%s*2:ib400", path);
	cr_expect(eq(ptr, topology_open(name.bytes, &e), NULL));
	remove(path);
	cr_expect(ne(ptr, strstr(e.what, "the fastest link has at most"), NULL), "%s", e.what);
	text_free(&name);
}

Test(clusters, speeds_of_their_own_are_kinds)
{
	struct topology *t = open_good("dgx1");
	size_t capacity = t->n_kinds;
	int speed = 100, one = topology_own_kind(t, &capacity, rational(7, 1), rational(1, 1));

	cr_assert(ge(int, one, 0));
	cr_expect(eq(int, topology_own_kind(t, &capacity, rational(7, 1), rational(1, 1)), one));
	t->kinds[one].latency_us = rational(2, 1);
	int two = topology_own_kind(t, &capacity, rational(7, 1), rational(1, 1));
	cr_assert(gt(int, two, one));
	cr_expect(eq(str, t->kinds[two].name, "7 GB/s, 1 us (2)"));
	while (speed < 1000 && topology_own_kind(t, &capacity, rational(speed, 1), rational(1, 1)) >= 0)
		speed++;
	cr_expect(eq(sz, t->n_kinds, 256), "as many as there may be");
	topology_free(t);
}

/* Nodes 2 k and 2 k + 1 of a box share NIC k, a switch; the last switch joins all. */
Test(clusters, neighbours_share_a_nic)
{
	struct topology *t = open_good("dgx-h100*2:4xib400");
	cr_expect(eq(int, t->switches, 2 + 8 + 1));
	for (int node = 0; node < 16; node++) {
		int nic = 16 + 2 + node / 2;
		cr_expect(eq(dbl, speed(t, node, nic), 50));
		cr_expect(eq(dbl, speed(t, nic, 26), 50), "both together");
		cr_expect(eq(dbl, rational_double(kind_of(t, nic, 26)->latency_us), 0), "the links to the NIC have it all");
	}
	struct error e = {0};
	struct network *w = network_new(t, &e);
	cr_assert(ne(ptr, w, NULL), "%s", e.what);
	cr_expect(eq(int, network_distance(w, 0, 15), 1));
	/* The NIC of 0 and 1 bounds what both send to the other box. */
	int64_t *loads = calloc(w->n_edges, sizeof *loads);
	loads[network_edge(w, 0, 8)] = loads[network_edge(w, 1, 9)] = 1;
	cr_expect(eq(long, (long)network_rounds(w, loads), 2L));
	free(loads);
	network_free(w);
	topology_free(t);
}

Test(clusters, several_nics_of_a_node_are_one_link)
{
	struct topology *t = open_good("dgx-h100*2:16xib200");
	cr_expect(eq(int, t->switches, 3));
	cr_expect(eq(dbl, speed(t, 0, 18), 50));
	topology_free(t);
}

/* A rail joins the nodes of one number, or the NICs of one. */
Test(clusters, leaves_are_joined_by_a_spine)
{
	struct topology *t = open_good("dgx-h100*4:ib400+spine2:1"), *s = open_good("dgx-h100*4:4xib400+rails+spine2");

	cr_expect(eq(int, t->switches, 4 + 4 + 1), "NVSwitches, leaves, and the spine");
	cr_expect(eq(dbl, speed(t, 32 + 4, 32 + 4 + 4), 8 * 50 / 2.), "half of eight NICs");
	cr_expect(ne(ptr, (void *)topology_link(t, 8, 32 + 4 + 1), NULL), "the leaf of the second box");
	cr_expect(eq(int, s->switches, 4 + 16 + 4 + 1));
	cr_expect(eq(dbl, speed(s, 32 + 4 + 16, 32 + 4 + 16 + 4), 4 * 50 / 2.), "half of a NIC of each of four boxes");
	topology_free(t);
	topology_free(s);
	expect_refused("dgx-h100*2:ib400+spine1:2", "\"spine1:2\" is neither \"rails\", \"spine2:1\" nor the number of NICs, each given once: write a "
		       "network as in dgx-h100*4:ib400, or dgx-h100*4:4xib400+rails");
}

Test(clusters, rails_join_equal_numbers)
{
	struct topology *t = open_good("dgx-h100*4:ib400+rails"), *s = open_good("dgx-h100*4:2xib400+rails");
	cr_expect(eq(int, t->switches, 4 + 8));
	for (int node = 0; node < 32; node++)
		cr_expect(eq(dbl, speed(t, node, 32 + 4 + node % 8), 50));
	cr_expect(eq(int, s->switches, 4 + 8 + 2));
	for (int nic = 0; nic < 8; nic++)
		cr_expect(eq(dbl, speed(s, 32 + 4 + nic, 44 + nic % 2), 50));
	struct error e = {0};
	struct network *w = network_new(t, &e);
	cr_assert(ne(ptr, w, NULL), "%s", e.what);
	cr_expect(eq(int, network_distance(w, 0, 8), 1));
	cr_expect(eq(int, network_distance(w, 0, 9), 2), "through a GPU on its rail");
	network_free(w);
	topology_free(t);
	topology_free(s);
}

Test(clusters, have_one_name_that_opens_them_again)
{
	static const struct {
		const char *written, *name;
	} rows[] = {
		{"dgx-h100*2:ib400", "dgx-h100*2:ib400"},         {"h100*2:8xib400", "dgx-h100*2:ib400"},
		{"p5*2:ib400/4", "dgx-h100*2:4xib400"},           {"dgx-h100*2:ib400+4", "dgx-h100*2:4xib400"},
		{"dgx-h100*2:ib400/rails", "dgx-h100*2:ib400+rails"}, {"dgx-h100*2:ib400/rails/4", "dgx-h100*2:4xib400+rails"},
		{"dgx-h100*2:ib400/4@gpus=0,8", "dgx-h100*2:4xib400@gpus=0,8"},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct error e = {0};
		struct topology *t = open_good(rows[i].written), *again = topology_open_named(rows[i].name, &e);
		cr_expect(eq(str, t->name, (char *)rows[i].name));
		cr_assert(ne(ptr, again, NULL), "%s: a file can name it: %s", rows[i].name, e.what);
		cr_expect(topology_same(t, again), "%s", rows[i].written);
		topology_free(t);
		topology_free(again);
	}
}

Test(clusters, are_read_back_as_written)
{
	static const char *const names[] = {"dgx-h100*2:ib400", "dgx1*3:2xroce100+rails", "mi300x8*2:ib400", "a100-pcie-pairs*2:eth100"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		struct error e = {0};
		struct text text = {0};
		struct topology *t = open_good(names[i]);
		topology_write(t, &text, 0);
		struct topology *again = topology_read_document(json_document_parse(text.bytes, "t.json", &e), &e);
		cr_assert(ne(ptr, again, NULL), "%s: %s", e.where, e.what);
		cr_expect(topology_same(t, again), "%s", names[i]);
		text_free(&text);
		topology_free(t);
		topology_free(again);
	}
}

Test(clusters, every_network_of_the_table_joins_boxes)
{
	size_t n;
	const struct box_network *all = box_networks(&n);
	cr_expect(ge(sz, n, 10));
	for (size_t i = 0; i < n; i++) {
		struct text name = {0};
		text_add(&name, "dgx1*2:%s", all[i].name);
		struct topology *t = open_good(name.bytes);
		cr_expect(eq(dbl, speed(t, 0, 16), rational_double(all[i].gigabytes_per_second)), "%s", name.bytes);
		cr_expect(eq(dbl, speed(t, 0, 1), 50), "%s", name.bytes);
		cr_expect(ne(ptr, strstr(t->source, all[i].source), NULL), "%s", t->source);
		text_free(&name);
		topology_free(t);
	}
}

Test(clusters, without_a_network_are_as_they_were)
{
	struct topology *t = open_good("dgx-h100*2x3");
	cr_expect(eq(int, topology_link(t, 0, 16)->bandwidth, 18));
	cr_expect(eq(int, topology_link(t, 0, 18)->bandwidth, 3));
	cr_expect(eq(int, topology_link(t, 0, 18)->kind, -1));
	cr_expect(eq(str, t->name, "dgx-h100*2x3"));
	topology_free(t);
}

static void expect_limit(const struct topology *t, size_t which, int bandwidth, struct edge_ends first, size_t edges)
{
	const struct limit *l = &t->limits[which];

	cr_expect(eq(int, l->of, LIMIT_EDGES), "limit %zu", which);
	cr_expect(eq(int, l->bandwidth, bandwidth), "limit %zu", which);
	cr_assert(eq(sz, l->n_edges, edges), "limit %zu", which);
	cr_expect(eq(int, l->edges[0].src, first.src), "limit %zu", which);
	cr_expect(eq(int, l->edges[0].dst, first.dst), "limit %zu", which);
}

Test(clusters, limits_within_a_box_hold_in_each)
{
	struct topology *t = open_good("amd-z52-pcie*2");

	cr_assert(eq(sz, t->n_limits, 4));
	expect_limit(t, 0, 9, (struct edge_ends){0, 1}, 6);
	expect_limit(t, 1, 9, (struct edge_ends){4, 5}, 6);
	expect_limit(t, 2, 9, (struct edge_ends){8, 9}, 6);
	expect_limit(t, 3, 9, (struct edge_ends){12, 13}, 6);
	topology_free(t);
}

Test(clusters, a_limit_of_a_node_without_such_links_holds_in_none)
{
	static const char box[] = "{\"format\": \"sccl-topology\", \"version\": 1, \"name\": \"box\", \"nodes\": 2, \"links\": ["
		"{\"src\": 0, \"dst\": 1, \"bandwidth\": 2}], \"limits\": [{\"out_of\": 1, \"bandwidth\": 1}, {\"into\": 1, \"bandwidth\": 1}]}";
	struct text name = {0};
	char path[PATH_BYTES];

	write_box(path, box);
	text_add(&name, "%s*2", path);
	struct topology *t = open_good(name.bytes);
	remove(path);
	cr_assert(eq(sz, t->n_limits, 2));
	expect_limit(t, 0, 1, (struct edge_ends){0, 1}, 1);
	expect_limit(t, 1, 1, (struct edge_ends){2, 3}, 1);
	text_free(&name);
	topology_free(t);
}

Test(clusters, a_name_with_capital_letters_is_a_file_behind_a_slash)
{
	struct error e = {0};

	cr_expect(eq(ptr, topology_open("dgx-h100*2:ib400/Rails", &e), NULL));
	cr_expect(eq(str, e.what, "No such file or directory"));
}

Test(clusters, that_cannot_be_are_refused)
{
	expect_refused("dgx-h100*2:ib40", "there is no network \"ib40\"; did you mean ib400? `sccl-synth topology list` lists them");
	expect_refused("dgx-h100*2:carrier", "there is no network \"carrier\"; `sccl-synth topology list` lists them");
	expect_refused("dgx-h100*2:3xib400", "8 nodes of a box cannot share 3 NICs equally");
	expect_refused("dgx-h100*2:12xib400", "8 nodes of a box cannot share 12 NICs equally");
	expect_refused("dgx-h100*2x4:ib400", "links to a network have its speed: leave out \"x4\"");
	expect_refused("dgx-h100*1:ib400", "\"*1:ib400\" is not a number of boxes from 2 to 4096; write it as in *4, or *4x2 for wider links to their "
		       "switch");
	expect_refused("dgx-h100*2:ib400+nics", "\"nics\" is neither \"rails\", \"spine2:1\" nor the number of NICs, each given once: write a network as in dgx-h100*4:ib400, or "
		       "dgx-h100*4:4xib400+rails");
	expect_refused("dgx-h100*2:0xib400", "\"ib400\" is neither \"rails\", \"spine2:1\" nor the number of NICs, each given once: write a network as in dgx-h100*4:ib400, or "
		       "dgx-h100*4:4xib400+rails");
	expect_refused("ring:4*2:ib400", "link 0-1 of a box has no speed that could be compared with that of ib400: give it a kind, or leave the network "
		       "out");
	expect_refused("dgx-h100*2000:ib400", "2000 boxes of 8 nodes are too large a machine: at most 4096 nodes are supported");
}

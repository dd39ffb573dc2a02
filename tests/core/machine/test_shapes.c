#include "core/base/error.h"
#include "core/base/json.h"
#include "core/base/text.h"
#include "core/machine/network.h"
#include "core/machine/topology.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <stdlib.h>

TestSuite(shapes, .description = "machines that need no file");
TestSuite(edits, .description = "machines cut down and mended");

static struct topology *open_good(const char *name)
{
	struct error e = {0};
	struct topology *t = topology_open(name, &e);
	cr_assert(ne(ptr, t, NULL), "%s: %s", e.where, e.what);
	cr_expect(eq(str, t->name, (char *)name));
	return t;
}

static void expect_refused(const char *name, const char *what)
{
	struct error e = {0};
	cr_expect(eq(ptr, topology_open(name, &e), NULL), "%s", name);
	cr_expect(eq(int, e.kind, ERROR_INPUT));
	cr_expect(eq(str, e.where, (char *)name));
	cr_expect(eq(str, e.what, (char *)what));
}

static int width(const struct topology *t, int src, int dst)
{
	const struct link *l = topology_link(t, src, dst);
	return l ? l->bandwidth : 0;
}

static bool same_both_ways(const struct topology *t)
{
	for (size_t i = 0; i < t->n_links; i++)
		if (width(t, t->links[i].dst, t->links[i].src) != t->links[i].bandwidth)
			return false;
	return true;
}

Test(shapes, have_the_nodes_and_links_of_their_kind)
{
	static const struct {
		const char *name;
		int nodes, switches;
		size_t links;
	} rows[] = {
		{"ring:3", 3, 0, 6},           {"ring:8", 8, 0, 16},           {"line:1", 1, 0, 0},
		{"line:8", 8, 0, 14},          {"star:8", 8, 0, 14},           {"complete:8", 8, 0, 56},
		{"hypercube:1", 2, 0, 2},      {"hypercube:4", 16, 0, 64},     {"hypercube:12", 4096, 0, 49152},
		{"torus:4x4", 16, 0, 64},      {"torus:8x8", 64, 0, 256},      {"torus:4x4x4", 64, 0, 384},
		{"torus:2x2", 4, 0, 8},        {"torus:2x3", 6, 0, 18},        {"torus:1x5", 5, 0, 10},
		{"torus:64x64", 4096, 0, 16384}, {"mesh:4x4", 16, 0, 48},      {"mesh:2x3x4", 24, 0, 92},
		{"switch:16", 16, 1, 32},      {"switch:1", 1, 1, 2},
		{"bigraph:4x8", 32, 8, 96},    {"bigraph:4x16", 64, 16, 256}, {"fat-tree:8x8", 64, 16, 256},
		{"fat-tree:1x1", 1, 2, 4},     {"bigraph:1x2", 2, 2, 6},
		{"fattree:8x8", 64, 16, 256},  {"dragonfly:2x4x2", 72, 36, 324}, {"dragonfly:1x1x1", 2, 2, 6},
		{"dragonfly:3x2x1", 18, 6, 48},
		{"torus:4x8+twist", 32, 0, 128}, {"torus:4x4x8+twist", 128, 0, 768}, {"torus:4x8x8+twist", 256, 0, 1536},
		{"torus:2x4+twist", 8, 0, 32}, {"tpu-v4:4x4x4", 64, 0, 384},  {"tpu-v5p:4x4x8+twist", 128, 0, 768},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct topology *t = open_good(rows[i].name);
		cr_expect(eq(int, t->nodes, rows[i].nodes), "%s", rows[i].name);
		cr_expect(eq(int, t->switches, rows[i].switches), "%s", rows[i].name);
		cr_expect(eq(sz, t->n_links, rows[i].links), "%s", rows[i].name);
		cr_expect(same_both_ways(t), "%s", rows[i].name);
		topology_free(t);
	}
}

Test(shapes, the_first_dimension_runs_fastest)
{
	struct topology *t = open_good("torus:3x4"), *m = open_good("mesh:3x4");
	cr_expect(eq(int, width(t, 0, 1), 1));
	cr_expect(eq(int, width(t, 0, 3), 1));
	cr_expect(eq(int, width(t, 0, 2), 1), "around the first side");
	cr_expect(eq(int, width(t, 0, 9), 1), "around the second side");
	cr_expect(eq(int, width(t, 2, 3), 0));
	cr_expect(eq(int, width(m, 0, 2), 0));
	cr_expect(eq(int, width(m, 0, 9), 0));
	topology_free(t);
	topology_free(m);
}

Test(shapes, a_side_of_two_gives_one_link)
{
	struct topology *t = open_good("torus:2x3");
	cr_expect(eq(int, width(t, 0, 1), 1));
	topology_free(t);
}

Test(shapes, every_example_opens_and_is_read_back_as_written)
{
	size_t n;
	const struct shape *shapes = topology_shapes(&n);
	cr_expect(eq(sz, n, 13));
	for (size_t i = 0; i < n; i++) {
		struct error e = {0};
		struct text first = {0}, second = {0};
		struct topology *t = open_good(shapes[i].example);
		topology_write(t, &first, 0);
		struct json_document *d = json_document_parse(first.bytes, "f.json", &e);
		struct json_place top = json_top(d);
		struct topology *again = topology_read(&top, &e);
		cr_assert(ne(ptr, again, NULL), "%s: %s", e.where, e.what);
		topology_write(again, &second, 0);
		cr_expect(eq(str, first.bytes, second.bytes));
		text_free(&first);
		text_free(&second);
		json_document_close(d);
		topology_free(t);
		topology_free(again);
	}
}

Test(shapes, sizes_that_make_no_machine_are_refused)
{
	expect_refused("ring:2", "a ring needs 3 nodes or more, not 2");
	expect_refused("ring", "write the size as in ring:8");
	expect_refused("ring:", "write the size as in ring:8");
	expect_refused("ring:8x8", "write the size as in ring:8");
	expect_refused("ring:-8", "write the size as in ring:8");
	expect_refused("ring:8 ", "write the size as in ring:8");
	expect_refused("torus:4x", "write the size as in torus:4x4");
	expect_refused("torus:x4", "write the size as in torus:4x4");
	expect_refused("torus:0x4", "write the size as in torus:4x4");
	expect_refused("torus:1x1x1x1x1x1x1x1x1", "write the size as in torus:4x4");
	expect_refused("cube:3", "there is no shape \"cube\"");
	expect_refused("torsu:4x4", "there is no shape \"torsu\"; did you mean torus?");
	expect_refused("torus:4x4x4+twist", "a twisted torus has sides of K and of 2K, K at least 2, as in torus:4x4x8+twist");
	expect_refused("torus:4x4x12+twist", "a twisted torus has sides of K and of 2K, K at least 2, as in torus:4x4x8+twist");
	expect_refused("torus:4x6x8+twist", "a twisted torus has sides of K and of 2K, K at least 2, as in torus:4x4x8+twist");
	expect_refused("torus:1x2+twist", "a twisted torus has sides of K and of 2K, K at least 2, as in torus:4x4x8+twist");
	expect_refused("torus:8+twist", "a twisted torus has sides of K and of 2K, K at least 2, as in torus:4x4x8+twist");
	expect_refused("torus:+twist", "write the size as in torus:4x4");
	expect_refused("torus:4x8+twisted", "write the size as in torus:4x4");
	expect_refused("mesh:4x8+twist", "write the size as in mesh:4x4");
	expect_refused("torus+twist", "no such topology; `sccl-synth topology list` lists them");
	expect_refused("tpu-v4:4x4x6", "consists of cubes of 4x4x4 chips: its sides are multiples of 4");
	expect_refused("tpu-v4:2x2x4+twist", "consists of cubes of 4x4x4 chips: its sides are multiples of 4");
	expect_refused("tpu-v4:8x8", "write the size as in tpu-v4:4x4x8");
}

Test(shapes, sizes_that_are_too_large_are_refused_before_anything_is_made)
{
	expect_refused("ring:1000000000", "has more than 4096 nodes");
	expect_refused("ring:99999999999999999999", "has more than 4096 nodes");
	expect_refused("torus:65536x65536x65536x65536", "has more than 4096 nodes");
	expect_refused("hypercube:13", "has more than 4096 nodes");
	expect_refused("hypercube:2147483647", "has more than 4096 nodes");
	expect_refused("complete:4096", "has more than 1048576 links");
	expect_refused("bigraph:1x2048", "has more than 1048576 links");
	expect_refused("fat-tree:4096x1", "has more than 4096 switches");
	expect_refused("bigraph:4x3", "its switches form two rows of equal length, but 3 is odd");
	expect_refused("dragonfly:2x4", "write the size as in dragonfly:2x4x2");
	expect_refused("dragonfly:16x32x16", "has more than 4096 nodes");
	expect_refused("dragonfly:2147483647x1x1", "has more than 4096 nodes");
	expect_refused("bigraph:4", "write the size as in bigraph:4x8");
}

static int diameter(const char *name)
{
	struct error e = {0};
	struct topology *t = open_good(name);
	struct network *w = network_new(t, &e);
	int most = 0;

	cr_assert(ne(ptr, w, NULL), "%s", e.what);
	for (int a = 0; a < w->nodes; a++)
		for (int b = 0; b < w->nodes; b++)
			most = network_distance(w, a, b) > most ? network_distance(w, a, b) : most;
	network_free(w);
	topology_free(t);
	return most;
}

/*
 * Camarero, Martínez and Beivide, table 1: the diameter of FCC(a), sides a, a and 2a, is 3a/2 rounded down, and so is that
 * of BCC(a), sides a, 2a and 2a; that of the rectangular twisted torus of sides a and 2a is a. Plain ones have 2a, 5a/2 and 3a/2.
 */
Test(shapes, a_twist_shortens_a_torus)
{
	cr_expect(eq(int, diameter("torus:4x4x8+twist"), 6));
	cr_expect(eq(int, diameter("torus:8x4x4+twist"), 6));
	cr_expect(eq(int, diameter("torus:4x4x8"), 8));
	cr_expect(eq(int, diameter("torus:4x8x8+twist"), 6));
	cr_expect(eq(int, diameter("torus:4x8x8"), 10));
	cr_expect(eq(int, diameter("torus:4x8+twist"), 4));
	cr_expect(eq(int, diameter("torus:4x8"), 6));
}

/* The link around a side of 4 arrives 4 further along the sides of 8; around a side of 8 it arrives where it should. */
Test(shapes, a_twist_moves_the_links_around_the_short_sides)
{
	struct topology *t = open_good("torus:4x4x8+twist"), *two = open_good("torus:4x8x8+twist");
	int x = 1, y = 4, z = 16;
	cr_expect(eq(int, width(t, 3 * x, 4 * z), 1));
	cr_expect(eq(int, width(t, 3 * x, 0), 0));
	cr_expect(eq(int, width(t, 3 * y + 5 * z, 1 * z), 1));
	cr_expect(eq(int, width(t, 7 * z, 0), 1));
	y = 4, z = 32;
	cr_expect(eq(int, width(two, 3 * x, 4 * y + 4 * z), 1));
	cr_expect(eq(int, width(two, 3 * x + 6 * y + 5 * z, 2 * y + 1 * z), 1));
	cr_expect(eq(int, width(two, 7 * y, 0), 1));
	topology_free(t);
	topology_free(two);
}

Test(shapes, of_tpus_have_a_kind)
{
	struct topology *v4 = open_good("tpu-v4:4x4x4"), *torus = open_good("torus:4x4x4"), *v5p = open_good("tpu-v5p:4x4x8+twist");
	cr_expect(eq(sz, v4->n_links, torus->n_links));
	for (size_t i = 0; i < v4->n_links; i++) {
		cr_expect(eq(int, width(v4, torus->links[i].src, torus->links[i].dst), 1));
		cr_expect(eq(int, v4->links[i].kind, 0));
	}
	cr_expect(eq(int, rational_compare(v4->kinds[0].gigabytes_per_second, rational(50, 1)), 0));
	cr_expect(eq(int, rational_compare(v5p->kinds[0].gigabytes_per_second, rational(100, 1)), 0));
	topology_free(v4);
	topology_free(torus);
	topology_free(v5p);
}

/* One link between any two groups, and no switch has more than its share. */
Test(shapes, groups_of_a_dragonfly_are_joined_pairwise)
{
	enum { EACH = 2, GROUP = 3, OUT = 2, GROUPS = GROUP * OUT + 1 };
	struct topology *t = open_good("dragonfly:2x3x2");
	int between[GROUPS][GROUPS] = {{0}}, ports[GROUPS * GROUP] = {0};

	cr_assert(eq(int, t->nodes, EACH * GROUP * GROUPS));
	for (size_t i = 0; i < t->n_links; i++) {
		int src = t->links[i].src - t->nodes, dst = t->links[i].dst - t->nodes;
		if (src < 0 || dst < 0 || src / GROUP == dst / GROUP)
			continue;
		between[src / GROUP][dst / GROUP]++;
		ports[src]++;
	}
	for (int a = 0; a < GROUPS; a++)
		for (int b = 0; b < GROUPS; b++)
			cr_expect(eq(int, between[a][b], a != b));
	for (int s = 0; s < GROUPS * GROUP; s++)
		cr_expect(eq(int, ports[s], OUT));
	topology_free(t);
}

/* ---- edits ---- */

Test(edits, gpus_renumbers_in_the_order_given)
{
	struct topology *t = open_good("dgx1@gpus=1,4,5,6"), *other = open_good("dgx1@gpus=6,5,4,1");
	cr_expect(eq(int, t->nodes, 4));
	cr_expect(eq(int, width(t, 0, 1), 2), "1-4");
	cr_expect(eq(int, width(t, 1, 2), 2), "4-5");
	cr_expect(eq(int, width(t, 2, 3), 2), "5-6");
	cr_expect(eq(int, width(t, 1, 3), 1), "4-6");
	cr_expect(eq(int, width(t, 0, 3), 0), "1-6");
	for (int a = 0; a < 4; a++)
		for (int b = 0; b < 4; b++)
			cr_expect(eq(int, width(t, a, b), width(other, 3 - a, 3 - b)));
	topology_free(t);
	topology_free(other);
}

/* GPUs 0 and 6 of dgx1 have no link, but neighbours in common. */
Test(edits, other_nodes_may_relay)
{
	struct topology *t = open_good("dgx1@gpus=0,6@relay"), *boxes = open_good("dgx-h100*2:ib400+rails@gpus=0,9@relay");

	cr_expect(eq(int, t->nodes, 2));
	cr_expect(eq(int, t->switches, 6));
	cr_expect(eq(sz, t->n_links, 32));
	cr_expect(eq(int, topology_link(t, 0, 2)->bandwidth, 2), "GPU 1 is switch 2");
	cr_expect(eq(int, boxes->switches, 2 + 8 + 14), "the machine's own switches come first");
	struct error e = {0};
	struct network *w = network_new(boxes, &e);
	cr_assert(ne(ptr, w, NULL), "%s", e.what);
	cr_expect(eq(int, network_distance(w, 0, 1), 1));
	network_free(w);
	topology_free(t);
	topology_free(boxes);
	t = open_good("dgx-h100+nvls@gpus=0,1@relay");
	cr_assert(eq(int, t->switches, 1 + 6));
	cr_expect(t->abilities[0] != 0 && t->abilities[1] == 0, "a GPU that relays copies and adds nothing");
	topology_free(t);
}

Test(edits, gpus_keeps_the_switches)
{
	struct topology *t = open_good("dgx2@gpus=3,15");
	cr_expect(eq(int, t->nodes, 2));
	cr_expect(eq(int, t->switches, 1));
	cr_expect(eq(int, width(t, 0, 2), 6));
	cr_expect(eq(int, width(t, 2, 1), 6));
	topology_free(t);
}

Test(edits, links_are_added_widened_and_dropped)
{
	struct topology *t = open_good("dgx1@add=0-4x3,0-1@drop=2-3@add=2-3");
	cr_expect(eq(int, width(t, 0, 4), 3));
	cr_expect(eq(int, width(t, 4, 0), 3));
	cr_expect(eq(int, width(t, 0, 1), 3));
	cr_expect(eq(int, width(t, 2, 3), 1), "dropped, then added anew");
	cr_expect(eq(int, topology_link(t, 0, 4)->kind, 0), "of the machine's one kind");
	topology_free(t);
}

Test(edits, apply_one_after_another)
{
	struct topology *t = open_good("ring:8@gpus=0,1,2,3@add=3-0");
	struct topology *ring = open_good("ring:4");
	cr_expect(eq(sz, t->n_links, ring->n_links));
	for (size_t i = 0; i < ring->n_links; i++)
		cr_expect(eq(int, width(t, ring->links[i].src, ring->links[i].dst), 1));
	topology_free(t);
	topology_free(ring);
	expect_refused("ring:8@gpus=0,1@drop=2-3", "2-3 is not a pair of the nodes 0 to 1");
}

static const char *const limited =
	"{\"format\": \"sccl-topology\", \"version\": 1, \"name\": \"l\", \"nodes\": 4, \"duplex\": true, \"links\": ["
	"{\"src\": 0, \"dst\": 1, \"bandwidth\": 1}, {\"src\": 1, \"dst\": 2, \"bandwidth\": 1}, {\"src\": 2, \"dst\": 3, "
	"\"bandwidth\": 1}], \"limits\": [{\"edges\": [[0, 1], [1, 2]], \"bandwidth\": 1}, {\"out_of\": 2, \"bandwidth\": 1}, "
	"{\"edges\": [[2, 3]], \"bandwidth\": 1}]}";

static struct topology *open_limited(const char *edits)
{
	struct error e = {0};
	struct text name = {0};
	char path[] = "/tmp/sccl-test-limited-XXXXXX";
	int file = mkstemp(path);
	cr_assert(ge(int, file, 0));
	FILE *f = fdopen(file, "w");
	fputs(limited, f);
	fclose(f);
	text_add(&name, "%s%s", path, edits);
	struct topology *t = topology_open(name.bytes, &e);
	remove(path);
	cr_assert(ne(ptr, t, NULL), "%s: %s", e.where, e.what);
	text_free(&name);
	return t;
}

Test(edits, limits_keep_what_is_left_of_them)
{
	struct topology *cut = open_limited("@gpus=2,1"), *dropped = open_limited("@drop=2-3");
	cr_expect(eq(str, cut->name, "l@gpus=2,1"));
	cr_expect(eq(sz, cut->n_limits, 2));
	cr_expect(eq(sz, cut->limits[0].n_edges, 1));
	cr_expect(eq(int, cut->limits[0].edges[0].src, 1));
	cr_expect(eq(int, cut->limits[0].edges[0].dst, 0));
	cr_expect(eq(int, cut->limits[1].of, LIMIT_OUT_OF));
	cr_expect(eq(int, cut->limits[1].node, 0));
	cr_expect(eq(sz, dropped->n_limits, 2), "the limit of the dropped link goes with it");
	topology_free(cut);
	topology_free(dropped);
}

Test(edits, that_mean_nothing_are_refused)
{
	expect_refused("dgx1@relay", "@relay must follow @gpus=, whose other nodes it makes switches");
	expect_refused("dgx1@relay@gpus=0,1", "@relay must follow @gpus=, whose other nodes it makes switches");
	expect_refused("dgx1@gpus=0,1@relays", "\"@relays\" is not an edit; the edits are @gpus=, @relay after it, @add=, @drop=, @widen= and @narrow=");
	expect_refused("dgx1@gpus=1,1", "node 1 is named twice");
	expect_refused("dgx1@gpus=8", "there is no node 8; the last is 7");
	expect_refused("dgx2@gpus=16", "there is no node 16; the last is 15");
	expect_refused("dgx1@gpus=", "\"\" is not a node; write them as in @gpus=1,4,5");
	expect_refused("dgx1@gpus=1,", "\"\" is not a node; write them as in @gpus=1,4,5");
	expect_refused("dgx1@gpus=-1", "\"-1\" is not a node; write them as in @gpus=1,4,5");
	expect_refused("dgx1@add=0-0", "0-0 is not a pair of the nodes 0 to 7");
	expect_refused("dgx1@add=0-8", "0-8 is not a pair of the nodes 0 to 7");
	expect_refused("dgx1@add=0-4x0", "\"0-4x0\" is not a link; write it as in @add=0-4x1");
	expect_refused("dgx1@add=0", "\"0\" is not a link; write it as in @add=0-4x1");
	expect_refused("dgx1@add=0-1x999999", "link 0-1 would have a bandwidth above 1000000");
	expect_refused("dgx1@narrow=0-4x1", "there is no link 0-4 to narrow");
	expect_refused("dgx1@widen=0-4x1", "there is no link 0-4 to widen");
	expect_refused("dgx1@widen=0", "\"0\" is not a link; write it as in @widen=0-4x1");
	expect_refused("ring:4@narrow=0-1x1", "link 0-1 has bandwidth 1 and cannot be narrowed by 1; @drop= removes it");
	expect_refused("ring:4+nvls", "there are no switches that could copy and add");
	expect_refused("dgx-h100*2*2:ib400", "has copies of copies: give one number of boxes, as in dgx-h100*4");
	expect_refused("dgx1@drop=0-4", "there is no link 0-4 to drop");
	expect_refused("dgx1@drop=0-1x1", "\"0-1x1\" is not a link; write it as in @drop=2-3");
	expect_refused("dgx1@drop=0-1,0-1", "there is no link 0-1 to drop");
	expect_refused("dgx1@foo=1", "\"@foo=1\" is not an edit; the edits are @gpus=, @relay after it, @add=, @drop=, @widen= and @narrow=");
	expect_refused("dgx1@", "\"@\" is not an edit; the edits are @gpus=, @relay after it, @add=, @drop=, @widen= and @narrow=");
	expect_refused("dgx1@gpus=0@", "\"@\" is not an edit; the edits are @gpus=, @relay after it, @add=, @drop=, @widen= and @narrow=");
}

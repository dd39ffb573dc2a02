#include "tests/support/by_hand.h"
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/json.h"
#include "core/base/text.h"
#include "core/machine/topology.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

TestSuite(topology, .description = "machines: files, shapes, edits");

static struct topology *open_good(const char *name)
{
	struct error e = {0};
	struct topology *t = topology_open(name, &e);
	cr_assert(ne(ptr, t, NULL), "%s: %s", e.where, e.what);
	return t;
}

static char *written(const struct topology *t)
{
	struct text text = {0};
	topology_write(t, &text, 0);
	text_add(&text, "\n");
	return text_take(&text);
}

static struct topology *read_text(const char *json, struct error *e)
{
	struct json_document *d = json_document_parse(json, "f.json", e);
	cr_assert(ne(ptr, d, NULL), "%s: %s", e->where, e->what);
	struct json_place top = json_top(d);
	struct topology *t = topology_read(&top, e);
	json_document_close(d);
	return t;
}

static int width(const struct topology *t, int src, int dst)
{
	const struct link *l = topology_link(t, src, dst);
	return l ? l->bandwidth : 0;
}

/* ---- shipped files ---- */

static void check_shipped(const char *folder, const char *file)
{
	struct error e = {0};
	struct text path = {0}, bytes = {0};
	text_add(&path, "%s/%s", folder, file);
	cr_assert(file_read(path.bytes, &bytes, &e));
	struct topology *t = open_good(path.bytes);
	char *again = written(t);
	cr_expect(eq(str, again, bytes.bytes), "%s does not come out as it went in", file);
	cr_expect(ne(ptr, t->source, NULL), "%s has no source", file);
	cr_expect(ne(ptr, t->description, NULL), "%s has no description", file);
	cr_expect(eq(sz, strlen(t->name), strlen(file) - strlen(".json")), "%s is named %s", file, t->name);
	cr_expect(eq(int, strncmp(t->name, file, strlen(t->name)), 0), "%s is named %s", file, t->name);
	for (size_t i = 0; i < t->n_links; i++)
		cr_expect(ge(int, t->links[i].kind, 0), "%s: a link without a kind", file);
	free(again);
	topology_free(t);
	text_free(&path);
	text_free(&bytes);
}

Test(topology, every_shipped_file_is_in_canonical_form_and_tells_its_source)
{
	struct text folder = {0};
	const char *root = getenv("SOURCE_ROOT");
	int n = 0;
	cr_assert(ne(ptr, (void *)root, NULL));
	text_add(&folder, "%s/topologies", root);
	DIR *d = opendir(folder.bytes);
	cr_assert(ne(ptr, d, NULL));
	for (struct dirent *entry; (entry = readdir(d));)
		if (strstr(entry->d_name, ".json")) {
			check_shipped(folder.bytes, entry->d_name);
			n++;
		}
	closedir(d);
	cr_expect(ge(int, n, 32));
	text_free(&folder);
}

Test(topology, dgx1_is_two_rings)
{
	static const int wide[] = {0, 1, 4, 5, 6, 7, 2, 3}, narrow[] = {0, 2, 1, 3, 6, 4, 7, 5};
	struct topology *t = open_good("dgx1");
	cr_expect(eq(sz, t->n_links, 32));
	for (int i = 0; i < 8; i++) {
		cr_expect(eq(int, width(t, wide[i], wide[(i + 1) % 8]), 2));
		cr_expect(eq(int, width(t, wide[(i + 1) % 8], wide[i]), 2));
		cr_expect(eq(int, width(t, narrow[i], narrow[(i + 1) % 8]), 1));
		cr_expect(eq(int, width(t, narrow[(i + 1) % 8], narrow[i]), 1));
	}
	topology_free(t);
}

Test(topology, dgx1v_is_dgx1_with_other_numbers)
{
	static const int as[] = {1, 2, 3, 0, 4, 7, 6, 5};
	struct topology *v = open_good("dgx1v"), *t = open_good("dgx1"), *p = open_good("dgx1p");
	cr_expect(eq(sz, v->n_links, t->n_links));
	for (size_t i = 0; i < v->n_links; i++) {
		const struct link *l = &v->links[i];
		cr_expect(eq(int, width(t, as[l->src], as[l->dst]), l->bandwidth), "%d-%d", l->src, l->dst);
		cr_expect(eq(int, width(p, l->src, l->dst), 1));
	}
	topology_free(v);
	topology_free(t);
	topology_free(p);
}

static int units(const struct topology *t)
{
	int n = 0;
	for (size_t i = 0; i < t->n_links; i++)
		n += t->links[i].bandwidth;
	return n;
}

Test(topology, machines_have_the_links_that_their_makers_say)
{
	static const struct {
		const char *name;
		int nodes, switches;
		size_t links;
		int units;
	} rows[] = {
		{"amd-z52", 8, 0, 16, 16},       {"amd-z52-pcie", 8, 0, 28, 284},       {"p3.8xlarge", 4, 0, 12, 18},   {"dgx2", 16, 1, 32, 192},
		{"dgx-a100", 8, 1, 16, 192},     {"p4d", 8, 1, 16, 192},         {"ndv4", 8, 1, 16, 192},
		{"dgx-h100", 8, 1, 16, 288},     {"dgx-h200", 8, 1, 16, 288},    {"gb200-nvl72", 72, 1, 144, 2592},
		{"mi100x8", 8, 0, 48, 48},       {"mi300x8", 8, 0, 56, 56},      {"mi250x-frontier", 8, 0, 24, 52},
		{"mi250x16", 16, 0, 56, 112},    {"gaudi-hls1", 8, 0, 56, 56},   {"gaudi2", 8, 0, 56, 168},
		{"gaudi3", 8, 0, 56, 168},       {"p2.16xlarge", 16, 10, 50, 50}, {"mi50-two-rings", 8, 3, 36, 68},
		{"dgx1-pcie", 8, 6, 26, 142},    {"dgx-b200", 8, 1, 16, 288},    {"mi325x8", 8, 0, 56, 56},
		{"mi355x8", 8, 0, 56, 56},       {"trn2", 16, 0, 64, 64},        {"p2.8xlarge", 8, 5, 24, 24},
		{"pcie-box4", 4, 2, 10, 10},     {"pcie-box8", 8, 4, 22, 22},    {"a100-pcie-pairs", 8, 4, 30, 244},
		{"ndv2x2", 16, 0, 66, 194},      {"dgx2x2", 32, 2, 80, 656},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct topology *t = open_good(rows[i].name);
		cr_expect(eq(int, t->nodes, rows[i].nodes), "%s", rows[i].name);
		cr_expect(eq(int, t->switches, rows[i].switches), "%s", rows[i].name);
		cr_expect(eq(sz, t->n_links, rows[i].links), "%s", rows[i].name);
		cr_expect(eq(int, units(t), rows[i].units), "%s", rows[i].name);
		topology_free(t);
	}
}

/* Two boxes of TE-CCL's evaluation: links between boxes go one way. */
Test(topology, te_ccl_joins_boxes_by_links_one_way)
{
	struct topology *n = open_good("ndv2x2"), *box = open_good("dgx1v"), *d = open_good("dgx2x2");
	for (size_t i = 0; i < box->n_links; i++)
		for (int b = 0; b < 16; b += 8)
			cr_expect(eq(int, width(n, b + box->links[i].src, b + box->links[i].dst), 2 * box->links[i].bandwidth), "half the unit");
	cr_expect(eq(int, width(n, 0, 9), 1));
	cr_expect(eq(int, width(n, 9, 0), 0));
	cr_expect(eq(int, width(n, 8, 1), 1));
	for (int g = 0; g < 32; g++) {
		cr_expect(eq(int, width(d, g, 32 + g / 16), 10));
		cr_expect(eq(int, width(d, 32 + g / 16, g), 10));
		for (int to = 0; to < 32; to++)
			cr_expect(eq(int, width(d, g, to), g % 2 && to == (g + 16) % 32 - 1 ? 1 : 0), "%d-%d", g, to);
	}
	topology_free(n);
	topology_free(box);
	topology_free(d);
}

/* ---- reading and writing ---- */

Test(topology, a_link_that_goes_one_way_is_written_so)
{
	struct error e = {0};
	struct topology *t = read_text("{\"format\": \"sccl-topology\", \"version\": 1, \"name\": \"one-way\", \"nodes\": 2, "
				       "\"x-note\": [1], \"links\": [{\"src\": 1, \"dst\": 0, \"bandwidth\": 3}]}", &e);
	cr_assert(ne(ptr, t, NULL), "%s: %s", e.where, e.what);
	char *s = written(t);
	cr_expect(eq(str, s, "{\n  \"format\": \"sccl-topology\",\n  \"version\": 1,\n  \"name\": \"one-way\",\n  \"nodes\": 2,\n"
			     "  \"links\": [\n    {\"src\": 1, \"dst\": 0, \"bandwidth\": 3}\n  ]\n}\n"));
	free(s);
	topology_free(t);
}

Test(topology, links_that_are_no_longer_alike_both_ways_are_all_written)
{
	struct topology *t = open_good("ring:3");
	t->links[0].bandwidth = 2;
	char *s = written(t);
	cr_expect(eq(ptr, strstr(s, "duplex"), NULL));
	cr_expect(ne(ptr, strstr(s, "{\"src\": 1, \"dst\": 0, \"bandwidth\": 1}"), NULL));
	free(s);
	topology_free(t);
}

static const char *const full =
	"{\n"
	"  \"format\": \"sccl-topology\",\n"
	"  \"version\": 1,\n"
	"  \"name\": \"full\",\n"
	"  \"description\": \"a \\\"quoted\\\" one\",\n"
	"  \"source\": \"here\",\n"
	"  \"nodes\": 3,\n"
	"  \"switches\": 1,\n"
	"  \"duplex\": true,\n"
	"  \"links\": [\n"
	"    {\"src\": 0, \"dst\": 1, \"bandwidth\": 2, \"kind\": \"nv\"},\n"
	"    {\"src\": 0, \"dst\": 3, \"bandwidth\": 1, \"kind\": \"eth\"},\n"
	"    {\"src\": 1, \"dst\": 2, \"bandwidth\": 1},\n"
	"    {\"src\": 2, \"dst\": 3, \"bandwidth\": 1, \"kind\": \"eth\"}\n"
	"  ],\n"
	"  \"limits\": [\n"
	"    {\"name\": \"socket\", \"edges\": [[0, 1], [1, 2]], \"bandwidth\": 2},\n"
	"    {\"out_of\": 0, \"bandwidth\": 2},\n"
	"    {\"into\": 3, \"bandwidth\": 1}\n"
	"  ],\n"
	"  \"kinds\": {\n"
	"    \"eth\": {\"latency_us\": \"13/10\", \"gigabytes_per_second\": \"25\"},\n"
	"    \"nv\": {\"latency_us\": \"0\", \"gigabytes_per_second\": \"25\"}\n"
	"  }\n"
	"}\n";

static struct topology *read_full(void)
{
	struct error e = {0};
	struct topology *t = read_text(full, &e);
	cr_assert(ne(ptr, t, NULL), "%s: %s", e.where, e.what);
	return t;
}

Test(topology, all_members_come_out_as_they_went_in)
{
	struct topology *t = read_full(), *copy = topology_copy(t);
	topology_free(t);
	char *s = written(copy);
	cr_expect(eq(str, s, (char *)full));
	free(s);
	topology_free(copy);
}

Test(topology, an_indent_moves_all_lines_but_the_first)
{
	struct topology *t = open_good("line:2");
	struct text text = {0};
	topology_write(t, &text, 2);
	cr_expect(eq(int, strncmp(text.bytes, "{\n    \"format\"", 14), 0));
	cr_expect(eq(str, text.bytes + text.length - 4, "\n  }"));
	text_free(&text);
	topology_free(t);
}

Test(topology, reversed_turns_links_and_limits)
{
	struct topology *t = read_full();
	t->links[0].bandwidth = 5; /* 0 -> 1 alone */
	struct topology *r = topology_reversed(t), *again = topology_reversed(r);
	cr_expect(eq(int, width(r, 1, 0), 5));
	cr_expect(eq(int, width(r, 0, 1), 2));
	cr_expect(eq(int, r->limits[1].of, LIMIT_INTO));
	cr_expect(eq(int, r->limits[2].of, LIMIT_OUT_OF));
	cr_expect(eq(int, r->limits[0].edges[0].src, 1));
	cr_expect(eq(int, r->limits[0].edges[0].dst, 0));
	char *there = written(t), *back = written(again);
	cr_expect(eq(str, there, back));
	free(there);
	free(back);
	topology_free(t);
	topology_free(r);
	topology_free(again);
}

/* ---- bad files: tests/bad/topology/FILE.json, where behind its name, what ---- */

static const struct {
	const char *file, *where, *what;
} bad[] = {
	{"bad-ratio", ": kinds.nvlink2.latency_us", "must be a number such as 12.5 or a ratio such as \"25/2\""},
	{"bad-utf8", ":4:12", "unable to decode byte 0xff near '\"b'"},
	{"bandwidth-float", ": links[0].bandwidth", "must be an integer"},
	{"bandwidth-huge", ": links[0].bandwidth", "must be an integer from 1 to 1000000, not 9223372036854775807"},
	{"bandwidth-negative", ": links[0].bandwidth", "must be an integer from 1 to 1000000, not -1"},
	{"bandwidth-zero", ": links[0].bandwidth", "must be an integer from 1 to 1000000, not 0"},
	{"billion-nodes", ": nodes", "must be an integer from 1 to 4096, not 1000000000"},
	{"both-ways-in-duplex", ": links[2]", "there is already a link from 0 to 1"},
	{"duplicate-key", ":6:9", "duplicate object key near '\"nodes\"'"},
	{"duplicate-link", ": links[3]", "there is already a link from 1 to 2"},
	{"empty", ":1:1", "'[' or '{' expected near end of file"},
	{"empty-name", ": name", "must not be empty"},
	{"end-out-of-range", ": links[2].src", "must be an integer from 0 to 2, not 3"},
	{"huge-integer", ":5:41", "too big integer"},
	{"kinds-not-an-object", ": kinds", "must be an object"},
	{"limit-edge-of-three", ": limits[0].edges[0]", "must be [src, dst]"},
	{"limit-edge-twice", ": limits[0].edges", "names [0, 1] twice"},
	{"limit-node-out-of-range", ": limits[0].out_of", "must be an integer from 0 to 2, not 3"},
	{"limit-of-nothing", ": limits[0]", "must have exactly one of \"edges\", \"out_of\" and \"into\""},
	{"limit-of-two-things", ": limits[0]", "must have exactly one of \"edges\", \"out_of\" and \"into\""},
	{"limit-over-no-link", ": limits[1].edges[1]", "there is no link from 1 to 0"},
	{"limit-with-both", ": limits[0].bandwidth", "is given along with \"gigabytes_per_second\": leave one of them out"},
	{"limit-without-edges", ": limits[0].edges", "must name an edge"},
	{"limit-without-speed", ": limits[0]", "must have \"gigabytes_per_second\", as units follow from the speeds of the links"},
	{"link-not-an-object", ": links[0]", "must be an object"},
	{"link-without-speed", ": links", "the link from 1 to 2 has no speed, where others have no bandwidth: give every link a bandwidth, or every link a speed"},
	{"links-not-a-list", ": links", "must be a list"},
	{"missing-bandwidth", ": links[2]", "\"bandwidth\" is missing"},
	{"missing-nodes", "", "\"nodes\" is missing"},
	{"negative-latency", ": kinds.nvlink2.latency_us", "must not be negative"},
	{"negative-nodes", ": nodes", "must be an integer from 1 to 4096, not -8"},
	{"not-an-object", "", "must be an object"},
	{"nul-byte", "", "is not JSON: it has a NUL byte"},
	{"nul-in-name", ":4:20", "\\u0000 is not allowed without JSON_ALLOW_NUL near '\"a\\u0000b\"'"},
	{"number-as-name", ": name", "must be a string"},
	{"ratio-over-zero", ": kinds.nvlink2.latency_us", "must be a number such as 12.5 or a ratio such as \"25/2\""},
	{"ratio-too-large", ": kinds.nvlink2.latency_us", "must be a number such as 12.5 or a ratio such as \"25/2\""},
	{"self-link", ": links[1]", "joins 1 to itself"},
	{"speed-of-no-unit", ": links[0]", "is too slow for its bandwidth: no 64-bit ratio is the speed of one unit"},
	{"speed-of-words", ": links[0].gigabytes_per_second", "must be a number such as 12.5 or a ratio such as \"25/2\""},
	{"speed-zero", ": kinds.nvlink2.gigabytes_per_second", "must be more than 0"},
	{"speeds-that-overflow", ": links", "the speeds have no common unit of which the fastest link has at most 1000000: round them"},
	{"speeds-without-unit", ": links", "the speeds have no common unit of which the fastest link has at most 1000000: round them"},
	{"switch-false", ": multicast", "must be a list"},
	{"switch-not-one", ": multicast[0]", "must be an integer from 2 to 2, not 1"},
	{"switch-twice", ": reduce[1]", "switch 2 is listed twice"},
	{"switches-of-none", ": reduce", "there are no switches"},
	{"text-as-duplex", ": duplex", "must be true or false"},
	{"too-many-switches", ": switches", "must be an integer from 0 to 4096, not 5000"},
	{"trailing-text", ":12:1", "end of file expected near '{'"},
	{"truncated", ":8:15", "string or '}' expected near end of file"},
	{"units-against-speeds", ": links", "one unit of bandwidth is 12 GB/s of kind \"ib\" and 50 of \"nvlink\": leave \"bandwidth\" out, and units follow from the speeds"},
	{"unknown-key", "", "unknown key \"nodez\""},
	{"unknown-kind", ": links[0].kind", "\"nvlink9\" is not in \"kinds\""},
	{"unknown-link-key", ": links[1]", "unknown key \"bandwith\""},
	{"wrong-format", ": format", "must be \"sccl-topology\", not \"sccl-algorithm\""},
	{"wrong-version", ": version", "must be 1, not 2"},
};

static bool is_listed(const char *file)
{
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		if (strncmp(bad[i].file, file, strlen(file) - strlen(".json")) == 0)
			return true;
	return false;
}

Test(topology, every_bad_file_is_refused_by_one_line_with_its_place)
{
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct error e = {0};
		struct text path = {0};
		text_add(&path, "%s/tests/bad/topology/%s.json", getenv("SOURCE_ROOT"), bad[i].file);
		size_t length = path.length;
		cr_expect(eq(ptr, topology_open(path.bytes, &e), NULL), "%s", bad[i].file);
		cr_expect(eq(int, e.kind, ERROR_INPUT));
		cr_expect(eq(int, strncmp(e.where, path.bytes, length), 0), "%s", e.where);
		cr_expect(eq(str, e.where + length, (char *)bad[i].where), "%s", bad[i].file);
		cr_expect(eq(str, e.what, (char *)bad[i].what), "%s", bad[i].file);
		text_free(&path);
	}
}

Test(topology, no_bad_file_is_forgotten)
{
	struct text folder = {0};
	text_add(&folder, "%s/tests/bad/topology", getenv("SOURCE_ROOT"));
	DIR *d = opendir(folder.bytes);
	cr_assert(ne(ptr, d, NULL));
	for (struct dirent *entry; (entry = readdir(d));)
		if (strstr(entry->d_name, ".json"))
			cr_expect(is_listed(entry->d_name), "%s", entry->d_name);
	closedir(d);
	text_free(&folder);
}

static void expect_no_topology(const char *name, const char *what)
{
	struct error e = {0};
	cr_expect(eq(ptr, topology_open(name, &e), NULL), "%s", name);
	cr_expect(eq(int, e.kind, ERROR_INPUT));
	cr_expect(eq(str, e.where, (char *)(*name ? name : "\"\"")), "an empty name is shown as one");
	cr_expect(eq(str, e.what, (char *)what));
}

Test(topology, a_name_that_is_not_there_is_refused)
{
	expect_no_topology("nosuch", "no such topology; `sccl-synth topology list` lists them");
	expect_no_topology("", "no such topology; `sccl-synth topology list` lists them");
	expect_no_topology("dgxh100", "no such topology; did you mean dgx-h100? `sccl-synth topology list` lists them");
	expect_no_topology("P4", "no such topology; did you mean p4d or p5? `sccl-synth topology list` lists them");
	expect_no_topology("torus4x4", "no such topology; did you mean torus:4x4? `sccl-synth topology list` lists them");
	expect_no_topology("./nosuch", "No such file or directory");
	expect_no_topology("nosuch.json", "No such file or directory");
}

Test(topology, has_other_names)
{
	size_t n;
	const struct machine_alias *aliases = topology_aliases(&n);
	static const char *const typed[] = {"p3.16xlarge", "p5", "h100", "mi300x"};

	for (size_t i = 0; i < n; i++) {
		struct topology *t = open_good(aliases[i].alias);
		cr_expect(eq(str, t->name, (char *)aliases[i].name));
		cr_expect(i == 0 || strcmp(aliases[i - 1].alias, aliases[i].alias) < 0, "%s: by alias", aliases[i].alias);
		topology_free(t);
	}
	for (size_t i = 0; i < sizeof typed / sizeof *typed; i++)
		topology_free(open_good(typed[i]));
	struct topology *t = open_good("h100*2@gpus=0,8");
	cr_expect(eq(str, t->name, "dgx-h100*2@gpus=0,8"));
	topology_free(t);
}

Test(topology, knows_switches_that_copy_and_add)
{
	struct topology *t = open_good("h100+nvls"), *plain = open_good("dgx-h100");
	char *bytes = written(t);
	struct error e = {0};

	cr_expect(eq(str, t->name, "dgx-h100+nvls"));
	cr_expect(eq(uint, topology_abilities(t, 8), MULTICASTS | REDUCES));
	cr_expect(eq(uint, topology_abilities(t, 7), 0), "a node");
	cr_expect(topology_has_abilities(t));
	cr_expect(not(topology_has_abilities(plain)));
	cr_expect(not(topology_same_machine(t, plain)));
	cr_expect(ne(ptr, strstr(bytes, "\"multicast\": true,\n  \"reduce\": true"), NULL));
	struct topology *again = read_text(bytes, &e);
	cr_expect(topology_same(t, again));
	free(bytes);
	topology_free(t);
	topology_free(plain);
	topology_free(again);

	t = open_good("dgx-h100+nvls*2:ib400@gpus=0,1,8,9");
	cr_expect(eq(int, t->nodes, 4));
	cr_expect(eq(uint, topology_abilities(t, 5), MULTICASTS | REDUCES), "the switch of the second box");
	cr_expect(eq(uint, topology_abilities(t, 6), 0), "the network's");
	topology_free(t);
	size_t n;
	const char *const *names = topology_nvls_machines(&n);
	for (size_t i = 0; i < n; i++) {
		struct text name = {0};
		text_add(&name, "%s+nvls", names[i]);
		topology_free(open_good(name.bytes));
		text_free(&name);
	}
}

Test(topology, backwards_switches_that_copy_add)
{
	struct topology *t = machine_of("\"nodes\": 2, \"switches\": 3, \"multicast\": [2], \"reduce\": [3], \"links\": []");
	struct topology *r = topology_reversed(t), *back = topology_reversed(r);
	char *bytes = written(r);

	cr_expect(eq(uint, topology_abilities(r, 2), REDUCES));
	cr_expect(eq(uint, topology_abilities(r, 3), MULTICASTS));
	cr_expect(eq(uint, topology_abilities(r, 4), 0));
	cr_expect(ne(ptr, strstr(bytes, "\"multicast\": [3],\n  \"reduce\": [2]"), NULL), "%s", bytes);
	cr_expect(topology_same(t, back));
	free(bytes);
	topology_free(t);
	topology_free(r);
	topology_free(back);
}

Test(topology, is_the_same_by_content_and_not_by_name)
{
	static const char square[] = "\"nodes\": 3, \"links\": [{\"src\": 0, \"dst\": 1, \"bandwidth\": 1}, {\"src\": 1, \"dst\": 2, \"bandwidth\": 1}]";
	static const struct {
		const char *members;
		bool same;
	} others[] = {
		{"\"nodes\": 3, \"links\": [{\"src\": 1, \"dst\": 2, \"bandwidth\": 1}, {\"src\": 0, \"dst\": 1, \"bandwidth\": 1}]", true},
		{"\"nodes\": 4, \"links\": [{\"src\": 0, \"dst\": 1, \"bandwidth\": 1}, {\"src\": 1, \"dst\": 2, \"bandwidth\": 1}]", false},
		{"\"nodes\": 3, \"links\": [{\"src\": 0, \"dst\": 1, \"bandwidth\": 2}, {\"src\": 1, \"dst\": 2, \"bandwidth\": 1}]", false},
		{"\"nodes\": 3, \"links\": [{\"src\": 0, \"dst\": 1, \"bandwidth\": 1}, {\"src\": 0, \"dst\": 2, \"bandwidth\": 1}]", false},
		{"\"nodes\": 3, \"links\": [{\"src\": 0, \"dst\": 1, \"bandwidth\": 1}, {\"src\": 1, \"dst\": 2, \"bandwidth\": 1}], "
		 "\"limits\": [{\"out_of\": 1, \"bandwidth\": 1}]", false},
	};
	struct topology *t = machine_of(square);

	for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
		struct topology *other = machine_of(others[i].members);
		cr_expect(eq(int, topology_same(t, other), others[i].same), "%zu", i);
		cr_expect(eq(int, topology_same(other, t), others[i].same), "%zu", i);
		topology_free(other);
	}
	topology_free(t);
}

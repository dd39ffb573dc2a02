#include "core/base/error.h"
#include "core/base/json.h"
#include "core/base/text.h"
#include "core/bounds/bounds.h"
#include "core/schedule/step_overhead.h"
#include "prove/check.h"
#include "prove/time_proof.h"
#include "simulate/fabric.h"
#include "simulate/time_bound.h"
#include "tests/support/drawn.h"
#include "tests/support/time_certificate.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>
#include <string.h>

TestSuite(time_proof, .description = "certificates of bounds on time", .timeout = 60);

static struct topology *machine(const char *name)
{
	struct error e = {0};
	struct topology *t = topology_open(name, &e);
	cr_assert(ne(ptr, t, NULL), "%s: %s", name, e.what);
	return t;
}

/* The certificate of K on T; *BOUND gets its bounds. The caller frees both. */
static json_t *certificate(const struct topology *t, const struct collective *k, const struct speeds *s, struct time_bound *bound)
{
	struct error e = {0};
	struct bounds b;
	struct text text = {0};

	cr_assert(bounds_compute(t, k, &b, &e), "%s", e.what);
	cr_assert(time_bound_new(t, k, s, &b, bound, &e), "%s", e.what);
	cr_assert(time_bound_write(bound, &(struct time_subject){t, k, s, &b}, &text, &e), "%s", e.what);
	json_t *root = json_loads(text.bytes, 0, NULL);
	cr_assert(ne(ptr, root, NULL), "%s", text.bytes);
	text_free(&text);
	bounds_free(&b);
	return root;
}

/* The largest line of the file at so many bytes. */
static double stated_at(const json_t *root, double bytes)
{
	const json_t *lines = json_object_get(root, "lines");
	double most = 0;

	for (size_t i = 0; i < json_array_size(lines); i++) {
		const json_t *l = json_array_get(lines, i);
		double late = json_number_value(json_object_get(l, "latency_us")) + json_number_value(json_object_get(l, "us_per_megabyte")) * bytes / 1e6;
		double early = json_number_value(json_object_get(l, "early_latency_us")) +
			       json_number_value(json_object_get(l, "early_us_per_megabyte")) * bytes / 1e6;
		most = fmax(most, json_object_get(l, "copies") ? fmin(early, late) : late);
	}
	return most;
}

/* Kinds of different latency, but with one unit of bandwidth, as files must have it. */
static void draw_latencies(struct topology *t)
{
	draw_kinds(t);
	for (size_t i = 0; i < t->n_kinds; i++)
		t->kinds[i].gigabytes_per_second = t->kinds[0].gigabytes_per_second;
}

static struct collective of_kind(int kind, const struct topology *t)
{
	return (struct collective){.kind = (enum collective_kind)kind, .root = collective_rows()[kind].rooted ? below(t->nodes) : 0};
}

/* All collectives on T, which is freed. COUNT: of lines by kind. */
static void check_machine(struct topology *t, const struct speeds *s, int count[TIME_BY_KINDS])
{
	for (int kind = 0; kind < CUSTOM; kind++) {
		const struct collective k = of_kind(kind, t);
		struct time_bound bound;
		json_t *root = certificate(t, &k, s, &bound), *lines = json_object_get(root, "lines");
		char why[400];

		cr_expect(holds(root, why), "%s of %s: %s", collective_name(&k), t->name, why);
		for (size_t i = 0; i < json_array_size(lines); i++)
			for (int by = 0; by < TIME_BY_KINDS; by++)
				count[by] += strcmp(json_string_value(json_object_get(json_array_get(lines, i), "by")), time_by_names[by]) == 0;
		for (double bytes = 1; bytes < 1e10 && kind != SCAN; bytes *= 10) {
			double stated = stated_at(root, bytes), exact = time_bound_at(&bound, bytes);
			cr_expect(stated <= exact && stated >= exact * (1 - 1e-8), "%s of %s: %.12g instead of %.12g", collective_name(&k),
				  t->name, stated, exact);
		}
		time_bound_free(&bound);
		json_decref(root);
	}
	topology_free(t);
}

Test(time_proof, of_all_bounds_hold)
{
	static const char *const names[] = {"switch:5", "bigraph:2x4", "fat-tree:2x3", "dragonfly:2x2x2", "star:4", "dgx1", "dgx2x2", "dgx-h100*2:ib400",
					    "trn2", "a100-pcie-pairs", "dgx-h100+nvls"};
	const struct step_overhead step = {.us = {5, 2}};
	const struct speeds speeds[] = {{.alpha = -1}, {.alpha = 0.7, .beta = 2.2e-5}, {.alpha = -1, .step = &step}};
	int count[TIME_BY_KINDS] = {0};

	for (int i = 0; i < 30; i++) {
		struct topology *t = random_machine(5, 3, 4);
		draw_latencies(t);
		check_machine(t, &speeds[i % 3], count);
	}
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		struct topology *t = machine(names[i]);
		if (!t->n_kinds || i % 2)
			draw_latencies(t);
		check_machine(t, &speeds[i % 3], count);
	}
	for (int by = 0; by < TIME_BY_EXPANDED_TIME; by++) /* for that: test_time_expanded.c */
		cr_expect(gt(int, count[by], 3), "%d lines by %s", count[by], time_by_names[by]);
}

/* ---- tampering ---- */

static void raise_number(json_t *of, const char *key)
{
	json_object_set_new(of, key, json_real(json_number_value(json_object_get(of, key)) * 1.000001 + 1e-6));
}

static bool has(const json_t *line, const char *key)
{
	return json_array_size(json_object_get(line, key)) > 0;
}

static bool change_kinds(json_t *root, const char *key, const char *number)
{
	json_t *kinds = json_object_get(json_object_get(root, "topology"), "kinds"), *kind;
	const char *name;
	json_object_foreach(kinds, name, kind)
		json_object_set_new(kind, key, json_string(number));
	return kinds;
}

/* Each changes the certificate or one of its lines, and returns whether it applies. */
static bool later(json_t *root, json_t *line)
{
	(void)root;
	raise_number(line, "latency_us");
	return true;
}

static bool slower(json_t *root, json_t *line)
{
	(void)root;
	raise_number(line, "us_per_megabyte");
	return true;
}

static bool without_a_link(json_t *root, json_t *line)
{
	(void)root;
	return has(line, "links") && json_array_remove(json_object_get(line, "links"), 0) == 0;
}

static bool without_a_limit(json_t *root, json_t *line)
{
	(void)root;
	return has(line, "limits") && json_array_remove(json_object_get(line, "limits"), 0) == 0;
}

static bool a_link_twice(json_t *root, json_t *line)
{
	json_t *links = json_object_get(line, "links");
	(void)root;
	return has(line, "links") && json_array_append(links, json_array_get(links, 0)) == 0;
}

static bool no_link(json_t *root, json_t *line)
{
	(void)root;
	return has(line, "links") && json_array_set_new(json_object_get(line, "links"), 0, json_pack("[ii]", 0, 0)) == 0;
}

static bool farther(json_t *root, json_t *line)
{
	(void)root;
	return json_object_get(line, "node") && json_object_set_new(line, "away_us", json_real(1e6)) == 0;
}

static bool another_node(json_t *root, json_t *line)
{
	(void)root;
	json_t *node = json_object_get(line, "node");
	return node && has(line, "links") && json_integer_set(node, json_integer_value(node) == 0) == 0;
}

static bool no_node(json_t *root, json_t *line)
{
	(void)root;
	json_t *node = json_object_get(line, "node");
	return node && json_integer_set(node, 99) == 0;
}

static bool other_way(json_t *root, json_t *line)
{
	(void)root;
	const char *by = json_string_value(json_object_get(line, "by"));
	bool into = strcmp(by, "into") == 0, direct_into = strcmp(by, "direct_into") == 0;
	if (direct_into || strcmp(by, "direct_out_of") == 0) /* what a sum takes, a copy does not, and the links are others */
		return has(line, "links") && json_object_set_new(line, "by", json_string(direct_into ? "direct_out_of" : "direct_into")) == 0;
	return (into || strcmp(by, "out_of") == 0) && has(line, "links") &&
	       json_object_set_new(line, "by", json_string(into ? "out_of" : "into")) == 0;
}

static bool smaller_set(json_t *root, json_t *line)
{
	(void)root;
	json_t *inside = json_object_get(line, "inside");
	size_t i = json_integer_value(json_array_get(inside, 0)) == json_integer_value(json_object_get(line, "node"));
	return inside && json_array_size(inside) > 1 && json_array_remove(inside, i) == 0;
}

static bool larger_set(json_t *root, json_t *line)
{
	json_t *inside = json_object_get(line, "inside");
	json_int_t nodes = json_integer_value(json_object_get(json_object_get(root, "topology"), "nodes")), sum = nodes * (nodes - 1) / 2;
	size_t n = json_array_size(inside);
	for (size_t i = 0; i < n; i++)
		sum -= json_integer_value(json_array_get(inside, i));
	/* With all but one node inside, that one's number is what is left of the sum: it is left out here. */
	for (json_int_t v = 0; n && v < nodes; v++) {
		bool is_there = false;
		for (size_t i = 0; i < n; i++)
			is_there = is_there || json_integer_value(json_array_get(inside, i)) == v;
		if (!is_there && v != sum)
			return json_array_append_new(inside, json_integer(v)) == 0;
	}
	return false;
}

static bool other_end(json_t *root, json_t *line)
{
	(void)root;
	const char *at = json_string_value(json_object_get(line, "at"));
	return at && json_object_set_new(line, "at", json_string(strcmp(at, "end") == 0 ? "middle" : "start")) == 0;
}

static bool sooner(json_t *root, json_t *line)
{
	(void)root;
	if (json_object_get(line, "copies"))
		raise_number(line, "early_latency_us");
	return json_object_get(line, "copies");
}

static bool less_at_first(json_t *root, json_t *line)
{
	(void)root;
	if (json_object_get(line, "copies"))
		raise_number(line, "early_us_per_megabyte");
	return json_object_get(line, "copies");
}

static bool more_copies(json_t *root, json_t *line)
{
	(void)root;
	json_t *copies = json_object_get(line, "copies");
	return copies && json_integer_set(copies, json_integer_value(copies) + 1) == 0;
}

static bool empty_parts(json_t *root, json_t *line)
{
	(void)root;
	json_t *parts = json_object_get(json_object_get(line, "bandwidth"), "parts");
	return parts && json_array_append_new(parts, json_array()) == 0;
}

static bool more_rounds(json_t *root, json_t *line)
{
	(void)root;
	json_t *bandwidth = json_object_get(line, "bandwidth");
	return strcmp(json_string_value(json_object_get(line, "by")), "rounds") == 0 &&
	       json_object_set_new(bandwidth, "at_least", json_string("1000/3")) == 0;
}

static bool no_witness(json_t *root, json_t *line)
{
	(void)root;
	return json_object_get(line, "bandwidth") && json_object_set_new(line, "bandwidth", json_pack("{ss}", "at_least", "1/9")) == 0;
}

static bool other_side(json_t *root, json_t *line)
{
	(void)root;
	json_t *bandwidth = json_object_get(line, "bandwidth"), *from = json_object_get(bandwidth, "from"), *to = json_object_get(bandwidth, "to");
	if (!from || strcmp(json_string_value(json_object_get(line, "by")), "cut") != 0)
		return false;
	json_incref(from);
	json_object_set(bandwidth, "from", to);
	return json_object_set_new(bandwidth, "to", from) == 0;
}

static bool faster_machine(json_t *root, json_t *line)
{
	(void)line;
	return change_kinds(root, "gigabytes_per_second", "100000");
}

static bool nearer_machine(json_t *root, json_t *line)
{
	(void)line;
	return change_kinds(root, "latency_us", "1/1000");
}

static bool cheaper_steps(json_t *root, json_t *line)
{
	(void)line;
	return json_object_del(root, "step_us") == 0;
}

static bool other_collective(json_t *root, json_t *line)
{
	(void)line;
	return json_object_set_new(root, "collective", json_pack("{ss si}", "kind", "reduce", "root", 0)) == 0;
}

static bool negative(json_t *root, json_t *line)
{
	(void)root;
	return json_object_set_new(line, "latency_us", json_integer(-1)) == 0;
}

static bool other_words(json_t *root, json_t *line)
{
	(void)root;
	return json_object_set_new(line, "by", json_string("magic")) == 0;
}

static bool more_keys(json_t *root, json_t *line)
{
	(void)root;
	return json_object_set_new(line, "latency", json_integer(1)) == 0;
}

Test(time_proof, tampering_is_refused)
{
	static const struct {
		const char *name;
		bool (*change)(json_t *root, json_t *line);
	} all[] = {
		{"later", later}, {"slower", slower}, {"without a link", without_a_link}, {"without a limit", without_a_limit},
		{"a link twice", a_link_twice}, {"no link", no_link}, {"farther", farther}, {"another node", another_node}, {"no node", no_node},
		{"the other way", other_way}, {"a smaller set", smaller_set}, {"a larger set", larger_set}, {"another end", other_end},
		{"sooner", sooner}, {"less at first", less_at_first}, {"more copies", more_copies}, {"empty parts", empty_parts},
		{"more rounds", more_rounds}, {"no witness", no_witness}, {"the other side", other_side},
		{"a faster machine", faster_machine}, {"a nearer machine", nearer_machine}, {"cheaper steps", cheaper_steps},
		{"another collective", other_collective}, {"a negative number", negative}, {"other words", other_words}, {"more keys", more_keys},
	};
	static const struct {
		const char *machine;
		enum collective_kind kind;
	} of[] = {{"dgx1", ALLGATHER}, {"dgx1", BROADCAST}, {"mi300x8", ALLREDUCE}, {"dgx-h100", BROADCAST}, {"dgx1", ALLREDUCE}, {"dgx1", ALLTOALL}, {"dgx2x2", ALLGATHER}, {"dgx2x2", REDUCESCATTER},
		  {"a100-pcie-pairs", ALLREDUCE}, {"a100-pcie-pairs", GATHER}, {"pcie-box8", ALLGATHER}, {"dgx-h100*2:ib400", BROADCAST}, {"dgx-h100*2:ib400", REDUCESCATTER},
		  {"dgx-h100*2:ib400", ALLREDUCE}};
	enum { ALL = sizeof all / sizeof *all, OF = sizeof of / sizeof *of };
	const struct step_overhead step = {.us = {5, 2}};
	const struct speeds speeds = {.alpha = -1, .step = &step};
	int applied[ALL] = {0};

	for (int s = 0; s < OF; s++) {
		struct topology *t = machine(of[s].machine);
		const struct collective k = {.kind = of[s].kind};
		struct time_bound bound;
		json_t *root = certificate(t, &k, &speeds, &bound);
		char why[400];

		cr_assert(holds(root, why), "%s", why);
		for (size_t l = 0; l < json_array_size(json_object_get(root, "lines")); l++)
			for (int i = 0; i < ALL; i++) {
				json_t *forged = json_deep_copy(root);
				if (all[i].change(forged, json_array_get(json_object_get(forged, "lines"), l))) {
					applied[i]++;
					cr_expect(not(holds(forged, why)), "%s, line %zu: %s", t->name, l + 1, all[i].name);
					cr_expect(ne(chr, why[0], 0), "%s: no reason is given", all[i].name);
				}
				json_decref(forged);
			}
		time_bound_free(&bound);
		json_decref(root);
		topology_free(t);
	}
	for (int i = 0; i < ALL; i++)
		cr_expect(gt(int, applied[i], 0), "%s was never tried", all[i].name);
}

Test(time_proof, work_is_bounded)
{
	struct topology *t = machine("dgx1");
	const struct collective k = {.kind = ALLTOALL};
	struct time_bound bound;
	json_t *root = certificate(t, &k, &(struct speeds){.alpha = -1}, &bound);
	char *text = json_dumps(root, 0);
	struct error e = {0};
	struct json_document *d = json_document_parse(text, "test", &e);
	struct time_proof *p = time_proof_read(d, &e);
	struct check_report r;

	cr_assert(time_proof_check(p, 10, &r, &e), "%s", e.what);
	cr_expect(r.gave_up && !r.holds);
	time_proof_free(p);
	json_document_close(d);
	free(text);
	time_bound_free(&bound);
	json_decref(root);
	topology_free(t);
}

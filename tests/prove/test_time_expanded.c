/* Bounds by prices in expanded time: what they show, and that changed certificates are refused. */

#include "core/base/error.h"
#include "core/base/json.h"
#include "core/base/text.h"
#include "core/bounds/bounds.h"
#include "prove/check.h"
#include "prove/time_proof.h"
#include "simulate/fabric.h"
#include "simulate/time_bound.h"
#include "tests/support/time_certificate.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <string.h>

TestSuite(time_expanded, .description = "bounds by prices in expanded time", .timeout = 100);

static const struct speeds speeds = {.alpha = 1, .beta = 1e-3}; /* a latency is as long as 1000 bytes */

/* A certificate of K on the machine NAME for BYTES, whose lines are all by expanded_time; NULL: nothing is shown by that. *US: what is. */
static json_t *certificate(const char *name, const struct collective *k, int64_t bytes, double *us)
{
	struct error e = {0};
	struct topology *t = topology_open(name, &e);
	struct bounds b;
	struct time_bound bound;
	struct text text = {0};

	cr_assert(t && bounds_compute(t, k, &b, &e) && time_bound_new(t, k, &speeds, &b, &bound, &e), "%s: %s", name, e.what);
	const struct time_subject of = {t, k, &speeds, &b};
	double before = time_bound_at(&bound, (double)bytes);
	time_bound_expand(&bound, &of, 1, &bytes);
	*us = time_bound_at(&bound, (double)bytes);
	cr_expect(eq(int, *us > before, time_bound_line(&bound, (double)bytes) == NULL));
	cr_expect(le(dbl, time_bound_at(&bound, (double)bytes - 1), before), "it holds from its size on");
	cr_assert(time_bound_write(&bound, &of, &text, &e), "%s", e.what);
	json_t *root = json_loads(text.bytes, 0, NULL), *lines = json_object_get(root, "lines");
	for (size_t i = json_array_size(lines); i-- > 0;)
		if (!json_object_get(json_array_get(lines, i), "goods"))
			json_array_remove(lines, i);
	cr_expect(eq(sz, json_array_size(lines), bound.n_points));
	text_free(&text);
	time_bound_free(&bound);
	bounds_free(&b);
	topology_free(t);
	if (json_array_size(lines))
		return root;
	json_decref(root);
	return NULL;
}

/*
 * On a ring of five a node gets what comes over two hops in T - 2, and what comes over three in T - 3. So a broadcast of L takes
 * 2 + L up to L = 1, and then half of 5 + L; a reduce and an allreduce take no less.
 */
Test(time_expanded, are_as_by_hand_on_a_ring)
{
	static const struct {
		enum collective_kind kind;
		int64_t bytes;
		double us;
	} of[] = {{BROADCAST, 300, 2.3}, {BROADCAST, 1000, 3}, {BROADCAST, 2000, 3.5}, {REDUCE, 2000, 3.5}, {ALLREDUCE, 1000, 3}};

	for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
		const struct collective k = {.kind = of[i].kind};
		double us;
		char why[400];
		json_t *root = certificate("ring:5", &k, of[i].bytes, &us);
		cr_expect(us <= of[i].us && us >= of[i].us * 0.995, "%s of %d: %g", collective_name(&k), (int)of[i].bytes, us);
		cr_expect(root && holds(root, why), "%s: %s", collective_name(&k), root ? why : "no line");
		json_decref(root);
	}
}

/* ---- tampering ---- */

static json_t *first(json_t *of, const char *key)
{
	return json_array_get(json_object_get(of, key), 0);
}

static void later(json_t *line)
{
	json_object_set_new(line, "latency_us", json_real(json_number_value(json_object_get(line, "latency_us")) + 1e-3));
}

static void slower(json_t *line)
{
	json_object_set_new(line, "us_per_megabyte", json_real(1e-3));
}

static void fewer_bytes(json_t *line)
{
	json_object_set_new(line, "bytes", json_integer(json_integer_value(json_object_get(line, "bytes")) / 2));
}

static void longer_last_slot(json_t *line)
{
	json_t *slots = json_object_get(line, "slots_us");
	double end = json_number_value(json_object_get(line, "latency_us")) + 1;
	json_object_set_new(line, "latency_us", json_real(end));
	json_array_set_new(slots, json_array_size(slots) - 1, json_real(end));
}

static void slots_backwards(json_t *line)
{
	json_array_insert_new(json_object_get(line, "slots_us"), 1, json_integer(1000));
}

static void no_slot(json_t *line)
{
	json_array_clear(json_object_get(line, "slots_us"));
}

static void no_price(json_t *line)
{
	json_array_remove(json_object_get(line, "prices"), 0);
}

static void price_twice(json_t *line)
{
	json_array_append(json_object_get(line, "prices"), first(line, "prices"));
}

static void dearer(json_t *line)
{
	json_t *of = json_object_get(first(line, "prices"), "of");
	for (size_t i = 0; i < json_array_size(of); i++)
		json_array_set_new(of, i, json_integer(900000000));
}

static void short_prices(json_t *line)
{
	json_array_remove(json_object_get(first(line, "prices"), "of"), 0);
}

static void no_such_link(json_t *line)
{
	json_object_set_new(first(line, "prices"), "link", json_pack("[ii]", 0, 0));
}

static void no_such_limit(json_t *line)
{
	json_t *price = json_deep_copy(first(line, "prices"));
	json_object_del(price, "link");
	json_object_set_new(price, "limit", json_integer(0)); /* of which the machine has none */
	json_array_append_new(json_object_get(line, "prices"), price);
}

static void negative_price(json_t *line)
{
	json_array_set_new(json_object_get(first(line, "prices"), "of"), 0, json_integer(-1));
}

static void worth_more(json_t *line)
{
	json_t *at_end = json_object_get(first(line, "goods"), "at_end");
	for (size_t v = 0; v < json_array_size(at_end); v++)
		if (json_integer_value(json_array_get(at_end, v)))
			json_array_set_new(at_end, v, json_integer(900000000));
}

static void worth_to_itself(json_t *line)
{
	json_t *good = first(line, "goods");
	json_array_set_new(json_object_get(good, "at_end"), (size_t)json_integer_value(json_object_get(good, "from")), json_integer(5));
}

static void good_twice(json_t *line)
{
	json_array_append(json_object_get(line, "goods"), first(line, "goods"));
}

static void from_elsewhere(json_t *line)
{
	json_object_set_new(first(line, "goods"), "from", json_integer(99));
}

static void no_such_chunk(json_t *line)
{
	json_object_set_new(first(line, "goods"), "chunk", json_integer(99));
}

static void dear_toll(json_t *line)
{
	json_t *of = json_object_get(first(first(line, "goods"), "tolls"), "of");
	for (size_t i = 0; i < json_array_size(of); i++)
		json_array_set_new(of, i, json_integer(900000000));
}

static void rising_toll(json_t *line)
{
	json_t *of = json_object_get(first(first(line, "goods"), "tolls"), "of");
	json_array_append(of, json_array_get(of, 0));
	json_array_set_new(of, 0, json_integer(0));
	json_array_remove(of, 1);
}

static void toll_twice(json_t *line)
{
	json_t *tolls = json_object_get(first(line, "goods"), "tolls");
	json_array_append(tolls, json_array_get(tolls, 0));
}

static void toll_at_the_source(json_t *line)
{
	json_t *good = first(line, "goods"), *toll = first(good, "tolls");
	json_int_t from = json_integer_value(json_object_get(good, "from"));
	json_object_set_new(toll, "route", json_pack("[II]", from, (from + 1) % 5));
}

static void toll_for_no_route(json_t *line)
{
	json_object_set_new(first(first(line, "goods"), "tolls"), "route", json_pack("[ii]", 1, 1));
}

static void more_keys(json_t *line)
{
	json_object_set_new(first(line, "goods"), "too", json_integer(1));
}

Test(time_expanded, tampering_is_refused)
{
	static const struct {
		const char *name;
		void (*change)(json_t *line);
	} all[] = {
		{"later", later}, {"slower", slower}, {"fewer bytes", fewer_bytes}, {"a longer last slot", longer_last_slot},
		{"slots backwards", slots_backwards}, {"no slot", no_slot}, {"no price", no_price}, {"a price twice", price_twice},
		{"dearer", dearer}, {"too few prices", short_prices}, {"no such link", no_such_link}, {"a limit that is none", no_such_limit}, {"a negative price", negative_price},
		{"worth more", worth_more}, {"worth something to itself", worth_to_itself}, {"a good twice", good_twice},
		{"from elsewhere", from_elsewhere}, {"no such chunk", no_such_chunk}, {"a dear toll", dear_toll}, {"a rising toll", rising_toll},
		{"a toll twice", toll_twice}, {"a toll at the source", toll_at_the_source}, {"a toll for no route", toll_for_no_route},
		{"more keys", more_keys},
	};
	const struct collective k = {.kind = ALLREDUCE};
	double us;
	json_t *root = certificate("ring:5", &k, 1000, &us);
	char why[400];

	cr_assert(root && holds(root, why), "%s", why);
	cr_assert(gt(sz, json_array_size(json_object_get(first(first(root, "lines"), "goods"), "tolls")), 0));
	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		json_t *forged = json_deep_copy(root);
		all[i].change(first(forged, "lines"));
		cr_expect(not(holds(forged, why)), "%s", all[i].name);
		cr_expect(ne(chr, why[0], 0), "%s: no reason is given", all[i].name);
		json_decref(forged);
	}
	json_decref(root);
}

/* The sums of an allreduce share sends; copies of an allgather do not. So what shows one does not show the other. */
Test(time_expanded, sums_share_their_sends)
{
	const struct collective k = {.kind = ALLREDUCE};
	double us;
	char why[400];
	json_t *root = certificate("ring:5", &k, 1000, &us);

	cr_assert(ne(ptr, root, NULL));
	json_object_set_new(root, "collective", json_pack("{ss}", "kind", "allgather"));
	cr_expect(not(holds(root, why)), "chunks of an allgather begin at one node each");
	json_decref(root);
}

/* What crosses a later link of a route may have waited before it, and not cross it in the slot in which it starts. */
Test(time_expanded, prices_are_of_first_links)
{
	static const char form[] =
		"{\"format\": \"sccl-time-bound\", \"version\": 1, \"collective\": {\"kind\": \"allgather\"}, \"topology\": {\"format\": "
		"\"sccl-topology\", \"version\": 1, \"name\": \"three\", \"nodes\": 3, \"switches\": 1, \"duplex\": true, \"links\": ["
		"{\"src\": 0, \"dst\": 3, \"bandwidth\": 1}, {\"src\": 1, \"dst\": 3, \"bandwidth\": 1}, {\"src\": 2, \"dst\": 3, "
		"\"bandwidth\": 1}]}, \"alpha_us\": 1, \"beta_us\": 0.001, \"lines\": [{\"by\": \"expanded_time\", \"latency_us\": 1, "
		"\"us_per_megabyte\": 0, \"bytes\": 1000, \"slots_us\": [0, 1], \"prices\": [{\"link\": [%d, %d], \"of\": [1]}], \"goods\": []}]}";
	static const struct {
		int src, dst;
		const char *why;
	} of[] = {{0, 3, "so many bytes can be paid for"}, {3, 1, "or one after its first link"}};

	for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
		char text[1000], why[400];
		snprintf(text, sizeof text, form, of[i].src, of[i].dst);
		json_t *root = json_loads(text, 0, NULL);
		cr_assert(ne(ptr, root, NULL));
		cr_expect(not(holds(root, why)));
		cr_expect(ne(ptr, (void *)strstr(why, of[i].why), NULL), "%s", why);
		json_decref(root);
	}
}

/* ---- certificates of what is false ---- */

#define MACHINE(members) "{\"format\": \"sccl-topology\", \"version\": 1, \"name\": \"by hand\", " members "}"
#define LINK(src, dst, units, kind) "{\"src\": " #src ", \"dst\": " #dst ", \"bandwidth\": " #units ", \"kind\": \"" kind "\"}"
#define KINDS "\"kinds\": {\"near\": {\"latency_us\": 1, \"gigabytes_per_second\": 1}, \"far\": {\"latency_us\": 3, \"gigabytes_per_second\": 1}}"

/*
 * Each would be accepted but for one thing that is checked. A unit of a link carries 1000 bytes a microsecond, after which these take 1
 * or, if it is far, 3.
 */
static const struct {
	const char *about, *machine, *collective, *line, *why;
} of_what_is_false[] = {
	{"In order, what starts by 2 and crosses from switch 4 to 5 does so from 1 to 3, or from 3 to 5: 2000 bytes of each.",
	 MACHINE("\"nodes\": 4, \"switches\": 2, \"links\": [" LINK(0, 4, 1, "near") ", " LINK(1, 4, 1, "far") ", " LINK(4, 5, 1, "near") ", "
		 LINK(5, 2, 1, "far") ", " LINK(5, 3, 1, "near") "], " KINDS),
	 "{\"kind\": \"custom\", \"pre\": [[0, 0], [1, 1]], \"post\": [[0, 2], [1, 3]]}",
	 "\"latency_us\": 7, \"bytes\": 1001, \"slots_us\": [0, 2, 7], \"prices\": [{\"link\": [4, 5], \"of\": [1, 0]}], \"goods\": ["
	 "{\"chunk\": 0, \"from\": 0, \"at_end\": [0, 0, 1, 0], \"tolls\": []}, {\"chunk\": 1, \"from\": 1, \"at_end\": [0, 0, 0, 1], \"tolls\": [{\"route\": [0, 3], \"of\": [1, 1]}]}]",
	 "one after its first link"},
	{"What comes to node 1 from 3 on may wait there until 8, and be sent without paying: 6000 bytes cross from 1 to 2 until 9.",
	 MACHINE("\"nodes\": 3, \"links\": [" LINK(0, 1, 3, "far") ", " LINK(1, 2, 1, "near") "], " KINDS), "{\"kind\": \"broadcast\", \"root\": 0}",
	 "\"latency_us\": 10, \"bytes\": 5001, \"slots_us\": [0, 3, 8, 10], \"prices\": [{\"link\": [1, 2], \"of\": [0, 1, 0]}], \"goods\": ["
	 "{\"chunk\": 0, \"from\": 0, \"at_end\": [0, 0, 1], \"tolls\": [{\"route\": [1, 2], \"of\": [1, 0, 1]}]}]",
	 "a toll rises"},
	{"Nobody pays what the root asks.", MACHINE("\"nodes\": 2, \"links\": [" LINK(0, 1, 1, "near") "], " KINDS), "{\"kind\": \"broadcast\", \"root\": 0}",
	 "\"latency_us\": 2, \"bytes\": 1, \"slots_us\": [0, 2], \"prices\": [], \"goods\": [{\"chunk\": 0, \"from\": 0, \"at_end\": [0, 1], \"tolls\": ["
	 "{\"route\": [0, 1], \"of\": [1]}]}]",
	 "where the chunk begins"},
	{"1000 bytes get there, and are worth as much once.", MACHINE("\"nodes\": 2, \"links\": [" LINK(0, 1, 1, "near") "], " KINDS),
	 "{\"kind\": \"broadcast\", \"root\": 0}",
	 "\"latency_us\": 2, \"bytes\": 501, \"slots_us\": [0, 1, 2], \"prices\": [{\"link\": [0, 1], \"of\": [1, 0]}], \"goods\": ["
	 "{\"chunk\": 0, \"from\": 0, \"at_end\": [0, 1], \"tolls\": []}, {\"chunk\": 0, \"from\": 0, \"at_end\": [0, 1], \"tolls\": []}]",
	 "counted twice"},
	{"Half of it comes from node 1, which has it as well.",
	 MACHINE("\"nodes\": 3, \"links\": [" LINK(0, 2, 1, "near") ", " LINK(1, 2, 1, "near") "], " KINDS),
	 "{\"kind\": \"custom\", \"pre\": [[0, 0], [0, 1]], \"post\": [[0, 2]]}",
	 "\"latency_us\": 2, \"bytes\": 1001, \"slots_us\": [0, 1, 2], \"prices\": [{\"link\": [0, 2], \"of\": [1, 0]}], \"goods\": ["
	 "{\"chunk\": 0, \"from\": 0, \"at_end\": [0, 0, 1], \"tolls\": [{\"route\": [1, 2], \"of\": [1, 1]}]}]",
	 "begins at several nodes"},
	{"The switch copies: 1000 bytes get to both.",
	 MACHINE("\"nodes\": 3, \"switches\": 1, \"multicast\": true, \"duplex\": true, \"links\": [" LINK(0, 3, 1, "near") ", " LINK(1, 3, 1, "near") ", "
		 LINK(2, 3, 1, "near") "], " KINDS),
	 "{\"kind\": \"broadcast\", \"root\": 0}",
	 "\"latency_us\": 3, \"bytes\": 501, \"slots_us\": [0, 1, 3], \"prices\": [{\"link\": [0, 3], \"of\": [1, 0]}], \"goods\": ["
	 "{\"chunk\": 0, \"from\": 0, \"at_end\": [0, 1, 1], \"tolls\": [{\"route\": [1, 2], \"of\": [1, 0]}, {\"route\": [2, 1], \"of\": [1, 0]}]}]",
	 "copy or add"},
	{"It is worth something where nobody wants it.", MACHINE("\"nodes\": 2, \"links\": [" LINK(0, 1, 1, "near") "], " KINDS),
	 "{\"kind\": \"gather\", \"root\": 0}",
	 "\"latency_us\": 2, \"bytes\": 1001, \"slots_us\": [0, 1, 2], \"prices\": [{\"link\": [0, 1], \"of\": [1, 0]}], \"goods\": ["
	 "{\"chunk\": 0, \"from\": 0, \"at_end\": [0, 1], \"tolls\": []}]",
	 "that does not need it"},
};

Test(time_expanded, what_is_false_is_refused)
{
	for (size_t i = 0; i < sizeof of_what_is_false / sizeof *of_what_is_false; i++) {
		struct text text = {0};
		char why[400];
		text_add(&text, "{\"format\": \"sccl-time-bound\", \"version\": 1, \"collective\": %s, \"topology\": %s, \"lines\": [{\"by\": \"expanded_time\", "
			 "\"us_per_megabyte\": 0, %s}]}", of_what_is_false[i].collective, of_what_is_false[i].machine, of_what_is_false[i].line);
		json_t *root = json_loads(text.bytes, 0, NULL);
		cr_assert(root != NULL, "%s", text.bytes);
		cr_expect(not(holds(root, why)), "%s", of_what_is_false[i].about);
		cr_expect(strstr(why, of_what_is_false[i].why) != NULL, "%s %s", of_what_is_false[i].about, why);
		json_decref(root);
		text_free(&text);
	}
}

/*
 * Bounds on time against what schedules can do on machines of 3 or 4 nodes (fluid.h): no bound for so few bytes may be above their
 * time, and no certificate may be accepted that says so.
 */

#include "core/base/error.h"
#include "core/base/json.h"
#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/bounds/bounds.h"
#include "core/schedule/step_overhead.h"
#include "prove/check.h"
#include "prove/time_proof.h"
#include "simulate/fabric.h"
#include "simulate/time_bound.h"
#include "tests/prove/fluid.h"
#include "tests/support/drawn.h"
#include "tests/support/time_certificate.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <math.h>
#include <string.h>

TestSuite(time_fluid, .description = "bounds on time against what schedules can do", .timeout = 3600);

enum { TICKS_MAX = 14, NODES_MOST = 4 };

/* FLUID_CASES machines, or N. */
static int cases(int n)
{
	const char *given = getenv("FLUID_CASES");

	return given ? atoi(given) : n;
}

/* ---- machines ---- */

static void add_link(struct topology *t, int src, int dst)
{
	t->links[t->n_links++] = (struct link){src, dst, 1 + below(3), below(2)};
}

/* Some nodes are joined to a switch, others to each other, some one way only; each node can reach every other. */
static struct topology *draw_machine(int nodes)
{
	struct topology *t = new(struct topology);
	int at_switch = below(3) ? 0 : 2 + below(nodes - 1); /* so many of the first nodes */

	t->name = copy_string("drawn");
	t->nodes = nodes;
	t->switches = at_switch > 0;
	t->links = new_array(struct link, (size_t)((nodes + 1) * (nodes + 1)));
	for (int a = 0; a <= nodes; a++)
		for (int b = 0; b <= nodes; b++) {
			bool port = at_switch && ((b == nodes && a < at_switch) || (a == nodes && b < at_switch));
			bool ring = a < nodes && b == (a + 1) % nodes && !(at_switch && a < at_switch && b < at_switch);
			bool other = a < nodes && b < nodes && below(3) == 0;
			if (a != b && (port || ring || other))
				add_link(t, a, b);
		}
	t->limits = new_array(struct limit, 2);
	t->n_limits = (size_t)below(3);
	for (size_t i = 0; i < t->n_limits; i++) {
		const struct link *l = &t->links[below((int)t->n_links)];
		t->limits[i] = (struct limit){.name = copy_string("limit"), .of = below(2) ? LIMIT_INTO : LIMIT_OUT_OF,
					      .node = below(nodes), .bandwidth = 1 + below(2)};
		if (below(3) == 0) { /* a link on its own, and one more */
			const struct link *other = &t->links[below((int)t->n_links)];
			t->limits[i].of = LIMIT_EDGES;
			t->limits[i].edges = new_array(struct edge_ends, 2);
			t->limits[i].edges[t->limits[i].n_edges++] = (struct edge_ends){l->src, l->dst};
			if (other > l)
				t->limits[i].edges[t->limits[i].n_edges++] = (struct edge_ends){other->src, other->dst};
		}
	}
	t->n_kinds = 2;
	t->kinds = new_array(struct link_kind, t->n_kinds);
	for (int i = 0; i < 2; i++) {
		char name[] = {(char)('a' + i), 0};
		t->kinds[i] = (struct link_kind){copy_string(name), rational(1 + below(4), TICKS_PER_US), rational(1, 1)}; /* of one unit all are alike */
	}
	return t;
}

/* ---- bounds ---- */

/* A machine, a collective, and what can be done there by a time. */
struct draw {
	struct topology *t;
	struct collective k;
	struct step_overhead overhead;
	struct speeds speeds;
	double us;
	int64_t bytes; /* 0: nothing is known */
};

/* Chunks that some nodes have and others want; summed, or copies. */
static struct collective draw_custom(int nodes)
{
	struct text text = {0};
	struct error e = {0};
	struct collective k;
	bool combining = below(2);

	text_add(&text, "{\"kind\": \"custom\", \"combining\": %s, \"pre\": [", combining ? "true" : "false");
	int chunks = 1 + below(3), from[3], to[3];
	for (int i = 0; i < chunks; i++) {
		from[i] = 1 + below((1 << nodes) - 1);
		to[i] = combining ? 1 << below(nodes) : 1 + below((1 << nodes) - 1);
	}
	for (int pass = 0; pass < 2; pass++) {
		const char *between = "";
		for (int i = 0; i < chunks; i++)
			for (int v = 0; v < nodes; v++)
				if ((pass ? to[i] : from[i]) >> v & 1) {
					text_add(&text, "%s[%d, %d]", between, i, v);
					between = ", ";
				}
		text_add(&text, pass ? "]}" : "], \"post\": [");
	}
	struct json_document *d = json_document_parse(text.bytes, "custom", &e);
	cr_assert(d != NULL, "%s", e.what);
	struct json_place top = json_top(d);
	cr_assert(collective_read(&top, nodes, 1, &k, &e), "%s: %s", text.bytes, e.what);
	json_document_close(d);
	text_free(&text);
	return k;
}

static void draw(struct draw *d)
{
	static const enum collective_kind kinds[] = {ALLGATHER, BROADCAST, GATHER, SCATTER, ALLTOALL, REDUCE, REDUCESCATTER, ALLREDUCE, CUSTOM};
	enum { KINDS = sizeof kinds / sizeof *kinds };
	int nodes = below(4) ? 3 : 4, kind = kinds[below(KINDS)];

	*d = (struct draw){.t = draw_machine(nodes), .k = {.kind = (enum collective_kind)kind}};
	if (kind == CUSTOM)
		d->k = draw_custom(nodes);
	else if (collective_row(&d->k)->rooted)
		d->k.root = below(nodes);
	d->overhead.us = rational(below(3) == 0, TICKS_PER_US);
	d->speeds = (struct speeds){.alpha = -1, .step = &d->overhead};
	int ticks = nodes == 4 ? 3 + below(5) : 3 + below(TICKS_MAX - 2);
	d->us = (double)ticks / TICKS_PER_US;
	d->bytes = (int64_t)fluid_bytes(d->t, &d->k, d->overhead.us, ticks);
}

static void draw_free(struct draw *d)
{
	collective_free(&d->k);
	topology_free(d->t);
}

/* ---- bounds are not above it ---- */

/* The bound for the draw's bytes, with expanded time; *CLAIM: its certificate. */
static double bound_of(const struct draw *d, bool *expanded, struct text *claim)
{
	struct error e = {0};
	struct bounds b;
	struct time_bound bound;

	cr_assert(bounds_compute(d->t, &d->k, &b, &e) && time_bound_new(d->t, &d->k, &d->speeds, &b, &bound, &e), "%s", e.what);
	const struct time_subject of = {d->t, &d->k, &d->speeds, &b};
	time_bound_expand(&bound, &of, 1, &d->bytes);
	double us = time_bound_at(&bound, (double)d->bytes);
	*expanded = bound.n_points > 0;
	cr_assert(time_bound_write(&bound, &of, claim, &e), "%s", e.what);
	time_bound_free(&bound);
	bounds_free(&b);
	return us;
}

Test(time_fluid, no_bound_is_above_what_can_be_done)
{
	const int machines = cases(500);
	int drawn = 0, met = 0, by_expanded = 0, met_expanded = 0;

	state = 2026;
	for (int m = 0; m < machines; m++) {
		struct draw d;
		struct text claim = {0};
		char why[CERTIFICATE_WHY];
		bool expanded;
		draw(&d);
		if (d.bytes > 0) {
			double us = bound_of(&d, &expanded, &claim);
			bool meets = us > d.us * 0.998;
			cr_expect(us <= d.us * (1 + 1e-6), "%d: %s of %lld bytes in %g us, not %g\n%s", m, collective_name(&d.k), (long long)d.bytes, d.us, us,
				  claim.bytes);
			cr_expect(certificate_holds(claim.bytes, why), "%d: %s: %s", m, collective_name(&d.k), why);
			drawn++;
			met += meets;
			by_expanded += expanded;
			met_expanded += expanded && meets;
		}
		text_free(&claim);
		draw_free(&d);
	}
	cr_log_info("%d of %d are met, %d of %d by prices in expanded time", met, drawn, met_expanded, by_expanded);
	cr_expect(gt(int, met, drawn * 3 / 4), "%d of %d", met, drawn); /* any larger they would be found wrong there */
	cr_expect(gt(int, met_expanded, by_expanded / 2), "%d of %d", met_expanded, by_expanded);
}

/* ---- what is accepted is true, however it came about ---- */

static json_t *any_of(json_t *list)
{
	return json_array_size(list) ? json_array_get(list, (size_t)below((int)json_array_size(list))) : NULL;
}

static json_t *any_in(json_t *object, const char *key)
{
	return any_of(json_object_get(object, key));
}

static void set_any(json_t *list, json_t *value)
{
	if (json_array_size(list))
		json_array_set(list, (size_t)below((int)json_array_size(list)), value);
	json_decref(value);
}

/* Another number, near by or 0, in a list of amounts. */
static void change_amount(json_t *list)
{
	json_t *one = any_of(list);

	if (one)
		json_integer_set(one, below(3) ? (json_integer_value(one) + 100000) * below(30) / 10 : 0);
}

static void move_amounts(json_t *from, json_t *to)
{
	json_t *a = any_of(from), *b = any_of(to);

	if (a && b && a != b) {
		json_integer_set(b, json_integer_value(b) + json_integer_value(a));
		json_integer_set(a, 0);
	}
}

static void later(json_t *root, json_t *line)
{
	json_t *slots = json_object_get(line, "slots_us");
	double end = json_number_value(json_object_get(line, "latency_us")) + (double)(1 + below(4)) / 4;

	(void)root;
	json_object_set_new(line, "latency_us", json_real(end));
	json_array_set_new(slots, json_array_size(slots) - 1, json_real(end));
}

static void move_slot(json_t *root, json_t *line)
{
	(void)root;
	set_any(json_object_get(line, "slots_us"), json_real((double)below(4 * TICKS_MAX) / 8));
}

/* Cuts a slot in two, or joins two, in all lists. */
static void other_slots(json_t *root, json_t *line)
{
	json_t *slots = json_object_get(line, "slots_us"), *one;
	size_t n = json_array_size(slots) - 1, at = (size_t)below((int)n), i, k;
	bool cut = below(2) || at == 0;

	(void)root;
	if (cut)
		json_array_insert_new(slots, at + 1, json_real((json_number_value(json_array_get(slots, at)) + json_number_value(json_array_get(slots, at + 1))) / 2));
	else
		json_array_remove(slots, at);
	json_array_foreach(json_object_get(line, "prices"), i, one) {
		json_t *of = json_object_get(one, "of");
		if (cut)
			json_array_insert_new(of, at, json_copy(json_array_get(of, at)));
		else
			json_array_remove(of, at);
	}
	json_array_foreach(json_object_get(line, "goods"), i, one) {
		json_t *toll;
		json_array_foreach(json_object_get(one, "tolls"), k, toll) {
			json_t *of = json_object_get(toll, "of");
			if (cut)
				json_array_insert_new(of, at, json_copy(json_array_get(of, at)));
			else
				json_array_remove(of, at);
		}
	}
}

static void change_worth(json_t *root, json_t *line)
{
	json_t *good = any_in(line, "goods"), *other = any_in(line, "goods");

	(void)root;
	if (below(2))
		change_amount(json_object_get(good, "at_end"));
	else
		move_amounts(json_object_get(good, "at_end"), json_object_get(other, "at_end"));
}

static void change_price(json_t *root, json_t *line)
{
	json_t *one = any_in(line, "prices"), *other = any_in(line, "prices");

	(void)root;
	if (below(2))
		change_amount(json_object_get(one, "of"));
	else
		move_amounts(json_object_get(one, "of"), json_object_get(other, "of"));
}

static void change_toll(json_t *root, json_t *line)
{
	json_t *one = any_in(any_in(line, "goods"), "tolls"), *other = any_in(any_in(line, "goods"), "tolls");

	(void)root;
	if (below(2))
		change_amount(json_object_get(one, "of"));
	else
		move_amounts(json_object_get(one, "of"), json_object_get(other, "of"));
}

/* Another link, perhaps one that begins no route, or a limit. */
static void other_resource(json_t *root, json_t *line)
{
	json_t *topology = json_object_get(root, "topology"), *price = any_in(line, "prices"), *link = any_in(topology, "links");
	size_t limits = json_array_size(json_object_get(topology, "limits"));

	if (!price)
		return;
	json_object_del(price, "link");
	json_object_del(price, "limit");
	if (limits && below(2))
		json_object_set_new(price, "limit", json_integer(below((int)limits)));
	else
		json_object_set_new(price, "link", json_pack("[OO]", json_object_get(link, "src"), json_object_get(link, "dst")));
}

static void other_route(json_t *root, json_t *line)
{
	json_t *toll = any_in(any_in(line, "goods"), "tolls"), *link = any_in(json_object_get(root, "topology"), "links");

	if (toll)
		json_object_set_new(toll, "route", json_pack("[OO]", json_object_get(link, "src"), json_object_get(link, "dst")));
}

static void other_source(json_t *root, json_t *line)
{
	json_t *good = any_in(line, "goods");

	(void)root;
	if (below(2))
		json_object_set_new(good, "from", json_integer(below(NODES_MOST)));
	else
		json_object_set_new(good, "chunk", json_integer(below(9)));
}

static void other_collective(json_t *root, json_t *line)
{
	static const char *const kinds[] = {"allgather", "allreduce", "reducescatter", "alltoall"}, *const rooted[] = {"broadcast", "reduce", "gather", "scatter"};
	int kind = below(4);

	(void)line;
	json_object_set_new(root, "collective", below(2) ? json_pack("{ss}", "kind", kinds[kind]) :
		json_pack("{sssi}", "kind", rooted[kind], "root", below(3)));
}

static void other_bandwidth(json_t *root, json_t *line)
{
	(void)line;
	json_object_set_new(any_in(json_object_get(root, "topology"), "links"), "bandwidth", json_integer(1 + below(3)));
}

static void other_latency(json_t *root, json_t *line)
{
	json_t *kinds = json_object_get(json_object_get(root, "topology"), "kinds");
	char latency[16];

	(void)line;
	snprintf(latency, sizeof latency, "%d/%d", 1 + below(4), TICKS_PER_US);
	json_object_set_new(json_object_get(kinds, below(2) ? "a" : "b"), "latency_us", json_string(latency));
}

static void without_a_limit(json_t *root, json_t *line)
{
	(void)line;
	json_array_remove(json_object_get(json_object_get(root, "topology"), "limits"), 0);
}

static void other_step(json_t *root, json_t *line)
{
	(void)line;
	json_object_set_new(root, "step_us", json_string(below(2) ? "0" : "1/2"));
}

static struct time_proof *accepted(json_t *root, double bytes)
{
	struct error e = {0};
	struct check_report r = {0};

	json_object_set_new(any_in(root, "lines"), "bytes", json_real(bytes));
	char *text = json_dumps(root, 0);
	struct json_document *d = json_document_parse(text, "test", &e);
	struct time_proof *p = d ? time_proof_read(d, &e) : NULL;
	bool ok = p && time_proof_check(p, check_budget, &r, &e) && r.holds;
	json_document_close(d);
	free(text);
	if (ok)
		return p;
	time_proof_free(p);
	return NULL;
}

/* For the fewest bytes for which it is accepted; NULL: for none. */
static struct time_proof *strongest(json_t *root, double *bytes)
{
	double low = 0, high = 1 << 17;
	struct time_proof *p = accepted(root, high);

	while (p && high - low > 0.5) {
		double middle = floor(low + high) / 2;
		struct time_proof *better = accepted(root, middle);
		*(better ? &high : &low) = middle;
		if (better) {
			time_proof_free(p);
			p = better;
		}
	}
	*bytes = high;
	return p;
}

/* Only the line by expanded time is left; NULL: there is none. */
static json_t *expanded_alone(const char *claim)
{
	json_t *root = json_loads(claim, 0, NULL), *lines = json_object_get(root, "lines");

	for (size_t i = json_array_size(lines); i-- > 0;)
		if (!json_object_get(json_array_get(lines, i), "goods"))
			json_array_remove(lines, i);
	if (json_array_size(lines))
		return root;
	json_decref(root);
	return NULL;
}

/* What can be done by the last tick before the time that P states. */
static double most_before(const struct time_proof *p)
{
	int ticks = (int)ceil(rational_double(p->claims[0].latency) * TICKS_PER_US - 1e-6) - 1;

	return ticks < 1 || ticks > 2 * TICKS_MAX ? 0 : fluid_bytes(p->topology, &p->collective, p->step, ticks);
}

static void (*const changes[])(json_t *root, json_t *line) = {
	later, move_slot, other_slots, change_worth, change_price, change_toll, other_resource, other_route, other_source, other_collective,
	other_bandwidth, other_latency, without_a_limit, other_step,
};
enum { CHANGES = sizeof changes / sizeof *changes };

Test(time_fluid, what_is_changed_is_refused_or_true)
{
	enum { TRIES = 30 };
	const int machines = cases(250);
	int tried[CHANGES] = {0}, kept[CHANGES] = {0}, close = 0, all = 0;

	state = 77;
	for (int m = 0; m < machines; m++) {
		struct draw d;
		struct text claim = {0};
		bool expanded;
		draw(&d);
		d.bytes += d.bytes / 40; /* so that the line is for a time just after a tick */
		if (d.bytes > 0)
			bound_of(&d, &expanded, &claim);
		json_t *root = d.bytes > 0 ? expanded_alone(claim.bytes) : NULL;
		for (int i = 0; root && i < TRIES; i++) {
			json_t *forged = json_deep_copy(root);
			int first = below(CHANGES);
			double bytes;
			changes[first](forged, any_in(forged, "lines"));
			if (below(2))
				changes[below(CHANGES)](forged, any_in(forged, "lines"));
			struct time_proof *p = strongest(forged, &bytes);
			tried[first]++;
			kept[first] += p != NULL;
			if (p) {
				double most = most_before(p);
				close += most > bytes * 0.95;
				cr_expect(most <= bytes * (1 + 1e-6) + 1, "%d: %s: %g bytes take less, not only %g", m, collective_name(&p->collective), most, bytes);
				time_proof_free(p);
			}
			json_decref(forged);
		}
		json_decref(root);
		text_free(&claim);
		draw_free(&d);
	}
	for (int i = 0; i < CHANGES; i++) {
		cr_log_info("change %d: %d of %d are accepted", i, kept[i], tried[i]);
		all += kept[i];
	}
	cr_expect(gt(int, all, machines / 2), "%d", all);
	cr_expect(gt(int, close, all / 2), "%d of %d", close, all); /* any stronger they would be found wrong */
}

/* Programs over timed trees as JSON: one program a line, prices of edges and of limits apart. */

#include "prove/program.h"

#include "core/base/error.h"
#include "core/base/json.h"
#include "core/base/memory.h"
#include "core/base/text.h"
#include "prove/patterns.h"
#include "prove/tree_table.h"

/* Limits on the prices of a program and on its runs of pays, to bound the work of verifying it. */
enum { PRICES_MAX = 1 << 20, PAYS_MAX = 1 << 24 };

static void write_prices(struct text *into, const struct step_program *p, bool of_limits)
{
	bool first = true;

	for (size_t i = 0; i < p->n_prices; i++) {
		const struct step_price *x = &p->prices[i];
		if ((x->limit >= 0) != of_limits)
			continue;
		text_add(into, "%s", !first ? ", " : of_limits ? ", \"limit_prices\": [" : ", \"prices\": [");
		first = false;
		if (of_limits)
			text_add(into, "[%d, %d, %lld]", x->step, x->limit, (long long)x->price);
		else
			text_add(into, "[%d, %d, %d, %lld]", x->step, x->src, x->dst, (long long)x->price);
	}
	if (!first)
		text_add(into, "]");
}

void step_programs_write(struct text *into, const char *margin, const struct side *s, int nodes)
{
	char ratio[RATIONAL_TEXT];

	if (s->n_programs == 0)
		return;
	text_add(into, ", \"programs\": [");
	for (size_t i = 0; i < s->n_programs; i++) {
		const struct step_program *p = &s->programs[i];
		text_add(into, "%s\n%s  {\"steps\": %d, ", i ? "," : "", margin, p->steps);
		if (p->root >= 0)
			text_add(into, "\"root\": %d, ", p->root);
		text_add(into, "\"at_least\": \"%s\"", rational_text(p->at_least, ratio));
		write_prices(into, p, false);
		write_prices(into, p, true);
		text_add(into, ", \"pays\": [");
		for (size_t k = 0; k < p->n_pays; k++)
			text_add(into, "%s[%lld, %zu]", k ? ", " : "", (long long)p->pays[k].pay, p->pays[k].count);
		text_add(into, "]");
		if (p->patterns)
			patterns_write(into, p->patterns, nodes);
		text_add(into, "}");
	}
	text_add(into, "\n%s]", margin);
}

/* An array of exactly N integers, each within its bounds; FORM describes it. */
static bool read_tuple(const struct json_place *at, size_t n, const int64_t *lows, const int64_t *highs,
		       const char *form, int64_t *numbers, struct error *e)
{
	size_t length;

	if (!json_array_length(at, &length, e))
		return false;
	if (length != n)
		return json_fault(at, e, "must be %s", form);
	for (size_t i = 0; i < n; i++) {
		struct json_place number = json_element(at, i);
		if (!json_get_integer(&number, lows[i], highs[i], &numbers[i], e))
			return false;
	}
	return true;
}

static bool read_price(const struct json_place *at, int nodes, bool of_limits, int steps, struct step_price *out,
		       struct error *e)
{
	const int64_t edge_lows[] = {1, 0, 0, 1}, edge_highs[] = {steps, nodes - 1, nodes - 1, COST_MAX};
	const int64_t limit_lows[] = {1, 0, 1}, limit_highs[] = {steps, INT32_MAX, COST_MAX};
	int64_t x[4];

	if (of_limits) {
		if (!read_tuple(at, 3, limit_lows, limit_highs, "[step, limit, price]", x, e))
			return false;
		*out = (struct step_price){.step = (int)x[0], .limit = (int)x[1], .price = x[2]};
		return true;
	}
	if (!read_tuple(at, 4, edge_lows, edge_highs, "[step, src, dst, price]", x, e))
		return false;
	*out = (struct step_price){.step = (int)x[0], .src = (int)x[1], .dst = (int)x[2], .limit = -1, .price = x[3]};
	return true;
}

/* Appends the prices of one member; absent: none. */
static bool read_prices(const struct json_place *of, int nodes, bool of_limits, struct step_program *p, struct error *e)
{
	struct json_place list = json_member(of, of_limits ? "limit_prices" : "prices");
	size_t n, capacity = p->n_prices;

	if (!list.value)
		return true;
	if (!json_array_length(&list, &n, e))
		return false;
	if (n > PRICES_MAX)
		return json_fault(&list, e, "must be at most %d", PRICES_MAX);
	p->prices = grown(p->prices, &capacity, p->n_prices + n, sizeof *p->prices);
	for (size_t i = 0; i < n; i++) {
		struct json_place one = json_element(&list, i);
		if (!read_price(&one, nodes, of_limits, p->steps, &p->prices[p->n_prices++], e))
			return false;
	}
	return true;
}

/* Runs of [pay, count]. */
static bool read_pays(const struct json_place *at, struct step_program *p, struct error *e)
{
	const int64_t lows[] = {0, 1}, highs[] = {COST_MAX, PAYS_MAX};
	int64_t x[2];
	size_t n;

	if (!json_array_length(at, &n, e))
		return false;
	if (n > PAYS_MAX)
		return json_fault(at, e, "must be at most %d", PAYS_MAX);
	p->pays = new_array(struct step_pay, n);
	while (p->n_pays < n) {
		struct json_place one = json_element(at, p->n_pays);
		if (!read_tuple(&one, 2, lows, highs, "[pay, count]", x, e))
			return false;
		p->pays[p->n_pays++] = (struct step_pay){x[0], (size_t)x[1]};
	}
	return true;
}

static bool read_one(const struct json_place *at, int nodes, struct side *s, struct error *e)
{
	static const char *const keys[] = {"steps", "root", "at_least", "prices", "limit_prices", "pays", "patterns", NULL};
	struct json_place steps, at_least, pays, root = json_member(at, "root"), patterns = json_member(at, "patterns");
	struct step_program p = {.root = -1};

	if (!json_object_with(at, keys, e) || !json_member_needed(at, "steps", &steps, e) ||
	    !json_get_int(&steps, 1, STEPS_MAX, &p.steps, e) || !json_member_needed(at, "at_least", &at_least, e) ||
	    !json_get_rational(&at_least, &p.at_least, e) || !json_member_needed(at, "pays", &pays, e))
		return false;
	if (patterns.value && (root.value || s->collective.kind != ALLREDUCE))
		return json_fault(&patterns, e, "is only for an allreduce, without a root");
	if (!patterns.value && (root.value != NULL) != (s->collective.kind == ALLREDUCE && p.steps > 1))
		return json_fault(at, e, root.value ? "has a root, but is not about an allreduce of several steps" : "has no root of a broadcast");
	if (root.value && !json_get_int(&root, 0, nodes - 1, &p.root, e))
		return false;
	if (p.at_least.num < 0)
		return json_fault(&at_least, e, "must not be negative");
	if (step_program_of(s, p.steps, patterns.value != NULL))
		return json_fault(&steps, e, "%d steps are there twice", p.steps);
	s->programs = grown(s->programs, &s->programs_capacity, s->n_programs + 1, sizeof p);
	s->programs[s->n_programs++] = p;
	struct step_program *into = &s->programs[s->n_programs - 1];
	if (patterns.value)
		into->patterns = new(struct patterns);
	return read_prices(at, nodes, false, into, e) && read_prices(at, nodes, true, into, e) && read_pays(&pays, into, e) &&
	       (!into->patterns || patterns_read(&patterns, nodes, into->patterns, e));
}

bool step_programs_read(const struct json_place *bounds, int nodes, struct side *s, struct error *e)
{
	struct json_place list = json_member(bounds, "programs");
	size_t n;

	if (!list.value)
		return true;
	if (!json_array_length(&list, &n, e))
		return false;
	for (size_t i = 0; i < n; i++) {
		struct json_place one = json_element(&list, i);
		if (!read_one(&one, nodes, s, e))
			return false;
	}
	return true;
}

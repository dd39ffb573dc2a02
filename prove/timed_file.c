/* Bounds for a given number of steps as JSON: one cut a line. */

#include "prove/timed.h"

#include "core/base/error.h"
#include "core/base/json.h"
#include "core/base/memory.h"
#include "core/base/text.h"

/* Limits on cuts times steps, and on symmetries times nodes, to bound the work of verifying them. */
enum { COUNTED_MAX = 1 << 14, SYMMETRIES_MAX = 1 << 16 };

static void write_symmetries(struct text *into, const char *margin, const struct timed *t, int nodes)
{
	for (size_t k = 0; k < t->n_symmetries; k++) {
		text_add(into, "%s\n%s    [", k ? "," : ", \"symmetries\": [", margin);
		for (int n = 0; n < nodes; n++)
			text_add(into, "%s%d", n ? ", " : "", t->symmetries[k * (size_t)nodes + (size_t)n]);
		text_add(into, "]");
	}
	text_add(into, t->n_symmetries ? "]" : "");
}

void timed_write(struct text *into, const char *margin, const struct side *s, int nodes)
{
	char ratio[RATIONAL_TEXT];

	if (s->n_timed == 0)
		return;
	text_add(into, ", \"in_steps\": [");
	for (size_t i = 0; i < s->n_timed; i++) {
		const struct timed *t = &s->timed[i];
		text_add(into, "%s\n%s  {\"steps\": %d, \"at_least\": \"%s\", \"cuts\": [", i ? "," : "", margin, t->steps,
			 rational_text(t->at_least, ratio));
		for (size_t c = 0; c < t->n_cuts; c++) {
			text_add(into, "%s\n%s    {\"weight\": %lld, \"until\": [", c ? "," : "", margin, (long long)t->cuts[c].weight);
			for (int n = 0; n < nodes; n++)
				text_add(into, "%s%d", n ? ", " : "", t->cuts[c].until[n]);
			text_add(into, "]}");
		}
		text_add(into, "]");
		for (size_t k = 0; k < t->n_prices; k++)
			text_add(into, "%s[%d, %d, %lld]", k ? ", " : ", \"prices\": [", t->prices[k].step, t->prices[k].limit,
				 (long long)t->prices[k].price);
		text_add(into, t->n_prices ? "]" : "");
		write_symmetries(into, margin, t, nodes);
		text_add(into, "}");
	}
	text_add(into, "\n%s]", margin);
}

static bool read_cut(const struct json_place *at, int nodes, int steps, struct timed_cut *out, struct error *e)
{
	static const char *const keys[] = {"weight", "until", NULL};
	struct json_place weight, until;
	size_t n;

	if (!json_object_with(at, keys, e) || !json_member_needed(at, "weight", &weight, e) ||
	    !json_get_integer(&weight, 1, INT32_MAX, &out->weight, e) || !json_member_needed(at, "until", &until, e) ||
	    !json_array_length(&until, &n, e))
		return false;
	if (n != (size_t)nodes)
		return json_fault(&until, e, "must have one number for each of the %d nodes", nodes);
	out->until = new_array(int, n);
	for (size_t i = 0; i < n; i++) {
		struct json_place number = json_element(&until, i);
		if (!json_get_int(&number, -1, steps, &out->until[i], e))
			return false;
	}
	return true;
}

static bool read_cuts(const struct json_place *at, int nodes, struct timed *t, struct error *e)
{
	size_t n;

	if (!json_array_length(at, &n, e))
		return false;
	if (n > (size_t)(COUNTED_MAX / t->steps))
		return json_fault(at, e, "has too many cuts of %d steps", t->steps);
	t->cuts = new_array(struct timed_cut, n);
	while (t->n_cuts < n) {
		struct json_place cut = json_element(at, t->n_cuts);
		if (!read_cut(&cut, nodes, t->steps, &t->cuts[t->n_cuts++], e))
			return false;
	}
	return true;
}

/* [step, limit, price]; a limit that the network does not have is ignored. */
static bool read_price(const struct json_place *at, int steps, struct timed_price *out, struct error *e)
{
	const int64_t lows[] = {1, 0, 1}, highs[] = {steps, INT32_MAX, INT32_MAX};
	int64_t numbers[3];
	size_t n;

	if (!json_array_length(at, &n, e))
		return false;
	if (n != 3)
		return json_fault(at, e, "must be [step, limit, price]");
	for (size_t i = 0; i < n; i++) {
		struct json_place number = json_element(at, i);
		if (!json_get_integer(&number, lows[i], highs[i], &numbers[i], e))
			return false;
	}
	*out = (struct timed_price){(int)numbers[0], (int)numbers[1], numbers[2]};
	return true;
}

static bool read_prices(const struct json_place *one, struct timed *t, struct error *e)
{
	struct json_place prices = json_member(one, "prices");
	size_t n;

	if (!prices.value)
		return true;
	if (!json_array_length(&prices, &n, e))
		return false;
	if (n > COUNTED_MAX)
		return json_fault(&prices, e, "must be at most %d", COUNTED_MAX);
	t->prices = new_array(struct timed_price, n);
	while (t->n_prices < n) {
		struct json_place price = json_element(&prices, t->n_prices);
		if (!read_price(&price, t->steps, &t->prices[t->n_prices++], e))
			return false;
	}
	return true;
}

/* Permutations of the nodes; whether they are symmetries is for timed_bandwidth to say. */
static bool read_symmetries(const struct json_place *one, int nodes, struct timed *t, struct error *e)
{
	struct json_place list = json_member(one, "symmetries");
	size_t n, length;

	if (!list.value)
		return true;
	if (!json_array_length(&list, &n, e))
		return false;
	if (n > (size_t)(SYMMETRIES_MAX / nodes))
		return json_fault(&list, e, "has too many symmetries of %d nodes", nodes);
	t->symmetries = new_array(int, n * (size_t)nodes);
	for (; t->n_symmetries < n; t->n_symmetries++) {
		struct json_place at = json_element(&list, t->n_symmetries);
		if (!json_array_length(&at, &length, e))
			return false;
		if (length != (size_t)nodes)
			return json_fault(&at, e, "must have one number for each of the %d nodes", nodes);
		for (size_t v = 0; v < length; v++) {
			struct json_place number = json_element(&at, v);
			if (!json_get_int(&number, 0, nodes - 1, &t->symmetries[t->n_symmetries * length + v], e))
				return false;
		}
	}
	return true;
}

static bool read_one(const struct json_place *at, int nodes, struct side *s, struct error *e)
{
	static const char *const keys[] = {"steps", "at_least", "cuts", "prices", "symmetries", NULL};
	struct json_place steps, at_least, cuts;
	struct timed t = {0};

	if (!json_object_with(at, keys, e) || !json_member_needed(at, "steps", &steps, e) ||
	    !json_get_int(&steps, 1, COUNTED_MAX, &t.steps, e) || !json_member_needed(at, "at_least", &at_least, e) ||
	    !json_get_rational(&at_least, &t.at_least, e) || !json_member_needed(at, "cuts", &cuts, e))
		return false;
	if (t.at_least.num < 0 || t.at_least.num > INT32_MAX || t.at_least.den > INT32_MAX)
		return json_fault(&at_least, e, "must be a ratio of numbers from 0 to %d", INT32_MAX);
	if (timed_of(s, t.steps))
		return json_fault(&steps, e, "%d steps are listed twice", t.steps);
	s->timed = grown(s->timed, &s->timed_capacity, s->n_timed + 1, sizeof t);
	s->timed[s->n_timed++] = t;
	struct timed *into = &s->timed[s->n_timed - 1];
	return read_cuts(&cuts, nodes, into, e) && read_prices(at, into, e) && read_symmetries(at, nodes, into, e);
}

bool timed_read(const struct json_place *bounds, int nodes, struct side *s, struct error *e)
{
	struct json_place list = json_member(bounds, "in_steps");
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

/*
 * Units of bandwidth from speeds. A file gives its links in units, with the speed of one unit in their kinds; or links
 * and limits by their speeds, and then the unit is the greatest common divisor of all speeds. While a file is read, a
 * link without a bandwidth has 0 and its kind the speed of the link.
 */

#include "core/machine/topology_rows.h"

#include "core/base/error.h"
#include "core/base/json.h"
#include "core/base/memory.h"
#include "core/base/text.h"

#include <stdlib.h>
#include <string.h>

/* One unit may have speeds this far apart: as measured, they never agree exactly. */
enum { TOLERANCE_PERCENT = 5, OWN_KINDS_MAX = 256 };

/* ---- kinds of links with a speed or latency of their own ---- */

static const struct link_kind *kind_of_name(const struct topology *t, const char *name)
{
	for (size_t i = 0; i < t->n_kinds; i++)
		if (strcmp(t->kinds[i].name, name) == 0)
			return &t->kinds[i];
	return NULL;
}

int topology_own_kind(struct topology *t, size_t *capacity, struct rational gigabytes_per_second, struct rational latency_us)
{
	char speed[RATIONAL_TEXT], latency[RATIONAL_TEXT];
	struct text name = {0};

	/* A file may have a kind of this name and another speed: files that this program writes do. */
	for (int number = 1; number <= OWN_KINDS_MAX; number++) {
		name.length = 0;
		text_add(&name, "%s GB/s, %s us", rational_text(gigabytes_per_second, speed), rational_text(latency_us, latency));
		if (number > 1)
			text_add(&name, " (%d)", number);
		const struct link_kind *k = kind_of_name(t, name.bytes);
		if (!k)
			break;
		if (rational_compare(k->gigabytes_per_second, gigabytes_per_second) == 0 && rational_compare(k->latency_us, latency_us) == 0) {
			text_free(&name);
			return (int)(k - t->kinds);
		}
	}
	if (t->n_kinds >= OWN_KINDS_MAX) {
		text_free(&name);
		return -1;
	}
	t->kinds = grown(t->kinds, capacity, t->n_kinds + 1, sizeof *t->kinds);
	t->kinds[t->n_kinds] = (struct link_kind){text_take(&name), latency_us, gigabytes_per_second};
	return (int)t->n_kinds++;
}

struct named_kind {
	struct link_kind kind;
	int was;
};

static int by_name(const void *va, const void *vb)
{
	const struct named_kind *a = va, *b = vb;
	return strcmp(a->kind.name, b->kind.name);
}

void topology_sort_kinds(struct topology *t)
{
	struct named_kind *sorted = new_array(struct named_kind, t->n_kinds);
	int *now = new_array(int, t->n_kinds);

	for (size_t i = 0; i < t->n_kinds; i++)
		sorted[i] = (struct named_kind){t->kinds[i], (int)i};
	if (t->n_kinds)
		qsort(sorted, t->n_kinds, sizeof *sorted, by_name);
	for (size_t i = 0; i < t->n_kinds; i++) {
		t->kinds[i] = sorted[i].kind;
		now[sorted[i].was] = (int)i;
	}
	for (size_t i = 0; i < t->n_links; i++)
		if (t->links[i].kind >= 0)
			t->links[i].kind = now[t->links[i].kind];
	free(sorted);
	free(now);
}

/* ---- units ---- */

/* The greatest common divisor of two ratios; 0 is neutral. Not a number: it overflows. */
static struct rational common_unit(struct rational a, struct rational b)
{
	struct rational x = rational_mul(rational(a.num, 1), rational(b.den, 1));
	struct rational y = rational_mul(rational(b.num, 1), rational(a.den, 1));

	if (!rational_ok(x) || !rational_ok(y))
		return rational(1, 0);
	return rational_div(rational_div(rational(common_divisor(x.num, y.num), 1), rational(a.den, 1)), rational(b.den, 1));
}

/* SPEED over UNIT, if it is a bandwidth; 0: it is too large. */
static int units_of(struct rational speed, struct rational unit)
{
	struct rational units = rational_div(speed, unit);
	return rational_ok(units) && units.den == 1 && units.num <= BANDWIDTH_MAX ? (int)units.num : 0;
}

bool topology_set_speeds(struct topology *t, const struct rational *links, const struct rational *limits)
{
	struct rational unit = rational(0, 1);
	bool fits = true;

	for (size_t i = 0; i < t->n_links; i++)
		unit = common_unit(unit, links[i]);
	for (size_t i = 0; i < t->n_limits; i++)
		unit = common_unit(unit, limits[i]);
	if (!rational_ok(unit))
		return false;
	for (size_t i = 0; i < t->n_links; i++) {
		t->links[i].bandwidth = units_of(links[i], unit);
		fits = fits && t->links[i].bandwidth;
	}
	for (size_t i = 0; i < t->n_limits; i++) {
		t->limits[i].bandwidth = units_of(limits[i], unit);
		fits = fits && t->limits[i].bandwidth;
	}
	for (size_t i = 0; i < t->n_kinds; i++)
		t->kinds[i].gigabytes_per_second = unit;
	return fits;
}

struct rational topology_link_speed(const struct topology *t, const struct link *l)
{
	if (l->kind < 0)
		return rational(1, 0);
	struct rational one = t->kinds[l->kind].gigabytes_per_second;
	return l->bandwidth ? rational_mul(one, rational(l->bandwidth, 1)) : one;
}

static bool derive(const struct json_place *at, struct topology *t, const struct rational *limit_speeds, struct error *e)
{
	struct json_place links = json_member(at, "links"), limits = json_member(at, "limits");
	struct rational *speeds = new_array(struct rational, t->n_links);
	bool ok = true;

	for (size_t i = 0; i < t->n_links && ok; i++) {
		speeds[i] = topology_link_speed(t, &t->links[i]);
		if (speeds[i].den == 0)
			ok = json_fault(&links, e, "the link from %d to %d has no speed, where others have no bandwidth: give every link "
					"a bandwidth, or every link a speed", t->links[i].src, t->links[i].dst);
	}
	for (size_t i = 0; i < t->n_limits && ok; i++) {
		struct json_place limit = json_element(&limits, i);
		if (limit_speeds[i].den == 0)
			ok = json_fault(&limit, e, "must have \"gigabytes_per_second\", as units follow from the speeds of the links");
	}
	if (ok && !topology_set_speeds(t, speeds, limit_speeds))
		ok = json_fault(&links, e, "the speeds have no common unit of which the fastest link has at most %d: round them", BANDWIDTH_MAX);
	free(speeds);
	return ok;
}

/* Is one unit of A much faster than one of B? */
static bool is_much_faster(struct rational a, struct rational b)
{
	struct rational ratio = rational_div(a, b);
	return !rational_ok(ratio) || rational_compare(ratio, rational(100 + TOLERANCE_PERCENT, 100)) > 0;
}

static bool check_units(const struct json_place *at, const struct topology *t, struct error *e)
{
	struct json_place links = json_member(at, "links");
	const struct link_kind *slow = NULL, *fast = NULL;
	char slowly[RATIONAL_TEXT], quickly[RATIONAL_TEXT];

	for (size_t i = 0; i < t->n_links; i++) {
		const struct link_kind *k = t->links[i].kind >= 0 ? &t->kinds[t->links[i].kind] : NULL;
		if (k && (!slow || rational_compare(k->gigabytes_per_second, slow->gigabytes_per_second) < 0))
			slow = k;
		if (k && (!fast || rational_compare(k->gigabytes_per_second, fast->gigabytes_per_second) > 0))
			fast = k;
	}
	if (!slow || !is_much_faster(fast->gigabytes_per_second, slow->gigabytes_per_second))
		return true;
	return json_fault(&links, e, "one unit of bandwidth is %s GB/s of kind \"%.64s\" and %s of \"%.64s\": leave \"bandwidth\" out, and "
			  "units follow from the speeds", rational_text(slow->gigabytes_per_second, slowly), slow->name,
			  rational_text(fast->gigabytes_per_second, quickly), fast->name);
}

bool topology_derive_units(const struct json_place *at, struct topology *t, const struct rational *limit_speeds, struct error *e)
{
	bool derived = false;

	for (size_t i = 0; i < t->n_links; i++)
		derived = derived || t->links[i].bandwidth == 0;
	for (size_t i = 0; i < t->n_limits; i++)
		derived = derived || limit_speeds[i].den;
	return derived ? derive(at, t, limit_speeds, e) : check_units(at, t, e);
}

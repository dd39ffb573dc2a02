/* Machines with one link changed: which there are, and that those called isomorphic are. */
#include "explore/links.h"

#include "core/bounds/bounds.h"
#include "core/schedule/collective.h"
#include "core/base/error.h"
#include "core/base/text.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <string.h>

static struct topology *open_good(const char *name)
{
	struct error e = {0};
	struct topology *t = topology_open(name, &e);
	cr_assert(t != NULL, "%s: %s", name, e.what);
	return t;
}

static struct link_classes classes_of(const char *name, unsigned changes, int root)
{
	struct topology *t = open_good(name);
	struct link_classes c;
	struct error e = {0};
	cr_assert(link_classes_new(name, t, changes, root, NULL, &c, &e), "%s: %s", name, e.what);
	topology_free(t);
	return c;
}

/* Of a machine that is written to PATH for as long as that takes. */
static struct link_classes classes_in(const char *path, const char *machine, unsigned changes)
{
	FILE *f = fopen(path, "w");
	cr_assert(f != NULL);
	fputs(machine, f);
	fclose(f);
	struct link_classes c = classes_of(path, changes, -1);
	remove(path);
	return c;
}

static size_t links_in(const struct link_classes *c)
{
	size_t n = 0;
	for (size_t i = 0; i < c->n; i++)
		n += c->at[i].n_isomorphic;
	return n;
}

static struct rational bound_of(const struct topology *t, enum collective_kind kind, int root)
{
	const struct collective k = {.kind = kind, .root = root};
	struct bounds b;
	struct error e = {0};
	cr_assert(bounds_compute(t, &k, &b, &e), "%s", e.what);
	struct rational bandwidth = b.bandwidth;
	bounds_free(&b);
	return bandwidth;
}

/* Every member of every class, opened anew, has the bounds of the class. */
static void expect_alike(const char *name, const char *edit, const struct link_classes *c, enum collective_kind kind, int root)
{
	for (size_t i = 0; i < c->n; i++)
		for (size_t l = 0; l < c->at[i].n_isomorphic; l++) {
			struct text spec = {0};
			text_add(&spec, "%s@%s=%d-%d", name, edit, c->at[i].isomorphic[l].src, c->at[i].isomorphic[l].dst);
			struct topology *t = open_good(spec.bytes);
			cr_expect(eq(int, rational_compare(bound_of(t, kind, root), bound_of(c->at[i].topology, kind, root)), 0),
				  "%s is not as %s", spec.bytes, c->at[i].spec);
			topology_free(t);
			text_free(&spec);
		}
}

Test(links, a_ring_has_a_class_for_each_length_of_a_chord)
{
	struct link_classes c = classes_of("ring:8", 1u << LINKS_ADD, -1);

	cr_expect(eq(sz, c.n, 3), "over 2, 3 and 4");
	cr_expect(eq(sz, links_in(&c), 8 * 7 / 2 - 8), "every pair that has no link");
	cr_expect(eq(str, c.at[0].spec, "ring:8@add=0-2"));
	cr_expect(eq(sz, c.at[2].n_isomorphic, 4), "the chords through the middle");
	expect_alike("ring:8", "add", &c, ALLTOALL, 0);
	link_classes_free(&c);
}

Test(links, a_root_tells_links_apart)
{
	struct link_classes all = classes_of("ring:6", 1u << LINKS_REMOVE, -1), rooted = classes_of("ring:6", 1u << LINKS_REMOVE, 0);

	cr_expect(eq(sz, all.n, 1));
	cr_expect(eq(sz, rooted.n, 3), "at the root, one further, opposite");
	cr_expect(eq(sz, links_in(&rooted), 6));
	expect_alike("ring:6", "drop", &rooted, BROADCAST, 0);
	link_classes_free(&all);
	link_classes_free(&rooted);
}

Test(links, those_of_a_dgx1_are_all_tried)
{
	struct link_classes c = classes_of("dgx1p", (1u << LINKS_ADD) | (1u << LINKS_WIDEN), -1);

	cr_expect(eq(sz, links_in(&c), 28), "every pair of 8 nodes is added or widened");
	expect_alike("dgx1p", "add", &(struct link_classes){.n = c.at[0].change == LINKS_ADD, .at = c.at}, ALLTOALL, 0);
	link_classes_free(&c);
}

Test(links, one_unit_is_not_degraded_but_removed)
{
	struct link_classes c = classes_of("dgx1v", 1u << LINKS_DEGRADE, -1);

	cr_expect(eq(sz, links_in(&c) + c.n_too_thin, 16));
	cr_expect(c.n > 0 && c.n_too_thin > 0);
	expect_alike("dgx1v", "narrow", &c, ALLGATHER, 0);
	link_classes_free(&c);
}

/* One form, but a slower kind of link among them: their times differ. */
Test(links, the_widest_link_that_may_be_is_not_widened)
{
	struct link_classes c = classes_of("line:3@widen=0-1x999999", 1u << LINKS_WIDEN, -1);
	cr_expect(eq(sz, links_in(&c), 1));
	cr_expect(eq(int, c.at[0].isomorphic[0].src, 1));
	link_classes_free(&c);
}

/* Narrowing is of both directions, so the thinner one decides. */
Test(links, a_link_that_is_thin_one_way_is_not_degraded)
{
	static const char machine[] = "{\"format\": \"sccl-topology\", \"version\": 1, \"name\": \"t\", \"nodes\": 3, \"links\": ["
		"{\"src\": 0, \"dst\": 1, \"bandwidth\": 1}, {\"src\": 1, \"dst\": 0, \"bandwidth\": 2}, "
		"{\"src\": 1, \"dst\": 2, \"bandwidth\": 2}, {\"src\": 2, \"dst\": 1, \"bandwidth\": 1}, "
		"{\"src\": 2, \"dst\": 0, \"bandwidth\": 3}, {\"src\": 0, \"dst\": 2, \"bandwidth\": 2}]}";
	struct link_classes c = classes_in("./thin-links.json", machine, 1u << LINKS_DEGRADE);
	cr_expect(eq(sz, links_in(&c), 1));
	cr_expect(eq(sz, c.n_too_thin, 2));
	cr_expect(c.at[0].isomorphic[0].src == 0 && c.at[0].isomorphic[0].dst == 2);
	link_classes_free(&c);
}

Test(links, links_of_another_speed_are_not_alike)
{
	static const char file[] =
		"{\"format\": \"sccl-topology\", \"version\": 1, \"name\": \"mixed\", \"nodes\": 3, \"duplex\": true, \"links\": ["
		"{\"src\": 0, \"dst\": 1, \"kind\": \"fast\"}, {\"src\": 1, \"dst\": 2, \"kind\": \"fast\"},"
		"{\"src\": 0, \"dst\": 2, \"kind\": \"slow\"}], \"kinds\": {"
		"\"fast\": {\"latency_us\": \"1\", \"gigabytes_per_second\": \"50\"}, \"slow\": {\"latency_us\": \"2\", \"gigabytes_per_second\": \"5\"}}}";
	struct link_classes c = classes_in("./mixed-links.json", file, 1u << LINKS_REMOVE);
	cr_expect(eq(sz, c.n, 2), "without the slow one it is faster");
	link_classes_free(&c);
}

Test(links, changes_are_read_as_a_set)
{
	unsigned changes;
	struct error e = {0};

	cr_expect(links_changes_read("all", &changes, &e) && changes == 15);
	cr_expect(links_changes_read("widen,add", &changes, &e) && changes == (1u << LINKS_ADD | 1u << LINKS_WIDEN));
	cr_expect(not(links_changes_read("add,", &changes, &e)));
	struct error again = {0};
	cr_expect(not(links_changes_read("", &changes, &again)));
}

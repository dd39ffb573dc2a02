/*
 * The compact form against the full one: schedules drawn by chance, right and wrong, under groups that keep the machine and
 * the collective or do not, with one or several sends of an orbit listed. All images are made here once more, naively.
 */

#include "core/schedule/collective_custom.h"
#include "core/base/error.h"
#include "core/base/memory.h"
#include "core/machine/network.h"
#include "core/schedule/relabel.h"
#include "core/schedule/symmetry.h"
#include "core/machine/topology.h"
#include "core/verify/verify_parts.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

TestSuite(compact, .description = "the compact form means the same to every reader");

static unsigned state;

static int draw(int n)
{
	state = state * 1103515245u + 12345u;
	return (int)(state >> 12) % n;
}

static void shuffle(int *images, int n)
{
	for (int i = n - 1; i > 0; i--) {
		int j = draw(i + 1), kept = images[i];
		images[i] = images[j];
		images[j] = kept;
	}
}

/* The identity, a rotation, a reflection, an exchange of two, or any. */
static void draw_images(int *images, int n, int form)
{
	for (int i = 0; i < n; i++)
		images[i] = form == 1 ? (i + 1) % n : form == 2 ? (n - i) % n : i;
	if (form == 3 && n > 1) {
		images[n - 1] = n - 2;
		images[n - 2] = n - 1;
	} else if (form == 4)
		shuffle(images, n);
}

static struct topology *draw_machine(int nodes)
{
	static const char *const shapes[] = {"complete", "complete", "ring", "switch"};
	struct error e = {0};
	char name[32];

	snprintf(name, sizeof name, "%s:%d", shapes[draw(4)], nodes);
	struct topology *t = topology_open(name, &e);
	cr_assert(ne(ptr, t, NULL), "%s", e.what);
	if (draw(3) == 0)
		t->links[draw((int)t->n_links)].bandwidth = 2 + draw(2);
	return t;
}

static struct collective draw_collective(int nodes, int chunks)
{
	struct collective k = {.kind = (enum collective_kind)draw(COLLECTIVE_KINDS)};

	if (k.kind == CUSTOM) {
		int g = 2, all = g * chunks;
		struct placement *pre = new_array(struct placement, (size_t)all), *post = new_array(struct placement, (size_t)(all * nodes));
		size_t n_post = 0;
		bool wanted[2][8];
		for (int i = 0; i < 16; i++)
			wanted[i / 8][i % 8] = draw(6) > 0;
		for (int c = 0; c < all; c++) {
			pre[c] = (struct placement){c, c % g};
			for (int n = 0; n < nodes; n++)
				if (wanted[c % g][n])
					post[n_post++] = (struct placement){c, n};
		}
		k.custom = custom_new(nodes, chunks, false, pre, (size_t)all, post, n_post);
	} else if (collective_row(&k)->rooted)
		k.root = draw(nodes);
	return k;
}

/* Every send, and which orbit it is of, 0: it is not in the schedule. */
struct table {
	const struct algorithm *a;
	int *orbit; /* [(chunk * nodes + src) * nodes + dst] */
	int n;
};

static size_t cell(const struct table *t, struct send s)
{
	int nodes = t->a->topology->nodes;
	return ((size_t)s.chunk * (size_t)nodes + (size_t)s.src) * (size_t)nodes + (size_t)s.dst;
}

static void mark(struct table *t, struct send s)
{
	const struct symmetry *y = t->a->symmetry;

	if (t->orbit[cell(t, s)])
		return;
	t->orbit[cell(t, s)] = t->n;
	for (size_t i = 0; i < y->n; i++) {
		const struct generator *g = &y->generators[i];
		mark(t, (struct send){symmetry_chunk(y, g, s.chunk), g->nodes[s.src], g->nodes[s.dst]});
	}
}

static struct table table_new(const struct algorithm *a, const struct send *list, size_t n)
{
	int nodes = a->topology->nodes;
	struct table t = {a, new_array(int, (size_t)(a->global_chunks * nodes * nodes)), 0};

	for (size_t i = 0; i < n; i++)
		if (!t.orbit[cell(&t, list[i])]) {
			t.n++;
			mark(&t, list[i]);
		}
	return t;
}

static void naive_list(const struct algorithm *a, const struct send *list, size_t n, struct send **out, size_t *n_out)
{
	struct table t = table_new(a, list, n);
	int nodes = a->topology->nodes;

	*out = new_array(struct send, (size_t)(a->global_chunks * nodes * nodes));
	for (int c = 0; c < a->global_chunks; c++)
		for (int u = 0; u < nodes; u++)
			for (int v = 0; v < nodes; v++)
				if (t.orbit[cell(&t, (struct send){c, u, v})])
					(*out)[(*n_out)++] = (struct send){c, u, v};
	free(t.orbit);
}

static struct algorithm *naive_full(const struct algorithm *a)
{
	struct algorithm *full = algorithm_copy(a);

	for (size_t s = 0; s < a->n_steps; s++) {
		struct step *step = &full->steps[s];
		free(step->sends);
		free(step->reduces);
		step->n_sends = step->n_reduces = 0;
		naive_list(a, a->steps[s].sends, a->steps[s].n_sends, &step->sends, &step->n_sends);
		naive_list(a, a->steps[s].reduces, a->steps[s].n_reduces, &step->reduces, &step->n_reduces);
	}
	symmetry_free(full->symmetry);
	full->symmetry = NULL;
	return full;
}

/* In one step, from where a chunk is to where it is wanted; sums to where they are wanted. */
static struct step direct_step(const struct collective *k, int nodes, int global_chunks)
{
	struct step s = {.rounds = draw(2) ? 64 : 1 + draw(6)};
	bool adds = collective_row(k)->combining;
	struct send *list = new_array(struct send, (size_t)(global_chunks * nodes * nodes));
	size_t n = 0;

	for (int c = 0; c < global_chunks; c++)
		for (int u = 0; u < nodes; u++)
			for (int v = 0; v < nodes; v++)
				if (u != v && collective_pre(k, nodes, c, u) && collective_post(k, nodes, c, v) &&
				    (adds || !collective_pre(k, nodes, c, v)))
					list[n++] = (struct send){c, u, v};
	*(adds ? &s.reduces : &s.sends) = list;
	*(adds ? &s.n_reduces : &s.n_sends) = n;
	return s;
}

/* One of each orbit, or several. */
static void thin(const struct algorithm *a, struct send *list, size_t *n)
{
	struct table t = table_new(a, list, *n);
	bool *listed = new_array(bool, (size_t)t.n + 1);
	size_t kept = 0;

	for (size_t i = 0; i < *n; i++) {
		int orbit = t.orbit[cell(&t, list[i])];
		if (!listed[orbit] || draw(3) == 0)
			list[kept++] = list[i];
		listed[orbit] = true;
	}
	*n = kept;
	free(t.orbit);
	free(listed);
}

static void spoil(struct algorithm *a)
{
	struct step *s = &a->steps[0];

	struct send other = {draw(a->global_chunks), draw(a->topology->nodes), draw(a->topology->nodes)};

	for (size_t i = 0; i < s->n_sends; i++)
		if (memcmp(&s->sends[i], &other, sizeof other) == 0)
			return;
	if (s->n_sends && draw(2))
		s->sends[draw((int)s->n_sends)] = other;
	else if (s->n_sends && draw(2))
		s->n_sends--;
	else if (s->n_reduces)
		s->n_reduces--;
	else
		s->rounds = 1;
}

static struct algorithm *draw_algorithm(void)
{
	int nodes = 3 + draw(3), chunks = (1 + draw(3)) * nodes;
	struct topology *t = draw_machine(nodes);
	struct collective k = draw_collective(nodes, chunks);
	int global_chunks = collective_global_chunks(&k, nodes, chunks), generators = 1 + draw(3), images[128], parts[128];
	struct step *steps = new_array(struct step, 1);

	steps[0] = direct_step(&k, nodes, global_chunks);
	struct algorithm *a = algorithm_new(t, &k, chunks, 1, steps, "drawn");
	a->symmetry = symmetry_new(&k, nodes, global_chunks);
	cr_assert(le(int, a->symmetry->parts, 128));
	for (int i = 0; i < generators; i++) {
		draw_images(images, nodes, draw(5));
		draw_images(parts, a->symmetry->parts, draw(3)); /* the groups stay small */
		symmetry_add(a->symmetry, images, parts);
	}
	thin(a, a->steps[0].sends, &a->steps[0].n_sends);
	thin(a, a->steps[0].reduces, &a->steps[0].n_reduces);
	if (draw(3) == 0)
		spoil(a);
	collective_free(&k);
	topology_free(t);
	return a;
}

static bool same_list(const struct send *a, size_t n_a, const struct send *b, size_t n_b)
{
	return n_a == n_b && (n_a == 0 || memcmp(a, b, n_a * sizeof *a) == 0);
}

static bool same_sends(const struct algorithm *a, const struct algorithm *b)
{
	const struct step *x = &a->steps[0], *y = &b->steps[0];
	return same_list(x->sends, x->n_sends, y->sends, y->n_sends) && same_list(x->reduces, x->n_reduces, y->reduces, y->n_reduces);
}

struct tally {
	int right, wrong, by_orbits, kept_by_none, shared;
};

static void compare(const struct algorithm *a, unsigned seed, struct tally *n)
{
	struct error e = {0};
	struct algorithm *full = naive_full(a), *expanded = algorithm_copy(a);
	struct network *w = network_new(a->topology, &e);
	struct verdict compact = algorithm_verify(a), plain = algorithm_verify(full), orbits;
	int64_t size;

	cr_assert(algorithm_expand(expanded, &e), "%s", e.what);
	cr_expect(same_sends(expanded, full), "seed %u: expanded otherwise", seed);
	cr_expect(algorithm_full_size(a, &size) == false || (size_t)size == algorithm_listed(full), "seed %u: counted otherwise", seed);
	cr_expect(compact.fault == plain.fault && compact.step == plain.step && compact.chunk == plain.chunk && compact.src == plain.src &&
		  compact.dst == plain.dst, "seed %u, %s: compact %s (%s), in full %s (%s)", seed, a->name, fault_names[compact.fault],
		  compact.why, fault_names[plain.fault], plain.why);
	bool judged = verify_orbits(a, w, &orbits);
	cr_expect(judged == false || (orbits.fault == FAULT_NONE) == (plain.fault == FAULT_NONE), "seed %u, %s: by orbits %s, in full %s", seed,
		  a->name, orbits.why, plain.why);
	n->right += plain.fault == FAULT_NONE;
	n->wrong += plain.fault != FAULT_NONE;
	n->by_orbits += judged && plain.fault == FAULT_NONE;
	n->kept_by_none += !judged && plain.fault == FAULT_NONE;
	struct table t = table_new(a, a->steps[0].sends, a->steps[0].n_sends);
	n->shared += plain.fault == FAULT_NONE && (size_t)t.n < a->steps[0].n_sends;
	free(t.orbit);
	network_free(w);
	algorithm_free(full);
	algorithm_free(expanded);
}

Test(compact, every_reading_agrees)
{
	struct tally n = {0};

	for (unsigned seed = 1; seed <= 500; seed++) {
		state = seed;
		struct algorithm *a = draw_algorithm();
		compare(a, seed, &n);
		algorithm_free(a);
	}
	/* All kinds were among them. */
	cr_expect(n.right > 50 && n.wrong > 50 && n.by_orbits > 20 && n.kept_by_none > 20 && n.shared > 20,
		  "%d right, %d wrong, %d judged by orbits, %d not kept, %d with two of an orbit", n.right, n.wrong, n.by_orbits,
		  n.kept_by_none, n.shared);
}

Test(compact, numbers_of_nodes_do_not_matter)
{
	for (unsigned seed = 1; seed <= 300; seed++) {
		struct error e = {0};
		int to[8];
		state = seed;
		struct algorithm *a = draw_algorithm(), *full = naive_full(a);
		if (!a->collective.custom) {
			draw_images(to, a->topology->nodes, 4);
			struct algorithm *x = algorithm_relabelled(a, a->topology, &a->collective, to);
			struct algorithm *y = algorithm_relabelled(full, a->topology, &a->collective, to);
			cr_expect(algorithm_expand(x, &e) && same_sends(x, y), "seed %u, %s", seed, a->name);
			algorithm_free(x);
			algorithm_free(y);
		}
		algorithm_free(a);
		algorithm_free(full);
	}
}

/*
 * An allgather of PARTS a node on complete:NODES, by relabellings of nodes and of parts: all (the last FORM is 3), or turns
 * alone (1), of which node 0 then lists a send to each other node.
 */
static struct algorithm *by_relabellings(int nodes, int parts, int forms)
{
	struct error e = {0};
	struct collective k = {.kind = ALLGATHER};
	char name[32];
	int n[64], *p = new_array(int, (size_t)parts), *still = new_array(int, (size_t)parts);
	struct step *steps = new_array(struct step, 1);

	snprintf(name, sizeof name, "complete:%d", nodes);
	struct topology *t = topology_open(name, &e);
	steps[0] = (struct step){.rounds = parts, .n_sends = forms > 1 ? 1 : (size_t)nodes - 1, .sends = new_array(struct send, (size_t)nodes)};
	for (int to = 1; to < nodes; to++)
		steps[0].sends[to - 1] = (struct send){0, 0, to};
	struct algorithm *a = algorithm_new(t, &k, parts, 1, steps, "drawn");
	a->symmetry = symmetry_new(&k, nodes, nodes * parts);
	draw_images(still, parts, 0);
	for (int form = 1; form <= forms; form += 2) {
		draw_images(n, nodes, form);
		draw_images(p, parts, form);
		symmetry_add(a->symmetry, n, still);
		draw_images(n, nodes, 0);
		symmetry_add(a->symmetry, n, p);
	}
	topology_free(t);
	free(p);
	free(still);
	return a;
}

static struct algorithm *by_all_relabellings(int nodes, int parts)
{
	return by_relabellings(nodes, parts, 3);
}

Test(compact, a_group_of_any_size_is_judged_by_its_sends)
{
	struct algorithm *a = by_all_relabellings(16, 5);

	cr_expect(eq(int, algorithm_verify(a).fault, FAULT_NONE));
	a->steps[0].rounds = 4;
	cr_expect(eq(int, algorithm_verify(a).fault, FAULT_OVERLOAD));
	algorithm_free(a);
}

static void twice(struct step *s)
{
	free(s->sends);
	s->n_sends = 2;
	s->sends = new_array(struct send, 2);
	s->sends[0] = s->sends[1] = (struct send){0, 0, 1};
}

static void no_rounds(struct step *s) { s->rounds = 0; }
static void no_node(struct step *s) { s->sends[0].dst = 64; }
static void no_sends(struct step *s) { s->n_sends = 0; }
static void one_more_round(struct step *s) { s->rounds++; }

static void adds(struct step *s)
{
	s->reduces = s->sends;
	s->n_reduces = s->n_sends;
	s->sends = NULL;
	s->n_sends = 0;
}

/* Of a group too large to be expanded quietly, what its list says wrongly is seen there. A round more than is needed is not wrong. */
Test(compact, faults_of_large_groups)
{
	static const struct {
		void (*plant)(struct step *s);
		enum fault fault;
		bool large;
	} faults[] = {{twice, FAULT_TWICE, true}, {no_rounds, FAULT_RANGE, true}, {no_node, FAULT_RANGE, false}, {no_sends, FAULT_NOT_DELIVERED, false},
		      {adds, FAULT_REDUCES, true}, {one_more_round, FAULT_NONE, false}};

	for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
		struct algorithm *a = faults[i].large ? by_all_relabellings(64, 17) : by_all_relabellings(16, 5);
		faults[i].plant(&a->steps[0]);
		struct verdict v = algorithm_verify(a);
		cr_expect(eq(int, v.fault, faults[i].fault), "fault %zu: %s", i, v.why);
		algorithm_free(a);
	}
}

/* Too many sends to list, and few enough elements to judge by orbits. */
Test(compact, faults_of_groups_that_are_judged_by_orbits)
{
	static const struct {
		void (*plant)(struct step *s);
		enum fault fault;
	} faults[] = {{one_more_round, FAULT_NONE}, {twice, FAULT_TWICE}, {no_rounds, FAULT_RANGE}, {no_node, FAULT_RANGE}, {adds, FAULT_REDUCES}};

	for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
		struct algorithm *a = by_relabellings(64, 17, 1);
		faults[i].plant(&a->steps[0]);
		struct verdict v = algorithm_verify(a);
		cr_expect(eq(int, v.fault, faults[i].fault), "fault %zu: %s", i, v.why);
		algorithm_free(a);
	}
}

Test(compact, what_is_too_large_is_neither_right_nor_wrong)
{
	struct algorithm *a = by_all_relabellings(64, 6000);
	struct error e = {0};

	cr_expect(eq(int, algorithm_verify(a).fault, FAULT_LIMIT));
	cr_expect(algorithm_expand(a, &e) == false && e.kind == ERROR_LIMIT && a->symmetry, "%s", e.what);
	algorithm_free(a);
}

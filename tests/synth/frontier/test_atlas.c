#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/memory.h"
#include "core/machine/network.h"
#include "core/schedule/relabel.h"
#include "core/base/text.h"
#include "core/machine/topology.h"
#include "core/verify/verify.h"
#include "core/symmetry/submachines.h"
#include "synth/frontier/atlas.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

TestSuite(atlas, .description = "what is known of one machine, for those that are alike", .timeout = 3000);

static char source[512], doubted[4096];

static void note_doubt(const char *path, const char *why)
{
	snprintf(doubted, sizeof doubted, "%s: %s", path, why);
}

static void in_source(char *path, size_t size, const char *name)
{
	snprintf(path, size, "%s/%s", getenv("SOURCE_ROOT"), name);
}

static struct topology *open_machine(const char *name)
{
	struct error e = {0};
	struct topology *t = topology_open(name, &e);

	cr_assert(t != NULL, "%s: %s", e.where, e.what);
	return t;
}

struct subject {
	struct topology *t;
	struct collective k;
	struct problem p, direct;
	bool both;
};

static struct subject subject(const char *machine, const char *kind, int root)
{
	struct subject s = {.t = open_machine(machine)};
	struct error e = {0};

	cr_assert(collective_open(kind, s.t->nodes, root, &s.k, &e), "%s: %s", e.where, e.what);
	cr_assert(problem_open(s.t, &s.k, &s.p, &e), "%s: %s", e.where, e.what);
	s.both = s.k.kind == ALLREDUCE;
	if (s.both)
		cr_assert(problem_open_direct(s.t, &s.k, &s.direct, &e), "%s: %s", e.where, e.what);
	return s;
}

static void subject_close(struct subject *s)
{
	problem_close(&s->p);
	if (s->both)
		problem_close(&s->direct);
	collective_free(&s->k);
	topology_free(s->t);
}

static const struct pareto_options k4 = {.k = 4, .jobs = 1};

/* The proofs of the catalog have tests of their own. */
static bool believe(const char *path, const struct frontier *f, double timeout, char *line, size_t size)
{
	(void)path, (void)f, (void)timeout;
	snprintf(line, size, "believed");
	return true;
}

static struct frontier *find(const struct subject *s, const struct pareto_options *o, char **from)
{
	const struct atlas_question q = {&s->p, s->both ? &s->direct : NULL, o, note_doubt, believe};
	struct atlas_source at;

	doubted[0] = '\0';
	struct frontier *f = atlas_find(&q, &at);
	*from = at.path;
	return f;
}

static void expect_verified(const struct frontier *f)
{
	for (size_t i = 0; i < f->n_points; i++) {
		struct verdict v = algorithm_verify(f->points[i]);
		cr_expect(eq(int, v.fault, FAULT_NONE), "%s: %s", f->points[i]->name, v.why);
		cr_expect(eq(str, f->points[i]->topology->name, f->topology->name));
	}
}

/* The same costs, claims and lists: as FROM has them. */
static void expect_same(const struct frontier *f, const char *from)
{
	struct error e = {0};
	struct frontier *kept = frontier_open(from, &e);

	cr_assert(kept != NULL, "%s: %s", e.where, e.what);
	cr_expect(eq(sz, f->n_points, kept->n_points));
	for (size_t i = 0; i < f->n_points && i < kept->n_points; i++) {
		const struct algorithm *a = f->points[i], *b = kept->points[i];
		cr_expect(eq(int, a->chunks, b->chunks));
		cr_expect(eq(sz, a->n_steps, b->n_steps));
		cr_expect(eq(int, algorithm_rounds(a), algorithm_rounds(b)));
		cr_expect(eq(int, (int)a->optimality.class, (int)b->optimality.class));
		cr_expect(eq(int, (int)a->optimality.proof, (int)b->optimality.proof));
		cr_expect(eq(sz, a->optimality.n_refuted, b->optimality.n_refuted));
	}
	cr_expect(eq(sz, f->n_refuted, kept->n_refuted));
	cr_expect(eq(sz, f->n_open, kept->n_open));
	cr_expect(eq(int, (int)f->ended, (int)kept->ended));
	frontier_free(kept);
}

/* Deterministic: tests that fail must fail again. */
static unsigned drawn = 1;
static int draw(int below)
{
	drawn = drawn * 1664525u + 1013904223u;
	return (int)((drawn >> 8) % (unsigned)below);
}

static void shuffle(int *order, int n)
{
	for (int i = 0; i < n; i++)
		order[i] = i;
	for (int i = n; i > 1; i--) {
		int j = draw(i), was = order[i - 1];
		order[i - 1] = order[j];
		order[j] = was;
	}
}

/* PART with its nodes in another order; ROOT becomes where its node then is. */
static char *shuffled(const struct submachine *part, int *root)
{
	struct text name = {0};
	int order[16], gpus[16], was = *root;
	char *copy = copy_string(part->name), *list = strchr(copy, '@');

	for (int i = 0; i < part->nodes; i++)
		gpus[i] = i;
	for (int i = 0; list && i < part->nodes; i++)
		gpus[i] = (int)strtol(i ? list + 1 : strchr(list, '=') + 1, &list, 10);
	shuffle(order, part->nodes);
	text_add(&name, "%.5s@gpus=", part->name);
	for (int i = 0; i < part->nodes; i++) {
		text_add(&name, "%s%d", i ? "," : "", gpus[order[i]]);
		if (order[i] == was)
			*root = i;
	}
	free(copy);
	return text_take(&name);
}

static void expect_answered(const char *machine, const char *kind, int root)
{
	struct subject s = subject(machine, kind, root);
	char *from;
	struct frontier *f = find(&s, &k4, &from);

	cr_expect(f != NULL, "%s %s root %d: no answer; %s", machine, kind, root, doubted);
	cr_expect(eq(str, doubted, ""));
	if (f) {
		expect_verified(f);
		if (strstr(from, "/atlas/"))
			expect_same(f, from);
	}
	frontier_free(f);
	free(from);
	subject_close(&s);
}

static void expect_part(const struct submachine *part)
{
	int root = 0;
	char *machine = shuffled(part, &root);

	expect_answered(machine, "allgather", 0);
	expect_answered(machine, "allreduce", 0);
	free(machine);
	for (int n = 0; n < part->nodes; n++) {
		root = n;
		machine = shuffled(part, &root);
		expect_answered(machine, "broadcast", root);
		free(machine);
	}
}

static void each_part(const char *machine, size_t every, void (*look)(const struct submachine *part, const char *machine))
{
	struct error e = {0};
	struct submachines parts;

	cr_assert(submachines_new(machine, 3, &parts, &e), "%s: %s", e.where, e.what);
	for (size_t i = 0; i < parts.n; i += every)
		look(&parts.all[i], machine);
	submachines_free(&parts);
}

static size_t folders;
static void expect_folder(const struct submachine *part, const char *machine)
{
	char path[1024];

	snprintf(path, sizeof path, "%s/algorithms/atlas/%s-%d-%s/%s/allreduce/frontier.json", source, machine, part->nodes,
		 part->digest, part->name);
	cr_expect(eq(int, access(path, R_OK), 0), "%s", path);
	folders++;
}

static void expect_shuffled(const struct submachine *part, const char *machine)
{
	(void)machine;
	expect_part(part);
}

Test(atlas, has_a_folder_for_each_of_the_60_classes)
{
	in_source(source, sizeof source, "");
	each_part("dgx1v", 1, expect_folder);
	each_part("dgx1p", 1, expect_folder);
	cr_expect(eq(sz, folders, (size_t)60));
}

/* ATLAS_EVERY=1: all of them. */
Test(atlas, answers_for_any_numbering_with_verified_algorithms)
{
	const char *every = getenv("ATLAS_EVERY");

	each_part("dgx1v", every ? (size_t)atoi(every) : 9, expect_shuffled);
	each_part("dgx1p", every ? (size_t)atoi(every) : 5, expect_shuffled);
}

Test(atlas, a_numbering_that_is_none_of_the_machine_does_not_verify)
{
	static const int swapped[] = {0, 1, 2, 3, 4, 5, 7, 6};
	static const char *const files[] = {"allgather/c6-s3-r7", "alltoall/c8-s2-r3", "allreduce/c16-s4-r6", "reducescatter/c16-s2-r3",
					    "gather/c2-s2-r3-root0", "scatter/c16-s2-r3-root0"};
	struct topology *t = open_machine("dgx1"), *v = open_machine("dgx1v");
	struct network *a, *b;
	struct error e = {0};
	int to[8];

	a = network_new(t, &e), b = network_new(v, &e);
	cr_assert(network_isomorphism(a, -1, b, -1, to));
	for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
		char name[128], path[1024];
		snprintf(name, sizeof name, "algorithms/dgx1/%s.json", files[i]);
		in_source(path, sizeof path, name);
		struct algorithm *was = algorithm_open(path, &e);
		cr_assert(was != NULL, "%s: %s", e.where, e.what);
		struct collective k = collective_copy(&was->collective);
		k.root = collective_row(&k)->rooted ? to[was->collective.root] : 0;
		struct algorithm *good = algorithm_relabelled(was, v, &k, to), *bad = algorithm_relabelled(was, t, &was->collective, swapped);
		cr_expect(eq(int, algorithm_verify(good).fault, FAULT_NONE), "%s: %s", files[i], algorithm_verify(good).why);
		cr_expect(ne(int, algorithm_verify(bad).fault, FAULT_NONE), "%s", files[i]);
		algorithm_free(good);
		algorithm_free(bad);
		algorithm_free(was);
		collective_free(&k);
	}
	network_free(a);
	network_free(b);
	topology_free(t);
	topology_free(v);
}

static struct frontier *asked(const char *machine, const char *kind, struct pareto_options o)
{
	struct subject s = subject(machine, kind, 0);
	char *from;
	struct frontier *f = find(&s, &o, &from);

	free(from);
	subject_close(&s);
	return f;
}

Test(atlas, other_machines_and_other_questions_are_not_answered)
{
	struct pareto_options few = k4, first = k4, wide = k4, short_walk = k4;

	few.max_chunks = 3, first.least_steps = true, wide.k = 9, short_walk.max_steps = 2;
	cr_expect(asked("dgx1v@drop=0-1", "allgather", k4) == NULL, "a link less");
	cr_expect(asked("dgx1v@add=0-1x1", "allgather", k4) == NULL, "a link wider");
	cr_expect(asked("ring:5@drop=0-1@add=0-2x7", "allgather", k4) == NULL);
	cr_expect(asked("dgx1v", "allgather", few) == NULL);
	cr_expect(asked("dgx1v", "allgather", first) == NULL);
	cr_expect(asked("dgx1v", "allgather", wide) == NULL);
	cr_expect(asked("dgx1v", "allreduce", wide) == NULL);
	struct frontier *f = asked("dgx1v", "allgather", short_walk);
	cr_assert(f != NULL);
	cr_expect(eq(sz, f->n_points, (size_t)1), "as far as it is wanted");
	cr_expect(eq(int, f->last_steps, 2));
	cr_expect(eq(int, (int)f->ended, (int)ENDED_STEPS));
	frontier_free(f);
}

/* What a wider class refuted is enough where its points are of ours. */
Test(atlas, a_wider_class_answers_for_a_narrower)
{
	struct pareto_options k5 = k4, k3 = k4;

	k5.k = 5, k3.k = 3;
	struct frontier *f = asked("dgx1v", "allgather", k5);
	cr_assert(f != NULL, "what is kept was searched with 6, and with 4");
	expect_verified(f);
	cr_expect(eq(int, f->k, 5));
	for (size_t i = 0; i < f->n_refuted; i++)
		cr_expect(le(int, f->refuted[i].rounds - f->refuted[i].steps, 5));
	cr_expect(eq(sz, f->n_open, (size_t)0));
	frontier_free(f);
	cr_expect(asked("dgx1v", "allgather", k3) == NULL, "(6,3,7) is not of the class of 3");
	f = asked("dgx1v", "reduce", (struct pareto_options){.k = 6, .jobs = 1});
	cr_assert(f != NULL, "a rooted one, combining, of the machine numbered otherwise");
	expect_verified(f);
	frontier_free(f);
}

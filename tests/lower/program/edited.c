#include "tests/lower/program/edited.h"

#include "tests/lower/program/free_run.h"

#include "core/base/error.h"
#include "core/base/memory.h"
#include "core/schedule/algorithm.h"
#include "lower/program/build.h"
#include "lower/program/check.h"
#include "lower/program/packets.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <stdlib.h>
#include <string.h>

struct program *built(const struct algorithm *a)
{
	struct error e = {0};
	struct program *p = program_build(a, &e);

	cr_assert(ne(ptr, p, NULL), "%s: %s", e.where, e.what);
	return p;
}

struct program *program_copy(const struct program *p)
{
	struct program *copy = program_new(p->algorithm);

	memcpy(copy->slots, p->slots, (size_t)p->ranks * sizeof *p->slots);
	copy->signals = p->signals;
	copy->packets_only = p->packets_only;
	copy->shared = p->shared;
	copy->pulls = p->pulls;
	for (int r = 0; r < p->ranks; r++) {
		for (size_t i = 0; i < p->packets[r].n; i++)
			program_add_packet(copy, r, p->packets[r].of[i]);
		for (size_t i = 0; i < p->of[r].n; i++) {
			struct instruction in = p->of[r].instructions[i];
			in.sources = copy_bytes(in.sources, in.n_sources * sizeof *in.sources);
			in.targets = copy_bytes(in.targets, in.n_targets * sizeof *in.targets);
			program_add(copy, r, in);
		}
	}
	return copy;
}

void program_remove(struct program *p, int rank, size_t i)
{
	struct rank_program *of = &p->of[rank];

	free(of->instructions[i].sources);
	free(of->instructions[i].targets);
	memmove(&of->instructions[i], &of->instructions[i + 1], (of->n - i - 1) * sizeof *of->instructions);
	of->n--;
}

struct program *program_without(const struct program *p, int rank, size_t i)
{
	struct program *less = program_copy(p);

	program_remove(less, rank, i);
	return less;
}

struct instruction *at(const struct program *p, int rank, enum instruction_kind kind, size_t nth)
{
	return &p->of[rank].instructions[find(p, rank, kind, nth)];
}

size_t find(const struct program *p, int rank, enum instruction_kind kind, size_t nth)
{
	for (size_t i = 0; i < p->of[rank].n; i++)
		if (p->of[rank].instructions[i].kind == kind && nth-- == 0)
			return i;
	cr_assert(false, "rank %d has no such instruction", rank);
	return 0;
}

static bool check(const struct program *p, struct error *e)
{
	return p->packets_only ? packets_check(p, e) : program_check(p, e);
}

bool passes(const struct program *p)
{
	struct error e = {0};
	return check(p, &e) && program_interpret(p, &e);
}

size_t refused_without_one(const struct program *p)
{
	size_t n = 0;

	for (int r = 0; r < p->ranks; r++)
		for (size_t i = 0; i < p->of[r].n; i++) {
			struct program *less = program_without(p, r, i);
			bool good = passes(less);
			n += !good;
			for (unsigned seed = 0; good && seed < 10; seed++)
				cr_expect(free_run(less, 3, false, seed), "%s: rank %d without %zu", p->algorithm->name, r, i);
			program_free(less);
		}
	return n;
}

void refused(struct program *p, const char *where, const char *what)
{
	struct error e = {0};

	cr_expect(not(check(p, &e)), "not refused: %s", what);
	cr_expect(ne(ptr, strstr(e.where, where), NULL), "%s is not in %s (%s)", where, e.where, e.what);
	cr_expect(ne(ptr, strstr(e.what, what), NULL), "%s is not in %s", what, e.what);
	program_free(p);
}

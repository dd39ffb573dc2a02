#include "tests/lower/hand.h"

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/memory.h"
#include "core/machine/topology.h"
#include "lower/lower.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

TestSuite(emit, .description = "programs as text");

static struct lowered lowered_with(const struct algorithm *a, const struct kernels *k)
{
	struct error e = {0};
	struct lowered l;

	cr_assert(lower(a, lower_target("host", &e), k, &l, &e), "%s: %s", e.where, e.what);
	return l;
}

static struct lowered lowered(const struct algorithm *a)
{
	return lowered_with(a, NULL);
}

static void renamed(struct algorithm *a, const char *name)
{
	free(a->name);
	a->name = copy_string(name);
}

/* Compiled with warnings as errors, as nothing but the public headers allow. */
static void compiles(const struct lowered *l, const char *compiler)
{
	struct error e = {0};
	char dir[] = "/tmp/sccl-emit-XXXXXX", command[1024];

	if (snprintf(command, sizeof command, "command -v %s >/dev/null", compiler) < 0 || system(command) != 0)
		return; /* not here */
	cr_assert(ne(ptr, mkdtemp(dir), NULL));
	snprintf(command, sizeof command, "%s/x.c", dir);
	cr_assert(file_write(command, l->source.bytes, l->source.length, &e));
	snprintf(command, sizeof command, "%s/%s.h", dir, l->name);
	cr_assert(file_write(command, l->header.bytes, l->header.length, &e));
	for (size_t i = 0; i < l->n_units; i++) {
		snprintf(command, sizeof command, "%s/%s", dir, l->units[i].file);
		cr_assert(file_write(command, l->units[i].source.bytes, l->units[i].source.length, &e));
	}
	snprintf(command, sizeof command,
		 "cd %s && printf '#include \"%s.h\"\\nint main(void)\\n{\\n\\treturn %s.abi != SCCL_ABI;\\n}\\n' > m.c && "
		 "%s -std=c11 -Wall -Wextra -Wpedantic -Wshadow -Werror -I'%s/runtime/include' -o x *.c && ./x",
		 dir, l->name, l->name, compiler, getenv("SOURCE_ROOT"));
	cr_expect(eq(int, system(command), 0), "%s: %s", compiler, l->name);
	snprintf(command, sizeof command, "rm -r %s", dir);
	cr_expect(eq(int, system(command), 0));
}

Test(emit, a_tiny_program_reads_as_it_did)
{
	struct algorithm *a = hand_allreduce_ring(2);
	struct lowered l = lowered(a);
	struct text want = {0};
	struct error e = {0};
	char path[512];

	snprintf(path, sizeof path, "%s/tests/golden/line2-allreduce-host.c", getenv("SOURCE_ROOT"));
	/* After a change that was meant: run once with UPDATE_GOLDEN=1, then read what git says has changed. */
	if (getenv("UPDATE_GOLDEN"))
		cr_assert(file_write(path, l.source.bytes, l.source.length, &e), "%s", e.what);
	cr_assert(file_read(path, &want, &e), "%s", e.what);
	cr_expect(eq(str, l.source.bytes, want.bytes));
	text_free(&want);
	lowered_free(&l);
	algorithm_free(a);
}

Test(emit, every_kind_of_collective_compiles_without_a_warning)
{
	static const size_t some[] = {1, 5, 10, 11, 14, 15};

	for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
		struct algorithm *a = hand_all(some[i]);
		struct lowered l = lowered(a);
		compiles(&l, i % 2 ? "gcc" : "clang");
		lowered_free(&l);
		algorithm_free(a);
	}
}

/* The names of the kernels that the lists select. */
static char *kernel_names(const char *types, const char *ops, bool combining)
{
	struct error e = {0};
	struct kernels k;
	struct kernel list[KERNELS_MAX];
	struct text names = {0};

	cr_assert(kernels_read(types, ops, NULL, &k, &e), "%s: %s", e.where, e.what);
	size_t n = kernels_list(&k, combining, list);
	for (size_t i = 0; i < n; i++) {
		text_add(&names, i ? " " : "");
		text_kernel_name(&list[i], &names);
	}
	return text_take(&names);
}

Test(emit, kernels_are_those_that_most_call_unless_others_are_named)
{
	static const struct {
		const char *types, *ops;
		bool combining;
		const char *names;
	} cases[] = {
		{NULL, NULL, true, "f32_sum f32_min f32_max f16_sum f16_min f16_max bf16_sum bf16_min bf16_max i32_sum i32_min i32_max"},
		{"u8", NULL, true, "u8_sum u8_min u8_max"},
		{NULL, "prod", true, "f32_prod f16_prod bf16_prod i32_prod"},
		{"i64,f64", "max,sum", true, "f64_sum f64_max i64_sum i64_max"},
		{NULL, NULL, false, "1 2 4 8"},
		{"f32", NULL, false, "4"},
		{"i64,bf16,f16", "sum", false, "2 8"},
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char *names = kernel_names(cases[i].types, cases[i].ops, cases[i].combining);
		cr_expect(eq(str, names, (char *)(uintptr_t)cases[i].names));
		free(names);
	}
}

Test(emit, kernels_in_files_of_their_own_are_the_same_program)
{
	struct kernels k;
	struct error e = {0};
	struct algorithm *all[] = {hand_allreduce_ring(3), hand_allgather_ring(3)};
	const size_t units[] = {4, 2};

	cr_assert(kernels_read("bf16,u8", "prod,max", NULL, &k, &e));
	k.split = true;
	for (size_t i = 0; i < 2; i++) {
		struct lowered whole = lowered(all[i]), split = lowered_with(all[i], &k);
		cr_expect(eq(sz, split.n_units, units[i]));
		cr_expect(eq(str, split.header.bytes, whole.header.bytes));
		cr_expect(eq(ptr, strstr(split.source.bytes, "KERNEL(kernel"), NULL));
		compiles(&split, i % 2 ? "gcc" : "clang");
		lowered_free(&whole);
		lowered_free(&split);
		algorithm_free(all[i]);
	}
}

Test(emit, the_same_bytes_every_time)
{
	for (unsigned seed = 0; seed < 5; seed++) {
		struct algorithm *a = hand_random(seed), *b = hand_random(seed);
		struct lowered l = lowered(a), m = lowered(b);
		cr_expect(eq(str, l.source.bytes, m.source.bytes));
		cr_expect(eq(str, l.header.bytes, m.header.bytes));
		lowered_free(&l);
		lowered_free(&m);
		algorithm_free(a);
		algorithm_free(b);
	}
}

Test(emit, names_from_files_do_not_get_into_code)
{
	static const char *const hostile[] = {
		"*/ int evil; /*", "\"; int evil; char *x = \"", "a\nint evil;\n", "\\", ("x?" "?/\nint evil;"), "int", "SCCL_END", "",
		"9", "\xf0\x9f\x90\x9b", "_s3_r7", "a);system(\"evil", "#include <evil>", "main", "memcpy",
	};

	for (size_t i = 0; i < sizeof hostile / sizeof *hostile; i++) {
		struct algorithm *a = hand_gather_line(3);
		renamed(a, hostile[i]);
		free(a->topology->name);
		a->topology->name = copy_string(hostile[i]);
		struct lowered l = lowered(a);
		cr_expect(eq(ptr, strstr(l.source.bytes, "int evil"), NULL));
		cr_expect(eq(ptr, strstr(l.source.bytes, "??"), NULL));
		cr_expect(eq(ptr, strchr(l.source.bytes, '\\'), NULL));
		cr_expect(eq(ptr, strchr(l.name, '/'), NULL));
		compiles(&l, "gcc");
		lowered_free(&l);
		algorithm_free(a);
	}
}

Test(emit, a_usual_name_stays_and_an_unusual_one_cannot_be_a_word_of_c)
{
	struct algorithm *a = hand_gather_line(3);
	struct lowered l = lowered(a);

	cr_expect(eq(str, l.name, "line_3_gather_c1_s2_r3_root0_hand"));
	lowered_free(&l);
	renamed(a, "int");
	l = lowered(a);
	cr_expect(eq(str, l.name, "algorithm_int"));
	lowered_free(&l);
	algorithm_free(a);
}

Test(emit, what_does_not_verify_is_not_lowered)
{
	struct error e = {0};
	struct algorithm *a = hand_allgather_ring(3);
	struct lowered l;

	a->steps[1].n_sends--;
	cr_expect(not(lower(a, lower_target("host", &e), NULL, &l, &e)));
	cr_expect(eq(int, e.kind, ERROR_INPUT));
	cr_expect(ne(ptr, strstr(e.what, "does not verify"), NULL), "%s", e.what);
	cr_expect(eq(ptr, l.source.bytes, NULL));
	lowered_free(&l);
	algorithm_free(a);
}

Test(emit, targets_are_found_by_name)
{
	struct error e = {0};
	size_t n;

	cr_expect(eq(ptr, (void *)lower_target("abacus", &e), NULL));
	cr_expect(eq(str, e.what, "must be cuda, hip or host, not \"abacus\""));
	cr_expect(eq(str, (char *)lower_targets(&n)[2].suffix, ".c"));
	cr_expect(eq(sz, n, 3));
}

/*
 * Lowering from end to end. The schedule is verified once more, then built as a program with flags, and that program is
 * rewritten to use packets. Independent checkers judge both before any text is emitted.
 */

#include "lower/lower.h"

#include "lower/program/build.h"
#include "lower/program/check.h"
#include "lower/program/multimem.h"
#include "lower/program/pull.h"
#include "lower/text/emit.h"
#include "lower/program/order.h"
#include "lower/program/packets.h"
#include "lower/program/shared.h"
#include "lower/program/sync.h"

#include "core/schedule/algorithm.h"
#include "core/base/error.h"
#include "core/base/memory.h"
#include "core/verify/verify.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Does NAME contain something like "_s3_r7", as the names do that the project gives to algorithms? No keyword of C and
 * no symbol of its libraries does; all other names get a prefix that keeps them from clashing with those. */
static bool is_ours(const char *name)
{
	for (const char *s = strstr(name, "_s"); s; s = strstr(s + 1, "_s")) {
		size_t digits = strspn(s + 2, "0123456789");
		if (digits && strncmp(s + 2 + digits, "_r", 2) == 0 && isdigit((unsigned char)s[4 + digits]))
			return true;
	}
	return false;
}

char *lower_name(const struct algorithm *a)
{
	struct text t = {0};
	char *safe = identifier(a->name);

	text_add(&t, "%s%s", is_ours(safe) ? "" : "algorithm_", safe);
	free(safe);
	return text_take(&t);
}

bool lower_fits(const struct algorithm *a, struct error *e)
{
	size_t n = algorithm_listed(a);

	if (n > LOWERED_SENDS_MAX)
		return error_set(e, ERROR_LIMIT, a->name, "has %zu sends; at most %d can be lowered", n, LOWERED_SENDS_MAX);
	return a->global_chunks <= LOWERED_CHUNKS_MAX ||
	       error_set(e, ERROR_LIMIT, a->name, "has %d chunks; at most %d can be lowered", a->global_chunks, LOWERED_CHUNKS_MAX);
}

static bool verified(const struct algorithm *a, struct error *e)
{
	struct verdict v = algorithm_verify(a);
	return v.fault == FAULT_NONE || error_set(e, ERROR_INPUT, a->name, "does not verify: %.400s", v.why);
}

/* Can a block of a GPU keep the addresses of each move? The host does not keep them. */
static bool places_fit(const struct program *p, const struct target *t, struct error *e)
{
	for (int r = 0; r < p->ranks && strcmp(t->name, "host") != 0; r++)
		for (size_t i = 0; i < p->of[r].n; i++) {
			size_t places = p->of[r].instructions[i].n_sources + p->of[r].instructions[i].n_targets;
			if (places > SYNC_PLACES_MOST)
				return error_set(e, ERROR_LIMIT, p->algorithm->name,
						 "rank %d has a move with %zu places; on GPUs at most %d", r, places, SYNC_PLACES_MOST);
		}
	return true;
}

/* The programs of an algorithm; shared and multimem may be NULL. */
enum { PLAIN, PACKETS, SHARED, MULTIMEM, PULL, PROGRAMS };

static void free_all(struct program *of[PROGRAMS])
{
	for (int i = 0; i < PROGRAMS; i++)
		program_free(of[i]);
}

/* Builds and checks the programs. */
static bool build(const struct algorithm *a, struct program *of[PROGRAMS], struct error *e)
{
	of[PLAIN] = program_build(a, e);
	if (!of[PLAIN])
		return false;
	of[PACKETS] = program_packets(of[PLAIN]);
	of[SHARED] = program_share(of[PLAIN]);
	of[MULTIMEM] = program_multimem(of[of[SHARED] ? SHARED : PLAIN]);
	of[PULL] = program_pull(of[PLAIN]);
	for (int i = 0; i < PROGRAMS; i++)
		if (of[i])
			program_sync(of[i]);
	return program_check(of[PLAIN], e) && program_interpret(of[PLAIN], e) && sync_check(of[PLAIN], e) &&
	       program_check(of[PULL], e) && program_interpret(of[PULL], e) && sync_check(of[PULL], e) &&
	       packets_check(of[PACKETS], e) && program_interpret(of[PACKETS], e) && sync_check(of[PACKETS], e) &&
	       (!of[SHARED] || sync_check(of[SHARED], e)) && /* otherwise checked by program_share, program_multimem */
	       (!of[MULTIMEM] || sync_check(of[MULTIMEM], e));
}

static void emit_units(const struct algorithm *a, const struct target *t, const struct kernels *k, bool multimem, struct lowered *out)
{
	struct kernel list[KERNELS_MAX];

	if (!k->split)
		return;
	out->n_units = kernels_list(k, collective_row(&a->collective)->combining, list);
	out->units = new_array(struct lowered_unit, out->n_units);
	for (size_t i = 0; i < out->n_units; i++) {
		struct text file = {0};
		text_add(&file, "%s.", out->name);
		text_kernel_name(&list[i], &file);
		text_add(&file, "%s", t->suffix);
		out->units[i].file = text_take(&file);
		text_kernel_file(&list[i], multimem, out->name, t->name, &out->units[i].source);
	}
}

bool lower(const struct algorithm *a, const struct target *t, const struct kernels *k, struct lowered *out,
	   struct error *e)
{
	struct kernels all = kernels_all();
	struct program *of[PROGRAMS] = {NULL};
	bool good = lower_fits(a, e) && verified(a, e) && build(a, of, e) && places_fit(of[PLAIN], t, e);

	*out = (struct lowered){0};
	if (!k)
		k = &all;
	if (good) {
		const struct program *multimem = k->ordered && collective_row(&a->collective)->combining ? NULL : of[MULTIMEM];
		out->name = lower_name(a);
		emit_source(&(struct programs){of[PLAIN], of[PACKETS], of[SHARED], multimem, of[PULL]}, out->name, t, k, &out->source);
		emit_header(of[PLAIN], out->name, &out->header);
		emit_units(a, t, k, multimem != NULL, out);
	}
	free_all(of);
	return good;
}

bool lower_order(const struct algorithm *a, bool rounding, bool *same, struct text *text, struct error *e)
{
	static const char *const data[] = {"plain data", "packets", "shared inputs", NULL, "loads from peers"}; /* NULL: a switch adds as it likes */
	struct program *of[PROGRAMS] = {NULL};
	bool good = lower_fits(a, e) && verified(a, e) && build(a, of, e);

	*same = good && program_order(of[PLAIN], rounding, text);
	for (int i = PACKETS; i < PROGRAMS && *same; i++) {
		if (!of[i] || !data[i])
			continue;
		struct text other = {0};
		*same = program_order(of[i], rounding, &other) && strcmp(text->bytes ? text->bytes : "", other.bytes ? other.bytes : "") == 0;
		if (!*same)
			text_add(text, " with plain data, and with %s %s", data[i], other.bytes);
		text_free(&other);
	}
	free_all(of);
	return good;
}

void lowered_free(struct lowered *l)
{
	free(l->name);
	text_free(&l->source);
	text_free(&l->header);
	for (size_t i = 0; i < l->n_units; i++) {
		free(l->units[i].file);
		text_free(&l->units[i].source);
	}
	free(l->units);
	*l = (struct lowered){0};
}

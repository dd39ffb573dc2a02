/*
 * Lowering from end to end. The schedule is verified once more, then built as a program with flags, and that program is
 * rewritten to use packets. Independent checkers judge both before any text is emitted.
 */

#include "lower/lower.h"

#include "lower/program/build.h"
#include "lower/program/check.h"
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

/* Builds and checks the programs: plain, packets and shared, which may be NULL. */
static bool build(const struct algorithm *a, struct program *of[3], struct error *e)
{
	of[0] = program_build(a, e);
	if (!of[0])
		return false;
	of[1] = program_packets(of[0]);
	of[2] = program_share(of[0]);
	for (int i = 0; i < 3; i++)
		if (of[i])
			program_sync(of[i]);
	return program_check(of[0], e) && program_interpret(of[0], e) && sync_check(of[0], e) && packets_check(of[1], e) &&
	       program_interpret(of[1], e) && sync_check(of[1], e) &&
	       (!of[2] || sync_check(of[2], e)); /* otherwise checked by program_share */
}

static void emit_units(const struct algorithm *a, const struct target *t, const struct kernels *k, struct lowered *out)
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
		text_kernel_file(&list[i], out->name, t->name, &out->units[i].source);
	}
}

bool lower(const struct algorithm *a, const struct target *t, const struct kernels *k, struct lowered *out,
	   struct error *e)
{
	struct kernels all = kernels_all();
	struct program *of[3] = {NULL, NULL, NULL};
	bool good = lower_fits(a, e) && verified(a, e) && build(a, of, e) && places_fit(of[0], t, e);

	*out = (struct lowered){0};
	if (good) {
		out->name = lower_name(a);
		emit_source(&(struct programs){of[0], of[1], of[2]}, out->name, t, k ? k : &all, &out->source);
		emit_header(of[0], out->name, &out->header);
		emit_units(a, t, k ? k : &all, out);
	}
	for (int i = 0; i < 3; i++)
		program_free(of[i]);
	return good;
}

bool lower_order(const struct algorithm *a, bool *same, struct text *text, struct error *e)
{
	static const char *const data[] = {"plain data", "packets", "shared inputs"};
	struct program *of[3] = {NULL, NULL, NULL};
	bool good = lower_fits(a, e) && verified(a, e) && build(a, of, e);

	*same = good && program_order(of[0], text);
	for (int i = 1; i < 3 && *same && of[i]; i++) {
		struct text other = {0};
		*same = program_order(of[i], &other) && strcmp(text->bytes ? text->bytes : "", other.bytes ? other.bytes : "") == 0;
		if (!*same)
			text_add(text, " with plain data, and with %s %s", data[i], other.bytes);
		text_free(&other);
	}
	for (int i = 0; i < 3; i++)
		program_free(of[i]);
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

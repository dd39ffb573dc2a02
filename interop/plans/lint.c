/* Opening plans by content, playing them in the modes that they state, and for what sizes they serve. */

#include "interop/plans/lint.h"

#include "interop/plans/limits.h"

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/text.h"

#include <inttypes.h>
#include <string.h>

struct foreign_plan *plan_parse(const char *path, const char *bytes, size_t n, struct error *e)
{
	const char first = bytes[strspn(bytes, " \t\r\n\xef\xbb\xbf")];

	if (strlen(bytes) != n)
		error_set(e, ERROR_INPUT, path, "is not text: it has a NUL byte");
	else if (first == '<')
		return plan_read_msccl(path, bytes, n, e);
	else if (first == '{')
		return plan_read_mscclpp(path, bytes, n, e);
	else
		error_set(e, ERROR_INPUT, path, "is no plan: neither MSCCL XML nor MSCCL++ JSON");
	return NULL;
}

struct foreign_plan *plan_open(const char *path, struct error *e)
{
	struct text bytes = {0};
	struct foreign_plan *p = file_read(path, &bytes, e) ? plan_parse(path, bytes.bytes ? bytes.bytes : "", bytes.length, e) : NULL;

	text_free(&bytes);
	return p;
}

enum { SHALLOW = 1, DEEP = PLAN_DEEP };

/* Which rank's data a broadcast spreads, or which a reduce fills, is not in the file: the first that fits. */
static bool play_any_root(struct foreign_plan *p, bool in_place, int depth, struct plan_faults *f, struct error *e)
{
	struct text unused = {0};
	bool ok = true, fits = false;

	for (int root = 0; ok && !fits && root < p->ranks; root++) {
		struct plan_faults trial = {&unused, 0, NULL};
		p->root = root;
		ok = plan_play(p, in_place, depth, &trial, e);
		fits = trial.n == 0;
	}
	if (!fits)
		p->root = 0;
	text_free(&unused);
	return ok && plan_play(p, in_place, depth, f, e);
}

static bool play_mode(const struct foreign_plan *p, bool in_place, struct plan_faults *f, struct text *notes, struct error *e)
{
	struct foreign_plan copy = *p;
	struct text shallow_lines = {0}, deep_lines = {0};
	struct plan_faults shallow = {&shallow_lines, 0, in_place ? "in place: " : "out of place: "}, deep = {&deep_lines, 0, shallow.mode};
	bool rooted = p->kind == PLAN_BROADCAST || p->kind == PLAN_REDUCE;
	bool ok = (rooted ? play_any_root(&copy, in_place, SHALLOW, &shallow, e) : plan_play(&copy, in_place, SHALLOW, &shallow, e));

	if (ok && shallow.n && p->format == PLAN_MSCCL)
		ok = rooted ? play_any_root(&copy, in_place, DEEP, &deep, e) : plan_play(&copy, in_place, DEEP, &deep, e);
	const struct plan_faults *found = p->format == PLAN_MSCCL && shallow.n ? &deep : &shallow;
	if (ok && shallow.n && found->n == 0)
		text_add(notes, "%s: %sneeds connections that hold more than one message\n", p->path, shallow.mode);
	if (ok && found->n) {
		text_add(f->lines, "%s", found->lines->bytes);
		f->n += found->n;
	}
	text_free(&shallow_lines);
	text_free(&deep_lines);
	return ok;
}

bool plan_lint(const struct foreign_plan *p, enum plan_consumer consumer, const char *bytes, struct plan_faults *f, struct text *notes, struct error *e)
{
	plan_check_limits(p, consumer, bytes, f);
	if (p->kind == PLAN_OTHER)
		text_add(notes, "%s: what \"%s\" must compute is not known; only its order is checked\n", p->path, p->collective);
	return (!p->out_of_place || play_mode(p, false, f, notes, e)) && (!p->in_place || play_mode(p, true, f, notes, e));
}

/* The chunks into which the larger of one rank's two buffers is cut. */
static int64_t chunks_of_size(const struct foreign_plan *p)
{
	int in = p->of[0].chunks[PLAN_INPUT], out = p->of[0].chunks[PLAN_OUTPUT];

	if (p->format == PLAN_MSCCL)
		return p->chunks_per_loop;
	return in > out ? in : out;
}

void plan_sizes(const struct foreign_plan *p, struct text *into)
{
	static const int types[] = {1, 2, 4, 8};
	int64_t chunks = chunks_of_size(p), step = p->format == PLAN_MSCCLPP ? chunks * p->alignment : chunks;
	bool power = chunks > 0 && (chunks & (chunks - 1)) == 0;

	text_add(into, "  bytes     from %" PRId64 " to ", p->least_bytes);
	if (p->most_bytes)
		text_add(into, "%" PRId64 "\n", p->most_bytes);
	else
		text_add(into, "any\n");
	if (p->format == PLAN_MSCCLPP)
		text_add(into, "  sizes     multiples of %" PRId64 " bytes (%" PRId64 " chunks of %d)\n", step, chunks, p->alignment);
	else
		for (size_t i = 0; i < sizeof types / sizeof *types; i++)
			text_add(into, "  counts    of elements of %d byte%s: multiples of %" PRId64 ", that is of %" PRId64 " bytes\n", types[i], plural(types[i]),
				 chunks, chunks * types[i]);
	if (!power)
		text_add(into, "  never     for a power of two, as %" PRId64 " is none\n", chunks);
}

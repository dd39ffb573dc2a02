/* Writes a plan as MSCCL XML, in the subset of XML that RCCL reads: no prolog, no tabs, each element's attributes on
 * one line. */

#include "lower/lower.h"
#include "lower/plans/msccl.h"

#include "core/schedule/algorithm.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "core/verify/verify.h"

#include <inttypes.h>
#include <string.h>

/* The name is only for human readers. Characters that could end the attribute become "_", and a long name is cut
 * off. */
static void write_name(const char *name, struct text *into)
{
	for (size_t i = 0; name[i] && i < MSCCL_NAME_MAX; i++) {
		bool plain = (name[i] >= 'a' && name[i] <= 'z') || (name[i] >= 'A' && name[i] <= 'Z') ||
			     (name[i] >= '0' && name[i] <= '9') || strchr("-._:", name[i]);
		text_add(into, "%c", plain ? name[i] : '_');
	}
}

static void write_step(const struct msccl_step *s, size_t number, struct text *into)
{
	text_add(into,
		 "      <step s=\"%zu\" type=\"%s\" srcbuf=\"%s\" srcoff=\"%d\" dstbuf=\"%s\" dstoff=\"%d\" cnt=\"%d\" depid=\"%d\" "
		 "deps=\"%d\" hasdep=\"%d\"/>\n",
		 number, msccl_kind_names[s->kind], msccl_buffer_names[s->from.buffer], s->from.at,
		 msccl_buffer_names[s->to.buffer], s->to.at, s->count, s->on_block, s->on_step, s->awaited);
}

/*
 * Blocks without peers copy a rank's own input to where it is wanted in its output. In place these are the same, and no
 * step depends on such a copy.
 */
static void write_gpu(const struct msccl_gpu *g, int rank, bool in_place, struct text *into)
{
	text_add(into, "  <gpu id=\"%d\" i_chunks=\"%d\" o_chunks=\"%d\" s_chunks=\"%d\">\n", rank, g->chunks[MSCCL_INPUT],
		 g->chunks[MSCCL_OUTPUT], g->chunks[MSCCL_SCRATCH]);
	for (size_t b = 0; b < g->n; b++) {
		if (in_place && g->blocks[b].send < 0 && g->blocks[b].receive < 0)
			break; /* they are the last */
		text_add(into, "    <tb id=\"%zu\" send=\"%d\" recv=\"%d\" chan=\"%d\">\n", b, g->blocks[b].send,
			 g->blocks[b].receive, g->blocks[b].channel);
		for (size_t i = 0; i < g->blocks[b].n; i++)
			write_step(&g->blocks[b].steps[i], i, into);
		text_add(into, "    </tb>\n");
	}
	text_add(into, "  </gpu>\n");
}

static void write_plan(const struct msccl_plan *p, const struct msccl_options *o, struct text *into)
{
	text_add(into, "<algo name=\"");
	write_name(p->algorithm->name, into);
	text_add(into,
		 "\" proto=\"%s\" nchannels=\"%d\" nchunksperloop=\"%d\" ngpus=\"%d\" coll=\"%s\" inplace=\"%d\" outofplace=\"%d\" "
		 "minBytes=\"%" PRId64 "\" maxBytes=\"%" PRId64 "\">\n",
		 o->proto, p->channels, p->chunks_per_loop, p->ranks, p->collective, o->in_place, !o->in_place, o->least_bytes, o->most_bytes);
	for (int r = 0; r < p->ranks; r++)
		write_gpu(&p->of[r], r, o->in_place, into);
	text_add(into, "</algo>\n");
}

bool msccl_export(const struct algorithm *a, const struct msccl_options *o, struct text *into, struct error *e)
{
	if (!lower_fits(a, e))
		return false;
	struct verdict v = algorithm_verify(a);

	if (v.fault)
		return error_set(e, ERROR_INPUT, a->name, "does not verify: %s", v.why);
	struct msccl_plan *p = msccl_plan_new(a, e);
	bool good = p && msccl_check(p, e) && msccl_play(p, e);
	if (good)
		write_plan(p, o, into);
	msccl_plan_free(p);
	return good;
}

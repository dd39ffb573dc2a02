/*
 * Turns the schedule that a method builds into an algorithm for the requested collective: by inversion on reversed
 * links for kinds that the method does not build itself, from a reducescatter and an allgather for an allreduce. The
 * result is refined for wide links, verified and classified.
 */

#include "synth/builder/method.h"

#include "core/base/error.h"
#include "core/base/memory.h"
#include "core/machine/network.h"
#include "core/machine/topology.h"
#include "core/schedule/transform.h"
#include "synth/builder/chunk_refinement.h"
#include "synth/builder/shared_rounds.h"
#include "synth/problem/problem.h"

static bool constructs(const struct method *m, enum collective_kind kind)
{
	return m->constructs >> kind & 1;
}

static bool constructs_or_inverts(const struct method *m, enum collective_kind kind)
{
	return constructs(m, kind) || constructs(m, collective_rows()[kind].inverse);
}

bool method_serves(const struct method *m, enum collective_kind kind)
{
	if (kind == ALLREDUCE && !constructs(m, kind))
		return constructs_or_inverts(m, REDUCESCATTER) && constructs_or_inverts(m, ALLGATHER);
	return constructs_or_inverts(m, kind);
}

/* As the method builds it, without inversion; the chunks are refined unless C was given or the method chose their
 * size. Where switches copy and add, steps get the rounds that they need there: methods count every send. */
static struct algorithm *constructed(const struct method *m, const struct topology *t, const struct network *w,
			       const struct collective *k, const struct method_options *o, struct text *report, struct error *e)
{
	const struct method_request r = {t, w, *k, *o, report};
	struct construction d = {0};

	if (o->chunks && !collective_check(k, t->nodes, o->chunks, e))
		return NULL;
	if (!m->construct(&r, &d, e))
		return NULL;
	struct algorithm *a = algorithm_new(t, k, d.chunks, d.n_steps, d.steps, m->name);
	if (!o->chunks && !d.as_fine)
		a = algorithm_refined(a, w);
	if (w->n_groups > 0 && !shared_rounds_set(w, m->name, a->steps, a->n_steps, e)) {
		algorithm_free(a);
		return NULL;
	}
	algorithm_rename(a);
	return a;
}

static struct algorithm *inverted(const struct method *m, const struct problem *p, const struct method_options *o,
				  struct text *report, struct error *e)
{
	struct method_options asked = *o;

	if (o->chunks && !problem_check_chunks(p, o->chunks, e))
		return NULL;
	asked.chunks = o->chunks / p->asked_unit;
	asked.bytes = (o->bytes + p->asked_unit - 1) / p->asked_unit;
	struct topology *back = topology_reversed(p->topology);
	struct algorithm *a = constructed(m, back, p->network, &p->asked, &asked, report, e);
	struct algorithm *ours = a ? algorithm_inverted(a, p->topology, &p->collective, e) : NULL;
	algorithm_free(a);
	topology_free(back);
	return ours;
}

/* A collective that the method builds, or the inverse of one; verified and classified. */
static struct algorithm *half(const struct method *m, const struct topology *t, const struct collective *k,
			      const struct method_options *o, struct text *report, struct error *e)
{
	struct problem p;
	bool direct = k->kind == ALLREDUCE;

	if (!(direct ? problem_open_direct(t, k, &p, e) : problem_open_bounded(t, k, o->known, &p, e)))
		return NULL;
	struct algorithm *a = p.inverted && !constructs(m, k->kind) ? inverted(m, &p, o, report, e) : NULL;
	if (!p.inverted)
		a = constructed(m, t, p.network, k, o, report, e);
	else if (constructs(m, k->kind)) {
		struct network *forward = network_reversed(p.network);
		a = constructed(m, t, forward, k, o, report, e);
		network_free(forward);
	}
	a = problem_judged(&p, a, e);
	if (a && direct)
		a->optimality.within = WITHIN_ONE_VALUE;
	problem_close(&p);
	return a;
}

/* Takes the allgather, and returns one that has chunks in common with the reducescatter, if it has hardly any: both are
 * scaled to a common C, which must not get huge. NULL with *e set. */
static struct algorithm *commensurate(const struct method *m, const struct algorithm *scattered, struct algorithm *gathered,
				      const struct method_options *o, struct text *report, struct error *e)
{
	enum { COMMON_MAX = 1 << 16 };
	static const struct collective allgather = {.kind = ALLGATHER};
	struct method_options same = *o;
	int64_t chunks = scattered->chunks / scattered->topology->nodes, with = gathered->chunks;

	if (o->chunks || chunks / common_divisor(chunks, with) * with <= COMMON_MAX)
		return gathered;
	same.chunks = (int)chunks;
	algorithm_free(gathered);
	return half(m, scattered->topology, &allgather, &same, report, e);
}

static struct algorithm *composed(const struct method *m, const struct topology *t, const struct collective *k,
				  const struct method_options *o, struct text *report, struct error *e)
{
	const struct collective first = {.kind = REDUCESCATTER}, second = {.kind = ALLGATHER};
	struct method_options scatter = *o, gather = *o;
	struct problem p;

	scatter.known = gather.known = NULL;
	if (!problem_open(t, k, &p, e))
		return NULL;
	struct algorithm *both = NULL, *a = NULL, *b = NULL;
	bool ok = !o->chunks || problem_check_chunks(&p, o->chunks, e);
	if (o->steps == 1)
		ok = error_set(e, ERROR_INPUT, "-S", "%s is made of a reducescatter and an allgather: at least 2 steps", collective_name(k));
	gather.chunks = o->chunks / t->nodes;
	gather.bytes = (o->bytes + t->nodes - 1) / t->nodes;
	gather.steps = o->steps / 2;
	scatter.steps = o->steps - gather.steps;
	a = ok ? half(m, t, &first, &scatter, report, e) : NULL;
	b = a ? half(m, t, &second, &gather, report, e) : NULL;
	b = b ? commensurate(m, a, b, &gather, report, e) : NULL;
	both = b ? algorithm_joined(a, b, e) : NULL;
	algorithm_free(a);
	algorithm_free(b);
	both = problem_judged(&p, both, e);
	problem_close(&p);
	return both;
}

static bool refuse(const struct method *m, const struct collective *k, struct error *e)
{
	struct text list = {0};
	const struct collective_row *rows = collective_rows();

	for (int i = 0; i < COLLECTIVE_KINDS; i++)
		if (method_serves(m, (enum collective_kind)i))
			text_add(&list, "%s%s", list.length ? ", " : "", rows[i].name);
	if (k->kind == CUSTOM)
		error_set(e, ERROR_INPUT, "-c", "%s serves %s, but neither several roots nor custom collectives", m->name, list.bytes);
	else
		error_set(e, ERROR_INPUT, "-c", "%s serves %s, not %s", m->name, list.bytes, collective_name(k));
	text_free(&list);
	return false;
}

static bool heeds(const struct method *m, const struct method_options *o, struct error *e)
{
	if (o->epsilon > 0 && !(m->heeds & HEEDS_EPSILON))
		return error_set(e, ERROR_INPUT, "--epsilon", "does not apply to %s", m->name);
	if (o->threshold > 0 && !(m->heeds & HEEDS_THRESHOLD))
		return error_set(e, ERROR_INPUT, "--threshold", "does not apply to %s", m->name);
	if (o->prefer_height && !(m->heeds & HEEDS_HEIGHT))
		return error_set(e, ERROR_INPUT, "--prefer", "does not apply to %s", m->name);
	if (o->steps && !(m->heeds & HEEDS_STEPS))
		return error_set(e, ERROR_INPUT, "-S", "does not apply to %s", m->name);
	if ((o->usage_penalty > 0 || o->backtrack || o->array_bound) && !(m->heeds & HEEDS_MXNET))
		return error_set(e, ERROR_INPUT, o->backtrack ? "--tree-backtrack" : o->array_bound ? "--tree-array-bound" : "--tree-link-usage-penalty",
				 "does not apply to %s", m->name);
	if (o->fewest && !(m->heeds & HEEDS_FEWEST))
		return error_set(e, ERROR_INPUT, "--fewest", "does not apply to %s", m->name);
	if (o->bytes && !(m->heeds & HEEDS_BYTES))
		return error_set(e, ERROR_INPUT, "--bytes", "does not apply to %s", m->name);
	return true;
}

struct algorithm *method_build(const struct method *m, const struct topology *t, const struct collective *k,
			       const struct method_options *o, struct text *report, struct error *e)
{
	if (!method_serves(m, k->kind)) {
		refuse(m, k, e);
		return NULL;
	}
	if (t->nodes < 2) {
		error_set(e, ERROR_INPUT, t->name, "has one node: there is nothing to send");
		return NULL;
	}
	if (!heeds(m, o, e))
		return NULL;
	struct algorithm *a = k->kind == ALLREDUCE && !constructs(m, ALLREDUCE) ? composed(m, t, k, o, report, e)
									 : half(m, t, k, o, report, e);
	if (a && !a->method)
		a->method = copy_string(m->name);
	return a;
}

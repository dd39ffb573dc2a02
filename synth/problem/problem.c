/*
 * Translates between the requested collective and what the solvers answer. A combining collective becomes its inverse
 * on reversed links; the schedule found is run backwards to give an algorithm for the original (SCCL, section 3.5).
 * Every algorithm passes the verifier before it leaves this file.
 */

#include "synth/problem/problem.h"

#include "core/schedule/algorithm_parts.h"
#include "core/bounds/switch_steps.h"
#include "core/bounds/whole_rounds.h"
#include "core/base/error.h"
#include "core/base/memory.h"
#include "core/machine/network.h"
#include "core/machine/prices.h"
#include "core/schedule/symmetry.h"
#include "core/machine/topology.h"
#include "core/schedule/transform.h"
#include "core/verify/verify.h"
#include "synth/problem/prune.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct rational candidate_bandwidth(struct candidate c)
{
	return rational(c.rounds, c.chunks);
}

int collective_unit(const struct collective *k, int nodes)
{
	return collective_row(k)->chunks_in_blocks || k->kind == ALLREDUCE ? nodes : 1;
}

/* Allreduce has no inverse, but its halves do: synth/frontier/compose.c opens a problem for each. */
static bool open_composed(struct problem *p, struct error *e)
{
	p->composed = true;
	return bounds_composition(p->topology, &p->collective, &p->bounds, e);
}

static bool open_inverted(struct problem *p, struct network *forward, struct error *e)
{
	p->inverted = true;
	if (!collective_inverse(&p->collective, &p->asked, e))
		return false;
	p->network = network_reversed(forward);
	/* C of a reducescatter counts the chunks of all blocks, C of its allgather those of one block. */
	p->asked_unit = p->unit > 1 && !collective_row(&p->asked)->chunks_in_blocks ? p->unit : 1;
	return true;
}

/* KNOWN: the bounds; NULL: they are computed. */
static bool open_asked(struct problem *p, const struct bounds *known, struct error *e)
{
	const struct collective *k = &p->collective;

	if (known)
		p->bounds = bounds_copy(known);
	else if (!bounds_compute(p->topology, k, &p->bounds, e))
		return false;

	struct network *forward = network_new(p->topology, e);
	if (!forward) {
		problem_close(p);
		return false;
	}
	if (!collective_solved_backwards(k)) {
		p->asked = collective_copy(k);
		p->network = forward;
		return true;
	}
	bool ok = open_inverted(p, forward, e);
	network_free(forward);
	if (!ok)
		problem_close(p);
	return ok;
}

bool problem_open_bounded(const struct topology *t, const struct collective *k, const struct bounds *known, struct problem *out,
			  struct error *e)
{
	*out = (struct problem){.topology = t, .collective = *k, .unit = collective_unit(k, t->nodes), .asked_unit = 1,
				.direct = k->kind == SCAN};
	return k->kind == ALLREDUCE ? open_composed(out, e) : open_asked(out, known, e);
}

bool problem_open(const struct topology *t, const struct collective *k, struct problem *out, struct error *e)
{
	return problem_open_bounded(t, k, NULL, out, e);
}

bool problem_open_direct(const struct topology *t, const struct collective *k, struct problem *out, struct error *e)
{
	if (k->kind != ALLREDUCE)
		return problem_open(t, k, out, e);
	*out = (struct problem){.topology = t, .collective = *k, .unit = 1, .asked_unit = 1, .direct = true};
	return open_asked(out, NULL, e);
}

void problem_close(struct problem *p)
{
	if (p->network)
		collective_free(&p->asked);
	network_free(p->network);
	p->network = NULL;
	bounds_free(&p->bounds);
}

bool problem_check_chunks(const struct problem *p, int chunks, struct error *e)
{
	if (!collective_check(&p->collective, p->topology->nodes, chunks, e))
		return false;
	return chunks % p->unit == 0 ||
	       error_set(e, ERROR_INPUT, "-C", "%s is composed of a reducescatter and an allgather: C must be a multiple of %d (the number "
			 "of nodes), not %d", collective_name(&p->collective), p->unit, chunks);
}

bool problem_instance(const struct problem *p, struct candidate c, struct instance *out, struct error *e)
{
	if (!problem_check_chunks(p, c.chunks, e) || !constraints_check(&p->constraints, &p->collective, e))
		return false;
	struct collective scaled = collective_scaled(&p->asked, c.chunks / p->asked_unit);
	if (instance_new(p->network, &scaled, c.chunks / p->asked_unit, c.steps, c.rounds, out, e)) {
		/* Also when inverted: run backwards, the same steps overlap and the same chunks are in flight. */
		out->constraints = p->constraints;
		return true;
	}
	collective_free(&scaled);
	return false;
}

void problem_instance_done(struct instance *i)
{
	collective_free(&i->collective);
}

/* Turns the schedule of the asked collective into an algorithm for the requested one. Takes STEPS and SYMMETRY. */
static struct algorithm *ours(const struct problem *p, struct candidate c, const struct instance *asked,
			      struct step *steps, size_t n_steps, struct symmetry *symmetry, struct error *e)
{
	const char *method = symmetry ? "orbits" : "smt";

	if (!p->inverted) {
		struct algorithm *a = algorithm_new(p->topology, &asked->collective, c.chunks, n_steps, steps, method);
		a->symmetry = symmetry;
		return a;
	}

	struct topology *back = topology_reversed(p->topology);
	struct algorithm *a = algorithm_new(back, &asked->collective, asked->chunks, n_steps, steps, method);
	a->symmetry = symmetry;
	struct collective scaled = collective_scaled(&p->collective, c.chunks);
	struct algorithm *inverted = algorithm_inverted(a, p->topology, &scaled, e);
	collective_free(&scaled);
	algorithm_free(a);
	topology_free(back);
	return inverted;
}

struct algorithm *problem_judged(const struct problem *p, struct algorithm *a, struct error *e)
{
	if (!a)
		return NULL;
	problem_classify(p, a);
	struct verdict v = algorithm_verify(a);
	if (v.fault == FAULT_NONE)
		return a;
	if (v.fault == FAULT_LIMIT)
		error_set(e, ERROR_LIMIT, a->name, "%s", v.why);
	else
		error_set(e, ERROR_SYSTEM, a->name, "what was found does not verify: %s", v.why);
	algorithm_free(a);
	return NULL;
}

struct algorithm *problem_compact(const struct problem *p, struct candidate c, struct step *steps, size_t n_steps,
				  struct symmetry *symmetry, struct error *e)
{
	struct instance asked;
	if (!problem_instance(p, c, &asked, e)) {
		steps_free(steps, n_steps);
		symmetry_free(symmetry);
		return NULL;
	}
	struct algorithm *a = ours(p, c, &asked, steps, n_steps, symmetry, e);
	if (a && constraints_any(&p->constraints))
		algorithm_set_constraints(a, &p->constraints);
	problem_instance_done(&asked);
	/* Reductions were solved directly: a model may contain reductions that no result needs. */
	if (a && !symmetry && !p->inverted && collective_row(&p->asked)->combining)
		prune_needless(a);
	return problem_judged(p, a, e);
}

struct algorithm *problem_algorithm(const struct problem *p, struct candidate c, struct step *steps, size_t n_steps,
				    struct error *e)
{
	return problem_compact(p, c, steps, n_steps, NULL, e);
}

static bool is_inside(const struct send *sends, size_t n, const struct instance *i)
{
	int nodes = i->network->nodes;

	for (size_t k = 0; k < n; k++)
		if (sends[k].chunk < 0 || sends[k].chunk >= i->global_chunks || sends[k].src < 0 || sends[k].src >= nodes ||
		    sends[k].dst < 0 || sends[k].dst >= nodes)
			return false;
	return true;
}

bool problem_check_steps(const struct problem *p, struct candidate c, const struct step *steps, size_t n_steps, struct error *e)
{
	struct instance asked;
	bool inside = true;

	if (!problem_instance(p, c, &asked, e))
		return false;
	c.rounds = 0;
	for (size_t s = 0; s < n_steps; s++) {
		inside = inside && is_inside(steps[s].sends, steps[s].n_sends, &asked) && is_inside(steps[s].reduces, steps[s].n_reduces, &asked);
		c.rounds += steps[s].rounds;
	}
	problem_instance_done(&asked);
	if (!inside)
		return error_set(e, ERROR_INPUT, p->topology->name, "a send names a chunk or node that does not exist");
	struct algorithm *a = problem_algorithm(p, c, steps_copy(steps, n_steps), n_steps, e);
	algorithm_free(a);
	return a != NULL;
}

bool problem_below_bounds(const struct problem *p, struct candidate c, char *why, size_t size)
{
	char have[RATIONAL_TEXT], bound[RATIONAL_TEXT];
	const char *class = p->composed ? " of compositions" : "";

	if (c.steps < p->bounds.steps) {
		snprintf(why, size, "S=%d is below the step bound %d%s: chunk %d must get from node %d to node %d", c.steps,
			 p->bounds.steps, class, p->bounds.far_chunk, p->bounds.far_from, p->bounds.far_to);
		return true;
	}
	if (rational_compare(candidate_bandwidth(c), p->bounds.bandwidth) >= 0)
		return false;
	snprintf(why, size, "R/C=%s is below the bandwidth bound %s%s", rational_text(candidate_bandwidth(c), have),
		 rational_text(p->bounds.bandwidth, bound), class);
	return true;
}

static struct rational directly_in(const struct problem *p, int steps, enum timed_effort effort)
{
	struct rational least = switch_allreduce_bound(p->network, steps);
	struct timed_bound b;

	if (effort != TIMED_FULL)
		return least;
	bounds_allreduce_in(p->network, steps, &b);
	least = rational_compare(b.rounds, least) > 0 ? b.rounds : least;
	timed_bound_free(&b);
	return least;
}

struct rational problem_bandwidth_in(const struct problem *p, int steps, enum timed_effort effort)
{
	struct error ignored = {0};
	struct instance least;
	struct timed_bound b;

	if (p->direct && p->collective.kind == ALLREDUCE)
		return directly_in(p, steps, effort);
	if (p->composed || !problem_instance(p, (struct candidate){p->unit, steps, steps}, &least, &ignored))
		return rational(0, 1);
	struct topology *asked = p->inverted ? topology_reversed(p->topology) : topology_copy(p->topology);
	bounds_timed(asked, &least, effort, &b);
	struct rational bandwidth = rational_div(b.rounds, rational(p->unit, 1));
	timed_bound_free(&b);
	topology_free(asked);
	problem_instance_done(&least);
	return rational_ok(bandwidth) ? bandwidth : rational(0, 1);
}

void problem_most_chunks(const struct problem *p, int steps, int first, int last, enum timed_effort effort, int64_t *most)
{
	struct error ignored = {0};
	struct instance least;

	for (int r = first; r <= last; r++)
		most[r - first] = -1;
	if (p->composed || !problem_instance(p, (struct candidate){p->unit, steps, steps}, &least, &ignored))
		return;
	struct topology *asked = p->inverted ? topology_reversed(p->topology) : topology_copy(p->topology);
	struct whole w = whole_new(asked, &least, effort);
	for (int r = first; r <= last; r++) {
		int64_t times = whole_most(&w, r);
		most[r - first] = times > CHUNKS_MAX / p->unit ? -1 : times < 0 ? -1 : times * p->unit;
	}
	whole_free(&w);
	topology_free(asked);
	problem_instance_done(&least);
}

void problem_classify(const struct problem *p, struct algorithm *a)
{
	bool latency = (int)a->n_steps == p->bounds.steps;
	bool bandwidth = rational_compare(algorithm_bandwidth(a), p->bounds.bandwidth) == 0;

	a->has_bounds = true;
	a->bound_steps = p->bounds.steps;
	a->bound_bandwidth = p->bounds.bandwidth;
	free(a->bound_prices);
	free(a->optimality.refuted);
	a->n_bound_prices = p->bounds.n_prices;
	a->bound_prices = copy_bytes(p->bounds.prices, p->bounds.n_prices * sizeof *p->bounds.prices);
	a->optimality = (struct optimality){
		.class = latency ? (bandwidth ? CLASS_BOTH : CLASS_LATENCY) : bandwidth ? CLASS_BANDWIDTH : CLASS_NONE,
		.proof = latency || bandwidth ? PROOF_BOUND : PROOF_NONE,
		.within = p->composed ? WITHIN_COMPOSITION : WITHIN_ALL,
	};
	if (a->optimality.class == CLASS_NONE && p->direct && p->collective.kind == ALLREDUCE &&
	    rational_compare(algorithm_bandwidth(a), switch_allreduce_bound(p->network, (int)a->n_steps)) == 0)
		a->optimality = (struct optimality){.class = CLASS_PARETO, .proof = PROOF_BOUND, .within = WITHIN_ONE_VALUE};
}

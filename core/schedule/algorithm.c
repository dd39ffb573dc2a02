/* Construction, naming, copying and destruction of algorithms. */

#include "core/schedule/algorithm.h"
#include "core/schedule/algorithm_parts.h"

#include "core/base/memory.h"
#include "core/machine/prices.h"
#include "core/schedule/symmetry.h"
#include "core/base/text.h"
#include "core/machine/topology.h"
#include "build_config.h"

#include <stdlib.h>
#include <string.h>

const char *const optimality_class_names[] = {"none", "latency", "bandwidth", "both", "pareto"};
const char *const optimality_proof_names[] = {"none", "bound", "exhausted", "program"};
const char *const optimality_within_names[] = {"all", "composition", "one-value"};

static int by_chunk_then_ends(const void *va, const void *vb)
{
	const struct send *a = va, *b = vb;
	if (a->chunk != b->chunk)
		return a->chunk < b->chunk ? -1 : 1;
	if (a->src != b->src)
		return a->src < b->src ? -1 : 1;
	return (a->dst > b->dst) - (a->dst < b->dst);
}

void step_sort(struct step *s)
{
	if (s->n_sends)
		qsort(s->sends, s->n_sends, sizeof *s->sends, by_chunk_then_ends);
	if (s->n_reduces)
		qsort(s->reduces, s->n_reduces, sizeof *s->reduces, by_chunk_then_ends);
}

static char *made_name(const struct algorithm *a)
{
	struct text name = {0};
	int roots;

	text_add(&name, "%s-%s-c%d-s%zu-r%d", a->topology->name, collective_called(&a->collective), a->chunks, a->n_steps,
		 algorithm_rounds(a));
	if (collective_roots(&a->collective, &roots)) {
		text_add(&name, "-root");
		collective_add_roots(&a->collective, &name);
	}
	constraints_add(&a->constraints, &name);
	if (strcmp(algorithm_method(a), "smt") != 0)
		text_add(&name, "-%s", a->method);
	return text_take(&name);
}

struct algorithm *algorithm_new(const struct topology *t, const struct collective *k, int chunks, size_t n_steps,
				struct step *steps, const char *method)
{
	struct algorithm *a = new(struct algorithm);

	a->topology = topology_copy(t);
	a->collective = collective_copy(k);
	a->chunks = chunks;
	a->global_chunks = collective_global_chunks(k, t->nodes, chunks);
	a->n_steps = n_steps;
	a->steps = steps;
	a->method = copy_string(method);
	a->version = copy_string(SCCL_VERSION);
	for (size_t s = 0; s < n_steps; s++)
		step_sort(&steps[s]);
	a->name = made_name(a);
	return a;
}

void algorithm_rename(struct algorithm *a)
{
	free(a->name);
	a->name = made_name(a);
}

void algorithm_set_constraints(struct algorithm *a, const struct schedule_constraints *t)
{
	a->constraints = *t;
	algorithm_rename(a);
}

struct step *steps_copy(const struct step *steps, size_t n_steps)
{
	struct step *copy = copy_bytes(steps, n_steps * sizeof *steps);

	for (size_t s = 0; s < n_steps; s++) {
		copy[s].sends = copy_bytes(steps[s].sends, steps[s].n_sends * sizeof(struct send));
		copy[s].reduces = copy_bytes(steps[s].reduces, steps[s].n_reduces * sizeof(struct send));
	}
	return copy;
}

struct algorithm *algorithm_copy(const struct algorithm *a)
{
	struct algorithm *copy = copy_bytes(a, sizeof *a);

	copy->name = copy_string(a->name);
	copy->topology = topology_copy(a->topology);
	copy->collective = collective_copy(&a->collective);
	copy->steps = steps_copy(a->steps, a->n_steps);
	copy->symmetry = symmetry_copy(a->symmetry);
	copy->bound_prices = copy_bytes(a->bound_prices, a->n_bound_prices * sizeof(struct price));
	copy->optimality.refuted = copy_bytes(a->optimality.refuted, a->optimality.n_refuted * sizeof(struct candidate));
	copy->method = copy_string(a->method);
	copy->version = copy_string(a->version);
	return copy;
}

void steps_free(struct step *steps, size_t n_steps)
{
	for (size_t s = 0; steps && s < n_steps; s++) {
		free(steps[s].sends);
		free(steps[s].reduces);
	}
	free(steps);
}

void algorithm_free(struct algorithm *a)
{
	if (!a)
		return;
	steps_free(a->steps, a->n_steps);
	symmetry_free(a->symmetry);
	collective_free(&a->collective);
	topology_free(a->topology);
	free(a->optimality.refuted);
	free(a->bound_prices);
	free(a->name);
	free(a->method);
	free(a->version);
	free(a);
}

int algorithm_rounds(const struct algorithm *a)
{
	int rounds = 0;
	for (size_t s = 0; s < a->n_steps; s++)
		rounds += a->steps[s].rounds;
	return rounds;
}

struct rational algorithm_bandwidth(const struct algorithm *a)
{
	return rational(algorithm_rounds(a), a->chunks);
}

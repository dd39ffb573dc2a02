/*
 * The defaults are differences of NCCL's constants for one hop of a ring (src/graph/tuning.cc, the latencies of NVLink,
 * PCI and network): those of protocol Simple, which waits for flags and fences as our plain programs do, less those of LL,
 * whose data are their own flags, so that little is left but the link: 3.4 - 0.6, 5.7 - 1.0 and 14.0 - 2.7 µs.
 */

#include "core/schedule/step_overhead.h"

#include "core/base/error.h"
#include "core/base/memory.h"
#include "core/machine/topology.h"

#include <stdlib.h>
#include <string.h>

static const char *const targets[] = {"cuda", "hip"};

/* Kinds of links by the beginning of their names, and µs. */
static const struct {
	const char *prefix;
	struct rational us;
} kinds[] = {
	{"nvlink", {14, 5}},  {"xgmi", {14, 5}},    {"ici", {14, 5}},    {"neuronlink", {14, 5}},
	{"pcie", {47, 10}},   {"qpi", {47, 10}},    {"smp", {47, 10}},
	{"ib", {113, 10}},    {"roce", {113, 10}},  {"efa", {113, 10}},  {"eth", {113, 10}},
};

bool step_overhead_has(const char *target)
{
	for (size_t i = 0; i < sizeof targets / sizeof *targets; i++)
		if (strcmp(targets[i], target) == 0)
			return true;
	return false;
}

static bool find(const char *kind, struct rational *us)
{
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (strncmp(kind, kinds[i].prefix, strlen(kinds[i].prefix)) == 0) {
			*us = kinds[i].us;
			return true;
		}
	return false;
}

struct rational *step_overhead_by_kind(const struct step_overhead *c, const struct topology *t, struct error *e)
{
	struct rational *of = new_array(struct rational, t->n_kinds + 1);

	for (size_t i = 0; i < t->n_kinds; i++) {
		of[i] = c->us.den ? c->us : rational(0, 1);
		if (c->target && !find(t->kinds[i].name, &of[i])) {
			error_set(e, ERROR_INPUT, "--step-cost", "%s has no default for links of kind \"%.64s\": give it in microseconds", c->target,
				  t->kinds[i].name);
			free(of);
			return NULL;
		}
	}
	return of;
}

/* Choices derived from the α-β cost model: for each power-of-two size, the program and protocol with the lowest cost;
 * adjacent sizes with the same result are merged. */

#include "runtime/core/status.h"

#include <sccl/sccl.h>

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST = 6, MOST = 40 }; /* range of sizes considered, as powers of two in bytes */

struct model {
	double alpha, beta;
};

static double cost(const struct model *m, const sccl_program_t *p, sccl_protocol_t protocol, double bytes)
{
	/* On CPUs packets save no latency, since a flag follows its data from one cache to the other, and a word of eight
	 * bytes at a time costs many times a plain copy. */
	bool host = strcmp(p->target, "host") == 0, packets = protocol == SCCL_PACKETS;
	double latency = packets && !host ? 0.5 : 1, data = packets ? host ? 8 : 2 : 1;
	return p->steps * m->alpha * latency + (double)p->rounds / p->chunks * bytes * m->beta * data;
}

static bool fits(const sccl_program_t *p, const char *collective, int32_t root)
{
	return p->chunks > 0 && strcmp(p->collective, collective) == 0 && p->root == root;
}

/* The choice with the lowest cost for BYTES. */
static sccl_choice_t cheapest(const struct model *m, const sccl_program_t *const *programs, size_t n, const char *collective,
                              int32_t root, uint64_t bytes)
{
	sccl_choice_t best = {.most_bytes = bytes};
	double least = 0;

	for (size_t i = 0; i < n; i++)
		for (int t = 0; t < SCCL_PROTOCOLS && fits(programs[i], collective, root); t++) {
			double c = cost(m, programs[i], (sccl_protocol_t)t, (double)bytes);
			if (t >= SCCL_SHARED || !programs[i]->tables[t].words || (best.program && c >= least))
				continue;
			best.program = programs[i];
			best.protocol = (sccl_protocol_t)t;
			least = c;
		}
	return best;
}

sccl_status_t sccl_choices_cost(sccl_choice_t **choices, size_t *n, const sccl_program_t *const programs[], size_t n_programs,
                                const char *collective, int32_t root, double alpha, double beta)
{
	struct model m = {alpha, beta};

	if (!choices || !n || (!programs && n_programs) || !collective || !(alpha >= 0) || !(beta >= 0))
		return sccli_fail(SCCL_INVALID, "sccl_choices_cost needs programs, a collective, costs of 0 or more, and places");
	*n = 0;
	*choices = calloc(MOST - LEAST + 1, sizeof **choices);
	if (!*choices)
		return sccli_fail(SCCL_NO_MEMORY, "no memory for choices");
	for (int power = LEAST; power <= MOST; power++) {
		sccl_choice_t c = cheapest(&m, programs, n_programs, collective, root, (uint64_t)1 << power);
		sccl_choice_t *last = *n ? &(*choices)[*n - 1] : NULL;

		if (!c.program)
			break;
		if (last && last->program == c.program && last->protocol == c.protocol)
			last->most_bytes = c.most_bytes;
		else
			(*choices)[(*n)++] = c;
	}
	if (*n)
		(*choices)[*n - 1].most_bytes = UINT64_MAX;
	return SCCL_OK;
}

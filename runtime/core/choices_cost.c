/* Choices derived from the α-β cost model: for each power-of-two size, the program and protocol with the lowest cost;
 * adjacent sizes with the same result are merged. */

#include "runtime/core/status.h"

#include <sccl/device.h>
#include <sccl/sccl.h>

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST = 6, MOST = 40 }; /* range of sizes considered, as powers of two in bytes */

struct model {
	double alpha, beta;
};

/* What a protocol makes of a program's latency and data; 0: it is not proposed. Shared and multimem are not, since a call's
 * buffers would have to lie in symmetric memory, nor pull, which takes a round of signals more. */
struct factors {
	double latency, data;
};

/* On CPUs packets save no latency, since a flag follows its data from one cache to the other, and a word of eight bytes at a
 * time costs many times a plain copy. */
static const struct factors on_host[SCCL_PROTOCOLS] = {[SCCL_PLAIN] = {1, 1}, [SCCL_PACKETS] = {1, 8}};

/* A line's lanes must agree, so it takes longer than a packet; its mark is 8 bytes of 128. On GPUs of AMD each has two fences. */
static const struct factors on_cuda[SCCL_PROTOCOLS] = {
	[SCCL_PLAIN] = {1, 1}, [SCCL_PACKETS] = {0.5, 2}, [SCCL_LINES] = {0.75, (double)SCCL_LINE_BYTES / SCCL_LINE_DATA}};
static const struct factors on_hip[SCCL_PROTOCOLS] = {[SCCL_PLAIN] = {1, 1}, [SCCL_PACKETS] = {0.5, 2}};

static const struct factors *factors_of(const sccl_program_t *p, sccl_protocol_t protocol)
{
	static const struct {
		const char *target;
		const struct factors *of;
	} targets[] = {{"host", on_host}, {"cuda", on_cuda}, {"hip", on_hip}};

	for (size_t i = 0; i < sizeof targets / sizeof *targets; i++)
		if (strcmp(p->target, targets[i].target) == 0)
			return &targets[i].of[protocol];
	return &on_hip[protocol];
}

static double cost(const struct model *m, const sccl_program_t *p, const struct factors *f, double bytes)
{
	return p->steps * m->alpha * f->latency + (double)p->rounds / p->chunks * bytes * m->beta * f->data;
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
			const struct factors *f = factors_of(programs[i], (sccl_protocol_t)t);
			double c = cost(m, programs[i], f, (double)bytes);
			if (f->data <= 0 || !programs[i]->tables[t].words || (best.program && c >= least))
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

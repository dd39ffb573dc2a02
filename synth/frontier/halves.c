/* On a machine that equals its own reverse, the allgather run backwards is also the reducescatter. */

#include "synth/frontier/halves.h"

#include "core/machine/network_same.h"
#include "core/schedule/transform.h"

const struct collective half_collectives[HALVES] = {[SCATTERED] = {.kind = REDUCESCATTER}, [GATHERED] = {.kind = ALLGATHER}};

bool halves_open(const struct topology *t, struct halves *h, struct error *e)
{
	if (!problem_open(t, &half_collectives[SCATTERED], &h->problems[SCATTERED], e))
		return false;
	if (!problem_open(t, &half_collectives[GATHERED], &h->problems[GATHERED], e)) {
		problem_close(&h->problems[SCATTERED]);
		return false;
	}
	h->mirrored = network_same(h->problems[SCATTERED].network, h->problems[GATHERED].network, NULL);
	return true;
}

void halves_close(struct halves *h)
{
	for (int i = 0; i < HALVES; i++)
		problem_close(&h->problems[i]);
}

struct algorithm *halves_join(const struct problem *p, struct algorithm *scattered, struct algorithm *gathered, struct error *e)
{
	struct algorithm *a = scattered && gathered ? algorithm_composed(scattered, gathered, e) : NULL;

	algorithm_free(scattered);
	algorithm_free(gathered);
	return problem_judged(p, a, e);
}

struct algorithm *halves_mirror(const struct algorithm *gathered, const struct topology *t, struct error *e)
{
	return algorithm_inverted(gathered, t, &half_collectives[SCATTERED], e);
}

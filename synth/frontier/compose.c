/* A single candidate is split in every way into candidates of the halves. */

#include "synth/frontier/compose.h"

#include "core/base/clock.h"
#include "synth/frontier/halves.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One split of S and R. Adds its cost to *out and sets the answer; sets the algorithm only if both halves are found. */
static bool solve_shares(const struct problem *p, const struct halves *h, const struct candidate shares[HALVES],
			 candidate_solver *solve_half, const struct solve_options *o, struct candidate_answer *out, struct error *e)
{
	struct candidate_answer got[HALVES] = {{0}, {0}};
	bool once = h->mirrored && shares[SCATTERED].steps == shares[GATHERED].steps &&
		    shares[SCATTERED].rounds == shares[GATHERED].rounds;
	bool ok = true;

	out->answer = ANSWER_FOUND;
	for (int i = HALVES - 1; i >= (once ? GATHERED : SCATTERED) && ok && out->answer == ANSWER_FOUND; i--) {
		ok = solve_half(&h->problems[i], shares[i], o, &got[i], e);
		out->answer = ok ? got[i].answer : ANSWER_GAVE_UP;
		out->seconds += got[i].seconds;
		out->work += got[i].work;
		out->peak_kib = got[i].peak_kib > out->peak_kib ? got[i].peak_kib : out->peak_kib;
		if (ok && (!out->engine || strcmp(got[i].engine, "bounds") != 0))
			out->engine = got[i].engine;
		if (out->answer == ANSWER_GAVE_UP)
			memcpy(out->why, got[i].why, sizeof out->why);
	}
	if (ok && out->answer == ANSWER_FOUND) {
		if (once)
			got[SCATTERED].algorithm = halves_mirror(got[GATHERED].algorithm, p->topology, e);
		out->algorithm = halves_join(p, got[SCATTERED].algorithm, got[GATHERED].algorithm, e);
		return out->algorithm != NULL;
	}
	for (int i = 0; i < HALVES; i++)
		algorithm_free(got[i].algorithm);
	return ok;
}

/* The N-th split of a whole, by ascending distance from the even one: 0 +1 -1 +2 -2 ... */
static int share(int whole, int n)
{
	return whole / 2 + (n % 2 ? (n + 1) / 2 : -(n / 2));
}

static bool shares_at(const struct problem *p, struct candidate c, int steps, int rounds, struct candidate out[HALVES])
{
	out[GATHERED] = (struct candidate){c.chunks / p->unit, steps, rounds};
	out[SCATTERED] = (struct candidate){c.chunks, c.steps - steps, c.rounds - rounds};
	return steps >= 1 && c.steps - steps >= 1 && rounds >= steps && c.rounds - rounds >= c.steps - steps;
}

/* All splits share one time limit. False: it has expired. */
static bool time_left(const struct solve_options *o, double start, struct solve_options *rest)
{
	*rest = *o;
	if (o->timeout > 0)
		rest->timeout = o->timeout - (clock_seconds() - start);
	return o->timeout <= 0 || rest->timeout > 0;
}

bool compose_solve(const struct problem *p, struct candidate c, candidate_solver *solve_half, const struct solve_options *o,
		   struct candidate_answer *out, struct error *e)
{
	struct halves h;
	struct candidate shares[HALVES];
	char open[sizeof out->why] = "";
	struct solve_options rest;
	double start = clock_seconds();
	bool ok = true;

	*out = (struct candidate_answer){.answer = ANSWER_NONE};
	if (!halves_open(p->topology, &h, e))
		return false;
	for (int s = 0; s <= c.steps && ok && out->answer != ANSWER_FOUND; s++)
		for (int r = 0; r <= c.rounds && ok && out->answer != ANSWER_FOUND && time_left(o, start, &rest); r++)
			if (shares_at(p, c, share(c.steps, s), share(c.rounds, r), shares)) {
				ok = solve_shares(p, &h, shares, solve_half, &rest, out, e);
				if (out->answer == ANSWER_GAVE_UP)
					memcpy(open, out->why, sizeof open);
			}
	halves_close(&h);
	if (out->answer != ANSWER_FOUND && !time_left(o, start, &rest))
		snprintf(open, sizeof open, "time limit of %g s", o->timeout);
	if (out->answer != ANSWER_FOUND)
		out->answer = open[0] ? ANSWER_GAVE_UP : ANSWER_NONE;
	if (out->answer == ANSWER_GAVE_UP)
		memcpy(out->why, open, sizeof open);
	if (out->answer == ANSWER_NONE)
		snprintf(out->why, sizeof out->why,
			 "among compositions of reducescatter and allgather, every split of S=%d and R=%d was refuted",
			 c.steps, c.rounds);
	return ok;
}

/* Solves a candidate of an allreduce as a composition first, which is fast, and directly if that does not find one. */

#include "synth/frontier/allreduce.h"

#include "core/base/clock.h"
#include "core/machine/topology.h"

#include <stdio.h>
#include <string.h>

static bool compose(const struct topology *t, const struct collective *k, struct candidate c, const struct solve_options *o,
		    struct candidate_answer *out, struct error *e)
{
	struct problem p;

	*out = (struct candidate_answer){.answer = ANSWER_NONE};
	if (c.chunks % t->nodes != 0)
		return true;
	if (!problem_open(t, k, &p, e))
		return false;
	bool ok = candidate_solve(&p, c, o, out, e);
	problem_close(&p);
	return ok;
}

static bool ask_directly(const struct topology *t, const struct collective *k, struct candidate c, const struct solve_options *o,
			 struct candidate_answer *out, struct error *e)
{
	struct problem p;

	if (!problem_open_direct(t, k, &p, e))
		return false;
	bool ok = candidate_solve(&p, c, o, out, e);
	problem_close(&p);
	return ok;
}

bool allreduce_solve(const struct topology *t, const struct collective *k, struct candidate c, const struct solve_options *o,
		     struct candidate_answer *out, struct error *e)
{
	struct solve_options rest = *o;
	struct candidate_answer composed;
	double start = clock_seconds();

	if (!compose(t, k, c, o, &composed, e))
		return false;
	*out = composed;
	if (composed.answer == ANSWER_FOUND)
		return true;
	rest.timeout = o->timeout > 0 ? o->timeout - (clock_seconds() - start) : 0;
	if (o->timeout > 0 && rest.timeout <= 0) {
		out->answer = ANSWER_GAVE_UP;
		snprintf(out->why, sizeof out->why, "time limit of %g s", o->timeout);
		return true;
	}
	bool ok = ask_directly(t, k, c, &rest, out, e);
	out->seconds += composed.seconds;
	out->work += composed.work;
	out->peak_kib = composed.peak_kib > out->peak_kib ? composed.peak_kib : out->peak_kib;
	/* Report the limit of the whole, not of the rest. */
	if (ok && out->answer == ANSWER_GAVE_UP && strncmp(out->why, "time", 4) == 0)
		snprintf(out->why, sizeof out->why, "time limit of %g s", o->timeout);
	return ok;
}

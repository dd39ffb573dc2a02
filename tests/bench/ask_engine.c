/*
 * One question put to an engine itself, without the bounds that the program tries first: what is refused is refuted by
 * the engine. An answer found is verified. A composed allreduce is asked as the program does, by halves.
 *
 * usage: ask_engine ENGINE SECONDS MACHINE COLLECTIVE ROOT C S R; prints the answer and the engine's CPU seconds.
 */

#include "core/base/error.h"
#include "core/machine/topology.h"
#include "core/schedule/algorithm.h"
#include "synth/frontier/candidate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool ask_engine(const struct problem *p, struct candidate c, const struct solve_options *o, struct candidate_answer *out,
		       struct error *e)
{
	struct instance i;
	struct solution got = {0};

	if (!problem_instance(p, c, &i, e))
		return false;
	bool asked = solve(&i, o, &got, e);
	problem_instance_done(&i);
	if (!asked)
		return false;
	*out = (struct candidate_answer){.answer = got.answer, .seconds = got.seconds};
	if (got.answer == ANSWER_FOUND)
		out->algorithm = problem_algorithm(p, c, got.steps, got.n_steps, e);
	return got.answer != ANSWER_FOUND || out->algorithm;
}

static bool answer(const struct topology *t, const struct collective *k, struct candidate c, const struct solve_options *o,
		   struct error *e)
{
	struct problem p;
	struct candidate_answer a = {0};

	if (!problem_open(t, k, &p, e))
		return false;
	bool asked = p.composed ? candidate_solve(&p, c, o, &a, e) : ask_engine(&p, c, o, &a, e);
	problem_close(&p);
	if (asked)
		printf("%s %.3f\n", answer_names[a.answer], a.seconds);
	algorithm_free(a.algorithm);
	return asked;
}

static bool read_kind(const char *name, struct collective *k)
{
	for (k->kind = 0; k->kind < CUSTOM; k->kind++)
		if (strcmp(collective_name(k), name) == 0)
			return true;
	return false;
}

int main(int n, char **args)
{
	struct error e = {0};
	struct collective k = {0};

	if (n != 9 || !read_kind(args[4], &k)) {
		fputs("usage: ask_engine ENGINE SECONDS MACHINE COLLECTIVE ROOT C S R\n", stderr);
		return 2;
	}
	struct topology *t = topology_open(args[3], &e);
	k.root = atoi(args[5]);
	const struct candidate c = {.chunks = atoi(args[6]), .steps = atoi(args[7]), .rounds = atoi(args[8])};
	const struct solve_options o = {.engine = args[1], .timeout = atof(args[2])};
	bool asked = t && answer(t, &k, c, &o, &e);
	if (!asked)
		fprintf(stderr, "ask_engine: %s: %s\n", e.where, e.what);
	topology_free(t);
	return asked ? 0 : 2;
}

/*
 * ask_program TOPOLOGY COLLECTIVE ROOT MORE LARGEST: as JSON, the network of the topology (the relation B, before any
 * reversal) and the values of the program for the least number of steps and up to MORE more, under every group of
 * symmetries. With LARGEST > 0 it also asks the solver for algorithms of up to LARGEST units of chunks.
 * tests/synth/program/random_programs.py compares all this with a linear program of its own.
 */

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/machine/network.h"
#include "core/machine/topology.h"
#include "core/verify/verify.h"
#include "synth/problem/problem.h"
#include "synth/program/timed_program.h"
#include "tests/synth/program/program_algorithm.h"

#include <flint/flint.h>
#include <stdio.h>
#include <stdlib.h>

enum { GROUPS = 4 };
static const char *const group_names[GROUPS] = {"all", "none", "regular", "rotation"};

static struct node_group group_of(int g, const struct network *w, int root)
{
	return g == 0 ? node_group_all(w, root) : g == 1 ? node_group_none() :
	       g == 2 ? node_group_regular(w) : node_group_rotation(w, root);
}

static void print_network(const struct network *w)
{
	printf("\"nodes\": %d, \"edges\": [", w->nodes);
	for (size_t i = 0; i < w->n_edges; i++)
		printf("%s[%d, %d, %d]", i ? ", " : "", w->edges[i].src, w->edges[i].dst, w->edges[i].bandwidth);
	printf("], \"limits\": [");
	for (size_t l = 0; l < w->n_limits; l++) {
		printf("%s[%d, [", l ? ", " : "", w->limits[l].bandwidth);
		for (size_t i = 0; i < w->limits[l].n_edges; i++)
			printf("%s%d", i ? ", " : "", w->limits[l].edges[i]);
		printf("]]");
	}
	printf("]");
}

static void print_rational(const char *key, struct rational r)
{
	printf(", \"%s\": [%lld, %lld]", key, (long long)r.num, (long long)r.den);
}

static void print_error(const char *key, const struct error *e)
{
	struct text t = {0};

	text_add_json_string(&t, e->what);
	printf(", \"%s\": %s", key, t.bytes);
	text_free(&t);
}

/* R/C of a verified algorithm, or -1 with the reason. */
static void print_algorithm(const struct problem *p, const struct timed_program *q, const char *key, int most)
{
	struct error e = {0};
	struct algorithm *a = program_algorithm(p, q, most, &e);

	if (!a) {
		print_error("no_algorithm", &e);
		return;
	}
	print_rational(key, algorithm_bandwidth(a));
	printf(", \"%s_is\": [%d, %d, %d, %d]", key, a->chunks, (int)a->n_steps, algorithm_rounds(a),
	       algorithm_verify(a).fault == FAULT_NONE);
	algorithm_free(a);
}

static const char *solver_says(const struct problem *p, struct candidate c)
{
	struct error e = {0};
	struct instance i;
	struct solution got = {0};

	if (!problem_instance(p, c, &i, &e) || !solve(&i, &(struct solve_options){.engine = "bits", .timeout = 5}, &got, &e))
		return "error";
	steps_free(got.steps, got.n_steps);
	problem_instance_done(&i);
	return answer_names[got.answer];
}

/* For each C: the largest R with R/C below VALUE must be refused; where EXACT chunks attain it, that must be found. */
static void print_solver(const struct problem *p, int steps, struct rational value, int largest, int exact)
{
	bool first = true;

	printf(", \"solver\": [");
	for (int c = p->unit; c <= largest * p->unit; c += p->unit) {
		struct rational least = rational_mul(value, rational(c, 1));
		int below = (int)rational_ceil(least) - 1, at = (int)rational_ceil(least);
		if (below >= steps) {
			printf("%s[%d, %d, %d, \"below\", \"%s\"]", first ? "" : ", ", c, steps, below,
			       solver_says(p, (struct candidate){c, steps, below}));
			first = false;
		}
		if (c == exact && at >= steps) {
			printf("%s[%d, %d, %d, \"attained\", \"%s\"]", first ? "" : ", ", c, steps, at,
			       solver_says(p, (struct candidate){c, steps, at}));
			first = false;
		}
	}
	printf("]");
}

static void print_program(const struct problem *p, const struct timed_program *q, int steps, int largest)
{
	struct rational unit = rational(p->unit, 1), value = rational_div(q->at_least, unit);
	int exact = program_chunks(p, q, 1 << 20);

	print_rational("value", value);
	print_rational("attained", rational_div(q->attained, unit));
	printf(", \"chunks\": %d", exact);
	if (exact > 0 && exact <= 4096)
		print_algorithm(p, q, "exact", exact);
	print_algorithm(p, q, "rounded", 64 / p->unit * p->unit);
	if (largest && rational_ok(value))
		print_solver(p, steps, value, largest, exact);
}

/* All step counts under one group, each program beginning with the columns of the last. */
static void print_group(const struct problem *p, int g, int more, int largest)
{
	const struct collective *k = &p->asked;
	struct node_group group = group_of(g, p->network, collective_row(k)->rooted ? k->root : -1);
	struct timed_program q[2];
	struct instance of[2];
	int n = 0, first = p->bounds.steps ? p->bounds.steps : 1;

	for (int steps = first; steps <= first + more; steps++) {
		struct error e = {0};
		printf("%s\n  {\"group\": \"%s\", \"steps\": %d", g || steps > first ? "," : "", group_names[g], steps);
		if (!problem_instance(p, (struct candidate){p->unit, steps, steps}, &of[n % 2], &e) ||
		    !timed_program_solve(&of[n % 2], &group, steps, n ? &q[(n + 1) % 2] : NULL, &q[n % 2], &e)) {
			print_error("error", &e);
			printf("}");
			break;
		}
		print_program(p, &q[n % 2], steps, g == 0 ? largest : 0);
		printf("}");
		if (n) {
			timed_program_free(&q[(n + 1) % 2]);
			problem_instance_done(&of[(n + 1) % 2]);
		}
		n++;
	}
	if (n) {
		timed_program_free(&q[(n + 1) % 2]);
		problem_instance_done(&of[(n + 1) % 2]);
	}
	node_group_free(&group);
}

int main(int argc, char **argv)
{
	struct error e = {0};
	struct topology *t = argc == 6 ? topology_open(argv[1], &e) : NULL;
	struct collective k;
	struct problem p;

	if (!t || !collective_open(argv[2], t->nodes, atoi(argv[3]), &k, &e) || !problem_open(t, &k, &p, &e)) {
		fprintf(stderr, "%s: %s\n", e.where, e.what);
		return 2;
	}
	struct network *w = network_new(t, &e);
	printf("{");
	print_network(w);
	printf(",\n\"least\": %d, \"unit\": %d, \"programs\": [", p.bounds.steps, p.unit);
	for (int g = 0; g < GROUPS; g++)
		print_group(&p, g, atoi(argv[4]), atoi(argv[5]));
	printf("]}\n");
	network_free(w);
	problem_close(&p);
	collective_free(&k);
	topology_free(t);
	flint_cleanup_master();
	return 0;
}

/*
 * What a SAT solver says to an exported formula: "sat" or "unsat". Where it is told what was asked, the model is read by the
 * formula's own comments, and must be an algorithm for it.
 *
 *     ask_dimacs FORMULA [TOPOLOGY COLLECTIVE ROOT C S R]
 *
 * Exit status: 0 asked, and what was found verifies; 1 it does not; 2 no formula.
 */
#include "core/schedule/algorithm.h"
#include "core/base/error.h"
#include "core/base/memory.h"
#include "core/machine/topology.h"
#include "core/verify/verify.h"

#include <ccadical.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 4096 };

struct wanted {
	struct topology *topology;
	struct collective collective;
	int chunks, steps, rounds;
};

/* All behind the comments and the head: numbers. */
static bool add_clauses(CCaDiCaL *solver, FILE *file)
{
	char line[LINE];
	int variables, n, widest = 0;
	size_t clauses, ends = 0;

	do
		if (!fgets(line, sizeof line, file))
			return false;
	while (line[0] == 'c');
	if (sscanf(line, "p cnf %d %zu", &variables, &clauses) != 2)
		return false;
	while (fscanf(file, "%d", &n) == 1) {
		ccadical_add(solver, n);
		widest = abs(n) > widest ? abs(n) : widest;
		ends += n == 0;
	}
	return feof(file) && ends == clauses && widest <= variables;
}

/* The last number of a line is its variable. */
static bool holds(CCaDiCaL *solver, const char *line)
{
	return ccadical_val(solver, atoi(strrchr(line, ' ') + 1)) > 0;
}

static void add_send(struct step *s, bool reduce, struct send send)
{
	struct send **list = reduce ? &s->reduces : &s->sends;
	size_t *n = reduce ? &s->n_reduces : &s->n_sends;

	*list = realloc(*list, (*n + 1) * sizeof **list);
	(*list)[(*n)++] = send;
}

/* An allreduce adds what comes, but for the first where nothing is kept. */
struct arrivals {
	int nodes, steps;
	bool *kept; /* [(c * nodes + n) * steps + s - 1] */
};

static bool *kept_at(const struct arrivals *a, int c, int n, int s)
{
	return &a->kept[((size_t)c * (size_t)a->nodes + (size_t)n) * (size_t)a->steps + (size_t)(s - 1)];
}

static void take_line(CCaDiCaL *solver, const char *line, const struct arrivals *a, struct step *steps)
{
	int c, u, v, s, j;

	if (sscanf(line, "c send %d %d %d %d %*d", &c, &u, &v, &s) == 4 && holds(solver, line)) {
		bool reduce = a->kept && *kept_at(a, c, v, s);
		add_send(&steps[s - 1], reduce, (struct send){c, u, v});
		if (a->kept)
			*kept_at(a, c, v, s) = true;
	}
	if (sscanf(line, "c rounds %d %d %*d", &s, &j) == 2 && holds(solver, line))
		steps[s - 1].rounds++;
}

static void each_comment(FILE *file, CCaDiCaL *solver, const struct arrivals *a, struct step *steps)
{
	char line[LINE];
	int c, n, s;

	rewind(file);
	while (fgets(line, sizeof line, file) && line[0] == 'c')
		if (!steps) {
			if (sscanf(line, "c keep %d %d %d %*d", &c, &n, &s) == 3 && holds(solver, line))
				*kept_at(a, c, n, s) = true;
		} else
			take_line(solver, line, a, steps);
}

static bool verifies(FILE *file, CCaDiCaL *solver, const struct wanted *w)
{
	struct step *steps = new_array(struct step, (size_t)w->steps);
	struct arrivals a = {w->topology->nodes, w->steps, NULL};
	int left = w->rounds - w->steps;

	if (w->collective.kind == ALLREDUCE) {
		a.kept = new_array(bool, (size_t)w->chunks * (size_t)a.nodes * (size_t)a.steps);
		each_comment(file, solver, &a, NULL);
	}
	for (int s = 0; s < w->steps; s++)
		steps[s].rounds = 1;
	each_comment(file, solver, &a, steps);
	for (int s = 0; s < w->steps; s++)
		left -= steps[s].rounds - 1;
	steps[w->steps - 1].rounds += left > 0 ? left : 0;
	struct algorithm *found = algorithm_new(w->topology, &w->collective, w->chunks, (size_t)w->steps, steps, "test");
	struct verdict verdict = algorithm_verify(found);
	bool good = left >= 0 && verdict.fault == FAULT_NONE;
	algorithm_free(found);
	free(a.kept);
	return good;
}

static bool read_wanted(char **argv, struct wanted *w)
{
	struct error e = {0};

	w->topology = topology_open(argv[0], &e);
	w->chunks = atoi(argv[3]);
	w->steps = atoi(argv[4]);
	w->rounds = atoi(argv[5]);
	return w->topology && collective_open(argv[1], w->topology->nodes, atoi(argv[2]), &w->collective, &e);
}

int main(int argc, char **argv)
{
	FILE *file = argc > 1 ? fopen(argv[1], "r") : NULL;
	CCaDiCaL *solver = ccadical_init();
	struct wanted w = {0};

	if (!file || !add_clauses(solver, file) || (argc > 2 && (argc != 8 || !read_wanted(argv + 2, &w))))
		return 2;
	bool found = ccadical_solve(solver) == 10, good = true;
	puts(found ? "sat" : "unsat");
	if (found && w.topology)
		good = verifies(file, solver, &w);
	ccadical_release(solver);
	fclose(file);
	if (w.topology)
		collective_free(&w.collective);
	topology_free(w.topology);
	return good ? 0 : 1;
}

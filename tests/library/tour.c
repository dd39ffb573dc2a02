/*
 * A part of the library's interface as an application uses it, for scarce.sh, which leaves it without memory. Prints what it gets; an
 * error ends it with the call's status and the library's line.
 * usage: tour PART, or verify FILE; writes into the working folder
 */
#include <sccl-synth/synth.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Ends the process unless a call did its work. */
static void need(sccls_status_t status)
{
	if (status == SCCLS_OK)
		return;
	fprintf(stderr, "sccl-synth: %s\n", sccls_error_text());
	exit((int)status);
}

static void print_cost(const sccls_algorithm_t *a)
{
	sccls_cost_t cost = sccls_algorithm_cost(a);

	printf("%s: (%d,%d,%d)\n", sccls_algorithm_name(a), (int)cost.chunks, (int)cost.steps, (int)cost.rounds);
}

static void machines(void)
{
	sccls_topology_t *dgx1, *again;
	sccls_bounds_t bounds;

	need(sccls_topology_open("dgx1", &dgx1));
	need(sccls_topology_parse(sccls_topology_json(dgx1), &again));
	need(sccls_bounds(again, "allgather", 0, &bounds));
	printf("%s, %d nodes: S >= %d, R/C >= %d/%d\n", sccls_topology_name(again), (int)sccls_topology_nodes(again), (int)bounds.steps,
	       (int)bounds.bandwidth.num, (int)bounds.bandwidth.den);
	sccls_topology_free(again);
	sccls_topology_free(dgx1);
}

static void algorithms(void)
{
	sccls_topology_t *t;
	sccls_algorithm_t *ring, *parsed, *opened;
	double microseconds;
	char *name = NULL;

	need(sccls_topology_open("dgx1@gpus=0,1,2,3", &t));
	need(sccls_build(t, "allreduce", 0, "ring", 0, &ring));
	need(sccls_verify(ring));
	need(sccls_simulate(ring, 65536, &microseconds));
	need(sccls_algorithm_parse(sccls_algorithm_json(ring), &parsed));
	need(sccls_algorithm_save(parsed, "out.json"));
	need(sccls_algorithm_open("out.json", &opened));
	need(sccls_lower(opened, "host", "f32,i32", "sum,max", "out", &name));
	print_cost(opened);
	printf("%.6g us, %s\n", microseconds, name);
	free(name);
	sccls_algorithm_free(opened);
	sccls_algorithm_free(parsed);
	sccls_algorithm_free(ring);
	sccls_topology_free(t);
}

static void frontiers(void)
{
	const sccls_search_t options = {.size = sizeof options, .seconds = 100};
	sccls_topology_t *t;
	sccls_frontier_t *f;

	need(sccls_topology_open("ring:4", &t));
	need(sccls_frontier(t, "allgather", 0, &options, &f));
	for (size_t i = 0; i < sccls_frontier_size(f); i++)
		print_cost(sccls_frontier_point(f, i));
	/* A solver without memory leaves its question open, which is said. */
	if (!sccls_frontier_is_complete(f) || !sccls_frontier_size(f)) {
		fputs("sccl-synth: not complete, for lack of memory\n", stderr);
		exit(SCCLS_LIMIT);
	}
	sccls_frontier_free(f);
	sccls_topology_free(t);
}

static void fastest(void)
{
	static const int64_t sizes[] = {1024, 1 << 20};
	sccls_topology_t *t;
	sccls_best_t *b;
	sccls_best_row_t row;

	need(sccls_topology_open("dgx1@gpus=0,1,2", &t));
	need(sccls_best(t, "allgather", 0, sizes, 2, 20, &b));
	for (size_t i = 0; i < sccls_best_size(b); i++) {
		need(sccls_best_row(b, i, &row));
		need(sccls_verify(row.algorithm));
	}
	printf("%zu sizes\n", sccls_best_size(b));
	sccls_best_free(b);
	sccls_topology_free(t);
}

static void verify(const char *path)
{
	sccls_algorithm_t *a;

	need(sccls_algorithm_open(path, &a));
	need(sccls_verify(a));
	sccls_algorithm_free(a);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} parts[] = {{"machines", machines}, {"algorithms", algorithms}, {"frontiers", frontiers}, {"fastest", fastest}};

	if (argc == 3 && strcmp(argv[1], "verify") == 0) {
		verify(argv[2]);
		return 0;
	}
	for (size_t i = 0; argc == 2 && i < sizeof parts / sizeof *parts; i++)
		if (strcmp(argv[1], parts[i].name) == 0) {
			parts[i].run();
			return 0;
		}
	if (argc == 2 && strcmp(argv[1], "--version") == 0)
		return puts(sccls_version()) < 0;
	fputs("usage: tour PART, or verify FILE\n", stderr);
	return 2;
}

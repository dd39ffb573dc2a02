/* The interface in C and, compiled as such, in C++: an application that has only the installed header. Prints "(6,3,7)" of
 * dgx1's allgather, and 0 is its exit status if all is as it should be. */

#include <sccl-synth/synth.h>

#include <stdio.h>
#include <string.h>

int main(void)
{
	sccls_topology_t *machine = NULL;
	sccls_algorithm_t *ring = NULL;
	sccls_frontier_t *frontier = NULL;
	sccls_search_t options;
	sccls_bounds_t bounds;
	double time = 0;

	memset(&options, 0, sizeof options);
	options.size = sizeof options;
	options.seconds = 60;
	if (sccls_topology_open("dgx1", &machine) != SCCLS_OK || sccls_bounds(machine, "allgather", 0, &bounds) != SCCLS_OK ||
	    sccls_build(machine, "allreduce", 0, "ring", 0, &ring) != SCCLS_OK || sccls_verify(ring) != SCCLS_OK ||
	    sccls_simulate(ring, 1024, &time) != SCCLS_OK || sccls_frontier(machine, "allgather", 0, &options, &frontier) != SCCLS_OK) {
		fprintf(stderr, "%s\n", sccls_error_text());
		return 1;
	}
	const sccls_algorithm_t *last = sccls_frontier_point(frontier, sccls_frontier_size(frontier) - 1);
	sccls_cost_t cost = sccls_algorithm_cost(last);
	printf("(%d,%d,%d)\n", (int)cost.chunks, (int)cost.steps, (int)cost.rounds);
	int right = bounds.steps == 2 && bounds.bandwidth.num == 7 && bounds.bandwidth.den == 6 && time > 0 &&
		    sccls_topology_open("nothing", &machine) == SCCLS_INPUT && strstr(sccls_error_text(), "no such topology") &&
		    sccls_topology_open(NULL, NULL) == SCCLS_INPUT;
	sccls_frontier_free(frontier);
	sccls_algorithm_free(ring);
	sccls_topology_free(machine);
	return right ? 0 : 2;
}

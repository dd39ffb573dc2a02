// CaDiCaL, with a binary DRAT trace.

#include "prove/solver.h"

#include <cadical.hpp>
#include <cstdio>
#include <string>

const char *solver_name(void)
{
	static const std::string name = CaDiCaL::Solver::signature();
	return name.c_str();
}

int solver_run(const int *literals, size_t n, int conflicts, int file)
{
	FILE *trace = fdopen(file, "wb");
	if (!trace)
		return 0;

	CaDiCaL::Solver solver;
	solver.set("quiet", 1);
	solver.set("binary", 1);
	// Most sends are not made, so variables start out false; and these refutations do not need rapid restarts.
	solver.set("phase", 0);
	solver.set("stabilizeonly", 1);
	if (!solver.trace_proof(trace, "trace"))
		return 0;
	for (size_t i = 0; i < n; i++)
		solver.add(literals[i]);
	if (conflicts)
		solver.limit("conflicts", conflicts);
	const int answer = solver.solve();
	solver.close_proof_trace();
	return fclose(trace) == 0 ? answer : 0;
}

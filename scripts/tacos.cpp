// Runs TACOS (https://github.com/astra-sim/tacos) on one instance, for scripts/tacos.py, which compiles this with its sources.
// usage: tacos SHAPE DIMENSIONS GIB_PER_SECOND LATENCY_US CHUNKS BYTES REPEATS, with the bandwidth and latency of each dimension
// of a "hetero" mesh separated by commas. Prints the shortest time in microseconds and the CPU seconds of all repeats.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <limits>
#include <memory>
#include <string>
#include <tacos/collective/all_gather.h>
#include <tacos/synthesizer/synthesizer.h>
#include <tacos/topology/hypercube_3d.h>
#include <tacos/topology/mesh_2d.h>
#include <tacos/topology/mesh_2d_hetero.h>
#include <tacos/topology/torus_2d.h>
#include <tacos/topology/torus_3d.h>

using namespace tacos;

static std::unique_ptr<Topology> topology(const std::string &shape, const int *n, const double *rate, const double *latency)
{
	if (shape == "mesh2")
		return std::make_unique<Mesh2D>(n[0], n[1], rate[0], latency[0]);
	if (shape == "hetero")
		return std::make_unique<Mesh2D_Hetero>(n[0], n[1], rate[0], latency[0], rate[1], latency[1]);
	if (shape == "torus2")
		return std::make_unique<Torus2D>(n[0], n[1], rate[0], latency[0]);
	if (shape == "torus3")
		return std::make_unique<Torus3D>(n[0], n[1], n[2], rate[0], latency[0]);
	if (shape == "mesh3")
		return std::make_unique<Hypercube3D>(n[0], n[1], n[2], rate[0], latency[0]);
	return nullptr;
}

int main(int argc, char **argv)
{
	int n[3] = {1, 1, 1};
	double rate[2] = {0, 0}, latency[2] = {0, 0};
	if (argc != 8 || std::sscanf(argv[2], "%dx%dx%d", &n[0], &n[1], &n[2]) < 2 || std::sscanf(argv[3], "%lf,%lf", &rate[0], &rate[1]) < 1 ||
	    std::sscanf(argv[4], "%lf,%lf", &latency[0], &latency[1]) < 1)
		return 2;
	const auto t = topology(argv[1], n, rate, latency);
	if (!t)
		return 2;
	const int chunks = std::atoi(argv[5]), repeats = std::atoi(argv[7]);
	const auto begin = std::clock();
	const auto collective = AllGather(t->npusCount(), chunks);
	double least = std::numeric_limits<double>::max();
	auto synthesizer = Synthesizer();
	for (int i = 0; i < repeats; i++)
		least = std::min(least, static_cast<double>(synthesizer.solve(*t, collective, std::atoll(argv[6]) / (t->npusCount() * chunks))));
	std::printf("%.6f %.6f\n", least, static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC);
	return 0;
}

// A program in C++ that links the library: two turns of a generated allreduce, its ranks threads.

#include "complete_4_allreduce_c4_s2_r2.h"

#include <sccl/device.h>
#include <sccl/program.h>
#include <sccl/sccl.h>

#include <cstdio>
#include <thread>
#include <vector>

static const uint32_t RANKS = 4;
static const uint64_t COUNT = 1001;

static bool sums(sccl_group_t *group, uint32_t rank)
{
	sccl_bootstrap_t bootstrap;
	sccl_comm_t *comm = nullptr;
	sccl_plan_t *plan = nullptr;
	std::vector<int64_t> in(COUNT, rank), out(COUNT);
	bool fine = sccl_group_join(group, rank, &bootstrap) == SCCL_OK &&
		    sccl_comm_create(&comm, rank, RANKS, &bootstrap, nullptr) == SCCL_OK &&
		    sccl_plan_create(&plan, comm, &complete_4_allreduce_c4_s2_r2, SCCL_I64, SCCL_MAX, COUNT, nullptr) == SCCL_OK;

	for (int turn = 0; fine && turn < 2; turn++)
		fine = sccl_run(plan, in.data(), out.data(), COUNT, nullptr) == SCCL_OK && out == std::vector<int64_t>(COUNT, RANKS - 1);
	if (!fine)
		std::fprintf(stderr, "rank %u: %s\n", rank, sccl_error_text());
	if (plan)
		bootstrap.barrier(bootstrap.context); // nothing is freed while a rank may still be in its call
	sccl_plan_free(plan);
	sccl_comm_free(comm);
	return fine;
}

int main()
{
	std::vector<std::thread> ranks;
	bool fine[RANKS] = {};
	sccl_group_t *group;

	if (sccl_group_create(&group, RANKS, 30) != SCCL_OK)
		return 1;
	for (uint32_t rank = 0; rank < RANKS; rank++)
		ranks.emplace_back([&fine, group, rank] { fine[rank] = sums(group, rank); });
	for (std::thread &rank : ranks)
		rank.join();
	sccl_group_free(group);
	return fine[0] && fine[1] && fine[2] && fine[3] ? 0 : 1;
}

/*
 * Ranks that mpirun has started meet over MPI, sum their vectors, and all learn of the mistake of one. Their communicator
 * counts them backwards, so that its ranks are not those of the world. usage: mpirun -n 4 mpi_ranks
 */

#include "complete_4_allreduce_c4_s2_r2.h"

#include <sccl/bootstrap_mpi.h>

#include <stdio.h>
#include <stdlib.h>

enum { RANKS = 4, COUNT = 10000, CALLS = 20, LIAR = 1 };

static int failed;

static void expect(int fine, const char *what)
{
	if (fine)
		return;
	fprintf(stderr, "not so: %s (%s)\n", what, sccl_error_text());
	failed = 1;
}

static sccl_status_t make_plan(sccl_plan_t **plan, sccl_comm_t *comm, uint64_t count)
{
	return sccl_plan_create(plan, comm, &complete_4_allreduce_c4_s2_r2, SCCL_F32, SCCL_SUM, count, NULL);
}

static void sum(sccl_plan_t *plan, const sccl_memory_t *memory, uint32_t rank)
{
	float *x = sccl_memory_at(memory, 0);

	for (int call = 0; call < CALLS; call++) {
		int wrong = 0;
		for (int i = 0; i < COUNT; i++)
			x[i] = (float)(i % 100 + call) * (float)(rank + 1);
		expect(sccl_run(plan, x, x, COUNT, NULL) == SCCL_OK, "the call succeeds");
		for (int i = 0; i < COUNT; i++)
			wrong += x[i] != (float)(i % 100 + call) * 10;
		expect(wrong == 0, "the sums are right");
	}
}

static void with_ranks_that_meet(const sccl_bootstrap_t *bootstrap, uint32_t rank)
{
	static const sccl_comm_options_t options = {.timeout = 30};
	uint64_t mistaken = rank == LIAR ? COUNT / 2 : COUNT;
	sccl_comm_t *comm = NULL;
	sccl_plan_t *plan = NULL, *none = NULL;
	sccl_memory_t *memory = NULL;

	expect(sccl_comm_create(&comm, rank, RANKS, bootstrap, &options) == SCCL_OK, "the ranks meet");
	if (comm && make_plan(&plan, comm, COUNT) == SCCL_OK &&
	    sccl_memory_create(&memory, comm, COUNT * sizeof(float)) == SCCL_OK) {
		sum(plan, memory, rank);
		expect(make_plan(&none, comm, mistaken) == SCCL_MISMATCH, "all learn of one rank's other largest count");
		expect(!none, "there is no plan then");
		sum(plan, memory, rank);
		float *x = sccl_memory_at(memory, 0);
		/* Whoever is in the call before would be told, too. */
		expect(bootstrap->barrier(bootstrap->context) == 0, "the ranks meet between calls");
		expect(sccl_run(plan, x, x, mistaken, NULL) == SCCL_MISMATCH, "all learn of one rank's other count");
	} else {
		expect(0, "plan and memory are made");
	}
	sccl_memory_free(memory);
	sccl_plan_free(plan);
	sccl_comm_free(comm);
}

/* None of these may end the program. */
static void without_a_group(MPI_Comm world, int rank)
{
	MPI_Comm own, half, between;
	sccl_bootstrap_t b;

	expect(sccl_bootstrap_mpi(&b, MPI_COMM_NULL, &own) == MPI_ERR_COMM && !b.allgather, "no communicator is refused");
	expect(sccl_bootstrap_mpi(NULL, world, &own) == MPI_ERR_ARG, "no place is refused");
	expect(sccl_bootstrap_mpi_close(&b) == MPI_SUCCESS, "what was not opened can be closed");

	MPI_Comm_split(world, rank % 2, 0, &half);
	MPI_Intercomm_create(half, 0, world, 1 - rank % 2, 0, &between);
	expect(sccl_bootstrap_mpi(&b, between, &own) == MPI_ERR_COMM && own == MPI_COMM_NULL, "two groups are refused");
	MPI_Comm_free(&between);
	MPI_Comm_free(&half);
}

int main(int argc, char **argv)
{
	MPI_Comm backwards, own;
	MPI_Errhandler handler;
	sccl_bootstrap_t bootstrap;
	int rank, ranks, any;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &backwards);
	MPI_Comm_rank(backwards, &rank);
	MPI_Comm_size(backwards, &ranks);
	expect(ranks == RANKS, "there are four ranks");
	without_a_group(MPI_COMM_WORLD, RANKS - 1 - rank);

	expect(sccl_bootstrap_mpi(&bootstrap, backwards, &own) == MPI_SUCCESS, "MPI's ranks can meet");
	MPI_Comm_get_errhandler(backwards, &handler);
	expect(handler == MPI_ERRORS_ARE_FATAL, "the caller's communicator is as it was");
	expect(bootstrap.allgather(bootstrap.context, NULL, NULL, (size_t)INT_MAX + 1) == MPI_ERR_COUNT,
	       "more bytes than MPI counts are refused");
	if (ranks == RANKS && !failed)
		with_ranks_that_meet(&bootstrap, (uint32_t)rank);
	expect(sccl_bootstrap_mpi_close(&bootstrap) == MPI_SUCCESS && own == MPI_COMM_NULL, "the duplicate is freed");

	MPI_Allreduce(&failed, &any, 1, MPI_INT, MPI_MAX, backwards);
	MPI_Comm_free(&backwards);
	MPI_Finalize();
	return any;
}

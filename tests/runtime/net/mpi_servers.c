/*
 * Ranks that mpirun has started, on servers that share no memory with each other: every program runs over both, and
 * every result is compared. usage: mpirun -n N mpi_servers [--liar] [--aborts] RANKS_PER_SERVER FILE.so SYMBOL
 */

#include <sccl/carrier_mpi.h>

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CALLS = 40 };

static int rank, failed;

static void expect(int fine, const char *what)
{
	if (fine)
		return;
	fprintf(stderr, "rank %d: not so: %s (%s)\n", rank, what, sccl_error_text());
	failed = 1;
}

/* What rank R has of element I of chunk C before call N. Where nothing is reduced all who have it have the same. */
static int32_t value(const sccl_program_t *p, uint32_t r, uint32_t c, uint64_t i, uint32_t n)
{
	int32_t v = (int32_t)(c * 1009 + i % 1013 + n);
	return p->combining ? v * (int32_t)(r + 1) : v;
}

static int32_t wanted(const sccl_program_t *p, uint32_t c, uint64_t i, uint32_t n)
{
	int32_t sum = 0;

	for (uint32_t k = 0; k < p->n_inputs; k++)
		if (p->inputs[k].chunk == c)
			sum = (p->combining ? sum : 0) + value(p, p->inputs[k].rank, c, i, n);
	return sum;
}

static uint64_t cut(uint64_t n, uint32_t i, uint32_t m)
{
	return n * i / m;
}

/* The elements of a place in a buffer of N. */
static void extent(const sccl_place_t *at, uint64_t n, uint64_t *first, uint64_t *end)
{
	uint64_t base = cut(n, at->block, at->blocks), length = cut(n, at->block + 1, at->blocks) - base;

	*first = base + cut(length, at->part, at->parts);
	*end = base + cut(length, at->part + 1, at->parts);
}

static void fill(const sccl_program_t *p, uint64_t count, uint32_t n, int32_t *in)
{
	for (uint32_t k = 0; k < p->n_inputs; k++) {
		const sccl_place_t *at = &p->inputs[k];
		uint64_t first, end;
		extent(at, p->input_count(at->rank, count), &first, &end);
		for (uint64_t i = first; at->rank == (uint32_t)rank && i < end; i++)
			in[i] = value(p, at->rank, at->chunk, i - first, n);
	}
}

static int is_right(const sccl_program_t *p, uint64_t count, uint32_t n, const int32_t *out)
{
	for (uint32_t k = 0; k < p->n_outputs; k++) {
		const sccl_place_t *at = &p->outputs[k];
		uint64_t first, end;
		extent(at, p->output_count(at->rank, count), &first, &end);
		for (uint64_t i = first; at->rank == (uint32_t)rank && i < end; i++)
			if (out[i] != wanted(p, at->chunk, i - first, n))
				return 0;
	}
	return 1;
}

static void call_often(const sccl_program_t *p, sccl_plan_t *plan, uint64_t count, int32_t *in, int32_t *out)
{
	int right = 1, done = 1;

	for (uint32_t n = 0; n < CALLS; n++) {
		fill(p, count, n, in);
		done = done && sccl_run(plan, in, out, count, NULL) == SCCL_OK;
		right = right && is_right(p, count, n, out);
	}
	expect(done, "the calls succeed");
	expect(right, "the results are right");
}

static uint64_t most(const sccl_program_t *p, uint64_t count)
{
	uint64_t n = 1;

	for (uint32_t r = 0; r < p->ranks; r++)
		n = p->output_count(r, count) > n ? p->output_count(r, count) : n;
	return n;
}

static void work(const sccl_program_t *p, sccl_comm_t *comm, int crosses)
{
	static const uint64_t counts[] = {0, 1, 7, 1000, 65537};
	const uint64_t largest = 65537;
	sccl_plan_t *plan = NULL, *packets = NULL;
	sccl_memory_t *memory = NULL;
	sccl_plan_options_t options = {.protocol = SCCL_PACKETS};
	int32_t *in = calloc(p->input_count((uint32_t)rank, largest) + 1, sizeof *in);
	int32_t *out = calloc(most(p, largest), sizeof *out);

	expect(sccl_plan_create(&plan, comm, p, SCCL_I32, SCCL_SUM, largest, NULL) == SCCL_OK, "a plan is made");
	expect(sccl_memory_create(&memory, comm, most(p, largest) * sizeof *out) == SCCL_OK, "memory is made");
	for (size_t i = 0; plan && memory && i < sizeof counts / sizeof *counts; i++) {
		call_often(p, plan, counts[i], in, out);
		call_often(p, plan, counts[i], in, sccl_memory_at(memory, 0));
	}
	sccl_plan_free(plan);
	options.protocol = SCCL_PLAIN;
	options.blocks = 5;
	options.overlap = 1;
	expect(sccl_plan_create(&plan, comm, p, SCCL_I32, SCCL_SUM, largest, &options) == SCCL_OK, "a plan of many blocks is made");
	if (plan)
		call_often(p, plan, 1000, in, out);
	options = (sccl_plan_options_t){.protocol = SCCL_PACKETS};
	expect(sccl_plan_create(&packets, comm, p, SCCL_I32, SCCL_SUM, largest, &options) == (crosses ? SCCL_UNSUPPORTED : SCCL_OK),
	       "packets do not cross");
	sccl_plan_free(packets);
	sccl_memory_free(memory);
	sccl_plan_free(plan);
	free(in);
	free(out);
}

/* One rank makes another call, or none at all: all learn of it. */
static void err(const sccl_program_t *p, sccl_comm_t *comm, int aborts)
{
	sccl_plan_t *plan = NULL;
	int32_t *in = calloc(p->input_count((uint32_t)rank, 1000) + 1, sizeof *in);
	int32_t *out = calloc(most(p, 1000), sizeof *out);
	char text[1024];

	expect(sccl_plan_create(&plan, comm, p, SCCL_I32, SCCL_SUM, 1000, NULL) == SCCL_OK, "a plan is made");
	if (plan && aborts && rank == 0)
		sccl_comm_abort(comm);
	sccl_status_t status = plan ? sccl_run(plan, in, out, rank == 0 ? 999 : 1000, NULL) : SCCL_OK;
	/* Whoever is through its call may be told with the next. */
	for (int i = 0; i < 1000000 && status == SCCL_OK; i++)
		status = sccl_comm_status(comm, text, sizeof text);
	expect(status == (aborts ? SCCL_ABORTED : SCCL_MISMATCH), aborts ? "all are aborted" : "all learn of the other count");
	if (rank == 1 && sccl_comm_status(comm, text, sizeof text) != SCCL_OK)
		printf("%s\n", text);
	sccl_plan_free(plan);
	free(in);
	free(out);
}

int main(int argc, char **argv)
{
	MPI_Comm own;
	sccl_bootstrap_t bootstrap;
	sccl_mpi_carrier_t state;
	sccl_carrier_t carrier;
	sccl_comm_t *comm = NULL;
	int ranks, any, level, liar = argc > 1 && strcmp(argv[1], "--liar") == 0, aborts = argc > 1 && strcmp(argv[1], "--aborts") == 0;

	argv += liar || aborts;
	MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &level);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	void *library = argv[1] && argv[2] && argv[3] ? dlopen(argv[2], RTLD_NOW) : NULL;
	const sccl_program_t *p = library ? dlsym(library, argv[3]) : NULL;
	expect(p && p->ranks == (uint32_t)ranks, "the program is there, and for as many ranks");
	expect(sccl_mpi_server(MPI_COMM_WORLD) == 0, "all of this machine could share memory");
	expect(sccl_bootstrap_mpi(&bootstrap, MPI_COMM_WORLD, &own) == MPI_SUCCESS, "MPI's ranks can meet");
	expect(sccl_carrier_mpi(&carrier, &state, MPI_COMM_WORLD) == MPI_SUCCESS, "MPI carries between threads");
	if (!failed) {
		sccl_comm_options_t options = {.timeout = 60, .carrier = &carrier, .server = (uint32_t)(rank / atoi(argv[1]))};
		expect(sccl_comm_create(&comm, (uint32_t)rank, (uint32_t)ranks, &bootstrap, &options) == SCCL_OK, "the ranks meet");
		if (comm && (liar || aborts))
			err(p, comm, aborts);
		else if (comm)
			work(p, comm, atoi(argv[1]) < ranks);
		sccl_comm_free(comm);
	}
	expect(sccl_carrier_mpi_close(&carrier) == MPI_SUCCESS, "the carrier ends");
	expect(sccl_bootstrap_mpi_close(&bootstrap) == MPI_SUCCESS, "the bootstrap ends");
	MPI_Allreduce(&failed, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
	MPI_Finalize();
	return any;
}

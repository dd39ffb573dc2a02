/*
 * compare FILE.so...: times generated programs beside Open MPI's own collectives, in the same processes, by turns. The
 * communicator is brought together by MPI, as in an application.
 *
 * A row a size: microseconds of both, and ours over theirs: below 1 is faster. Sizes are of L, one rank's input.
 */

#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sccl/sccl.h>

enum { REPEATS = 9, SMALLEST = 1 << 10, LARGEST = 64 << 20, NAME_SIZE = 256 };

static int rank, ranks;

static int mpi_allgather(void *context, const void *mine, void *all, size_t bytes)
{
	(void)context;
	return MPI_Allgather(mine, (int)bytes, MPI_BYTE, all, (int)bytes, MPI_BYTE, MPI_COMM_WORLD);
}

static int mpi_barrier(void *context)
{
	(void)context;
	return MPI_Barrier(MPI_COMM_WORLD);
}

static void need(int ok, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "compare: rank %d: %s\n", rank, what);
	MPI_Abort(MPI_COMM_WORLD, 1);
}

/* What is compared: buffers of both, and the way to call each. */
struct contest {
	const sccl_program_t *program;
	sccl_plan_t *plan;
	int is_allgather;
	float *in, *theirs, *ours;
};

static void call_theirs(const struct contest *c, size_t count)
{
	if (c->is_allgather)
		MPI_Allgather(c->in, (int)count, MPI_FLOAT, c->theirs, (int)count, MPI_FLOAT, MPI_COMM_WORLD);
	else
		MPI_Allreduce(c->in, c->theirs, (int)count, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
}

static void call_ours(const struct contest *c, size_t count)
{
	need(sccl_run(c->plan, c->in, c->ours, count, NULL) == SCCL_OK, sccl_error_text());
}

/* Microseconds a call, of the slowest rank. */
static double time_calls(void (*call)(const struct contest *, size_t), const struct contest *c, size_t count, int n)
{
	double mine, slowest;
	MPI_Barrier(MPI_COMM_WORLD);
	mine = MPI_Wtime();
	for (int i = 0; i < n; i++)
		call(c, count);
	mine = (MPI_Wtime() - mine) * 1e6 / n;
	MPI_Allreduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
	return slowest;
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static double median(double *of, int n)
{
	qsort(of, (size_t)n, sizeof *of, by_size);
	return of[n / 2];
}

static void compare_size(const struct contest *c, size_t bytes)
{
	size_t count = bytes / sizeof(float), out = count * (size_t)(c->is_allgather ? ranks : 1);
	double theirs[REPEATS], ours[REPEATS], ratios[REPEATS];

	call_theirs(c, count);
	call_ours(c, count);
	need(memcmp(c->theirs, c->ours, out * sizeof(float)) == 0, "the results differ");
	double one = time_calls(call_theirs, c, count, 3); /* how many calls fill 20 ms */
	int n = one > 20000 ? 1 : (int)(20000 / one) + 1;
	for (int i = 0; i < REPEATS; i++) {
		theirs[i] = time_calls(call_theirs, c, count, n);
		ours[i] = time_calls(call_ours, c, count, n);
		ratios[i] = ours[i] / theirs[i];
	}
	if (rank == 0) {
		printf("%-32s %2d %10zu %12.2f %12.2f %8.3f\n", c->program->name, ranks, bytes, median(theirs, REPEATS),
		       median(ours, REPEATS), median(ratios, REPEATS));
		fflush(stdout);
	}
}

static const sccl_program_t *load(const char *file)
{
	char name[NAME_SIZE];
	const char *slash = strrchr(file, '/');
	snprintf(name, sizeof name, "%s", slash ? slash + 1 : file);
	name[strcspn(name, ".")] = 0;
	void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
	need(library != NULL, "cannot load the program");
	return dlsym(library, name);
}

static void compare_program(sccl_comm_t *comm, const char *file)
{
	struct contest c = {.program = load(file)};
	sccl_memory_t *memory;

	need(c.program != NULL, "the file has no program of its name");
	c.is_allgather = strcmp(c.program->collective, "allgather") == 0;
	size_t out = (size_t)LARGEST * (size_t)(c.is_allgather ? ranks : 1), n = LARGEST / sizeof(float);
	need(c.is_allgather || strcmp(c.program->collective, "allreduce") == 0, "neither allgather nor allreduce");
	need(sccl_plan_create(&c.plan, comm, c.program, SCCL_F32, SCCL_SUM, n, NULL) == SCCL_OK, sccl_error_text());
	need(sccl_memory_create(&memory, comm, out) == SCCL_OK, sccl_error_text());
	c.ours = sccl_memory_at(memory, 0);
	c.in = malloc(LARGEST);
	c.theirs = malloc(out);
	need(c.in && c.theirs, "no memory");
	for (size_t i = 0; i < n; i++) /* small numbers: every order gives the same sum */
		c.in[i] = (float)((i * 7 + (size_t)rank * 13) % 251);
	for (size_t bytes = SMALLEST; bytes <= LARGEST; bytes *= 4)
		compare_size(&c, bytes);
	free(c.in);
	free(c.theirs);
	sccl_plan_free(c.plan);
	sccl_memory_free(memory);
}

int main(int argc, char **argv)
{
	sccl_bootstrap_t bootstrap = {NULL, mpi_allgather, mpi_barrier};
	sccl_comm_t *comm;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	need(sccl_comm_create(&comm, (uint32_t)rank, (uint32_t)ranks, &bootstrap, NULL) == SCCL_OK, sccl_error_text());
	for (int i = 1; i < argc; i++)
		compare_program(comm, argv[i]);
	MPI_Barrier(MPI_COMM_WORLD);
	sccl_comm_free(comm);
	MPI_Finalize();
	return 0;
}

/*
 * compare FILE.so...: times generated programs beside Open MPI's own collectives, in the same processes, by turns. The
 * communicator is brought together by MPI, as in an application; of the programs of a collective each size gets the one
 * that sccl_choices_measure finds, before the contest.
 *
 * A row a size: the median microseconds of both, ours over theirs (below 1 is faster), and what ours was. Sizes are of L,
 * one rank's input.
 */

#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sccl/sccl.h>

enum { REPEATS = 15, REPEATS_LARGE = 5, TURN = 5000, SMALLEST = 1 << 10, LARGE = 4 << 20, SIZES = 32, NAME_SIZE = 256, PROGRAMS = 16 };

static int rank, ranks;
static size_t largest = 64 << 20; /* or $LARGEST */

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
	sccl_selector_t *selector;
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
	need(sccl_selector_run(c->selector, c->in, c->ours, count, NULL) == SCCL_OK, sccl_error_text());
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

/* Times at one size. */
struct row {
	size_t bytes;
	int n, calls; /* number of turns so far, and of calls that fill one */
	double theirs[REPEATS], ours[REPEATS];
};

static void check_size(const struct contest *c, struct row *r)
{
	size_t count = r->bytes / sizeof(float), out = count * (size_t)(c->is_allgather ? ranks : 1);

	call_theirs(c, count);
	call_ours(c, count);
	need(memcmp(c->theirs, c->ours, out * sizeof(float)) == 0, "the results differ");
	double one = 1e9;
	for (int i = 0; i < 5; i++) {
		double time = time_calls(call_theirs, c, count, 1);
		one = time < one ? time : one;
	}
	r->calls = one > TURN ? 1 : (int)(TURN / one) + 1;
}

static void take_turns(const struct contest *c, struct row *r)
{
	size_t count = r->bytes / sizeof(float);

	r->theirs[r->n] = time_calls(call_theirs, c, count, r->calls);
	r->ours[r->n] = time_calls(call_ours, c, count, r->calls);
	r->n++;
}

static void print_row(const struct contest *c, struct row *r)
{
	sccl_choice_t choice;
	double theirs = median(r->theirs, r->n), ours = median(r->ours, r->n);

	need(sccl_selector_choice(c->selector, r->bytes / sizeof(float), &choice, NULL, 0) == SCCL_OK, sccl_error_text());
	if (rank != 0)
		return;
	printf("%-9s %2d %10zu %12.2f %12.2f %8.3f  %s %s", c->is_allgather ? "allgather" : "allreduce", ranks, r->bytes, theirs, ours,
	       ours / theirs, choice.program->name, sccl_protocol_name(choice.protocol));
	if (choice.blocks)
		printf(" %u blocks", choice.blocks);
	printf("\n");
	fflush(stdout);
}

/* The sizes take turns as the rivals do: what disturbs the computer for a while disturbs a turn of each. */
static void compare_sizes(const struct contest *c)
{
	struct row rows[SIZES];
	int n = 0;

	for (size_t bytes = SMALLEST; bytes <= largest && n < SIZES; bytes *= 2)
		rows[n++] = (struct row){.bytes = bytes};
	for (int i = 0; i < n; i++)
		check_size(c, &rows[i]);
	for (int turn = 0; turn < REPEATS; turn++)
		for (int i = 0; i < n; i++)
			if (rows[i].bytes <= LARGE || turn < REPEATS_LARGE)
				take_turns(c, &rows[i]);
	for (int i = 0; i < n; i++)
		print_row(c, &rows[i]);
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

static void compare_collective(sccl_comm_t *comm, const char *collective, const sccl_program_t *const *programs, size_t n_programs)
{
	struct contest c = {.is_allgather = strcmp(collective, "allgather") == 0};
	const sccl_selector_options_t symmetric = {.symmetric_only = 1};
	size_t out = largest * (size_t)(c.is_allgather ? ranks : 1), n = largest / sizeof(float), n_choices;
	sccl_memory_t *memory;
	sccl_choice_t *choices;

	need(sccl_choices_measure(&choices, &n_choices, comm, programs, n_programs, collective, -1, SCCL_F32, SCCL_SUM, n) == SCCL_OK,
	     sccl_error_text());
	if (n_choices == 0) /* no such program */
		return;
	need(sccl_selector_create(&c.selector, comm, choices, n_choices, SCCL_F32, SCCL_SUM, n, &symmetric) == SCCL_OK, sccl_error_text());
	need(sccl_memory_create(&memory, comm, out) == SCCL_OK, sccl_error_text());
	c.ours = sccl_memory_at(memory, 0);
	c.in = malloc(largest);
	c.theirs = malloc(out);
	need(c.in && c.theirs, "no memory");
	for (size_t i = 0; i < n; i++) /* small numbers: every order gives the same sum */
		c.in[i] = (float)((i * 7 + (size_t)rank * 13) % 251);
	compare_sizes(&c);
	free(c.in);
	free(c.theirs);
	sccl_selector_free(c.selector);
	sccl_choices_free(choices);
	sccl_memory_free(memory);
}

int main(int argc, char **argv)
{
	sccl_bootstrap_t bootstrap = {NULL, mpi_allgather, mpi_barrier};
	const sccl_program_t *programs[PROGRAMS];
	sccl_comm_t *comm;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	need(sccl_comm_create(&comm, (uint32_t)rank, (uint32_t)ranks, &bootstrap, NULL) == SCCL_OK, sccl_error_text());
	if (getenv("LARGEST"))
		largest = strtoull(getenv("LARGEST"), NULL, 10);
	need(argc - 1 <= PROGRAMS, "too many programs");
	for (int i = 1; i < argc; i++)
		need((programs[i - 1] = load(argv[i])) != NULL, "the file has no program of its name");
	compare_collective(comm, "allgather", programs, (size_t)argc - 1);
	compare_collective(comm, "allreduce", programs, (size_t)argc - 1);
	MPI_Barrier(MPI_COMM_WORLD);
	sccl_comm_free(comm);
	MPI_Finalize();
	return 0;
}

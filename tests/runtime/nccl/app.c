/*
 * A program as any that uses NCCL: it knows nothing of this project. app processes|threads N [PART]: N ranks, each a
 * process of its own, or all in this one, called in groups. PART: windows, buffers are registered; orders, groups with
 * several calls of several communicators; abort, a call that one rank leaves out is ended. Says which results are right;
 * those that nobody has computed (the library behind stands in for NCCL and computes nothing) stay as they were.
 */

#define _GNU_SOURCE /* RTLD_DEFAULT */
#include "tests/runtime/nccl/app.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <signal.h>
#include <unistd.h>

int ranks, until_others_end;
ncclUniqueId second_id;

struct rank mine[RANKS_MAX];
int n_mine;

void must(ncclResult_t result, const char *what)
{
	if (result == ncclSuccess)
		return;
	printf("%s fails: %d\n", what, result);
	fflush(stdout);
	_exit(1);
}

void *memory(size_t bytes)
{
	int (*allocate)(void **, size_t);
	void *found = dlsym(RTLD_DEFAULT, "cudaMalloc"), *at = NULL;

	memcpy(&allocate, &found, sizeof found);
	if (found)
		return allocate(&at, bytes) == 0 ? at : NULL;
	return malloc(bytes);
}

static ncclStream_t stream(int number)
{
	int (*choose)(int), (*make)(ncclStream_t *, unsigned);
	void *first = dlsym(RTLD_DEFAULT, "cudaSetDevice"), *second = dlsym(RTLD_DEFAULT, "cudaStreamCreateWithFlags");
	ncclStream_t s = NULL;

	memcpy(&choose, &first, sizeof first);
	memcpy(&make, &second, sizeof second);
	if (first && second && (choose(number) != 0 || make(&s, 1) != 0))
		exit(1);
	return s;
}

void finish(void)
{
	int (*wait)(ncclStream_t);
	void *found = dlsym(RTLD_DEFAULT, "cudaStreamSynchronize");

	memcpy(&wait, &found, sizeof found);
	for (int i = 0; i < n_mine && found; i++) {
		wait(mine[i].stream);
		wait(mine[i].second);
	}
}

static int32_t value(int rank, size_t i)
{
	return (int32_t)(rank * 1000 + (int)(i % 997));
}

void fill(void)
{
	finish();
	for (int i = 0; i < n_mine; i++)
		for (size_t k = 0; k < MOST; k++) {
			mine[i].in[k] = value(mine[i].number, k);
			mine[i].out[k] = -1;
		}
}

static int32_t sum_of(size_t i)
{
	int32_t sum = 0;
	for (int r = 0; r < ranks; r++)
		sum += value(r, i);
	return sum;
}

void expect(const char *what, size_t count, expected_t expected)
{
	finish();
	for (int r = 0; r < n_mine; r++) {
		const char *result = "right";
		size_t same = 0;
		for (size_t i = 0; i < count; i++) {
			same += mine[r].out[i] == -1;
			if (mine[r].out[i] != expected(mine[r].number, i, count))
				result = "wrong";
		}
		printf("rank %d: %s: %s\n", mine[r].number, what, count > 0 && same == count ? "not computed" : result);
	}
	fflush(stdout);
	fill();
}

int32_t summed(int rank, size_t i, size_t count)
{
	(void)rank, (void)count;
	return sum_of(i);
}
int32_t summed_by_rest(int rank, size_t i, size_t count)
{
	(void)rank, (void)count;
	return sum_of(i) - value(ranks - 1, i);
}
int32_t gathered(int rank, size_t i, size_t count)
{
	(void)rank;
	return value((int)(i / (count / (size_t)ranks)), i % (count / (size_t)ranks));
}
int32_t scattered(int rank, size_t i, size_t count)
{
	return sum_of((size_t)rank * count + i);
}
int32_t from_first(int rank, size_t i, size_t count)
{
	(void)rank, (void)count;
	return value(0, i);
}
int32_t at_first(int rank, size_t i, size_t count)
{
	(void)count;
	return rank == 0 ? sum_of(i) : -1;
}

static int32_t gathered_backwards(int rank, size_t i, size_t count)
{
	(void)rank;
	return value(ranks - 1 - (int)(i / (count / (size_t)ranks)), i % (count / (size_t)ranks));
}

static int32_t averaged(int rank, size_t i, size_t count)
{
	return summed(rank, i, count) / ranks;
}
/* Rank r's values are multiplied by r + 2. */
static int32_t weighted(int rank, size_t i, size_t count)
{
	int32_t sum = 0;

	(void)rank, (void)count;
	for (int r = 0; r < ranks; r++)
		sum += value(r, i) * (r + 2);
	return sum;
}
static int32_t greatest(int rank, size_t i, size_t count)
{
	(void)rank, (void)count;
	return value(ranks - 1, i);
}

/* The last rank is left out, and does not know. */
static void shrink(void)
{
	int last = ranks - 1;

	must(ncclGroupStart(), "ncclGroupStart");
	for (int i = 0; i < n_mine; i++)
		if (mine[i].number != last)
			must(ncclCommShrink(mine[i].comm, &last, 1, &mine[i].part, NULL, 0), "ncclCommShrink");
	must(ncclGroupEnd(), "ncclGroupEnd");
	must(ncclGroupStart(), "ncclGroupStart");
	for (int i = 0; i < n_mine; i++)
		if (mine[i].number != last)
			must(ncclAllReduce(mine[i].in, mine[i].out, 1000, ncclInt32, ncclSum, mine[i].part, mine[i].stream), "ncclAllReduce");
	must(ncclGroupEnd(), "ncclGroupEnd");
	expect("allreduce of the rest", 1000, summed_by_rest);
	for (int i = 0; i < n_mine; i++)
		if (mine[i].number != last)
			must(ncclCommDestroy(mine[i].part), "ncclCommDestroy");
	EACH(ncclAllReduce(r->in, r->out, 1000, ncclInt32, ncclSum, r->comm, r->stream));
	expect("allreduce of all again", 1000, summed);
}

static void work(void)
{
	const ncclDataType_t newer = (ncclDataType_t)NCCL_TYPES; /* of an NCCL that has more types */
	size_t n = 1000, share = n / (size_t)ranks;

	fill();
	for (int call = 0; call < 20; call++) {
		EACH(ncclAllReduce(r->in, r->out, n, ncclInt32, ncclSum, r->comm, r->stream));
		finish();
	}
	expect("allreduce", n, summed);
	EACH(ncclAllReduce(r->in, r->out, MOST, ncclInt32, ncclSum, r->comm, r->stream));
	expect("large allreduce", MOST, summed);
	EACH(ncclAllGather(r->in, r->out, share, ncclInt32, r->comm, r->stream));
	expect("allgather", share * (size_t)ranks, gathered);
	for (int i = 0; i < n_mine; i++)
		memcpy(mine[i].out + mine[i].number * (int)share, mine[i].in, share * sizeof *mine[i].in);
	EACH(ncclAllGather(r->out + r->number * (int)share, r->out, share, ncclInt32, r->comm, r->stream));
	expect("allgather in place", share * (size_t)ranks, gathered);
	EACH(ncclReduceScatter(r->in, r->out, share, ncclInt32, ncclSum, r->comm, r->stream));
	expect("reducescatter", share, scattered);
	EACH(ncclBroadcast(r->in, r->out, 7, ncclInt32, 0, r->comm, r->stream));
	expect("broadcast", 7, from_first);
	EACH(ncclReduce(r->in, r->out, n, ncclInt32, ncclSum, 0, r->comm, r->stream));
	expect("reduce", n, at_first);
	for (int i = 0; i < n_mine; i++)
		memcpy(mine[i].out, mine[i].in, n * sizeof *mine[i].in);
	EACH(ncclAllReduce(r->out, r->out, n, ncclInt32, ncclSum, r->comm, r->stream));
	expect("allreduce in place", n, summed);
	EACH(ncclAllReduce(r->in, r->out, n, ncclInt32, ncclAvg, r->comm, r->stream));
	expect("average", n, averaged);
	EACH(ncclAllReduce(r->in, r->out, n, ncclUint32, ncclMax, r->comm, r->stream));
	expect("unsigned maximum", n, greatest);
	for (int i = 0; i < n_mine; i++) {
		int32_t factor = mine[i].number + 2;
		must(ncclRedOpCreatePreMulSum(&mine[i].op, &factor, ncclInt32, ncclScalarHostImmediate, mine[i].comm), "ncclRedOpCreatePreMulSum");
	}
	for (int call = 0; call < 5; call++) /* the last ones with the second number of blocks, where it is tuned */
		EACH(ncclAllReduce(r->in, r->out, n, ncclInt32, r->op, r->comm, r->stream));
	expect("premultiplied sum", n, weighted);
	for (int i = 0; i < n_mine; i++)
		must(ncclRedOpDestroy(mine[i].op, mine[i].comm), "ncclRedOpDestroy");
	EACH(ncclAllReduce(r->in, r->out, 11, ncclFloat8e4m3, ncclSum, r->comm, r->stream));
	fill(); /* served; test_numbers.c has its values */
	/* Two calls in one group. */
	must(ncclGroupStart(), "ncclGroupStart");
	EACH(ncclAllReduce(r->in, r->out, 100, ncclInt32, ncclSum, r->comm, r->stream));
	EACH(ncclAllReduce(r->in + 100, r->out + 100, 100, ncclInt32, ncclSum, r->comm, r->stream));
	must(ncclGroupEnd(), "ncclGroupEnd");
	expect("two in a group", 200, summed);
	/* The same ranks in the opposite order; then one without a color. */
	EACH(ncclCommSplit(r->comm, 0, -r->number, &r->part, NULL));
	EACH(ncclAllReduce(r->in, r->out, n, ncclInt32, ncclSum, r->part, r->stream));
	expect("allreduce of a part", n, summed);
	EACH(ncclAllGather(r->in, r->out, share, ncclInt32, r->part, r->stream));
	expect("allgather of a part", share * (size_t)ranks, gathered_backwards);
	for (int i = 0; i < n_mine; i++)
		must(ncclCommDestroy(mine[i].part), "ncclCommDestroy");
	EACH(ncclCommSplit(r->comm, r->number == 1 ? -1 : 7, 0, &r->part, NULL));
	for (int i = 0; i < n_mine; i++)
		if (mine[i].part)
			must(ncclCommDestroy(mine[i].part), "ncclCommDestroy");
	shrink();
	/* What no program is for. */
	EACH(ncclBroadcast(r->in, r->out, 8, ncclInt32, 1, r->comm, r->stream));
	for (int i = 0; i < n_mine; i++)
		must(ncclRedOpCreatePreMulSum(&mine[i].op, &mine[i].number, ncclInt32, ncclScalarDevice, mine[i].comm), "ncclRedOpCreatePreMulSum");
	EACH(ncclAllReduce(r->in, r->out, 9, ncclInt32, r->op, r->comm, r->stream));
	for (int i = 0; i < n_mine; i++)
		must(ncclRedOpCreatePreMulSum(&mine[i].op, &mine[i].number, newer, ncclScalarHostImmediate, mine[i].comm), "ncclRedOpCreatePreMulSum");
	EACH(ncclAllReduce(r->in, r->out, 9, newer, r->op, r->comm, r->stream));
	EACH(ncclAllReduce(r->in, r->out, (size_t)1 << 39, ncclInt32, ncclSum, r->comm, r->stream));
	EACH(ncclSend(r->in, 12, ncclInt32, (r->number + 1) % ranks, r->comm, r->stream));
	expect("nothing", 1000, summed);
}

static void settle(int number, ncclComm_t comm)
{
	struct rank *r = &mine[n_mine++];

	*r = (struct rank){.number = number, .comm = comm, .stream = stream(number), .second = stream(number)};
	r->in = memory(MOST * sizeof *r->in);
	r->out = memory(MOST * sizeof *r->out);
	if (!r->in || !r->out)
		exit(1);
}

static void leave(void)
{
	for (int i = 0; i < n_mine; i++) {
		ncclResult_t error = ncclInternalError;
		if (!mine[i].comm)
			continue;
		must(ncclCommGetAsyncError(mine[i].comm, &error), "ncclCommGetAsyncError");
		must(error, "the communicator");
		must(ncclCommDestroy(mine[i].comm), "ncclCommDestroy");
	}
}

static const struct {
	const char *name;
	void (*work)(void);
} parts[] = {
	{"", work},
	{"windows", work_in_windows},
	{"orders", work_in_orders},
	{"abort", work_with_abort},
};

static void live(int number, ncclUniqueId id, void (*part)(void))
{
	ncclComm_t comm;

	must(ncclCommInitRank(&comm, ranks, id, number), "ncclCommInitRank");
	settle(number, comm);
	part();
	leave();
	exit(0); /* as an application ends: what libraries do at the end is done */
}

int main(int argc, char **argv)
{
	ncclUniqueId id;
	ncclComm_t comms[RANKS_MAX];
	int worst = 0, status, ends[2];
	void (*part)(void) = NULL;

	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		if (strcmp(argc == 4 ? argv[3] : "", parts[i].name) == 0)
			part = parts[i].work;
	ranks = (argc == 3 || argc == 4) && part ? atoi(argv[2]) : 0;
	if (ranks < 1 || ranks > RANKS_MAX)
		return 2;
	must(ncclGetUniqueId(&id), "ncclGetUniqueId");
	must(ncclGetUniqueId(&second_id), "ncclGetUniqueId");
	if (strcmp(argv[1], "processes") == 0) {
		if (pipe(ends) != 0)
			return 1;
		for (int r = 0; r < ranks; r++)
			if (fork() == 0) {
				prctl(PR_SET_PDEATHSIG, SIGKILL);
				until_others_end = ends[0];
				if (r == ranks - 1)
					close(ends[1]);
				live(r, id, part);
			}
		close(ends[1]);
		while (wait(&status) > 0)
			worst = status ? 1 : worst;
		return worst;
	}
	must(ncclCommInitAll(comms, ranks, NULL), "ncclCommInitAll");
	for (int r = 0; r < ranks; r++)
		settle(r, comms[r]);
	part();
	leave();
	return 0;
}

/*
 * Parts of the program that uses NCCL: buffers in windows, groups of several calls of several communicators, and an abort.
 */
#define _GNU_SOURCE /* usleep */
#include "tests/runtime/nccl/app.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void work_in_windows(void)
{
	size_t share = (size_t)(1000 / ranks);
	int32_t *beside[RANKS_MAX];
	bool grouped = n_mine > 1 || mine->number % 2 == 0;

	fill();
	EACH(ncclCommWindowRegister(r->comm, r->in, MOST * sizeof *r->in, &r->windows[0], 0)); /* not symmetric */
	EACH(ncclCommWindowDeregister(r->comm, r->windows[0]));
	if (grouped)
		must(ncclGroupStart(), "ncclGroupStart");
	for (int i = 0; i < n_mine; i++) {
		struct rank *r = &mine[i];
		must(ncclCommWindowRegister(r->comm, r->in, MOST * sizeof *r->in, &r->windows[0], NCCL_WIN_COLL_SYMMETRIC), "ncclCommWindowRegister");
		must(ncclCommWindowRegister(r->comm, r->out, MOST * sizeof *r->out, &r->windows[1], NCCL_WIN_COLL_SYMMETRIC), "ncclCommWindowRegister");
	}
	if (grouped)
		must(ncclGroupEnd(), "ncclGroupEnd");
	for (int call = 0; call < 5; call++)
		EACH(ncclAllReduce(r->in, r->out, 1000, ncclInt32, ncclSum, r->comm, r->stream));
	expect("allreduce", 1000, summed);
	/* Without elements: the buffers may be anywhere, on each rank somewhere else. */
	EACH(ncclAllReduce(r->number == 1 ? NULL : r->in, r->number == 2 ? NULL : r->out, 0, ncclInt32, ncclSum, r->comm, r->stream));
	EACH(ncclAllReduce(r->in, r->number == 3 ? r->in : r->out, 0, ncclInt32, ncclSum, r->comm, r->stream));
	EACH(ncclAllGather(r->in, r->out + r->number, 0, ncclInt32, r->comm, r->stream));
	EACH(ncclAllReduce(r->in, r->out, MOST, ncclInt32, ncclSum, r->comm, r->stream));
	expect("large allreduce", MOST, summed);
	for (int i = 0; i < n_mine; i++)
		memcpy(mine[i].out, mine[i].in, 1000 * sizeof *mine[i].in);
	EACH(ncclAllReduce(r->out, r->out, 1000, ncclInt32, ncclSum, r->comm, r->stream));
	expect("allreduce in place", 1000, summed);
	/* Outputs of one rank alone, at another offset on each, and outside the window of one. */
	for (int i = 0; i < n_mine; i++)
		memcpy(mine[i].out + mine[i].number * (int)share, mine[i].in, share * sizeof *mine[i].in);
	EACH(ncclAllGather(r->out + r->number * (int)share, r->out, share, ncclInt32, r->comm, r->stream));
	expect("allgather in place", share * (size_t)ranks, gathered);
	EACH(ncclReduce(r->in, r->number == 0 ? r->out : NULL, 1000, ncclInt32, ncclSum, 0, r->comm, r->stream));
	expect("reduce", 1000, at_first);
	for (int i = 0; i < n_mine; i++)
		memcpy(mine[i].out, mine[i].in, share * (size_t)ranks * sizeof *mine[i].in);
	EACH(ncclReduceScatter(r->out, r->out + r->number * (int)share, share, ncclInt32, ncclSum, r->comm, r->stream));
	finish();
	for (int i = 0; i < n_mine; i++)
		memmove(mine[i].out, mine[i].out + mine[i].number * (int)share, share * sizeof *mine[i].out);
	expect("reducescatter in place", share, scattered);
	EACH(ncclReduceScatter(r->in, r->out, share, ncclInt32, ncclSum, r->comm, r->stream));
	expect("reducescatter", share, scattered);
	for (int i = 0; i < n_mine; i++)
		beside[i] = mine[i].number == 0 ? memory(7 * sizeof *beside[i]) : mine[i].out;
	EACH(ncclBroadcast(r->in, beside[r - mine], 7, ncclInt32, 0, r->comm, r->stream));
	finish();
	for (int i = 0; i < n_mine; i++)
		memmove(mine[i].out, beside[i], 7 * sizeof *beside[i]);
	expect("broadcast", 7, from_first);
	EACH(ncclCommWindowDeregister(r->comm, r->windows[0])); /* the other one ends with its communicator */
}

/* Two calls of a part of R, or two of the other. */
static void call_twice(const struct rank *r, bool part)
{
	size_t at = part ? 0 : 200;
	ncclComm_t comm = part ? r->part : r->other;
	ncclStream_t s = part ? r->stream : r->second;

	for (int call = 0; call < 2; call++, at += 100)
		must(ncclAllReduce(r->in + at, r->out + at, 100, ncclInt32, ncclSum, comm, s), "ncclAllReduce");
}

/* Calls of kinds that were not made before, in a group or, where ranks are processes, by some without one. */
static void call_some_in_group(void)
{
	bool grouped = n_mine > 1 || mine->number % 2 == 0;

	if (grouped)
		must(ncclGroupStart(), "ncclGroupStart");
	for (int i = 0; i < n_mine; i++) {
		struct rank *r = &mine[i];
		must(ncclBroadcast(r->in, r->out, 7, ncclInt32, 0, r->comm, r->stream), "ncclBroadcast");
		must(ncclAllGather(r->in, r->out, 25, ncclInt32, r->comm, r->stream), "ncclAllGather");
	}
	if (grouped)
		must(ncclGroupEnd(), "ncclGroupEnd");
}

/* In a group all calls of one communicator may come before those of the next, and each rank may have its own order of
 * communicators: NCCL starts them all before any waits. */
void work_in_orders(void)
{
	fill();
	must(ncclGroupStart(), "ncclGroupStart");
	for (int i = 0; i < n_mine; i++)
		for (int at = 0; at < 300; at += 100)
			must(ncclAllReduce(mine[i].in + at, mine[i].out + at, 100, ncclInt32, at < 200 ? ncclSum : ncclMax, mine[i].comm,
			                   mine[i].stream), "ncclAllReduce");
	must(ncclGroupEnd(), "ncclGroupEnd");
	expect("one rank's calls after another's", 200, summed);
	call_some_in_group();
	expect("some in a group", 25 * (size_t)ranks, gathered);
	must(ncclGroupStart(), "ncclGroupStart");
	for (int i = 0; i < n_mine; i++) {
		struct rank *r = &mine[i];
		if (r->number % 2 == 0)
			must(ncclCommSplit(r->comm, 0, 0, &r->part, NULL), "ncclCommSplit");
		must(ncclCommInitRank(&r->other, ranks, second_id, r->number), "ncclCommInitRank");
		if (r->number % 2 == 1)
			must(ncclCommSplit(r->comm, 0, 0, &r->part, NULL), "ncclCommSplit");
	}
	must(ncclGroupEnd(), "ncclGroupEnd");
	must(ncclGroupStart(), "ncclGroupStart");
	for (int i = 0; i < n_mine; i++) {
		call_twice(&mine[i], mine[i].number % 2 == 0);
		call_twice(&mine[i], mine[i].number % 2 == 1);
	}
	must(ncclGroupEnd(), "ncclGroupEnd");
	expect("communicators in opposite orders", 400, summed);
	for (int i = 0; i < n_mine; i++) {
		must(ncclCommDestroy(mine[i].part), "ncclCommDestroy");
		must(ncclCommDestroy(mine[i].other), "ncclCommDestroy");
	}
}

/* All but the last rank, which never does the same. */
static void *call_without_last(void *result)
{
	must(ncclGroupStart(), "ncclGroupStart");
	for (int i = 0; i < n_mine; i++)
		if (mine[i].number != ranks - 1)
			must(ncclAllReduce(mine[i].in, mine[i].out, 1000, ncclInt32, ncclSum, mine[i].comm, mine[i].stream), "ncclAllReduce");
	*(ncclResult_t *)result = ncclGroupEnd();
	return NULL;
}

/* A call under way, which would wait for the last rank for ever, is ended by the others, who go on. */
void work_with_abort(void)
{
	ncclResult_t result = ncclSuccess, error = ncclSuccess;
	int last = ranks - 1;
	pthread_t caller;
	char byte;

	fill();
	EACH(ncclAllReduce(r->in, r->out, 1000, ncclInt32, ncclSum, r->comm, r->stream));
	expect("allreduce", 1000, summed);
	if (n_mine == 1 && mine->number == last) { /* it lives on */
		if (read(until_others_end, &byte, 1) != 0)
			exit(1);
		must(ncclCommAbort(mine->comm), "ncclCommAbort");
		mine->comm = NULL;
		return;
	}
	if (pthread_create(&caller, NULL, call_without_last, &result) != 0)
		exit(1);
	usleep(200000); /* for the call to begin: if it has not, it is ended as it does */
	must(ncclGroupStart(), "ncclGroupStart");
	for (int i = 0; i < n_mine; i++)
		if (mine[i].number != last)
			must(ncclCommShrink(mine[i].comm, &last, 1, &mine[i].part, NULL, NCCL_SHRINK_ABORT), "ncclCommShrink");
	must(ncclGroupEnd(), "ncclGroupEnd");
	pthread_join(caller, NULL);
	finish();
	must(ncclCommGetAsyncError(mine[0].comm, &error), "ncclCommGetAsyncError");
	printf("rank %d: the call %s\n", mine[0].number, result == ncclSuccess && error == ncclSuccess ? "goes on" : "was ended");
	fill();
	must(ncclGroupStart(), "ncclGroupStart");
	for (int i = 0; i < n_mine; i++)
		if (mine[i].number != last)
			must(ncclAllReduce(mine[i].in, mine[i].out, 1000, ncclInt32, ncclSum, mine[i].part, mine[i].stream), "ncclAllReduce");
	must(ncclGroupEnd(), "ncclGroupEnd");
	expect("allreduce of the rest", 1000, summed_by_rest);
	for (int i = 0; i < n_mine; i++) {
		if (mine[i].number != last)
			must(ncclCommDestroy(mine[i].part), "ncclCommDestroy");
		must(ncclCommAbort(mine[i].comm), "ncclCommAbort");
		mine[i].comm = NULL;
	}
}

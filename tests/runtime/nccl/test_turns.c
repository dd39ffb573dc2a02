/*
 * The order in which one thread enqueues the calls of a group, and what runs at once.
 */
#include "runtime/nccl/turns.h"

#include <criterion/criterion.h>

#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 16 };

/* Communicators that are only compared. */
static ncclComm_t comm(char name)
{
	static char places[256];
	return (ncclComm_t)(void *)&places[(unsigned char)name];
}

/* COMMS has a letter for each call: a and A are two ranks of one communicator. */
static void expect_order(const char *comms, const char *expected)
{
	size_t n = strlen(comms), order[MOST];
	struct nccl_call calls[MOST] = {{.count = 0}};
	uint64_t numbers[MOST] = {0};
	char made[2 * MOST + 1] = "";

	for (size_t i = 0; i < n; i++) {
		calls[i] = (struct nccl_call){.comm = comm(comms[i])};
		numbers[i] = (uint64_t)comms[i] | 0x20;
	}
	turns_order(calls, numbers, n, order);
	for (size_t i = 0; i < n; i++)
		snprintf(made + strlen(made), sizeof made - strlen(made), "%zx", order[i]);
	cr_expect_str_eq(made, expected, "%s: %s, not %s", comms, made, expected);
}

Test(turns, ranks_of_a_communicator_take_turns)
{
	expect_order("", "");
	expect_order("a", "0");
	expect_order("aaa", "012");
	expect_order("aaAA", "0213");
	expect_order("aAaA", "0123");
	expect_order("aaaAAA", "031425");
	expect_order("aaAaAA", "021435");
}

Test(turns, communicators_follow_each_other)
{
	expect_order("aabb", "0123");
	expect_order("abab", "0213"); /* as the others enqueue them, in whatever order they were mixed */
	expect_order("baba", "0213");
	expect_order("aabbAABB", "04152637");
}

struct seen {
	const char *comms;
	atomic_int begun;
	atomic_int counts[256];
	size_t order[MOST];
};

static ncclComm_t comm_at(const void *of, size_t i)
{
	return comm(((const struct seen *)of)->comms[i]);
}

/* The first elements of two communicators wait for each other. */
static void meet(void *of, size_t i)
{
	struct seen *s = of;
	int before = atomic_fetch_add(&s->counts[(unsigned char)s->comms[i]], 1);

	s->order[i] = (size_t)before;
	if (before == 0)
		atomic_fetch_add(&s->begun, 1);
	while (atomic_load(&s->begun) < 2)
		sched_yield();
}

/* Were all calls before the first b made first, they would wait for ever. */
Test(turns, a_communicator_does_not_wait_for_another, .timeout = 60)
{
	struct seen s = {.comms = "aabbaab"};

	turns_by_comm(meet, &s, 7, comm_at);
	for (size_t i = 0; i < 7; i++) {
		size_t before = 0;
		for (size_t k = 0; k < i; k++)
			before += s.comms[k] == s.comms[i];
		cr_expect_eq(s.order[i], before, "element %zu was number %zu of its communicator", i, s.order[i]);
	}
	turns_by_comm(meet, &s, 0, comm_at);
}

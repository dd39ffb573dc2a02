/*
 * The calls of a group are not ordered among communicators, and one thread may be several ranks: "all calls of rank 0, then all
 * of rank 1" is a valid group, though rank 0 cannot complete its first call before rank 1 begins its own. What waits
 * therefore has a thread for each communicator; what is only enqueued goes round the ranks, as a stream takes a limited number of
 * calls.
 */
#include "runtime/nccl/turns.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

void *must_have(void *memory)
{
	if (memory)
		return memory;
	fprintf(stderr, "sccl-nccl: no memory\n");
	abort();
}

/* Elements that run one after another, on a thread of their own. */
struct chain {
	void (*work)(void *of, size_t i);
	void *of;
	const size_t *next; /* the element after each; the last has itself */
	size_t first, last;
	pthread_t thread;
};

static void *run_chain(void *argument)
{
	const struct chain *c = argument;

	for (size_t i = c->first;; i = c->next[i]) {
		c->work(c->of, i);
		if (c->next[i] == i)
			return NULL;
	}
}

void turns_by_comm(void (*work)(void *of, size_t i), void *of, size_t n, ncclComm_t (*comm)(const void *of, size_t i))
{
	struct chain *chains = must_have(calloc(n ? n : 1, sizeof *chains));
	size_t *next = must_have(calloc(n ? n : 1, sizeof *next)), n_chains = 0;

	for (size_t i = 0; i < n; i++) {
		size_t c = 0;
		while (c < n_chains && comm(of, chains[c].first) != comm(of, i))
			c++;
		if (c == n_chains)
			chains[n_chains++] = (struct chain){.work = work, .of = of, .next = next, .first = i, .last = i};
		next[chains[c].last] = i;
		chains[c].last = next[i] = i;
	}
	for (size_t c = 1; c < n_chains; c++)
		if (pthread_create(&chains[c].thread, NULL, run_chain, &chains[c]) != 0) {
			fprintf(stderr, "sccl-nccl: cannot start a thread\n");
			abort();
		}
	if (n_chains > 0)
		run_chain(&chains[0]);
	for (size_t c = 1; c < n_chains; c++)
		pthread_join(chains[c].thread, NULL);
	free(next);
	free(chains);
}

/* When a call is enqueued: by communicator, then by how many calls of its rank come before. */
struct turn_of_call {
	size_t of_all, round, call;
};

static int by_turn(const void *a, const void *b)
{
	const struct turn_of_call *x = a, *y = b;

	if (x->of_all != y->of_all)
		return x->of_all < y->of_all ? -1 : 1;
	if (x->round != y->round)
		return x->round < y->round ? -1 : 1;
	return (x->call > y->call) - (x->call < y->call);
}

void turns_order(const struct nccl_call *calls, const uint64_t *numbers, size_t n, size_t *order)
{
	struct calling_rank {
		ncclComm_t comm;
		uint64_t number;
		size_t rounds;
	} *ranks = must_have(calloc(n ? n : 1, sizeof *ranks));
	struct turn_of_call *turns = must_have(calloc(n ? n : 1, sizeof *turns));
	size_t n_ranks = 0;

	for (size_t i = 0; i < n; i++) {
		size_t r = 0, of_all = 0;
		while (r < n_ranks && ranks[r].comm != calls[i].comm)
			r++;
		if (r == n_ranks)
			ranks[n_ranks++] = (struct calling_rank){calls[i].comm, numbers[i], 0};
		while (ranks[of_all].number != numbers[i])
			of_all++;
		turns[i] = (struct turn_of_call){of_all, ranks[r].rounds++, i};
	}
	qsort(turns, n, sizeof *turns, by_turn);
	for (size_t i = 0; i < n; i++)
		order[i] = turns[i].call;
	free(turns);
	free(ranks);
}

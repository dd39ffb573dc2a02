#ifndef SCCL_TESTS_SUPPORT_BY_HAND_H
#define SCCL_TESTS_SUPPORT_BY_HAND_H

/* Small schedules, written by hand, for the tests of core/. Each test program is one file, so all is inline. */

#include "core/schedule/algorithm.h"
#include "core/base/error.h"
#include "core/base/json.h"
#include "core/base/memory.h"
#include "core/machine/topology.h"
#include "core/schedule/transform.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>
#include <string.h>

static inline struct topology *machine(const char *name)
{
	struct error e = {0};
	struct topology *t = topology_open(name, &e);
	cr_assert(ne(ptr, t, NULL), "%s: %s", e.where, e.what);
	return t;
}

/* A machine from the members of its JSON object. */
static inline struct topology *machine_of(const char *members)
{
	struct error e = {0};
	char json[2048];
	snprintf(json, sizeof json, "{\"format\": \"sccl-topology\", \"version\": 1, \"name\": \"t\", %s}", members);
	struct json_document *d = json_document_parse(json, "t.json", &e);
	cr_assert(ne(ptr, d, NULL), "%s: %s", e.where, e.what);
	struct json_place top = json_top(d);
	struct topology *t = topology_read(&top, &e);
	cr_assert(ne(ptr, t, NULL), "%s: %s", e.where, e.what);
	json_document_close(d);
	return t;
}

/* A custom collective from the members of its JSON object, for an algorithm of C = CHUNKS. */
static inline struct collective custom_of(int nodes, int chunks, const char *members)
{
	struct error e = {0};
	char json[2048];
	struct collective k;
	snprintf(json, sizeof json, "{\"kind\": \"custom\", %s}", members);
	struct json_document *d = json_document_parse(json, "custom.json", &e);
	cr_assert(ne(ptr, d, NULL), "%s: %s", e.where, e.what);
	struct json_place top = json_top(d);
	cr_assert(collective_read(&top, nodes, chunks, &k, &e), "%s: %s", e.where, e.what);
	json_document_close(d);
	return k;
}

/* "2: 0 0 1, +1 2 0" is one step of two rounds: a copy of chunk 0 from 0 to 1, and chunk 1 of node 2 added into that of 0. */
static inline struct step step_of(const char *text)
{
	char *end;
	struct step s = {.rounds = (int)strtol(text, &end, 10)};
	s.sends = new_array(struct send, strlen(text));
	s.reduces = new_array(struct send, strlen(text));
	for (end++; *end; end += strspn(end, ", ")) {
		bool adds = end[strspn(end, " ")] == '+';
		int chunk = (int)strtol(end, &end, 10), src = (int)strtol(end, &end, 10), dst = (int)strtol(end, &end, 10);
		struct send send = {chunk, src, dst};
		if (adds)
			s.reduces[s.n_reduces++] = send;
		else
			s.sends[s.n_sends++] = send;
	}
	return s;
}

/* Frees the lists of a custom collective. */
static inline struct algorithm *by_hand(const char *on, struct collective k, int chunks, size_t n_steps,
					const char *const *steps)
{
	struct topology *t = machine(on);
	struct step *list = new_array(struct step, n_steps);
	for (size_t i = 0; i < n_steps; i++)
		list[i] = step_of(steps[i]);
	struct algorithm *a = algorithm_new(t, &k, chunks, n_steps, list, "hand");
	topology_free(t);
	collective_free(&k);
	return a;
}

#define HAND(on, k, chunks, ...) \
	by_hand(on, k, chunks, sizeof((const char *[]){__VA_ARGS__}) / sizeof(char *), (const char *[]){__VA_ARGS__})
#define KIND(k, r) ((struct collective){.kind = (k), .root = (r)})

/* Each chunk goes round once, one hop a step. */
static inline struct algorithm *ring_allgather(int nodes)
{
	char name[32];
	snprintf(name, sizeof name, "ring:%d", nodes);
	struct topology *t = machine(name);
	size_t n = (size_t)nodes;
	struct step *steps = new_array(struct step, n - 1);
	for (size_t s = 0; s + 1 < n; s++) {
		steps[s] = (struct step){.rounds = 1, .n_sends = n, .sends = new_array(struct send, n)};
		for (int c = 0; c < nodes; c++)
			steps[s].sends[c] = (struct send){c, (c + (int)s) % nodes, (c + (int)s + 1) % nodes};
	}
	struct algorithm *a = algorithm_new(t, &KIND(ALLGATHER, 0), 1, n - 1, steps, "hand");
	topology_free(t);
	return a;
}

/* Of A, which is made for the inverse on reversed links; a ring is its own reverse. Frees A. */
static inline struct algorithm *inverse_of(struct algorithm *a, struct collective k)
{
	struct error e = {0};
	struct algorithm *inverse = algorithm_inverted(a, a->topology, &k, &e);
	cr_assert(ne(ptr, inverse, NULL), "%s: %s", e.where, e.what);
	algorithm_free(a);
	return inverse;
}

static inline struct algorithm *ring_reducescatter(int nodes)
{
	return inverse_of(ring_allgather(nodes), KIND(REDUCESCATTER, 0));
}

static inline struct algorithm *ring_allreduce(int nodes)
{
	struct error e = {0};
	struct algorithm *first = ring_reducescatter(nodes), *second = ring_allgather(nodes);
	struct algorithm *both = algorithm_composed(first, second, &e);
	cr_assert(ne(ptr, both, NULL), "%s: %s", e.where, e.what);
	algorithm_free(first);
	algorithm_free(second);
	return both;
}

static inline struct algorithm *line_broadcast(void)
{
	return HAND("line:3", KIND(BROADCAST, 0), 2, "1: 0 0 1", "1: 1 0 1, 0 1 2", "1: 1 1 2");
}

static inline struct algorithm *ring_gather(void)
{
	return HAND("ring:3", KIND(GATHER, 1), 1, "1: 0 0 1, 2 2 1");
}

/* Chunk (k 3 + d) 3 + n goes from n to d. */
static inline struct algorithm *ring_alltoall(void)
{
	return HAND("ring:3", KIND(ALLTOALL, 0), 3, "1: 1 1 0, 2 2 0, 3 0 1, 5 2 1, 6 0 2, 7 1 2");
}

/* A schedule that holds, of every kind; two of custom. */
enum { HANDMADE = COLLECTIVE_KINDS + 1 };
static inline struct algorithm *handmade(int which)
{
	static const char ends[] = "\"pre\": [[0, 0], [1, 2]], \"post\": [[0, 2], [1, 0]]";
	static const char sums[] = "\"combining\": true, \"pre\": [[0, 0], [0, 1], [0, 2]], \"post\": [[0, 0], [0, 2]]";
	switch (which) {
	case ALLGATHER: return ring_allgather(4);
	case BROADCAST: return line_broadcast();
	case GATHER: return ring_gather();
	case SCATTER: return inverse_of(ring_gather(), KIND(SCATTER, 1));
	case ALLTOALL: return ring_alltoall();
	case REDUCE: return inverse_of(line_broadcast(), KIND(REDUCE, 0));
	case REDUCESCATTER: return ring_reducescatter(4);
	case ALLREDUCE: return ring_allreduce(3);
	case SCAN: return HAND("line:3", KIND(SCAN, 0), 1, "1: +0 0 1", "1: +0 1 2");
	case CUSTOM: return HAND("line:3", custom_of(3, 1, ends), 1, "1: 0 0 1, 1 2 1", "1: 0 1 2, 1 1 0");
	default: return HAND("line:3", custom_of(3, 1, sums), 1, "1: +0 0 1", "1: +0 1 2", "1: 0 2 1", "1: 0 1 0");
	}
}

#endif

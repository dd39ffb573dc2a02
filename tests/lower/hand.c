#include "tests/lower/hand.h"

#include "core/base/error.h"
#include "core/base/json.h"
#include "core/machine/topology.h"
#include "core/schedule/transform.h"
#include "core/verify/verify.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <stdio.h>
#include <stdlib.h>

static struct step *step_at(struct hand *h, int step)
{
	while (h->n_steps <= (size_t)step) {
		h->steps = realloc(h->steps, (h->n_steps + 1) * sizeof *h->steps);
		h->steps[h->n_steps++] = (struct step){1, 0, NULL, 0, NULL};
	}
	return &h->steps[step];
}

void hand_send(struct hand *h, int step, int chunk, int src, int dst)
{
	struct step *s = step_at(h, step);

	s->sends = realloc(s->sends, (s->n_sends + 1) * sizeof *s->sends);
	s->sends[s->n_sends++] = (struct send){chunk, src, dst};
}

void hand_reduce(struct hand *h, int step, int chunk, int src, int dst)
{
	struct step *s = step_at(h, step);

	s->reduces = realloc(s->reduces, (s->n_reduces + 1) * sizeof *s->reduces);
	s->reduces[s->n_reduces++] = (struct send){chunk, src, dst};
}

struct algorithm *hand_done(struct hand *h)
{
	struct error e = {0};
	struct topology *t = topology_open(h->topology, &e);

	cr_assert(ne(ptr, t, NULL), "%s: %s", e.where, e.what);
	for (size_t i = 0; i < h->n_steps; i++) /* each send alone would fit, so all of them one by one do */
		h->steps[i].rounds = (int)(h->steps[i].n_sends + h->steps[i].n_reduces);
	struct algorithm *a = algorithm_new(t, &h->collective, h->chunks, h->n_steps, h->steps, "hand");
	struct verdict v = algorithm_verify(a);
	cr_assert(eq(int, v.fault, FAULT_NONE), "%s: %s", a->name, v.why);
	topology_free(t);
	collective_free(&h->collective);
	return a;
}

static struct hand hand(char name[16], const char *shape, int nodes, enum collective_kind kind, int chunks)
{
	snprintf(name, 16, "%s:%d", shape, nodes);
	return (struct hand){name, {kind, 0, NULL}, chunks, 0, NULL};
}

static const char *ring(int nodes)
{
	return nodes > 2 ? "ring" : "line";
}

struct algorithm *hand_allgather_ring(int nodes)
{
	char name[16];
	struct hand h = hand(name, ring(nodes), nodes, ALLGATHER, 1);

	for (int s = 0; s < nodes - 1; s++)
		for (int n = 0; n < nodes; n++)
			hand_send(&h, s, (n - s + nodes) % nodes, n, (n + 1) % nodes);
	return hand_done(&h);
}

static void reduce_round(struct hand *h, int nodes)
{
	for (int s = 0; s < nodes - 1; s++)
		for (int n = 0; n < nodes; n++)
			hand_reduce(h, s, (n - s - 1 + nodes) % nodes, n, (n + 1) % nodes);
}

struct algorithm *hand_reducescatter_ring(int nodes)
{
	char name[16];
	struct hand h = hand(name, ring(nodes), nodes, REDUCESCATTER, nodes);

	reduce_round(&h, nodes);
	return hand_done(&h);
}

struct algorithm *hand_allreduce_ring(int nodes)
{
	struct error e = {0};
	struct algorithm *first = hand_reducescatter_ring(nodes), *then = hand_allgather_ring(nodes);
	struct algorithm *a = algorithm_composed(first, then, &e);

	cr_assert(ne(ptr, a, NULL), "%s: %s", e.where, e.what);
	algorithm_free(first);
	algorithm_free(then);
	return a;
}

struct algorithm *hand_allreduce_direct(int nodes)
{
	char name[16];
	struct hand h = hand(name, "complete", nodes, ALLREDUCE, 1);

	for (int n = 0; n < nodes; n++)
		for (int m = 0; m < nodes; m++)
			if (n != m)
				hand_reduce(&h, 0, 0, n, m);
	return hand_done(&h);
}

struct algorithm *hand_broadcast_line(int nodes, int chunks)
{
	char name[16];
	struct hand h = hand(name, "line", nodes, BROADCAST, chunks);

	for (int c = 0; c < chunks; c++)
		for (int n = 0; n < nodes - 1; n++)
			hand_send(&h, c + n, c, n, n + 1);
	return hand_done(&h);
}

struct algorithm *hand_reduce_line(int nodes)
{
	char name[16];
	struct hand h = hand(name, "line", nodes, REDUCE, 1);

	for (int n = nodes - 1; n > 0; n--)
		hand_reduce(&h, nodes - 1 - n, 0, n, n - 1);
	return hand_done(&h);
}

struct algorithm *hand_gather_line(int nodes)
{
	char name[16];
	struct hand h = hand(name, "line", nodes, GATHER, 1);

	for (int c = 1; c < nodes; c++)
		for (int n = c; n > 0; n--)
			hand_send(&h, c - n, c, n, n - 1);
	return hand_done(&h);
}

struct algorithm *hand_scatter_line(int nodes)
{
	char name[16];
	struct hand h = hand(name, "line", nodes, SCATTER, nodes);

	for (int c = 1; c < nodes; c++)
		for (int n = 0; n < c; n++)
			hand_send(&h, nodes - 1 - c + n, c, n, n + 1);
	return hand_done(&h);
}

struct algorithm *hand_alltoall_direct(int nodes)
{
	char name[16];
	struct hand h = hand(name, "complete", nodes, ALLTOALL, nodes);

	for (int n = 0; n < nodes; n++)
		for (int m = 0; m < nodes; m++)
			if (n != m)
				hand_send(&h, 0, m * nodes + n, n, m);
	return hand_done(&h);
}

struct algorithm *hand_alltoall_ring(int nodes)
{
	char name[16];
	struct hand h = hand(name, ring(nodes), nodes, ALLTOALL, nodes);

	for (int n = 0; n < nodes; n++)
		for (int far = 1; far < nodes; far++)
			for (int hop = 0; hop < far; hop++)
				hand_send(&h, hop, (n + far) % nodes * nodes + n, (n + hop) % nodes, (n + hop + 1) % nodes);
	return hand_done(&h);
}

static struct collective collective_of(const char *json, int nodes)
{
	struct error e = {0};
	struct json_document *d = json_document_parse(json, "collective", &e);
	cr_assert(ne(ptr, d, NULL), "%s: %s", e.where, e.what);
	struct json_place top = json_top(d);
	struct collective k;

	cr_assert(collective_read(&top, nodes, 1, &k, &e), "%s: %s", e.where, e.what);
	json_document_close(d);
	return k;
}

struct algorithm *hand_custom(void)
{
	struct hand h = {.topology = "line:4", .chunks = 1};

	h.collective = collective_of("{\"kind\": \"custom\", \"pre\": [[0,0],[1,0],[2,3],[2,1]],"
				     " \"post\": [[0,3],[1,2],[1,0],[2,0],[0,0],[2,3]]}", 4);
	hand_send(&h, 0, 0, 0, 1);
	hand_send(&h, 0, 2, 1, 0);
	hand_send(&h, 1, 0, 1, 2);
	hand_send(&h, 1, 1, 0, 1);
	hand_send(&h, 2, 0, 2, 3);
	hand_send(&h, 2, 1, 1, 2);
	return hand_done(&h);
}

struct algorithm *hand_custom_sum(void)
{
	struct hand h = {.topology = "line:4", .chunks = 1};

	h.collective = collective_of("{\"kind\": \"custom\", \"combining\": true, \"pre\": [[0,0],[0,2],[1,3],[0,3]],"
				     " \"post\": [[0,1],[0,3],[1,0]]}", 4);
	hand_send(&h, 0, 0, 0, 1);
	hand_reduce(&h, 0, 0, 3, 2);
	hand_reduce(&h, 1, 0, 2, 1);
	hand_send(&h, 1, 1, 3, 2);
	hand_send(&h, 2, 0, 1, 2);
	hand_send(&h, 2, 1, 2, 1);
	hand_send(&h, 3, 0, 2, 3);
	hand_send(&h, 3, 1, 1, 0);
	return hand_done(&h);
}

struct algorithm *hand_replaced(void)
{
	struct hand h = {.topology = "complete:3", .collective = {ALLREDUCE, 0, NULL}, .chunks = 1};

	hand_reduce(&h, 0, 0, 0, 1);
	hand_send(&h, 1, 0, 1, 0); /* 0 holds what 1 holds: both have {0, 1} */
	hand_reduce(&h, 1, 0, 1, 2);
	hand_send(&h, 2, 0, 2, 0);
	hand_send(&h, 2, 0, 2, 1);
	return hand_done(&h);
}

struct algorithm *hand_all(size_t i)
{
	switch (i) {
	case 0: return hand_allgather_ring(2);
	case 1: return hand_allgather_ring(5);
	case 2: return hand_reducescatter_ring(2);
	case 3: return hand_reducescatter_ring(4);
	case 4: return hand_allreduce_ring(2);
	case 5: return hand_allreduce_ring(4);
	case 6: return hand_allreduce_direct(4);
	case 7: return hand_broadcast_line(2, 1);
	case 8: return hand_broadcast_line(4, 3);
	case 9: return hand_reduce_line(4);
	case 10: return hand_gather_line(4);
	case 11: return hand_scatter_line(4);
	case 12: return hand_alltoall_direct(3);
	case 13: return hand_alltoall_ring(4);
	case 14: return hand_custom();
	case 15: return hand_custom_sum();
	case 16: return hand_replaced();
	default: return NULL;
	}
}

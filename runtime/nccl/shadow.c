/*
 * For each NCCL communicator, a communicator of ours with the same ranks. Its slots hold one selector for each kind of
 * call, created collectively when first needed.
 */
#include "runtime/nccl/shadow_inside.h"

#include "runtime/core/agree.h"
#include "runtime/core/plan.h"
#include "runtime/nccl/catalog.h"
#include "runtime/nccl/turns.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct shadow *shadows;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct shadow *find(ncclComm_t comm)
{
	struct shadow *s = shadows;
	while (s && s->real != comm)
		s = s->next;
	return s;
}

bool shadow_is(ncclComm_t comm)
{
	pthread_mutex_lock(&lock);
	bool there = find(comm) != NULL;
	pthread_mutex_unlock(&lock);
	return there;
}

struct shadow *shadow_get(ncclComm_t comm)
{
	pthread_mutex_lock(&lock);
	struct shadow *s = find(comm);
	if (s)
		s->users++;
	pthread_mutex_unlock(&lock);
	return s;
}

void shadow_put(struct shadow *s)
{
	if (!s)
		return;
	pthread_mutex_lock(&lock);
	bool last = --s->users == 0 && s->leaves;
	pthread_mutex_unlock(&lock);
	if (last)
		shadow_release(s);
}

void shadow_keep(struct shadow *s)
{
	pthread_mutex_lock(&lock);
	s->next = shadows;
	shadows = s;
	pthread_mutex_unlock(&lock);
}

static void free_windows(struct shadow *s)
{
	while (s->windows) {
		struct shadow_window *next = s->windows->next;
		sccl_memory_free(s->windows->memory);
		free(s->windows);
		s->windows = next;
	}
}

void shadow_release(struct shadow *s)
{
	while (s->slots) {
		struct shadow_slot *next = s->slots->next;
		sccl_selector_free(s->slots->selector);
		free(s->slots);
		s->slots = next;
	}
	free_windows(s);
	sccl_comm_free(s->comm);
	if (s->socket)
		sccl_socket_close(&s->bootstrap);
	free(s);
}

void shadow_leave(ncclComm_t comm, bool aborts)
{
	struct shadow *s;

	pthread_mutex_lock(&lock);
	struct shadow **at = &shadows;
	while (*at && (*at)->real != comm)
		at = &(*at)->next;
	s = *at;
	if (s) {
		*at = s->next;
		s->leaves = true;
		s->users++;
	}
	pthread_mutex_unlock(&lock);
	if (s && aborts)
		sccl_comm_abort(s->comm);
	shadow_put(s);
}

void shadow_abort(ncclComm_t comm)
{
	struct shadow *s = shadow_get(comm);

	if (s)
		sccl_comm_abort(s->comm);
	shadow_put(s);
}

ncclResult_t shadow_error(ncclComm_t comm)
{
	struct shadow *s = shadow_get(comm);
	char text[1024];
	bool fine = !s || sccl_comm_status(s->comm, text, sizeof text) == SCCL_OK;

	shadow_put(s);
	if (!fine)
		fprintf(stderr, "sccl-nccl: %s\n", text);
	return fine ? ncclSuccess : ncclRemoteError;
}

static bool same_kind(const struct terms_of_call *a, const struct terms_of_call *b)
{
	return strcmp(a->collective, b->collective) == 0 && a->root == b->root && a->type == b->type && a->op == b->op;
}

sccl_status_t shadow_agree(const struct shadow *s, bool mine, bool *all_do)
{
	const struct meeting *m = &s->comm->meeting;
	char one = mine, *all = must_have(calloc(m->ranks, 1));
	sccl_status_t status = sccli_exchange(&m->bootstrap, m->rank, &one, all, 1);
	*all_do = status == SCCL_OK;
	for (uint32_t r = 0; r < m->ranks; r++)
		*all_do = *all_do && all[r];
	free(all);
	return status;
}

/* Collective. Whether to measure numbers of blocks (SCCL_NCCL_ADAPT): between calls the ranks then wait for each other, which
 * one thread cannot do for several of them. */
static sccl_status_t may_adapt(const struct shadow *s, bool *adapts)
{
	const char *asked = getenv("SCCL_NCCL_ADAPT");

	return shadow_agree(s, asked && *asked && *asked != '0' && (s->alone || s->comm->meeting.unit.device->synchronous), adapts);
}

/* Collective, so all ranks reach the same result. */
static void make_slot(const struct shadow *s, struct shadow_slot *slot)
{
	const struct terms_of_call *t = &slot->terms;
	size_t n_choices;
	sccl_choice_t *choices = catalog_choices(catalog_open(), s->ranks, t->collective, t->root, &n_choices);
	const struct meeting *m = &s->comm->meeting;
	sccl_status_t status = sccli_agree(&m->bootstrap, m->rank, m->ranks, SCCL_OK, &(struct terms){{"number of fitting programs"}, {n_choices}});

	bool adapts = false;
	if (status == SCCL_OK && n_choices > 0)
		status = may_adapt(s, &adapts);
	if (status == SCCL_OK && n_choices > 0)
		status = sccl_selector_create(&slot->selector, s->comm, choices, n_choices, t->type, t->op, t->count,
		                              &(sccl_selector_options_t){.adapt = adapts});
	if (status != SCCL_OK || n_choices == 0)
		catalog_log("rank %u: %s: NCCL serves: %s", s->rank, t->collective,
			    status == SCCL_OK ? "no program fits" : sccl_error_text());
	sccl_choices_free(choices);
}

static struct shadow_slot *slot_for(const struct shadow *s, const struct terms_of_call *t)
{
	for (struct shadow_slot *slot = s->slots; slot; slot = slot->next)
		if (same_kind(&slot->terms, t) && t->count <= slot->terms.count)
			return slot;
	return NULL;
}

/* Adds an empty slot with a count rounded up to a power of two, so that calls of growing size do not each create a
 * plan. */
static struct shadow_slot *new_slot(struct shadow *s, const struct terms_of_call *t)
{
	enum { LEAST = 1 << 14 };
	struct shadow_slot *slot = must_have(calloc(1, sizeof *slot));
	uint64_t room = LEAST;

	while (room < t->count)
		room *= 2;
	slot->terms = *t;
	slot->terms.count = room;
	slot->next = s->slots;
	s->slots = slot;
	return slot;
}

/* The calls of a group. */
struct group_of_calls {
	const struct nccl_call *calls;
	struct shadow **shadows; /* of each call's communicator */
	bool *ours;
	ncclResult_t *results;
};

/* Collective where a slot is missing. */
static void decide_one(void *of, size_t i)
{
	struct group_of_calls *g = of;
	const struct nccl_call *c = &g->calls[i];
	struct shadow *s = g->shadows[i];
	struct terms_of_call t;
	const char *why = "the communicator";
	sccl_choice_t choice;

	if (!s || !call_terms(c, s->ranks, &t, &why)) {
		catalog_log("%s: NCCL serves: %s is not supported here", call_name(c), why);
		return;
	}
	struct shadow_slot *slot = slot_for(s, &t);
	if (!slot) {
		slot = new_slot(s, &t);
		make_slot(s, slot);
	}
	g->ours[i] = slot->selector && sccl_selector_choice(slot->selector, t.count, &choice, NULL, 0) == SCCL_OK &&
		     call_matches(c, &t, choice.program);
}

static void run_one(void *of, size_t i)
{
	struct group_of_calls *g = of;
	const struct nccl_call *c = &g->calls[i];
	struct shadow *s = g->shadows[i];
	struct terms_of_call t;
	const char *why;

	if (!g->ours[i])
		return;
	call_terms(c, s->ranks, &t, &why);
	sccl_selector_t *selector = slot_for(s, &t)->selector;
	sccl_status_t status = c->has_factor ? sccl_selector_factor(selector, &c->factor) : SCCL_OK;
	if (status == SCCL_OK)
		status = sccli_selector_run(selector, &(struct sccl_call){c->in, c->out, t.count, c->stream, call_is_staged(c)});
	if (status == SCCL_OK)
		return;
	if (!s->fails)
		fprintf(stderr, "sccl-nccl: %s: rank %u: %s\n", call_name(c), s->rank, sccl_error_text());
	s->fails = true;
	g->results[i] = ncclSystemError;
}

/* Another process may make the same calls one by one, and the next one only when this one is complete. */
static void decide_and_run_one(void *of, size_t i)
{
	decide_one(of, i);
	run_one(of, i);
}

static ncclComm_t comm_of_call(const void *of, size_t i)
{
	return ((const struct group_of_calls *)of)->calls[i].comm;
}

/* No call waits for another rank, unless it is far ahead. */
static void enqueue_all(struct group_of_calls *g, size_t n)
{
	uint64_t *numbers = must_have(calloc(n ? n : 1, sizeof *numbers));
	size_t *order = must_have(calloc(n ? n : 1, sizeof *order));

	for (size_t i = 0; i < n; i++)
		numbers[i] = g->shadows[i] ? g->shadows[i]->comm->number : 0;
	turns_order(g->calls, numbers, n, order);
	for (size_t i = 0; i < n; i++)
		run_one(g, order[i]);
	free(order);
	free(numbers);
}

ncclResult_t shadows_serve(const struct nccl_call *calls, size_t n, bool *ours)
{
	ncclResult_t result = ncclSuccess;
	struct group_of_calls g = {calls, must_have(calloc(n ? n : 1, sizeof(struct shadow *))), ours,
				    must_have(calloc(n ? n : 1, sizeof(ncclResult_t)))};

	for (size_t i = 0; i < n; i++) {
		ours[i] = false;
		g.shadows[i] = shadow_get(calls[i].comm);
		if (g.shadows[i])
			g.shadows[i]->fails = false;
	}
	if (strcmp(catalog_open()->target, "host") == 0) { /* a call is complete when it returns */
		turns_by_comm(decide_and_run_one, &g, n, comm_of_call);
	} else {
		turns_by_comm(decide_one, &g, n, comm_of_call);
		enqueue_all(&g, n);
	}
	for (size_t i = 0; i < n; i++) {
		result = g.results[i] != ncclSuccess ? g.results[i] : result;
		shadow_put(g.shadows[i]);
	}
	free(g.shadows);
	free(g.results);
	return result;
}

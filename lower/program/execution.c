/*
 * Execution in one order. Ranks take turns, each running until an instruction blocks; this ends when all programs have
 * ended or no rank can proceed. Then the chain of waiting ranks is followed to its cause.
 */

#include "lower/program/execution.h"

#include "lower/program/program.h"

#include "core/schedule/algorithm.h"
#include "core/base/error.h"
#include "core/base/memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

bool program_fault(const struct program *p, int rank, size_t instruction, struct error *e, const char *format, ...)
{
	const struct instruction *i = &p->of[rank].instructions[instruction];
	char where[sizeof e->where], what[sizeof e->what];
	va_list ap;

	va_start(ap, format);
	vsnprintf(what, sizeof what, format, ap);
	va_end(ap);
	snprintf(where, sizeof where, "%.300s: rank %d, instruction %zu (%s, step %d)", p->algorithm->name, rank, instruction,
		 instruction_names[i->kind], i->step);
	return error_set(e, ERROR_SYSTEM, where, "%s", what);
}

static int pair_order(const void *va, const void *vb)
{
	const int *a = va, *b = vb;
	return a[0] != b[0] ? a[0] - b[0] : a[1] - b[1];
}

/* The connection of an instruction. False: it has none. */
static bool ends(int rank, const struct instruction *i, int *from, int *to)
{
	bool writes = i->kind == INSTRUCTION_SIGNAL || i->kind == INSTRUCTION_CREDIT;

	*from = writes ? rank : i->peer;
	*to = writes ? i->peer : rank;
	return i->kind != INSTRUCTION_MOVE && i->kind != INSTRUCTION_SYNC;
}

struct connections program_connections(const struct program *p)
{
	struct connections c = {0};
	size_t n = 0, capacity = 0;

	for (int r = 0; r < p->ranks; r++)
		for (size_t i = 0; i < p->of[r].n; i++) {
			int from, to;
			if (!ends(r, &p->of[r].instructions[i], &from, &to))
				continue;
			c.of = grown(c.of, &capacity, n + 1, sizeof *c.of);
			c.of[n].from = from;
			c.of[n++].to = to;
		}
	if (n)
		qsort(c.of, n, sizeof *c.of, pair_order);
	for (size_t i = 0; i < n; i++)
		if (i == 0 || pair_order(&c.of[c.n - 1], &c.of[i]) != 0)
			c.of[c.n++] = c.of[i];
	return c;
}

void connections_free(struct connections *c)
{
	free(c->of);
	*c = (struct connections){0};
}

size_t connections_find(const struct connections *c, int from, int to)
{
	int key[2] = {from, to};
	size_t low = 0, high = c->n;

	while (high - low > 1) {
		size_t middle = (low + high) / 2;
		if (pair_order(key, &c->of[middle]) < 0)
			high = middle;
		else
			low = middle;
	}
	return low;
}

struct execution {
	const struct program *p;
	struct connections connections;
	size_t *next;  /* of each rank: its next instruction */
	int *signals;  /* of each connection: how many have been sent */
	bool *offered; /* of each connection */
	bool **sent;   /* [rank][packet slot] */
};

enum go { GO_ON, GO_WAITS, GO_STOPS };

/* Does this instruction of RANK read a packet that has not arrived yet? *from is the sender. */
static bool lacks_packet(const struct execution *w, int rank, const struct instruction *i, int *from)
{
	for (size_t k = 0; k < i->n_sources; k++)
		if (i->sources[k].buffer == BUFFER_PACKET && !w->sent[rank][i->sources[k].slot]) {
			*from = w->p->packets[rank].of[i->sources[k].slot].from;
			return true;
		}
	return false;
}

static enum go step(struct execution *w, int rank, struct error *e)
{
	const struct instruction *i = &w->p->of[rank].instructions[w->next[rank]];
	int from, to;

	if (lacks_packet(w, rank, i, &from))
		return GO_WAITS;
	for (size_t k = 0; k < i->n_targets; k++)
		if (i->targets[k].buffer == BUFFER_PACKET)
			w->sent[i->targets[k].rank][i->targets[k].slot] = true;
	if (w->p->packets_only || !ends(rank, i, &from, &to)) /* with packets, credits come from earlier calls */
		return GO_ON;
	size_t c = connections_find(&w->connections, from, to);
	switch (i->kind) {
	case INSTRUCTION_OFFER:
		w->offered[c] = true;
		return GO_ON;
	case INSTRUCTION_CREDIT:
		return w->offered[c] ? GO_ON : GO_WAITS;
	case INSTRUCTION_WAIT:
		return w->signals[c] >= i->k ? GO_ON : GO_WAITS;
	case INSTRUCTION_SIGNAL:
		if (++w->signals[c] == i->k)
			return GO_ON;
		program_fault(w->p, rank, w->next[rank], e, "signal %d to rank %d is given as number %d", i->k, to, w->signals[c]);
		return GO_STOPS;
	case INSTRUCTION_MOVE:
	case INSTRUCTION_SYNC:
	case INSTRUCTION_KINDS:
		break;
	}
	return GO_ON;
}

/* Runs the rank until it blocks or ends. False with *e set: stopped. */
static bool advance(struct execution *w, int rank, bool (*visit)(void *, int, size_t, struct error *), void *context,
		    bool *moved, struct error *e)
{
	while (w->next[rank] < w->p->of[rank].n) {
		enum go go = step(w, rank, e);
		if (go == GO_STOPS)
			return false;
		if (go == GO_WAITS)
			return true;
		if (!visit(context, rank, w->next[rank], e))
			return false;
		w->next[rank]++;
		*moved = true;
	}
	return true;
}

/* Does the rest of RANK's program contain the signal or offer for which WAITER's instruction waits? */
static bool given_later(const struct execution *w, int rank, int waiter, const struct instruction *i)
{
	enum instruction_kind kind = i->kind == INSTRUCTION_WAIT ? INSTRUCTION_SIGNAL : INSTRUCTION_OFFER;

	for (size_t n = w->next[rank]; n < w->p->of[rank].n; n++) {
		const struct instruction *other = &w->p->of[rank].instructions[n];
		if (other->kind == kind && other->peer == waiter && other->k >= i->k)
			return true;
	}
	return false;
}

/* No rank can proceed. Starting from RANK, follows the ranks that wait for one another to one that waits for something
 * that never comes, or around a cycle, and reports it. Returns false. */
static bool stuck(const struct execution *w, int rank, struct error *e)
{
	for (int hops = 0;; hops++) {
		const struct instruction *i = &w->p->of[rank].instructions[w->next[rank]];
		int from;
		if (lacks_packet(w, rank, i, &from)) {
			if (hops >= w->p->ranks || w->next[from] == w->p->of[from].n)
				return program_fault(w->p, rank, w->next[rank], e, "a packet from rank %d never arrives", from);
			rank = from;
			continue;
		}
		if (!given_later(w, i->peer, rank, i))
			return i->kind == INSTRUCTION_WAIT
				       ? program_fault(w->p, rank, w->next[rank], e, "signal %d from rank %d is never given",
						       i->k, i->peer)
				       : program_fault(w->p, rank, w->next[rank], e, "rank %d never offers its memory", i->peer);
		if (hops == w->p->ranks)
			return program_fault(w->p, rank, w->next[rank], e, "ranks wait for each other in a cycle: this one for rank %d",
					     i->peer);
		rank = i->peer;
	}
}

bool program_execute(const struct program *p, bool (*visit)(void *context, int rank, size_t instruction, struct error *e),
		  void *context, struct error *e)
{
	struct execution w = {.p = p, .connections = program_connections(p)};
	bool moved = true, good = true;

	w.next = new_array(size_t, (size_t)p->ranks);
	w.signals = new_array(int, w.connections.n);
	w.offered = new_array(bool, w.connections.n);
	w.sent = new_array(bool *, (size_t)p->ranks);
	for (int r = 0; r < p->ranks; r++)
		w.sent[r] = new_array(bool, p->packets[r].n);
	while (good && moved) {
		moved = false;
		for (int r = 0; good && r < p->ranks; r++)
			good = advance(&w, r, visit, context, &moved, e);
	}
	for (int r = 0; good && r < p->ranks; r++)
		if (w.next[r] < p->of[r].n)
			good = stuck(&w, r, e);
	free(w.next);
	free(w.signals);
	free(w.offered);
	for (int r = 0; r < p->ranks; r++)
		free(w.sent[r]);
	free(w.sent);
	connections_free(&w.connections);
	return good;
}

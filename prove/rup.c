/*
 * Unit propagation for replaying a trace: two watched literals per clause, and a trail whose prefix, the literals
 * implied by the clauses alone, is permanent.
 */

#include "prove/rup_parts.h"

#include "core/base/memory.h"
#include "core/base/work.h"

#include <stdlib.h>
#include <string.h>

/* Literals as indices: 2 v for v, 2 v + 1 for its negation. */
static size_t index_of(int literal)
{
	return literal > 0 ? 2 * (size_t)literal : 2 * (size_t)-literal + 1;
}

static bool is_true(const struct rup *r, int literal)
{
	return r->value[index_of(literal)] > 0;
}

static bool is_false(const struct rup *r, int literal)
{
	return r->value[index_of(literal)] < 0;
}

static void assign(struct rup *r, int literal, uint32_t reason)
{
	r->value[index_of(literal)] = 1;
	r->value[index_of(-literal)] = -1;
	r->reason[abs(literal)] = reason;
	r->trail[r->n_trail++] = literal;
}

/* ---- propagation ---- */

static void watch(struct rup *r, int literal, uint32_t begin, int other)
{
	struct watches *w = &r->watches[index_of(literal)];
	w->all = grown(w->all, &w->capacity, w->n + 1, sizeof *w->all);
	w->all[w->n++] = (struct watcher){begin, other};
}

/* The clause whose literals begin there; NO_CLAUSE: it is gone. */
static uint32_t clause_at(const struct rup *r, uint32_t begin)
{
	return (uint32_t)r->literals[begin - 1];
}

/*
 * Moves the watched LITERAL, which is false, to second place and looks for a replacement; true: found, and it is
 * watched now.
 */
static bool watch_another(struct rup *r, uint32_t begin, int literal)
{
	int *l = r->literals + begin;
	uint32_t next = 2;

	if (l[0] == literal) {
		l[0] = l[1];
		l[1] = literal;
	}
	if (is_true(r, l[0]))
		return false;
	while (l[next] && is_false(r, l[next]))
		next++;
	work_spend(next);
	if (!l[next])
		return false;
	l[1] = l[next];
	l[next] = literal;
	watch(r, l[1], begin, l[0]);
	return true;
}

/*
 * LITERAL has become false: each clause that watches it finds another literal, becomes unit, or is falsified. Returns a
 * falsified clause, or NO_CLAUSE.
 */
static uint32_t visit(struct rup *r, int literal)
{
	struct watches *w = &r->watches[index_of(literal)];
	uint32_t conflict = NO_CLAUSE;
	size_t kept = 0, i = 0;

	work_spend((double)w->n + 1);
	while (i < w->n && conflict == NO_CLAUSE) {
		struct watcher at = w->all[i++];
		bool done = is_true(r, at.other);
		if (!done && (clause_at(r, at.begin) == NO_CLAUSE || watch_another(r, at.begin, literal)))
			continue;
		int first = done ? at.other : r->literals[at.begin];
		w->all[kept++] = (struct watcher){at.begin, first};
		if (is_false(r, first))
			conflict = clause_at(r, at.begin);
		else if (!is_true(r, first))
			assign(r, first, clause_at(r, at.begin));
	}
	while (i < w->n)
		w->all[kept++] = w->all[i++];
	w->n = kept;
	return conflict;
}

static uint32_t propagate(struct rup *r)
{
	uint32_t conflict = NO_CLAUSE;
	while (conflict == NO_CLAUSE && r->n_propagated < r->n_trail && !work_is_over())
		conflict = visit(r, -r->trail[r->n_propagated++]);
	return conflict;
}

static void take_back(struct rup *r)
{
	while (r->n_trail > r->n_forever) {
		int literal = r->trail[--r->n_trail];
		r->value[index_of(literal)] = r->value[index_of(-literal)] = 0;
	}
	r->n_propagated = r->n_forever;
}

/* Does assuming the negation of all literals of L lead to a conflict by unit propagation? */
bool rup_follows(struct rup *r, const int *l, uint32_t n)
{
	uint32_t conflict = NO_CLAUSE;

	for (uint32_t i = 0; i < n && conflict == NO_CLAUSE; i++)
		if (is_true(r, l[i])) /* implied before, or L is a tautology: no clause is falsified */
			conflict = r->reason[abs(l[i])] == NO_CLAUSE ? NO_CLAUSE - 1 : r->reason[abs(l[i])];
		else if (!is_false(r, l[i]))
			assign(r, -l[i], NO_CLAUSE);
	if (conflict == NO_CLAUSE)
		conflict = propagate(r);
	if (conflict != NO_CLAUSE && r->records)
		rup_record(r, conflict);
	take_back(r);
	return conflict != NO_CLAUSE;
}

/* ---- the clauses ---- */

static int by_value(const void *va, const void *vb)
{
	const int *a = va, *b = vb;
	return (*a > *b) - (*a < *b);
}

/* Sorts the literals and drops duplicates; returns the new length. */
static uint32_t normal(int *l, uint32_t n)
{
	uint32_t kept = 0;

	if (n > 1)
		qsort(l, n, sizeof *l, by_value);
	for (uint32_t i = 0; i < n; i++)
		if (i == 0 || l[i] != l[kept - 1])
			l[kept++] = l[i];
	return kept;
}

/* Independent of the order of the literals. */
static uint32_t hash(const int *l, uint32_t n)
{
	uint32_t sum = n;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t x = (uint32_t)l[i] * 0x9e3779b1u;
		sum += (x ^ x >> 15) * 0x85ebca6bu;
	}
	return sum ^ sum >> 16;
}

static void into_bucket(struct rup *r, uint32_t clause)
{
	struct rup_clause *k = &r->clauses[clause];
	uint32_t *head = &r->buckets[k->hash & (r->n_buckets - 1)];
	k->next = *head;
	*head = clause;
}

static void grow_buckets(struct rup *r)
{
	free(r->buckets);
	r->n_buckets *= 2;
	r->buckets = new_array(uint32_t, r->n_buckets);
	for (size_t i = 0; i < r->n_buckets; i++)
		r->buckets[i] = NO_CLAUSE;
	for (size_t i = 0; i < r->n_clauses; i++)
		if (clause_at(r, r->clauses[i].begin) != NO_CLAUSE)
			into_bucket(r, (uint32_t)i);
}

/*
 * Moves two literals that are not false to the front and watches them. A single one is implied permanently; none is a
 * conflict.
 */
static void attach(struct rup *r, uint32_t clause)
{
	const struct rup_clause *k = &r->clauses[clause];
	int *l = r->literals + k->begin;
	uint32_t open = 0;

	for (uint32_t i = 0; i < k->size; i++) {
		if (is_true(r, l[i]))
			return;
		if (!is_false(r, l[i]) && open < 2) {
			int other = l[open];
			l[open++] = l[i];
			l[i] = other;
		}
	}
	if (open >= 2) {
		watch(r, l[0], k->begin, l[1]);
		watch(r, l[1], k->begin, l[0]);
		return;
	}
	if (open == 1)
		assign(r, l[0], clause);
	if (open == 0 && r->conflict == NO_CLAUSE)
		r->conflict = clause;
}

static void settle(struct rup *r)
{
	uint32_t conflict = propagate(r);
	if (r->conflict == NO_CLAUSE)
		r->conflict = conflict;
	r->n_forever = r->n_trail;
}

/* Steps to sort, hash and store a literal and a clause. */
enum { LITERAL = 4, CLAUSE = 16 };

static bool put(struct rup *r, int *l, uint32_t n)
{
	n = normal(l, n);
	size_t room = (size_t)n + 2;
	if (r->n_clauses >= NO_CLAUSE - 1 || room > UINT32_MAX - r->n_literals)
		return false;
	work_spend(LITERAL * (double)n + CLAUSE);
	r->literals = grown(r->literals, &r->literals_capacity, r->n_literals + room, sizeof *r->literals);
	int *at = r->literals + r->n_literals;
	at[0] = (int)r->n_clauses;
	if (n)
		memcpy(at + 1, l, n * sizeof *l);
	at[n + 1] = 0;
	r->clauses = grown(r->clauses, &r->clauses_capacity, r->n_clauses + 1, sizeof *r->clauses);
	r->clauses[r->n_clauses++] = (struct rup_clause){(uint32_t)r->n_literals + 1, n, hash(l, n), NO_CLAUSE};
	r->n_literals += room;
	if (r->n_clauses > r->n_buckets)
		grow_buckets(r);
	else
		into_bucket(r, (uint32_t)r->n_clauses - 1);
	attach(r, (uint32_t)r->n_clauses - 1);
	return true;
}

bool rup_add(struct rup *r, int *l, uint32_t n)
{
	if (!put(r, l, n))
		return false;
	settle(r);
	return true;
}

static bool is_marked(const struct rup *r, const struct rup_clause *k)
{
	for (uint32_t i = 0; i < k->size; i++)
		if (!r->mark[index_of(r->literals[k->begin + i])])
			return false;
	return true;
}

/* Drops watchers of clauses that are gone, or true for ever. */
static void sweep(struct rup *r)
{
	for (size_t i = 0; i < 2 * ((size_t)r->variables + 1); i++) {
		struct watches *w = &r->watches[i];
		size_t kept = 0;

		work_spend((double)w->n + 1);
		for (size_t at = 0; at < w->n; at++)
			if (!is_true(r, w->all[at].other) && clause_at(r, w->all[at].begin) != NO_CLAUSE)
				w->all[kept++] = w->all[at];
		w->n = kept;
	}
	r->n_gone = 0;
}

bool rup_delete(struct rup *r, int *l, uint32_t n)
{
	enum { SWEPT = 1000 };

	n = normal(l, n);
	uint32_t h = hash(l, n), *at = &r->buckets[h & (r->n_buckets - 1)];

	for (uint32_t i = 0; i < n; i++)
		r->mark[index_of(l[i])] = 1;
	for (; *at != NO_CLAUSE && work_spend(1); at = &r->clauses[*at].next) {
		const struct rup_clause *k = &r->clauses[*at];
		if (k->hash == h && k->size == n && work_spend(n) && is_marked(r, k))
			break;
	}
	for (uint32_t i = 0; i < n; i++)
		r->mark[index_of(l[i])] = 0;
	if (*at == NO_CLAUSE)
		return false;
	r->literals[r->clauses[*at].begin - 1] = NO_CLAUSE;
	*at = r->clauses[*at].next;
	if (++r->n_gone > SWEPT + r->n_clauses / 8)
		sweep(r);
	return true;
}

static void take_formula(struct rup *r, const struct cnf *f)
{
	size_t capacity = 0;
	int *clause = NULL;

	for (size_t i = 0, n = 0; i < f->n_literals && !work_is_over(); i++) {
		if (f->literals[i]) {
			clause = grown(clause, &capacity, n + 1, sizeof *clause);
			clause[n++] = f->literals[i];
			continue;
		}
		put(r, clause, (uint32_t)n);
		n = 0;
	}
	free(clause);
	settle(r);
	r->n_formula = r->n_clauses;
}

struct rup *rup_new(const struct cnf *f, bool records)
{
	struct rup *r = new(struct rup);
	size_t indices = 2 * ((size_t)f->variables + 1);

	r->variables = f->variables;
	r->n_buckets = 512;
	r->value = new_array(signed char, indices);
	r->mark = new_array(unsigned char, indices);
	r->watches = new_array(struct watches, indices);
	r->reason = new_array(uint32_t, (size_t)f->variables + 1);
	r->trail = new_array(int, (size_t)f->variables + 1);
	r->conflict = NO_CLAUSE;
	grow_buckets(r);
	take_formula(r, f);
	r->records = records;
	return r;
}

void rup_free(struct rup *r)
{
	for (size_t i = 0; i < 2 * ((size_t)r->variables + 1); i++)
		free(r->watches[i].all);
	free(r->watches);
	free(r->clauses);
	free(r->literals);
	free(r->buckets);
	free(r->value);
	free(r->reason);
	free(r->trail);
	free(r->mark);
	free(r->uses);
	free(r->uses_begin);
	free(r);
}

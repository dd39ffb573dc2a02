#ifndef SCCL_PROVE_RUP_PARTS_H
#define SCCL_PROVE_RUP_PARTS_H

/* What the files of prove/rup*.c share: the state of a replay. */

#include "prove/rup.h"

#include <stdint.h>

enum { NO_CLAUSE = 0x7fffffff }; /* and more are never there */

struct rup_clause {
	size_t begin; /* in literals */
	uint32_t size, hash, next; /* of the same bucket */
	bool gone;
};

struct watcher {
	uint32_t clause;
	int other; /* a literal of it: while that is true there is nothing to do */
};

struct watches {
	size_t n, capacity;
	struct watcher *all;
};

struct rup {
	int variables;
	size_t n_clauses, clauses_capacity, n_literals, literals_capacity;
	struct rup_clause *clauses; /* those of the formula first */
	int *literals;
	uint32_t *buckets; /* by hash; NO_CLAUSE ends a chain */
	size_t n_buckets;

	signed char *value;      /* by index_of(literal): 1 true, -1 false, 0 open */
	uint32_t *reason;        /* by variable: the clause that made it so; NO_CLAUSE: assumed */
	int *trail;
	size_t n_trail, n_propagated, n_forever; /* the trail up to n_forever is never taken back */
	struct watches *watches; /* by index_of(literal) */
	unsigned char *mark;     /* by index_of(literal); all 0 between calls */
	uint32_t conflict;       /* a clause that is false forever; NO_CLAUSE: not yet */

	/* For trimming: what each clause of the trace follows from, clauses and (with ROOT) variables that are true forever. */
	bool records;
	size_t n_formula;
	size_t n_uses, uses_capacity, begins_capacity;
	uint32_t *uses;
	size_t *uses_begin; /* by clause of the trace, and one past them */
};

#define ROOT (UINT32_C(1) << 31)

struct rup *rup_new(const struct cnf *f, bool records);
void rup_free(struct rup *r);

/* A clause for good: L may be changed (sorted, each once). False: there are too many. */
bool rup_add(struct rup *r, int *l, uint32_t n);
bool rup_follows(struct rup *r, const int *l, uint32_t n);
bool rup_delete(struct rup *r, int *l, uint32_t n); /* false: no such clause */

/* What made the clause at hand false: called by rup_follows before the trail is taken back. */
void rup_record(struct rup *r, uint32_t conflict);

/* A line of a trace: 'a' or 'd'. Grows *l. */
struct trace_line {
	char kind;
	uint32_t n;
	size_t capacity;
	int *l;
};

#endif

#ifndef SCCL_PROVE_RUP_PARTS_H
#define SCCL_PROVE_RUP_PARTS_H

/* The state of a replay, shared by prove/rup*.c. */

#include "prove/rup.h"

#include <stdint.h>

enum { NO_CLAUSE = 0x7fffffff }; /* larger than any clause number */

/* A clause in the hash table. */
struct rup_clause {
	uint32_t begin; /* in literals */
	uint32_t size, hash, next; /* next: in the same bucket */
};

/* An entry in the watch list of a literal. */
struct watcher {
	uint32_t begin; /* of the clause, in literals */
	int other; /* another literal of the clause: while it is true there is nothing to do */
};

/* The clauses that watch one literal. */
struct watches {
	size_t n, capacity;
	struct watcher *all;
};

/* Clauses, assignment and watch lists; released by rup_free. */
struct rup {
	int variables;
	size_t n_clauses, clauses_capacity, n_literals, literals_capacity;
	struct rup_clause *clauses; /* those of the formula first */
	int *literals; /* of each clause, after its number, or NO_CLAUSE once it is gone, and before a 0: all that propagation reads */
	size_t n_gone; /* clauses that are gone and perhaps still watched */
	uint32_t *buckets; /* by hash; NO_CLAUSE ends a chain */
	size_t n_buckets;

	signed char *value;      /* by index_of(literal): 1 true, -1 false, 0 unassigned */
	uint32_t *reason;        /* by variable: the clause that implied it; NO_CLAUSE: assumed */
	int *trail;
	size_t n_trail, n_propagated, n_forever; /* the trail up to n_forever is permanent */
	struct watches *watches; /* by index_of(literal) */
	unsigned char *mark;     /* by index_of(literal); all 0 between calls */
	uint32_t conflict;       /* a clause that is permanently falsified; NO_CLAUSE: none yet */

	/*
	 * For trimming: what each clause of the trace follows from, namely clauses and (with ROOT) permanently assigned
	 * variables.
	 */
	bool records;
	size_t n_formula;
	size_t n_uses, uses_capacity, begins_capacity;
	uint32_t *uses;
	size_t *uses_begin; /* by clause of the trace, and one past the last */
};

/* Marks a variable, not a clause, in uses. */
#define ROOT (UINT32_C(1) << 31)

/* Takes the clauses of F. RECORDS: keeps what rup_trim needs. */
struct rup *rup_new(const struct cnf *f, bool records);
void rup_free(struct rup *r);

/* Adds a clause permanently; L is sorted and duplicates are dropped. False: there are too many clauses. */
bool rup_add(struct rup *r, int *l, uint32_t n);
/* Does the clause follow from the present ones by unit propagation (RUP)? */
bool rup_follows(struct rup *r, const int *l, uint32_t n);
bool rup_delete(struct rup *r, int *l, uint32_t n); /* false: no such clause */

/* Records the clauses and variables that lead to CONFLICT. Called by rup_follows before it undoes the trail. */
void rup_record(struct rup *r, uint32_t conflict);

/* A line of a trace, 'a' or 'd'; l is owned and grows as needed. */
struct trace_line {
	char kind;
	uint32_t n;
	size_t capacity;
	int *l;
};

#endif

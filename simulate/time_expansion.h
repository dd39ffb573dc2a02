#ifndef SCCL_SIMULATE_TIME_EXPANSION_H
#define SCCL_SIMULATE_TIME_EXPANSION_H

/* Prices in expanded time; internal to simulate/time_expan*.c, and described in time_expanded.c. */

#include "core/schedule/collective.h"
#include "simulate/fabric.h"

#include <stdint.h>

struct text;
struct topology;

enum { SLOTS_MAX = 24, NONE = -1, UNIT = 1000000 /* of time in a microsecond */ };

/* What one node has, or contributes, of a chunk. */
struct good {
	int chunk, from;
};

/* A machine and a collective, and for one time T its slots and their program. The caller frees the lists. */
struct expansion {
	const struct topology *topology;
	const struct fabric *fabric;
	struct collective collective; /* scaled to `chunks` */
	int nodes, chunks;
	bool combines;
	int64_t *delay;       /* [route]; in units of time */
	bool *priced;         /* [resource] */
	size_t n_goods;
	struct good *goods;
	/* For one T: */
	int slots;
	int64_t begin[SLOTS_MAX + 1]; /* the last is T */
	int n_columns, *worth, *toll, *part, *price; /* columns: [good * nodes + node], [(good * routes + route) * slots + slot] twice,
							* [resource * slots + slot]; NONE */
	int *arrives;   /* [route * slots + slot]: expansion_arrival when it was solved; owned, as are the columns */
	int64_t *value; /* [column]: the solution in integers; owned. NULL: there is none. */
};

/* Does V want what the good's node has of its chunk? */
bool expansion_wants(const struct expansion *x, struct good g, int v);

/* The slot in which what starts with slot I over route R arrives; x->slots: none, it would be too late. */
int expansion_arrival(const struct expansion *x, size_t r, int i);

static inline size_t at_route(const struct expansion *x, size_t good, size_t route, int slot)
{
	return (good * x->fabric->n_routes + route) * (size_t)x->slots + (size_t)slot;
}

static inline size_t at_resource(const struct expansion *x, int resource, int slot)
{
	return (size_t)resource * (size_t)x->slots + (size_t)slot;
}

/* Of a column that is not NONE; else 0. */
static inline int64_t value_at(const struct expansion *x, int column)
{
	return column == NONE ? 0 : x->value[column];
}

/*
 * Solves the program for the slots, numbers its columns and fills in their values in integers, to be released by expansion_forget.
 * False: there is nothing to be released, since the program is too large, or there was not enough time.
 */
bool expansion_solve(struct expansion *x);
/* Input bytes beyond which the solution shows that the time is too short, with slots as they are; INFINITY: none. */
double expansion_bytes(const struct expansion *x);
void expansion_forget(struct expansion *x); /* the solution, if there is one */
/* The line of a certificate for BYTES. */
void expansion_write(const struct expansion *x, int64_t bytes, struct text *into);

#endif

#ifndef SCCL_CORE_MACHINE_PRICES_H
#define SCCL_CORE_MACHINE_PRICES_H

/*
 * Prices of capacity, i.e. dual values of a multicommodity flow: of a limit, or of an edge's own bandwidth if no limit
 * on it is as narrow. A chunk that crosses an edge pays the price of that edge and of all limits that it is subject to,
 * so on any path it pays at least the length of the shortest. What one round carries pays at most the sum of prices
 * times bandwidths. The quotient is a lower bound on rounds, for core/bounds/.
 */

#include "core/base/csr.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct error;
struct json_place;
struct network;
struct text;

/* The price of an edge or of a limit of the network. */
struct price {
	int src, dst;  /* of the edge, if limit is -1 */
	int limit;     /* its index among the network's limits; -1: the price is of an edge */
	int64_t price; /* 1 to PRICE_MAX */
	char name[24]; /* of a limit, for display; empty: none */
};

enum { PRICE_MAX = 1 << 20 };

/*
 * `"prices": [[src, dst, price], ...], "limit_prices": [[limit, price], ...]`. The caller frees the *LIST that
 * prices_read returns, even after an error; NULL if there are no prices.
 */
void prices_write(const struct price *list, size_t n, struct text *into);
bool prices_read(const struct json_place *of, int nodes, struct price **list, size_t *n, struct error *e);

/* The items that can have a price, numbered: edges first, then all limits. */
struct price_list {
	const struct network *w; /* borrowed */
	int n, n_edges;          /* items; edges among them */
	int *edge;               /* [number < n_edges]: the edge, ascending; number n_edges + l is limit l */
	int64_t *width;          /* [number]: its bandwidth */
	struct csr paid;         /* by edge: the numbers that a chunk pays there */
};

/* ALL: include edges whose bandwidth is redundant because a limit on them is as narrow. Owned by the caller. */
void price_list_new(const struct network *w, bool all, struct price_list *out);
void price_list_free(struct price_list *f);

/* Computes LENGTHS [edge], what a chunk pays to cross it, from PRICES [number]. All are nonnegative. */
void price_list_lengths(const struct price_list *f, const int64_t *prices, int64_t *lengths);

/*
 * Shortest paths from FROM under LENGTHS (Dijkstra): DISTANCE [node], -1: unreachable; ORDER: the reachable nodes,
 * nearest first. Returns their number.
 */
int price_list_distances(const struct price_list *f, const int64_t *lengths, int from, int64_t *distance, int *order);

/*
 * Expands the N prices of LIST into PRICES [number], 0 where there is none. False: LIST names something that has no
 * number, or names something twice.
 */
bool price_list_fill(const struct price_list *f, const struct price *list, size_t n, int64_t *prices);

/* How many chunks must go from each node to each other one. */
struct demands {
	int *of;    /* [from * nodes + to]: chunks, if C is unit; owned by its creator */
	int unit;
	bool uniform; /* the same for all pairs */
};

/*
 * Evaluates PRICES [number] exactly: all chunks together must pay at least *PAID, and one round can pay at most *ROUND,
 * so that R is at least *PAID / *ROUND. False: the numbers are too large, the computation takes too long, or *ROUND is
 * 0.
 */
bool price_list_show(const struct price_list *f, const int64_t *prices, const struct demands *d, int64_t *paid, int64_t *round);

/*
 * Searches for the PRICES [number] that maximize this quotient, in floating point. SEARCH_IN_VAIN: none were found that
 * give more than KNOWN. SEARCH_CUT_SHORT: there may be better ones. SEARCH_ENDED: they are the best.
 */
enum searched { SEARCH_IN_VAIN, SEARCH_CUT_SHORT, SEARCH_ENDED };
enum searched prices_search(const struct price_list *f, const struct demands *d, double known, double *prices);

/*
 * Orbits under the machine's automorphisms: items in the same orbit can have the same price without loss, and nodes in
 * the same orbit then pay the same. Classes are numbered in the order of their first members.
 */
struct price_orbits {
	int n_nodes, n;     /* classes of nodes; of items with a price */
	int *node, *number; /* [node], [number]: its class */
	int *first, *size;  /* [class of nodes]: its first node; how many it has */
};

/* SEARCHED false: no automorphisms are searched for, and each class has one member. Owned by the caller. */
void price_orbits_new(const struct price_list *f, bool searched, struct price_orbits *out);
void price_orbits_free(struct price_orbits *a);

#endif

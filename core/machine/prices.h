#ifndef SCCL_CORE_MACHINE_PRICES_H
#define SCCL_CORE_MACHINE_PRICES_H

/*
 * Prices of what a round can carry: of a limit, or of an edge's own bandwidth where no limit over it is as narrow. A chunk that
 * crosses an edge pays that edge's price and those of all limits that it crosses; whatever way it takes, it pays no less than the
 * shortest. All that rounds carry pays no more than the sum of prices times bandwidths, in a round. For core/bounds/.
 */

#include "core/base/csr.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct error;
struct json_place;
struct network;
struct text;

/* Of an edge, or of a limit of the network. */
struct price {
	int src, dst;  /* limit < 0 */
	int limit;     /* by its place among the network's limits; -1: of an edge */
	int64_t price; /* 1 to PRICE_MAX */
	char name[24]; /* of a limit, for people; empty: it has none */
};

enum { PRICE_MAX = 1 << 20 };

/* `"prices": [[src, dst, price], ...], "limit_prices": [[limit, price], ...]`. Read: *LIST is the caller's, also where it is at fault;
 * NULL where there are none. */
void prices_write(const struct price *list, size_t n, struct text *into);
bool prices_read(const struct json_place *of, int nodes, struct price **list, size_t *n, struct error *e);

/* What can have a price, by number: edges first. */
struct price_list {
	const struct network *w; /* borrowed */
	int n, n_edges;          /* in all; edges among them */
	int *edge;               /* [number < n_edges]: the edge; others are limits, in order */
	int64_t *width;          /* [number]: its bandwidth */
	struct csr paid;         /* by edge: the numbers that a chunk pays on it */
};

/* ALL: edges under a limit that is as narrow too. */
void price_list_new(const struct network *w, bool all, struct price_list *out);
void price_list_free(struct price_list *f);

/* LENGTHS [edge] from PRICES [number]; neither is negative. */
void price_list_lengths(const struct price_list *f, const int64_t *prices, int64_t *lengths);

/* DISTANCE [node] under LENGTHS, -1: none; ORDER: the nodes that are reached, nearest first. Gives how many. */
int price_list_distances(const struct price_list *f, const int64_t *lengths, int from, int64_t *distance, int *order);

/* What the list says [number]; false: it has what the network has not. */
bool price_list_fill(const struct price_list *f, const struct price *list, size_t n, int64_t *prices);

struct demands {
	int *of;    /* [from * nodes + to]: chunks, of C = unit; owned by who made it */
	int unit;
	bool alike; /* all pairs have as many */
};

/* What chunks must pay, and what a round can: R is at least the quotient. False: it is too much to count. */
bool price_list_show(const struct price_list *f, const int64_t *prices, const struct demands *d, int64_t *paid, int64_t *round);

/*
 * The prices [number] under which what chunks must pay is most for what a round can, in floating point; in vain: no prices show more
 * than KNOWN, or it was not to be found out. Cut short: there may be better ones.
 */
enum searched { SEARCH_IN_VAIN, SEARCH_CUT_SHORT, SEARCH_ENDED };
enum searched prices_search(const struct price_list *f, const struct demands *d, double known, double *prices);

/*
 * What the machine's relabellings carry to each other need not differ in price, and nodes that they carry to each other pay the
 * same: numbers of classes, each in the order of its first member.
 */
struct alike {
	int n_nodes, n;     /* classes of nodes; of what has a price */
	int *node, *number; /* [node], [number]: its class */
	int *first, *size;  /* [class of nodes]: a node, how many there are */
};

/* SEARCHED: false puts everything into a class of its own. */
void alike_new(const struct price_list *f, bool searched, struct alike *out);
void alike_free(struct alike *a);

#endif

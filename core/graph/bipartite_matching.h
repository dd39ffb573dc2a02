#ifndef SCCL_CORE_GRAPH_BIPARTITE_MATCHING_H
#define SCCL_CORE_GRAPH_BIPARTITE_MATCHING_H

/*
 * Items into bins: each item may go into some of the bins, and a bin holds so many. Sets of items that fit are a matroid, so
 * whoever is asked for first stays: a later one may make it change its bin, never drive it out. In the end as many are in as
 * can be, and of those the ones that were asked for first.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct bipartite_matching;

struct bipartite_matching *matching_new(int bins);
void matching_free(struct bipartite_matching *f); /* NULL is fine */

/* Forgets all items. ROOM[bin] is how many it holds. */
void matching_begin(struct bipartite_matching *f, const int64_t *room);

/* The next item, which may go into these N bins. False: it does not get in. */
bool matching_add(struct bipartite_matching *f, const int *bins, int n);

bool matching_is_full(const struct bipartite_matching *f);           /* no bin has room: nothing more gets in */
size_t matching_items(const struct bipartite_matching *f);              /* that were asked for */
int matching_bin(const struct bipartite_matching *f, size_t item);    /* by the order of calls; -1: in none */

#endif

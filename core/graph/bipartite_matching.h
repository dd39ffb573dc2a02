#ifndef SCCL_CORE_GRAPH_BIPARTITE_MATCHING_H
#define SCCL_CORE_GRAPH_BIPARTITE_MATCHING_H

/*
 * Bipartite matching of items to bins, online: each item may go into certain bins, and each bin has a capacity. The
 * sets of items that fit form a transversal matroid. Once matched, an item therefore stays matched: a later one may
 * move it to another bin but never drives it out. The result is a maximum matching, and earlier items take precedence
 * over later ones.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct bipartite_matching;

/* The caller frees it. Call matching_begin before adding items. */
struct bipartite_matching *matching_new(int bins);
void matching_free(struct bipartite_matching *f); /* NULL is fine */

/* Forgets all items. ROOM [bin] is the capacity of each bin. */
void matching_begin(struct bipartite_matching *f, const int64_t *room);

/*
 * Adds the next item, which may go into any of the N listed bins; O(edges) by one search for an augmenting path. False:
 * it does not fit. It still counts as an item.
 */
bool matching_add(struct bipartite_matching *f, const int *bins, int n);

bool matching_is_full(const struct bipartite_matching *f);         /* all bins are full: no further item fits */
size_t matching_items(const struct bipartite_matching *f);         /* added so far, including those that did not fit */
int matching_bin(const struct bipartite_matching *f, size_t item); /* the bin of the item-th added; -1: unmatched */

#endif

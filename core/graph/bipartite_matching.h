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

struct fill;

struct fill *fill_new(int bins);
void fill_free(struct fill *f); /* NULL is fine */

/* Forgets all items. ROOM[bin] is how many it holds. */
void fill_begin(struct fill *f, const int64_t *room);

/* The next item, which may go into these N bins. False: it does not get in. */
bool fill_add(struct fill *f, const int *bins, int n);

bool fill_is_full(const struct fill *f);           /* no bin has room: nothing more gets in */
size_t fill_items(const struct fill *f);              /* that were asked for */
int fill_bin(const struct fill *f, size_t item);    /* by the order of calls; -1: in none */

#endif

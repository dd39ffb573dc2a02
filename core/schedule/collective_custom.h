#ifndef SCCL_CORE_SCHEDULE_COLLECTIVE_CUSTOM_H
#define SCCL_CORE_SCHEDULE_COLLECTIVE_CUSTOM_H

/* The lists of a custom collective: made, cut, turned round. For core/schedule/collective*.c alone. */

#include "core/schedule/collective.h"

/* Takes both lists and sorts them; buffers in ascending order. CUT divides the number of chunks, and the lists repeat. */
struct custom *custom_new(int nodes, int cut, bool combining, struct placement *pre, size_t n_pre, struct placement *post,
			  size_t n_post);
void custom_free(struct custom *c); /* NULL is fine */

int custom_cut(const struct custom *c);    /* 1 or more */
int custom_period(const struct custom *c); /* chunks of the file: G / C */

struct custom *custom_copy(const struct custom *c);
bool custom_same(const struct custom *a, const struct custom *b); /* uncut, both are the same file */
struct custom *custom_scaled(const struct custom *c, int parts);
struct custom *custom_unscaled(const struct custom *c);
struct custom *custom_turned(const struct custom *c); /* pre and post, inputs and outputs change places; not combining */

bool placement_listed(const struct placement *list, size_t n, int chunk, int node);
int placement_order(const void *a, const void *b); /* by (chunk, node), for qsort */

/* The buffers in the order that custom_new gives them. The caller frees both. */
void custom_default_order(const struct placement *list, size_t n, int nodes, int cut, int **begin, int **order);

#endif

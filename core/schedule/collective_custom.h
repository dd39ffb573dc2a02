#ifndef SCCL_CORE_SCHEDULE_COLLECTIVE_CUSTOM_H
#define SCCL_CORE_SCHEDULE_COLLECTIVE_CUSTOM_H

/* Operations on the lists of a custom collective. Internal to core/schedule/collective*.c. */

#include "core/schedule/collective.h"

/*
 * Takes ownership of both lists and sorts them; buffers get the default order. CUT divides the number of chunks, and
 * the lists repeat with the period chunks / CUT. The caller frees all results here with custom_free.
 */
struct custom *custom_new(int nodes, int cut, bool combining, struct placement *pre, size_t n_pre, struct placement *post,
			  size_t n_post);
void custom_free(struct custom *c); /* NULL is fine */

int custom_cut(const struct custom *c);    /* C, at least 1 */
int custom_period(const struct custom *c); /* the number of chunks of the file: G / C */

struct custom *custom_copy(const struct custom *c);
bool custom_same(const struct custom *a, const struct custom *b); /* equal before cutting, as for collective_same */
struct custom *custom_scaled(const struct custom *c, int parts); /* each chunk cut into PARTS */
struct custom *custom_unscaled(const struct custom *c); /* the chunks of the file */
struct custom *custom_inverted(const struct custom *c); /* pre and post, inputs and outputs exchanged; not combining */

bool placement_listed(const struct placement *list, size_t n, int chunk, int node); /* in a sorted list, O(log n) */
int placement_order(const void *a, const void *b); /* by (chunk, node), for qsort */

/*
 * The default order of buffers: node n has the chunks ORDER [BEGIN [n]] .. ORDER [BEGIN [n + 1] - 1]. The caller frees
 * both arrays.
 */
void custom_default_order(const struct placement *list, size_t n, int nodes, int cut, int **begin, int **order);

#endif

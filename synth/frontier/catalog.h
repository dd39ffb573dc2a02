#ifndef SCCL_SYNTH_FRONTIER_CATALOG_H
#define SCCL_SYNTH_FRONTIER_CATALOG_H

/* Where algorithms are stored: DIR/TOPOLOGY/COLLECTIVE/cC-sS-rR[-rootN].json, and next to them
 * frontier[-rootN].json. */

#include "core/schedule/algorithm.h"

struct frontier;

struct text;
/* Appends "-root0" or "-root0,3" if the collective has roots. */
void catalog_add_roots(const struct collective *k, struct text *into);

/* Names of machines and custom collectives are sanitized as parts of a path. The caller frees the paths. */
char *catalog_folder(const char *dir, const struct topology *t, const struct collective *k);
char *catalog_algorithm_path(const char *dir, const struct algorithm *a);
char *catalog_frontier_path(const char *dir, const struct topology *t, const struct collective *k);
char *catalog_journal_path(const char *dir, const struct topology *t, const struct collective *k);

/* The journal of one half of an allreduce, in the folder of the allreduce. */
char *catalog_half_journal_path(const char *dir, const struct topology *t, const struct collective *whole,
				const struct collective *half);

/* False with *e set (ERROR_INPUT): files of another machine or collective are in the way. Names need not be unique. */
bool catalog_check(const char *dir, const struct topology *t, const struct collective *k, struct error *e);

/* Writes one point, as soon as it is proved, after catalog_check for its machine and collective; sets f->files[i]. */
bool catalog_store_point(struct frontier *f, size_t i, const char *dir, struct error *e);
/* Writes the frontier file: last, so that it never names a point that does not exist. */
bool catalog_store_frontier(const struct frontier *f, const char *dir, struct error *e);
/* Writes everything: all points, including those of compositions, and then the frontier file. */
bool catalog_store_all(struct frontier *f, const char *dir, struct error *e);

#endif

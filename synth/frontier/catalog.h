#ifndef SCCL_SYNTH_FRONTIER_CATALOG_H
#define SCCL_SYNTH_FRONTIER_CATALOG_H

/* Where algorithms lie: DIR/TOPOLOGY/COLLECTIVE/cC-sS-rR[-rootN].json, and beside them frontier[-rootN].json. */

#include "core/schedule/algorithm.h"

struct frontier;

struct text;
/* "-root0" or "-root0,3" where it has roots. */
void catalog_add_roots(const struct collective *k, struct text *into);

/* Names of machines and of custom collectives are made safe as parts of a path. The caller frees. */
char *catalog_folder(const char *dir, const struct topology *t, const struct collective *k);
char *catalog_algorithm_path(const char *dir, const struct algorithm *a);
char *catalog_frontier_path(const char *dir, const struct topology *t, const struct collective *k);
char *catalog_journal_path(const char *dir, const struct topology *t, const struct collective *k);

/* Of one half of an allreduce, beside the allreduce. */
char *catalog_half_journal_path(const char *dir, const struct topology *t, const struct collective *whole,
				const struct collective *half);

/* False with *e set: files of another machine or collective lie where those of this one go, as names need not tell them apart. */
bool catalog_check(const char *dir, const struct topology *t, const struct collective *k, struct error *e);

/* One point, as soon as it is proved; fills frontier.files[i]. */
bool catalog_store_point(struct frontier *f, size_t i, const char *dir, struct error *e);
/* The frontier file; last, so that it never names a point that is not there. */
bool catalog_store_frontier(const struct frontier *f, const char *dir, struct error *e);
/* All of it: every point, those of compositions too, and then the file. */
bool catalog_store_all(struct frontier *f, const char *dir, struct error *e);

#endif

#ifndef SCCL_SYNTH_FRONTIER_FRONTIER_PARTS_H
#define SCCL_SYNTH_FRONTIER_FRONTIER_PARTS_H

/* Shared by the code that writes, reads, judges and relabels frontiers. */

#include "synth/frontier/frontier.h"

#include <string.h>

/* The order of the refuted and open lists of a frontier, by S, R/C, C: for qsort and bsearch. */
int frontier_list_order(const void *a, const void *b);

/* The last component of a path, inside PATH itself. */
static inline const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

#endif

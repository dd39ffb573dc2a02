#ifndef SCCL_SYNTH_FRONTIER_FRONTIER_PARTS_H
#define SCCL_SYNTH_FRONTIER_FRONTIER_PARTS_H

/* Shared by the writer and the judge of frontier files. */

#include "synth/frontier/frontier.h"

#include <string.h>

/* Of candidates, as the lists of a frontier have them: for qsort. */
int frontier_list_order(const void *a, const void *b);

static inline const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

#endif

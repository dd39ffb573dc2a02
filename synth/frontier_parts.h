#ifndef SCCL_SYNTH_FRONTIER_PARTS_H
#define SCCL_SYNTH_FRONTIER_PARTS_H

/* Shared by the writer and the judge of frontier files. */

#include "synth/frontier.h"

#include <string.h>

static inline const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

#endif

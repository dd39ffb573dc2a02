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

/* Of what was read: points, lists, and how the classes fit together. False with WHY. Makes the lists anew. */
bool frontier_judge(struct frontier *f, char *why, size_t size);

#endif

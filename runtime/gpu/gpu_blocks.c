/*
 * How many blocks a call has if nobody says it: as many as keep the links full. Under way are at most 8 packs of 16 bytes a
 * thread, 64 KiB a block with CUDA (512 threads) and 32 KiB with HIP (256); needed is the bandwidth times the time until a
 * byte has arrived and its sender has heard of that, taken as 2 us, in both directions. At 300 GB/s each way (A100, third
 * generation of NVLink) these are 1.2 MB or 18 blocks, at 450 (H100) 1.8 MB or 27, at 448 over the seven links of an MI300X
 * 1.8 MB or 55. Rounded to powers of two. The figures of links are those of topologies/; the numbers are estimates, to be
 * corrected where a GPU of the kind has been measured (docs/gpu.md).
 */
#include "runtime/gpu/gpu_blocks.h"

#include "runtime/gpu/gpu_driver.h"
#include "runtime/gpu/gpu_range.h"

#include <stdbool.h>
#include <string.h>

enum { BLOCKS = 16 };

/* The first row that fits: its target, compute capability (10 major + minor; that of gfx942 is 94) and links. */
static const struct {
	const char *target;
	int capability_min, capability_max;
	bool by_nvlink;
	uint32_t blocks;
} machines[] = {
	{"cuda", 90, 9999, true, 32},
	{"hip", 94, 94, false, 64},
};

/* Which attributes have the compute capability. */
static const struct {
	const char *target;
	int major, minor;
} attributes[] = {{"cuda", 75, 76}, {"hip", 23, 61}};

/* 0: unknown */
static int capability(const struct gpu_driver *d, const struct unit *unit)
{
	int major = 0, minor = 0;

	for (size_t i = 0; d->property && i < sizeof attributes / sizeof *attributes; i++) {
		if (strcmp(attributes[i].target, unit->device->target) != 0)
			continue;
		if (d->property(&major, attributes[i].major, unit->number) == 0 && d->property(&minor, attributes[i].minor, unit->number) == 0)
			return 10 * major + minor;
		(void)d->last_error();
	}
	return 0;
}

uint32_t sccli_gpu_blocks(const struct unit *unit)
{
	const struct gpu_driver *d;
	int is = sccli_gpu_driver(unit->device->target, &d) == SCCL_OK ? capability(d, unit) : 0;

	for (size_t i = 0; i < sizeof machines / sizeof *machines; i++)
		if (strcmp(machines[i].target, unit->device->target) == 0 && is >= machines[i].capability_min &&
		    is <= machines[i].capability_max && (!machines[i].by_nvlink || sccli_gpu_keeps_lines(unit) == SCCL_OK))
			return machines[i].blocks;
	return BLOCKS;
}

#ifndef SCCL_RUNTIME_GPU_GPU_VIRTUAL_H
#define SCCL_RUNTIME_GPU_GPU_VIRTUAL_H

/*
 * GPU memory made by cuMemCreate and mapped by cuMemMap, which can leave its process as a file descriptor or a fabric
 * handle, and be bound to multicast objects. Functions that return int return 0 or the driver's error number.
 */

#include "runtime/gpu/gpu_driver.h"

#include <stdbool.h>

/* Memory and its mapping in this process. bytes 0: there is none. */
struct gpu_virtual {
	unsigned long long handle;
	void *at;
	size_t bytes;
};

/* How memory can leave its process: the driver's bits. */
enum { GPU_AS_FILE = 1, GPU_AS_FABRIC = 8 };

/* What the driver can do for this GPU: GPU_AS_FILE, GPU_AS_FABRIC, both, or 0: it has no such memory. */
unsigned sccli_gpu_virtual_ways(const struct gpu_driver *d, int device);
/* BYTES, a multiple of the granularity of 2 MiB. */
int sccli_gpu_virtual_create(const struct gpu_driver *d, int device, size_t bytes, struct gpu_virtual *v);
/* Maps V, whose handle and size are given, for this GPU. */
int sccli_gpu_virtual_map(const struct gpu_driver *d, int device, struct gpu_virtual *v);
void sccli_gpu_virtual_unmap(const struct gpu_driver *d, struct gpu_virtual *v); /* keeps handle and size */
void sccli_gpu_virtual_free(const struct gpu_driver *d, struct gpu_virtual *v);
/* The same for a multicast object; BOUND: memory of this GPU is bound to it. */
void sccli_gpu_virtual_free_team(const struct gpu_driver *d, int device, bool bound, struct gpu_virtual *v);
/* Lets another GPU of this process access what is mapped at AT. */
int sccli_gpu_virtual_grant(const struct gpu_driver *d, int device, void *at, size_t bytes);

#endif

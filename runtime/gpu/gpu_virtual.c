/* The driver's own interface, whose structures are declared here as its ABI has them. */

#include "runtime/gpu/gpu_virtual.h"

enum {
	HAS_VIRTUAL = 102, HAS_FILES = 103, HAS_FABRIC = 128, /* attributes of a GPU */
	PINNED = 1, ON_DEVICE = 1, READ_WRITE = 3, INVALID = 1,
};

struct location {
	int type, number;
};

/* CUmemAllocationProp */
struct create_properties {
	int type, handles;
	struct location location;
	void *windows_only;
	unsigned char flags[8];
};

/* CUmemAccessDesc */
struct map_access {
	struct location location;
	int flags;
};

static bool has(const struct gpu_driver *d, int device, int attribute)
{
	int yes = 0;
	return d->attribute(&yes, attribute, device) == 0 && yes;
}

unsigned sccli_gpu_virtual_ways(const struct gpu_driver *d, int device)
{
	if (!d->has_virtual || d->free(NULL) != 0 || !has(d, device, HAS_VIRTUAL)) /* the call makes the GPU's context */
		return 0;
	return (has(d, device, HAS_FILES) ? (unsigned)GPU_AS_FILE : 0) | (has(d, device, HAS_FABRIC) ? (unsigned)GPU_AS_FABRIC : 0);
}

int sccli_gpu_virtual_grant(const struct gpu_driver *d, int device, void *at, size_t bytes)
{
	struct map_access access = {{ON_DEVICE, device}, READ_WRITE};
	return d->set_access((uintptr_t)at, bytes, &access, 1);
}

int sccli_gpu_virtual_map(const struct gpu_driver *d, int device, struct gpu_virtual *v)
{
	uintptr_t at = 0;
	int error = d->reserve(&at, v->bytes, 0, 0, 0);

	if (error == 0 && (error = d->map(at, v->bytes, 0, v->handle, 0)) == 0 &&
	    (error = sccli_gpu_virtual_grant(d, device, (void *)at, v->bytes)) != 0)
		d->unmap(at, v->bytes);
	if (error == 0) {
		v->at = (void *)at;
		return 0;
	}
	if (at)
		d->unreserve(at, v->bytes);
	return error;
}

/* Some systems refuse memory that could leave as a fabric handle: where no IMEX channel is set up. */
int sccli_gpu_virtual_create(const struct gpu_driver *d, int device, size_t bytes, struct gpu_virtual *v)
{
	unsigned ways = sccli_gpu_virtual_ways(d, device);
	struct create_properties p = {.type = PINNED, .handles = (int)ways, .location = {ON_DEVICE, device}};
	int error = ways ? d->create(&v->handle, bytes, &p, 0) : INVALID;

	if (error != 0 && ways == (GPU_AS_FILE | GPU_AS_FABRIC)) {
		p.handles = GPU_AS_FILE;
		error = d->create(&v->handle, bytes, &p, 0);
	}
	if (error != 0)
		return error;
	v->bytes = bytes;
	error = sccli_gpu_virtual_map(d, device, v);
	if (error != 0)
		sccli_gpu_virtual_free(d, v);
	return error;
}

void sccli_gpu_virtual_unmap(const struct gpu_driver *d, struct gpu_virtual *v)
{
	d->unmap((uintptr_t)v->at, v->bytes);
	d->unreserve((uintptr_t)v->at, v->bytes);
	v->at = NULL;
}

void sccli_gpu_virtual_free(const struct gpu_driver *d, struct gpu_virtual *v)
{
	if (v->bytes == 0)
		return;
	if (v->at)
		sccli_gpu_virtual_unmap(d, v);
	d->release(v->handle);
	*v = (struct gpu_virtual){0};
}

void sccli_gpu_virtual_free_team(const struct gpu_driver *d, int device, bool bound, struct gpu_virtual *v)
{
	if (v->bytes == 0)
		return;
	if (v->at)
		sccli_gpu_virtual_unmap(d, v);
	if (bound)
		d->multicast_unbind(v->handle, device, 0, v->bytes);
	sccli_gpu_virtual_free(d, v);
}

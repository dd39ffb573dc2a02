#ifndef SCCL_RUNTIME_GPU_GPU_DRIVER_H
#define SCCL_RUNTIME_GPU_GPU_DRIVER_H

/*
 * The few functions of CUDA and HIP that this runtime calls. Both provide the same ones under different names. They are
 * looked up when a communicator first uses the target, so libsccl needs neither of them at build time, nor at run time
 * for other targets.
 */

#include <stddef.h>
#include <stdint.h>

#include <sccl/sccl.h>

struct gpu_ipc {
	char bytes[64];
};

/* Each returns 0 or the driver's error number. Streams are sccl_stream_t. */
struct gpu_driver {
	int (*get_device)(int *device);
	int (*set_device)(int device);
	int (*device_count)(int *count);
	int (*pci_id)(char *text, int size, int device);
	int (*can_access)(int *yes, int device, int peer);
	int (*enable_access)(int peer, unsigned flags);
	int (*malloc)(void **at, size_t bytes, unsigned flags); /* flags: for HIP only; CUDA's function ignores the
	                                                         * extra argument */
	int (*free)(void *at);
	int (*memset)(void *at, int byte, size_t bytes, sccl_stream_t stream);
	int (*copy)(void *to, const void *from, size_t bytes, int kind, sccl_stream_t stream);
	int (*ipc_handle)(struct gpu_ipc *handle, void *at);
	int (*ipc_open)(void **at, struct gpu_ipc handle, unsigned flags);
	int (*ipc_close)(void *at);
	int (*host_register)(void *at, size_t bytes, unsigned flags);
	int (*host_pointer)(void **seen, void *at, unsigned flags);
	int (*host_unregister)(void *at);
	int (*stream_create)(sccl_stream_t *stream, unsigned flags);
	int (*stream_wait)(sccl_stream_t stream);
	int (*stream_destroy)(sccl_stream_t stream);
	int (*event_create)(void **event, unsigned flags);
	int (*event_record)(void *event, sccl_stream_t stream);
	int (*event_destroy)(void *event);
	int (*stream_after)(sccl_stream_t stream, void *event, unsigned flags);
	int (*last_error)(void);
	const char *(*error_text)(int error);
	/* Optional functions: NULL if the driver lacks them. */
	int (*is_capturing)(sccl_stream_t stream, int *status); /* 0: it is not */
	int (*link_attribute)(int *value, int which, int device, int peer); /* CUDA */
	int (*property)(int *value, int which, int device); /* cudaDeviceAttr, hipDeviceAttribute_t */
	int (*event_query)(void *event); /* 0: all work before it is done */
	int (*stream_id)(sccl_stream_t stream, unsigned long long *id); /* never used twice in a process */
	int (*capture_begin)(sccl_stream_t stream, int how);
	int (*capture_end)(sccl_stream_t stream, void **graph);
	int (*graph_make)(void **exec, void *graph, unsigned long long flags);
	int (*graph_launch)(void *exec, sccl_stream_t stream);
	int (*graph_exec_destroy)(void *exec);
	int (*graph_destroy)(void *graph);
	int (*address_range)(void **base, size_t *bytes, void *at);
	int (*write_value)(sccl_stream_t stream, void *at, uint64_t value, unsigned flags);
	/* MASK: for HIP only; CUDA's function ignores it. */
	int (*wait_value)(sccl_stream_t stream, void *at, uint64_t value, unsigned flags, uint64_t mask);
	/* Virtual memory management (gpu_virtual.h) and multicast objects (gpu_multicast.h): all of each, or none. */
	int has_virtual, has_multicast;
	int (*attribute)(int *value, int which, int device);
	int (*create)(unsigned long long *handle, size_t bytes, const void *properties, unsigned long long flags);
	int (*release)(unsigned long long handle);
	int (*reserve)(uintptr_t *at, size_t bytes, size_t alignment, uintptr_t wish, unsigned long long flags);
	int (*unreserve)(uintptr_t at, size_t bytes);
	int (*map)(uintptr_t at, size_t bytes, size_t offset, unsigned long long handle, unsigned long long flags);
	int (*unmap)(uintptr_t at, size_t bytes);
	int (*set_access)(uintptr_t at, size_t bytes, const void *accesses, size_t n);
	int (*export_to)(void *shareable, unsigned long long handle, int how, unsigned long long flags);
	int (*import_from)(unsigned long long *handle, void *shareable, int how);
	int (*retain)(unsigned long long *handle, void *at);
	int (*multicast_create)(unsigned long long *handle, const void *properties);
	int (*multicast_add)(unsigned long long handle, int device);
	int (*multicast_bind)(unsigned long long handle, size_t offset, uintptr_t at, size_t bytes, unsigned long long flags);
	int (*multicast_unbind)(unsigned long long handle, int device, size_t offset, size_t bytes);
	int (*multicast_granularity)(size_t *bytes, const void *properties, int which);
};

/* The same values in both. */
enum {
	GPU_COPY_ANY = 4,
	GPU_STREAM_APART = 1, /* not synchronized with the legacy default stream */
	GPU_EVENT_NO_TIMING = 2,
	GPU_IPC_LAZY = 1,
	GPU_HOST_PORTABLE_MAPPED = 3,
	GPU_MALLOC_FINE = 1,
	GPU_ACCESS_ENABLED_ALREADY = 704,
};

/* TARGET is "cuda" or "hip". The first call loads the driver; if it is missing, the result is SCCL_UNSUPPORTED with the
 * error text set. */
sccl_status_t sccli_gpu_driver(const char *target, const struct gpu_driver **driver);

#endif

/*
 * Loads the CUDA or HIP runtime with dlopen and looks up the functions of struct gpu_driver. A copy of the runtime that
 * is already visible in the process is preferred.
 */
#define _GNU_SOURCE /* RTLD_DEFAULT */
#include "runtime/gpu/gpu_driver.h"

#include "runtime/core/status.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { NAMES = 5 };

/* The differences between the two. */
struct flavour {
	const char *target;
	const char *prefix;
	const char *libraries[NAMES]; /* runtime libraries, newest first; ends at NULL */
	const char *below;            /* the library with address_range, write_value and wait_value; NULL: the same
	                               * one */
	const char *malloc, *address_range, *write_value, *wait_value;
	struct gpu_driver driver;
	bool loaded;
};

static struct flavour flavours[] = {
	{.target = "cuda",
	 .prefix = "cuda",
	 .libraries = {"libcudart.so.13", "libcudart.so.12", "libcudart.so.11.0", "libcudart.so"},
	 .below = "libcuda.so.1",
	 .malloc = "cudaMalloc",
	 .address_range = "cuMemGetAddressRange_v2",
	 .write_value = "cuStreamWriteValue64_v2",
	 .wait_value = "cuStreamWaitValue64_v2"},
	{.target = "hip",
	 .prefix = "hip",
	 .libraries = {"libamdhip64.so.6", "libamdhip64.so.5", "libamdhip64.so"},
	 .malloc = "hipExtMallocWithFlags",
	 .address_range = "hipMemGetAddressRange",
	 .write_value = "hipStreamWriteValue64",
	 /* hipStreamWaitValue64 requires memory from hipMallocSignalMemory, which flags are not in: no copy engines
	  * with HIP. */
	 .wait_value = NULL},
};

#define AT(field) offsetof(struct gpu_driver, field)
static const struct {
	const char *name; /* without the prefix */
	size_t at;
	bool optional;
} functions[] = {
	{"GetDevice", AT(get_device), false},
	{"SetDevice", AT(set_device), false},
	{"GetDeviceCount", AT(device_count), false},
	{"DeviceGetPCIBusId", AT(pci_id), false},
	{"DeviceCanAccessPeer", AT(can_access), false},
	{"DeviceEnablePeerAccess", AT(enable_access), false},
	{"Free", AT(free), false},
	{"MemsetAsync", AT(memset), false},
	{"MemcpyAsync", AT(copy), false},
	{"IpcGetMemHandle", AT(ipc_handle), false},
	{"IpcOpenMemHandle", AT(ipc_open), false},
	{"IpcCloseMemHandle", AT(ipc_close), false},
	{"HostRegister", AT(host_register), false},
	{"HostGetDevicePointer", AT(host_pointer), false},
	{"HostUnregister", AT(host_unregister), false},
	{"StreamCreateWithFlags", AT(stream_create), false},
	{"StreamSynchronize", AT(stream_wait), false},
	{"StreamDestroy", AT(stream_destroy), false},
	{"EventCreateWithFlags", AT(event_create), false},
	{"EventRecord", AT(event_record), false},
	{"EventDestroy", AT(event_destroy), false},
	{"StreamWaitEvent", AT(stream_after), false},
	{"GetLastError", AT(last_error), false},
	{"GetErrorString", AT(error_text), false},
	{"StreamIsCapturing", AT(is_capturing), true},
	{"DeviceGetP2PAttribute", AT(link_attribute), true},
	{"DeviceGetAttribute", AT(property), true},
	{"EventQuery", AT(event_query), true},
	{"StreamGetId", AT(stream_id), true},
	{"StreamBeginCapture", AT(capture_begin), true},
	{"StreamEndCapture", AT(capture_end), true},
	{"GraphInstantiateWithFlags", AT(graph_make), true},
	{"GraphLaunch", AT(graph_launch), true},
	{"GraphExecDestroy", AT(graph_exec_destroy), true},
	{"GraphDestroy", AT(graph_destroy), true},
};

/* Of the library below: virtual memory and multicast objects. HIP's functions of such memory have other structures. */
static const struct {
	const char *name;
	size_t at;
	bool multicast;
} below_functions[] = {
	{"cuDeviceGetAttribute", AT(attribute), false},
	{"cuMemCreate", AT(create), false},
	{"cuMemRelease", AT(release), false},
	{"cuMemAddressReserve", AT(reserve), false},
	{"cuMemAddressFree", AT(unreserve), false},
	{"cuMemMap", AT(map), false},
	{"cuMemUnmap", AT(unmap), false},
	{"cuMemSetAccess", AT(set_access), false},
	{"cuMemExportToShareableHandle", AT(export_to), false},
	{"cuMemImportFromShareableHandle", AT(import_from), false},
	{"cuMemRetainAllocationHandle", AT(retain), false},
	{"cuMulticastCreate", AT(multicast_create), true},
	{"cuMulticastAddDevice", AT(multicast_add), true},
	{"cuMulticastBindAddr", AT(multicast_bind), true},
	{"cuMulticastUnbind", AT(multicast_unbind), true},
	{"cuMulticastGetGranularity", AT(multicast_granularity), true},
};

/* Finds the program's own copy of the runtime library if it is visible; otherwise the first library that can be
 * loaded. */
static bool open_library(const struct flavour *f, void **library)
{
	char why[256] = "";

	*library = RTLD_DEFAULT;
	if (dlsym(RTLD_DEFAULT, f->malloc))
		return true;
	for (int i = 0; i < NAMES && f->libraries[i]; i++) {
		*library = dlopen(f->libraries[i], RTLD_NOW | RTLD_GLOBAL);
		if (*library)
			return true;
		const char *text = dlerror();
		if (i == 0 && text)
			snprintf(why, sizeof why, "%s", text);
	}
	sccli_fail(SCCL_UNSUPPORTED, "the target \"%s\" needs %s, which cannot be loaded: %s", f->target, f->libraries[0], why);
	return false;
}

static bool find(struct gpu_driver *d, size_t at, void *library, const char *name)
{
	void *found = dlsym(library, name);
	memcpy((char *)d + at, &found, sizeof found); /* ISO C does not allow a cast between object and function
	                                               * pointers */
	return found != NULL;
}

static void find_virtual(struct gpu_driver *d, void *below)
{
	bool all = true, multicast = true;

	for (size_t i = 0; i < sizeof below_functions / sizeof *below_functions; i++)
		if (!find(d, below_functions[i].at, below, below_functions[i].name))
			*(below_functions[i].multicast ? &multicast : &all) = false;
	d->has_virtual = all;
	d->has_multicast = all && multicast;
}

static sccl_status_t load(struct flavour *f)
{
	char name[64];
	void *library, *below;

	if (!open_library(f, &library))
		return SCCL_UNSUPPORTED;
	if (!find(&f->driver, AT(malloc), library, f->malloc))
		return sccli_fail(SCCL_UNSUPPORTED, "%s has no function %s", f->libraries[0], f->malloc);
	for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
		snprintf(name, sizeof name, "%s%s", f->prefix, functions[i].name);
		if (!find(&f->driver, functions[i].at, library, name) && !functions[i].optional)
			return sccli_fail(SCCL_UNSUPPORTED, "%s has no function %s", f->libraries[0], name);
	}
	below = dlsym(RTLD_DEFAULT, f->write_value) ? RTLD_DEFAULT : library;
	if (f->below && below == library && (below = dlopen(f->below, RTLD_NOW | RTLD_GLOBAL)) == NULL)
		below = library;
	find(&f->driver, AT(address_range), below, f->address_range);
	find(&f->driver, AT(write_value), below, f->write_value);
	if (f->wait_value)
		find(&f->driver, AT(wait_value), below, f->wait_value);
	if (f->below)
		find_virtual(&f->driver, below);
	f->loaded = true;
	return SCCL_OK;
}

sccl_status_t sccli_gpu_driver(const char *target, const struct gpu_driver **driver)
{
	static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER;
	sccl_status_t status = SCCL_OK;

	*driver = NULL;
	pthread_mutex_lock(&one);
	for (size_t i = 0; i < sizeof flavours / sizeof *flavours; i++) {
		struct flavour *f = &flavours[i];
		if (strcmp(f->target, target) != 0)
			continue;
		if (!f->loaded)
			status = load(f);
		if (status == SCCL_OK)
			*driver = &f->driver;
	}
	pthread_mutex_unlock(&one);
	return status;
}

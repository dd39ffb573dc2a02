/*
 * How memory leaves its process: what cuMemCreate made as a file, which the opener fetches over a Unix socket, or as a
 * fabric handle; other memory through an IPC handle; where the driver has none of them, memory of the host takes the GPU's
 * place. Threads of the owner's process take the address.
 */
#include "runtime/gpu/gpu_memory_inside.h"

#include "runtime/gpu/gpu_range.h"
#include "runtime/core/status.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

_Static_assert(sizeof(struct gpu_handle) <= sizeof(union piece_handle), "a handle is sent as a piece's");

static struct gpu_memory *offered; /* not settled yet: other ranks of this process may open them */
static pthread_mutex_t offered_lock = PTHREAD_MUTEX_INITIALIZER;

bool sccli_gpu_may_leave(enum gpu_way way)
{
	static const char *const names[] = {[WAY_IPC] = "ipc", [WAY_FILE] = "file", [WAY_FABRIC] = "fabric", [WAY_HOST] = "host"};
	const char *only = getenv("SCCL_GPU_EXPORT");

	return !only || !*only || strcmp(only, names[way]) == 0;
}

static void offer(struct gpu_memory *m)
{
	pthread_mutex_lock(&offered_lock);
	m->next_offered = offered;
	offered = m;
	pthread_mutex_unlock(&offered_lock);
}

void sccli_gpu_withdraw(struct gpu_memory *m)
{
	if (m->ticket.key)
		sccli_file_withdraw(&m->ticket);
	m->ticket = (struct file_ticket){0, 0};
	pthread_mutex_lock(&offered_lock);
	struct gpu_memory **at = &offered;
	while (*at && *at != m)
		at = &(*at)->next_offered;
	if (*at)
		*at = m->next_offered;
	pthread_mutex_unlock(&offered_lock);
}

bool sccli_gpu_export_virtual(const struct gpu_driver *d, struct gpu_memory *m, unsigned long long handle, struct gpu_handle *h)
{
	unsigned ways = sccli_gpu_virtual_ways(d, m->unit.number);
	int file = -1;

	if (ways & GPU_AS_FILE && sccli_gpu_may_leave(WAY_FILE) && d->export_to(&file, handle, GPU_AS_FILE, 0) == 0 &&
	    sccli_file_offer(file, &m->ticket) == SCCL_OK) {
		h->way = WAY_FILE;
		h->to.ticket = m->ticket;
		return true;
	}
	h->way = WAY_FABRIC;
	return ways & GPU_AS_FABRIC && sccli_gpu_may_leave(WAY_FABRIC) && d->export_to(&h->to.ipc, handle, GPU_AS_FABRIC, 0) == 0;
}

/* The caller's memory may have been made by cuMemCreate, too. */
static bool export_retained(const struct gpu_driver *d, struct gpu_memory *m, void *base, struct gpu_handle *h)
{
	unsigned long long handle = 0;

	if (!d->has_virtual || d->retain(&handle, base) != 0)
		return false;
	bool good = sccli_gpu_export_virtual(d, m, handle, h);
	d->release(handle);
	return good;
}

static sccl_status_t export_to_processes(const struct gpu_driver *d, struct gpu_memory *m, struct gpu_handle *h)
{
	void *base = m->at;
	size_t whole = m->whole;
	int error = m->how == ADOPTED && d->address_range ? d->address_range(&base, &whole, m->at) : 0;

	h->offset = (uintptr_t)m->at - (uintptr_t)base;
	h->whole = whole;
	if (m->mapping.bytes)
		return sccli_gpu_export_virtual(d, m, m->mapping.handle, h) ? SCCL_OK : sccli_fail(SCCL_SYSTEM, "cannot export GPU memory");
	h->way = WAY_IPC;
	if (error == 0 && sccli_gpu_may_leave(WAY_IPC) && (error = d->ipc_handle(&h->to.ipc, base)) == 0)
		return SCCL_OK;
	if (m->how == ADOPTED && export_retained(d, m, base, h))
		return SCCL_OK;
	return error ? sccli_gpu_failed(d, error, "cannot export GPU memory")
		     : sccli_fail(SCCL_SYSTEM, "cannot export GPU memory: SCCL_GPU_EXPORT in the environment allows no way for it");
}

sccl_status_t sccli_gpu_export(const struct gpu_driver *d, struct gpu_memory *m, enum piece_reach reach, struct gpu_handle *h)
{
	sccl_status_t status = reach == REACH_PROCESSES ? export_to_processes(d, m, h) : SCCL_OK;

	if (status == SCCL_OK)
		status = sccli_shared_create(&m->users, sizeof(atomic_uint), &h->users);
	if (status == SCCL_OK)
		offer(m);
	return status;
}

/* Maps what lies behind the count of users. */
static sccl_status_t map_hosted(const struct gpu_driver *d, struct gpu_memory *m, size_t bytes)
{
	uint8_t *memory = (uint8_t *)sccli_shared_base(m->users) + HOSTED_AT;
	void *seen = NULL;
	int error = d->host_register(memory, bytes, GPU_HOST_PORTABLE_MAPPED);

	if (error == 0)
		error = d->host_pointer(&seen, memory, 0);
	m->at = error == 0 ? seen : NULL;
	return sccli_gpu_failed(d, error, "cannot map memory of the host in place of the GPU's");
}

sccl_status_t sccli_gpu_export_host(const struct gpu_driver *d, struct gpu_memory *m, struct gpu_handle *h)
{
	*h = (struct gpu_handle){.way = WAY_HOST};
	m->how = HOSTED;
	sccl_status_t status = sccli_shared_create(&m->users, HOSTED_AT + m->bytes, &h->users);
	if (status == SCCL_OK)
		status = map_hosted(d, m, m->bytes);
	if (status == SCCL_OK)
		offer(m);
	return status;
}

static bool find_offered(const struct shared *users, size_t bytes, struct gpu_memory *found)
{
	pthread_mutex_lock(&offered_lock);
	struct gpu_memory *m = offered;
	while (m && (m->users != users || m->bytes != bytes))
		m = m->next_offered;
	if (m)
		*found = *m;
	pthread_mutex_unlock(&offered_lock);
	return m != NULL;
}

static sccl_status_t open_here(const struct gpu_driver *d, const struct gpu_memory *m, size_t bytes, struct piece *piece)
{
	struct gpu_memory there;

	if (!find_offered(m->users, bytes, &there))
		return sccli_fail(SCCL_SYSTEM, "a rank offers %zu bytes of GPU memory that this process does not have", bytes);
	piece->base = there.at;
	sccl_status_t status = sccli_gpu_see(d, &m->unit, there.unit.number);
	if (status == SCCL_OK && there.mapping.bytes && m->unit.number != there.unit.number)
		status = sccli_gpu_failed(d, sccli_gpu_virtual_grant(d, m->unit.number, there.mapping.at, there.mapping.bytes),
					  "cannot reach the memory of another GPU");
	return status;
}

sccl_status_t sccli_gpu_import_virtual(const struct gpu_driver *d, const struct gpu_handle *h, struct gpu_memory *m)
{
	struct gpu_handle copy = *h;
	int file = -1, error;

	if (!d->has_virtual)
		return sccli_fail(SCCL_UNSUPPORTED, "another process offers GPU memory in a way that this process's driver does not know");
	if (h->way == WAY_FILE) {
		sccl_status_t status = sccli_file_fetch(&h->to.ticket, &file);
		if (status != SCCL_OK)
			return status;
		error = d->import_from(&m->mapping.handle, (void *)(intptr_t)file, GPU_AS_FILE);
		close(file);
	} else
		error = d->import_from(&m->mapping.handle, &copy.to.ipc, GPU_AS_FABRIC);
	if (error == 0)
		m->mapping.bytes = h->whole;
	return sccli_gpu_failed(d, error, "cannot take over the GPU memory of another process");
}

static sccl_status_t open_there(const struct gpu_driver *d, const struct gpu_handle *h, struct gpu_memory *m)
{
	if (h->way == WAY_FILE || h->way == WAY_FABRIC) {
		sccl_status_t status = sccli_gpu_import_virtual(d, h, m);
		if (status == SCCL_OK)
			status = sccli_gpu_failed(d, sccli_gpu_virtual_map(d, m->unit.number, &m->mapping), "cannot map the GPU memory of another process");
		m->base = m->mapping.at;
		return status;
	}
	return sccli_gpu_failed(d, d->ipc_open(&m->base, h->to.ipc, GPU_IPC_LAZY), "cannot open the GPU memory of another process");
}

sccl_status_t sccli_gpu_import(const struct gpu_driver *d, const struct gpu_handle *h, size_t bytes, struct gpu_memory *m,
                               struct piece *piece)
{
	struct process self;
	size_t shared = h->way == WAY_HOST ? HOSTED_AT + bytes : sizeof(atomic_uint);
	sccl_status_t status = sccli_process_self(&self) ? sccli_shared_open(&m->users, shared, &h->users) : SCCL_SYSTEM;

	if (status != SCCL_OK)
		return status;
	atomic_fetch_add(gpu_users(m), 1);
	if (sccli_process_same(&self, &h->users.owner))
		return open_here(d, m, bytes, piece);
	if (h->way == WAY_HOST) {
		status = map_hosted(d, m, bytes);
		m->how = status == SCCL_OK ? IMPORTED : SEEN;
		piece->base = m->at;
		return status;
	}
	status = open_there(d, h, m);
	if (status != SCCL_OK)
		return status;
	m->how = OPENED;
	m->way = (enum gpu_way)h->way;
	m->at = m->base;
	if (!sccli_gpu_is_inside(d, m->base, h->offset, bytes))
		return sccli_fail(SCCL_SYSTEM, "the GPU memory that another process offers does not have %zu bytes", bytes);
	piece->base = (uint8_t *)m->base + h->offset;
	return SCCL_OK;
}

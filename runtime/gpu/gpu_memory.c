/*
 * Allocates, exports, opens and frees GPU memory, with a reference count shared by all processes that have a piece
 * open.
 */
#include "runtime/gpu/gpu_memory.h"

#include "runtime/host/shared.h"
#include "runtime/core/status.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * A driver may free exported memory only after all importers have closed it, but ranks close their pieces at any time.
 * Therefore the number of users of a piece is kept in CPU memory that they share, and the owner keeps memory that it
 * cannot free yet.
 *
 * Freeing also waits for all kernels of the GPU and of those that can reach it, and one of them may be waiting for a rank
 * whose call is to come from this very thread. So memory is kept for the next piece of its size, and freed when this process
 * has no piece left: then no communicator has a kernel running.
 */
struct gpu_memory {
	struct unit unit;
	void *base;  /* of the allocation, or of the opened handle */
	uint8_t *at; /* of the piece */
	size_t bytes, whole; /* of the piece; of an own allocation */
	enum { OWN, ADOPTED, OPENED, SEEN } how;
	struct shared *users; /* NULL: no other rank can have opened it */
	struct gpu_memory *next, *next_offered;
};

/* What is sent to the other ranks. Within the owner's process, the piece is identified as the offered one with these
 * users. */
struct gpu_handle {
	struct shared_handle users;
	struct gpu_ipc ipc;
	uint64_t offset; /* of the piece within its allocation */
};
_Static_assert(sizeof(struct gpu_handle) <= sizeof(union piece_handle), "a handle is sent as a piece's");

enum { WHOLE = 2 << 20 }; /* mapping granularity of drivers: smaller pieces could share a mapping with other data, which
                           * would be exported with them */

static struct gpu_memory *waiting; /* to be used again, or freed */
static size_t n_pieces;            /* of this process; with `waiting`, under its lock */
static struct gpu_memory *offered; /* not settled yet: other ranks of this process may open them */
static pthread_mutex_t waiting_lock = PTHREAD_MUTEX_INITIALIZER, offered_lock = PTHREAD_MUTEX_INITIALIZER;

sccl_status_t sccli_gpu_failed(const struct gpu_driver *driver, int error, const char *what)
{
	if (error == 0)
		return SCCL_OK;
	(void)driver->last_error(); /* clears it, so that the caller's next query does not report our error */
	return sccli_fail(SCCL_SYSTEM, "%s: %s", what, driver->error_text(error));
}

sccl_status_t sccli_gpu_enter(const struct unit *unit, const struct gpu_driver **driver, int *before)
{
	sccl_status_t status = sccli_gpu_driver(unit->device->target, driver);

	if (status == SCCL_OK)
		status = sccli_gpu_failed(*driver, (*driver)->get_device(before), "cannot query this thread's GPU");
	if (status == SCCL_OK && *before != unit->number)
		status = sccli_gpu_failed(*driver, (*driver)->set_device(unit->number), "cannot use the GPU");
	return status;
}

void sccli_gpu_leave(const struct gpu_driver *driver, int before)
{
	int now;
	if (driver->get_device(&now) == 0 && now != before)
		driver->set_device(before);
}

static atomic_uint *count_of(const struct gpu_memory *m)
{
	return sccli_shared_base(m->users);
}

static void offer(struct gpu_memory *m)
{
	pthread_mutex_lock(&offered_lock);
	m->next_offered = offered;
	offered = m;
	pthread_mutex_unlock(&offered_lock);
}

static void withdraw(struct gpu_memory *m)
{
	pthread_mutex_lock(&offered_lock);
	struct gpu_memory **at = &offered;
	while (*at && *at != m)
		at = &(*at)->next_offered;
	if (*at)
		*at = m->next_offered;
	pthread_mutex_unlock(&offered_lock);
}

static void release(struct gpu_memory *m)
{
	const struct gpu_driver *d;
	int before;

	if (sccli_gpu_enter(&m->unit, &d, &before) == SCCL_OK) {
		if (m->how == OWN)
			d->free(m->base);
		else if (m->how == OPENED)
			d->ipc_close(m->base);
		sccli_gpu_leave(d, before);
	}
	if (m->how == OPENED || m->how == SEEN) /* only now may the owner free it */
		atomic_fetch_sub(count_of(m), 1);
	sccli_shared_close(m->users);
	free(m);
}

static bool is_open_elsewhere(const struct gpu_memory *m)
{
	return m->users && atomic_load(count_of(m)) > 0;
}

/* If this process has no piece left, frees the waiting memory that no other rank has open any more. */
static void sweep(void)
{
	pthread_mutex_lock(&waiting_lock);
	for (struct gpu_memory **at = &waiting; *at && n_pieces == 0;) {
		struct gpu_memory *m = *at;
		if (is_open_elsewhere(m)) {
			at = &m->next;
			continue;
		}
		*at = m->next;
		release(m);
	}
	pthread_mutex_unlock(&waiting_lock);
}

/* Takes the base of waiting memory of WHOLE bytes of this GPU; NULL: there is none. */
static void *take_waiting(const struct unit *unit, size_t whole)
{
	void *base = NULL;

	pthread_mutex_lock(&waiting_lock);
	for (struct gpu_memory **at = &waiting; *at && !base; at = &(*at)->next) {
		struct gpu_memory *m = *at;
		if (m->whole != whole || m->unit.number != unit->number || m->unit.device != unit->device || is_open_elsewhere(m))
			continue;
		*at = m->next;
		base = m->base;
		sccli_shared_close(m->users);
		free(m);
		break;
	}
	pthread_mutex_unlock(&waiting_lock);
	return base;
}

void sccli_gpu_close(struct piece *piece)
{
	struct gpu_memory *m = piece->own;

	*piece = (struct piece){NULL, NULL};
	if (!m)
		return;
	withdraw(m);
	pthread_mutex_lock(&waiting_lock);
	n_pieces--;
	if (m->how == OWN && m->base) {
		m->next = waiting;
		waiting = m;
		m = NULL;
	}
	pthread_mutex_unlock(&waiting_lock);
	if (m)
		release(m);
	sweep();
}

static struct gpu_memory *record(const struct unit *unit, int how, struct piece *piece)
{
	struct gpu_memory *m = calloc(1, sizeof *m);
	if (!m) {
		sccli_fail(SCCL_NO_MEMORY, "no memory for the record of a GPU's memory");
		return NULL;
	}
	*m = (struct gpu_memory){.unit = *unit};
	m->how = how;
	*piece = (struct piece){NULL, m};
	pthread_mutex_lock(&waiting_lock);
	n_pieces++;
	pthread_mutex_unlock(&waiting_lock);
	return m;
}

/* Runs WORK on a separate stream, because the caller's may be full of kernels that wait for other ranks. */
static sccl_status_t apart(const struct gpu_driver *d, int (*work)(const struct gpu_driver *, void *, sccl_stream_t), void *what)
{
	sccl_stream_t stream;
	int error = d->stream_create(&stream, GPU_STREAM_APART);

	if (error == 0) {
		int first = work(d, what, stream), second = d->stream_wait(stream);
		d->stream_destroy(stream);
		error = first ? first : second;
	}
	return sccli_gpu_failed(d, error, "cannot write into the memory of the GPU");
}

struct fill {
	void *to;
	const void *from; /* NULL: zeros */
	size_t bytes;
};

static int fill(const struct gpu_driver *d, void *what, sccl_stream_t stream)
{
	const struct fill *f = what;
	return f->from ? d->copy(f->to, f->from, f->bytes, GPU_COPY_ANY, stream) : d->memset(f->to, 0, f->bytes, stream);
}

static sccl_status_t allocate(const struct gpu_driver *d, struct gpu_memory *m, struct fill *f)
{
	size_t whole = f->bytes > SIZE_MAX - WHOLE ? f->bytes : (f->bytes + WHOLE - 1) / WHOLE * WHOLE;
	int error = 0;

	m->whole = whole;
	m->base = take_waiting(&m->unit, whole);
	if (!m->base)
		error = d->malloc(&m->base, whole, GPU_MALLOC_FINE);
	if (error != 0) {
		(void)d->last_error();
		m->base = NULL;
		return sccli_fail(SCCL_NO_MEMORY, "cannot allocate %zu bytes of GPU memory: %s", whole, d->error_text(error));
	}
	f->to = m->base;
	return apart(d, fill, f);
}

/* Fills in what other ranks need to open a piece. */
static sccl_status_t export_memory(const struct gpu_driver *d, struct gpu_memory *m, struct gpu_handle *h)
{
	size_t unused = 0;
	void *base = m->at;
	int error = m->how == ADOPTED && d->address_range ? d->address_range(&base, &unused, m->at) : 0;

	if (error == 0)
		error = d->ipc_handle(&h->ipc, base);
	if (error != 0)
		return sccli_gpu_failed(d, error, "cannot export GPU memory");
	h->offset = (uintptr_t)m->at - (uintptr_t)base;
	sccl_status_t status = sccli_shared_create(&m->users, sizeof(atomic_uint), &h->users);
	if (status == SCCL_OK)
		offer(m);
	return status;
}

static sccl_status_t make(const struct unit *unit, void *buffer, size_t bytes, struct piece *piece, union piece_handle *handle)
{
	const struct gpu_driver *d;
	struct gpu_handle h = {0};
	struct fill zeros = {NULL, NULL, bytes};
	int before;
	sccl_status_t status = sccli_gpu_enter(unit, &d, &before);

	if (status != SCCL_OK)
		return status;
	struct gpu_memory *m = record(unit, buffer ? ADOPTED : OWN, piece);
	status = m ? SCCL_OK : SCCL_NO_MEMORY;
	if (status == SCCL_OK && !buffer)
		status = allocate(d, m, &zeros);
	if (status == SCCL_OK) {
		piece->base = m->at = buffer ? buffer : m->base;
		m->bytes = bytes;
		status = export_memory(d, m, &h);
	}
	sccli_gpu_leave(d, before);
	memcpy(handle, &h, sizeof h);
	return status; /* whatever was created is released when the piece is closed */
}

sccl_status_t sccli_gpu_create(const struct unit *unit, size_t bytes, struct piece *piece, union piece_handle *handle)
{
	return make(unit, NULL, bytes, piece, handle);
}

sccl_status_t sccli_gpu_adopt(const struct unit *unit, void *buffer, size_t bytes, struct piece *piece,
                              union piece_handle *handle)
{
	return make(unit, buffer, bytes, piece, handle);
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

/* A thread of this process owns the memory, so its address can be used if this GPU can access the owning one. */
static sccl_status_t see(const struct gpu_driver *d, const struct unit *unit, int device)
{
	int yes = 0, error;

	if (device == unit->number)
		return SCCL_OK;
	error = d->can_access(&yes, unit->number, device);
	if (error == 0 && !yes)
		return sccli_fail(SCCL_UNSUPPORTED, "GPU %d cannot reach the memory of GPU %d", unit->number, device);
	if (error == 0)
		error = d->enable_access(device, 0);
	if (error == GPU_ACCESS_ENABLED_ALREADY) {
		(void)d->last_error();
		error = 0;
	}
	return sccli_gpu_failed(d, error, "cannot reach the memory of another GPU");
}

/* Whether the piece lies within what was opened. If the driver cannot tell, accesses outside fault on the GPU. */
static bool is_inside(const struct gpu_driver *d, void *opened, uint64_t offset, size_t bytes)
{
	size_t whole = 0;
	void *base = opened;

	if (!d->address_range)
		return offset == 0; /* then exports always begin at the allocation's base */
	if (d->address_range(&base, &whole, opened) != 0) {
		(void)d->last_error();
		return true;
	}
	size_t before = (uintptr_t)opened - (uintptr_t)base;
	return before <= whole && offset <= whole - before && bytes <= whole - before - offset;
}

static sccl_status_t open_memory(const struct gpu_driver *d, const struct gpu_handle *h, size_t bytes, struct gpu_memory *m,
                                 struct piece *piece)
{
	struct process self;
	struct gpu_memory there;
	sccl_status_t status = sccli_process_self(&self) ? sccli_shared_open(&m->users, sizeof(atomic_uint), &h->users) : SCCL_SYSTEM;

	if (status != SCCL_OK)
		return status;
	atomic_fetch_add(count_of(m), 1);
	if (sccli_process_same(&self, &h->users.owner)) {
		if (!find_offered(m->users, bytes, &there))
			return sccli_fail(SCCL_SYSTEM, "a rank offers %zu bytes of GPU memory that this process does not have", bytes);
		piece->base = there.at;
		return see(d, &m->unit, there.unit.number);
	}
	int error = d->ipc_open(&m->base, h->ipc, GPU_IPC_LAZY);
	if (error != 0)
		return sccli_gpu_failed(d, error, "cannot open the GPU memory of another process");
	m->how = OPENED;
	if (!is_inside(d, m->base, h->offset, bytes))
		return sccli_fail(SCCL_SYSTEM, "the GPU memory that another process offers does not have %zu bytes", bytes);
	piece->base = (uint8_t *)m->base + h->offset;
	return SCCL_OK;
}

sccl_status_t sccli_gpu_open(const struct unit *unit, const union piece_handle *handle, size_t bytes, struct piece *piece)
{
	const struct gpu_driver *d;
	struct gpu_handle h;
	int before;
	sccl_status_t status = sccli_gpu_enter(unit, &d, &before);

	memcpy(&h, handle, sizeof h);
	if (status != SCCL_OK)
		return status;
	struct gpu_memory *m = record(unit, SEEN, piece);
	status = m ? open_memory(d, &h, bytes, m, piece) : SCCL_NO_MEMORY;
	sccli_gpu_leave(d, before);
	if (status != SCCL_OK && m && !m->users) { /* nothing was opened */
		pthread_mutex_lock(&waiting_lock);
		n_pieces--;
		pthread_mutex_unlock(&waiting_lock);
		free(m);
		*piece = (struct piece){NULL, NULL};
	}
	return status;
}

void sccli_gpu_settle(struct piece *piece)
{
	struct gpu_memory *m = piece->own;
	if (!m || !m->users)
		return;
	withdraw(m);
	sccli_shared_settle(m->users);
}

sccl_status_t sccli_gpu_place(const struct unit *unit, const void *data, size_t bytes, struct piece *piece)
{
	const struct gpu_driver *d;
	struct fill f = {NULL, data, bytes};
	int before;
	sccl_status_t status = sccli_gpu_enter(unit, &d, &before);

	if (status != SCCL_OK)
		return status;
	struct gpu_memory *m = record(unit, OWN, piece);
	status = m ? allocate(d, m, &f) : SCCL_NO_MEMORY;
	if (m)
		piece->base = m->base;
	sccli_gpu_leave(d, before);
	return status;
}

/*
 * Allocates, exports, opens and frees GPU memory, with a reference count shared by all processes that have a piece
 * open.
 */
#include "runtime/gpu/gpu_memory.h"

#include "runtime/gpu/gpu_calls.h"
#include "runtime/gpu/gpu_range.h"
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
 * Freeing, closing and unmapping also wait for all kernels of the GPU and of those that can reach it, and one of them may be
 * waiting for a rank whose call is to come from this very thread. So memory is kept for the next piece of its size, and
 * freed when the last call of every communicator of this process is done, or this process has no piece left.
 */
struct gpu_memory {
	struct unit unit;
	void *base;  /* of the allocation, or of the opened handle */
	uint8_t *at; /* of the piece */
	size_t bytes, whole; /* of the piece; of an own allocation */
	/* HOSTED: memory of the host in place of the GPU's, behind the count of users; IMPORTED: another process's; MAPPED: no
	 * piece, but memory of the host that kernels see. */
	enum { OWN, ADOPTED, HOSTED, OPENED, IMPORTED, SEEN, MAPPED } how;
	struct shared *users; /* NULL: no other rank can have opened it */
	struct gpu_memory *next, *next_offered;
};

/* What is sent to the other ranks. Within the owner's process, the piece is identified as the offered one with these
 * users. */
struct gpu_handle {
	struct shared_handle users;
	struct gpu_ipc ipc;
	uint64_t offset; /* of the piece within its allocation */
	uint64_t hosted; /* 1: the memory is the host's, and lies behind the users */
};
_Static_assert(sizeof(struct gpu_handle) <= sizeof(union piece_handle), "a handle is sent as a piece's");

enum { HOSTED_AT = 4096 }; /* offset behind the count of users */
enum { WHOLE = 2 << 20 }; /* mapping granularity of drivers: smaller pieces could share a mapping with other data, which
                           * would be exported with them */

static struct gpu_memory *waiting; /* to be used again, or freed */
static size_t n_pieces;            /* of this process; with `waiting`, under its lock */
static struct gpu_memory *offered; /* not settled yet: other ranks of this process may open them */
static pthread_mutex_t sweep_lock = PTHREAD_MUTEX_INITIALIZER; /* one sweep at a time, so that only calls are in its way */
static pthread_mutex_t waiting_lock = PTHREAD_MUTEX_INITIALIZER, offered_lock = PTHREAD_MUTEX_INITIALIZER;

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
		else if (m->how == HOSTED || m->how == IMPORTED || m->how == MAPPED)
			d->host_unregister((uint8_t *)sccli_shared_base(m->users) + (m->how == MAPPED ? 0 : HOSTED_AT));
		sccli_gpu_leave(d, before);
	}
	if (m->how == OPENED || m->how == IMPORTED || m->how == SEEN) /* only now may the owner free it */
		atomic_fetch_sub(count_of(m), 1);
	sccli_shared_close(m->users);
	free(m);
}

static bool is_open_elsewhere(const struct gpu_memory *m)
{
	return m->users && atomic_load(count_of(m)) > 0;
}

static bool frees_later(const struct gpu_memory *m)
{
	return m->how == OWN || m->how == OPENED || m->how == HOSTED || m->how == IMPORTED;
}

/* Frees the waiting memory that no other rank has open any more, if that waits for no call; otherwise a later one does. */
static void sweep(void)
{
	pthread_mutex_lock(&sweep_lock);
	if (!sccli_gpu_calls_stop()) {
		pthread_mutex_unlock(&sweep_lock);
		return;
	}
	pthread_mutex_lock(&waiting_lock);
	bool free_now = waiting && (n_pieces == 0 || sccli_gpu_calls_done());
	for (struct gpu_memory **at = &waiting; *at && free_now;) {
		struct gpu_memory *m = *at;
		if (m->how == OWN && is_open_elsewhere(m)) {
			at = &m->next;
			continue;
		}
		*at = m->next;
		release(m);
	}
	pthread_mutex_unlock(&waiting_lock);
	sccli_gpu_calls_go_on();
	pthread_mutex_unlock(&sweep_lock);
}

/* Takes the base of waiting memory of WHOLE bytes of this GPU; NULL: there is none. */
static void *take_waiting(const struct unit *unit, size_t whole)
{
	void *base = NULL;

	pthread_mutex_lock(&waiting_lock);
	for (struct gpu_memory **at = &waiting; *at && !base; at = &(*at)->next) {
		struct gpu_memory *m = *at;
		if (m->how != OWN || m->whole != whole || m->unit.number != unit->number || m->unit.device != unit->device || is_open_elsewhere(m))
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

static void wait_with(struct gpu_memory *m)
{
	pthread_mutex_lock(&waiting_lock);
	m->next = waiting;
	waiting = m;
	pthread_mutex_unlock(&waiting_lock);
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
	pthread_mutex_unlock(&waiting_lock);
	if (frees_later(m) && (m->at || m->base))
		wait_with(m);
	else
		release(m);
	sweep();
}

sccl_status_t sccli_gpu_share(const struct unit *unit, const struct piece *memory, size_t bytes, void **seen)
{
	const struct gpu_driver *d;
	int before;
	sccl_status_t status = sccli_gpu_enter(unit, &d, &before);

	if (status != SCCL_OK)
		return status;
	int error = d->host_register(memory->base, bytes, GPU_HOST_PORTABLE_MAPPED);
	if (error == 0 && (error = d->host_pointer(seen, memory->base, 0)) != 0)
		d->host_unregister(memory->base);
	status = sccli_gpu_failed(d, error, "cannot map memory for the GPU");
	sccli_gpu_leave(d, before);
	return status;
}

/* The memory stays while its mapping waits to be ended. Without memory for a record it stays for good. */
void sccli_gpu_unshare(const struct unit *unit, const struct piece *memory)
{
	struct gpu_memory *m = calloc(1, sizeof *m);

	sccli_shared_keep(memory->own);
	if (!m)
		return;
	*m = (struct gpu_memory){.unit = *unit, .users = memory->own, .how = MAPPED};
	wait_with(m);
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
static sccl_status_t export_memory(const struct gpu_driver *d, struct gpu_memory *m, enum piece_reach reach, struct gpu_handle *h)
{
	size_t unused = 0;
	void *base = m->at;
	int error = reach == REACH_PROCESSES && m->how == ADOPTED && d->address_range ? d->address_range(&base, &unused, m->at) : 0;

	if (error == 0 && reach == REACH_PROCESSES)
		error = d->ipc_handle(&h->ipc, base);
	if (error != 0)
		return sccli_gpu_failed(d, error, "cannot export GPU memory");
	h->offset = (uintptr_t)m->at - (uintptr_t)base;
	sccl_status_t status = sccli_shared_create(&m->users, sizeof(atomic_uint), &h->users);
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

/* Where the driver exports no memory (in some containers and virtual machines), other processes share the host's. */
static sccl_status_t make_hosted(const struct gpu_driver *d, struct gpu_memory *m, struct gpu_handle *h)
{
	*h = (struct gpu_handle){.hosted = 1};
	m->how = HOSTED;
	sccl_status_t status = sccli_shared_create(&m->users, HOSTED_AT + m->bytes, &h->users);
	if (status == SCCL_OK)
		status = map_hosted(d, m, m->bytes);
	if (status == SCCL_OK)
		offer(m);
	return status;
}

/* Own memory that turned out not to be exportable waits for another use. */
static void put_aside(const struct gpu_memory *m)
{
	struct gpu_memory *unused = calloc(1, sizeof *unused);
	if (!unused)
		return; /* nothing but a leak */
	*unused = *m;
	unused->users = NULL;
	wait_with(unused);
}

static sccl_status_t make(const struct unit *unit, void *buffer, size_t bytes, enum piece_reach reach, struct piece *piece,
                          union piece_handle *handle)
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
		m->at = buffer ? buffer : m->base;
		m->bytes = bytes;
		status = reach == REACH_OWNER ? SCCL_OK : export_memory(d, m, reach, &h);
		if (status != SCCL_OK && !buffer && !m->users) {
			put_aside(m);
			m->base = NULL;
			status = make_hosted(d, m, &h);
		}
		piece->base = m->at;
	}
	sccli_gpu_leave(d, before);
	memcpy(handle, &h, sizeof h);
	return status; /* whatever was created is released when the piece is closed */
}

sccl_status_t sccli_gpu_create(const struct unit *unit, size_t bytes, enum piece_reach reach, struct piece *piece,
                               union piece_handle *handle)
{
	return make(unit, NULL, bytes, reach, piece, handle);
}

sccl_status_t sccli_gpu_adopt(const struct unit *unit, void *buffer, size_t bytes, enum piece_reach reach, struct piece *piece,
                              union piece_handle *handle)
{
	return make(unit, buffer, bytes, reach, piece, handle);
}

const char *sccli_gpu_route(const struct piece *piece)
{
	static const char *const routes[] = {
		[OWN] = "by address", [ADOPTED] = "by address", [HOSTED] = "through memory of the host",
		[OPENED] = "through IPC", [IMPORTED] = "through memory of the host", [SEEN] = "by address",
	};
	const struct gpu_memory *m = piece->own;
	return m ? routes[m->how] : "not at all";
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

static sccl_status_t open_memory(const struct gpu_driver *d, const struct gpu_handle *h, size_t bytes, struct gpu_memory *m,
                                 struct piece *piece)
{
	struct process self;
	struct gpu_memory there;
	size_t shared = h->hosted ? HOSTED_AT + bytes : sizeof(atomic_uint);
	sccl_status_t status = sccli_process_self(&self) ? sccli_shared_open(&m->users, shared, &h->users) : SCCL_SYSTEM;

	if (status != SCCL_OK)
		return status;
	atomic_fetch_add(count_of(m), 1);
	if (sccli_process_same(&self, &h->users.owner)) {
		if (!find_offered(m->users, bytes, &there))
			return sccli_fail(SCCL_SYSTEM, "a rank offers %zu bytes of GPU memory that this process does not have", bytes);
		piece->base = there.at;
		return sccli_gpu_see(d, &m->unit, there.unit.number);
	}
	if (h->hosted) {
		status = map_hosted(d, m, bytes);
		m->how = status == SCCL_OK ? IMPORTED : SEEN;
		piece->base = m->at;
		return status;
	}
	int error = d->ipc_open(&m->base, h->ipc, GPU_IPC_LAZY);
	if (error != 0)
		return sccli_gpu_failed(d, error, "cannot open the GPU memory of another process");
	m->how = OPENED;
	m->at = m->base;
	if (!sccli_gpu_is_inside(d, m->base, h->offset, bytes))
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

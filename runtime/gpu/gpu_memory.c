/*
 * Allocates, exports, opens and frees GPU memory, with a reference count shared by all processes that have a piece
 * open.
 */
#include "runtime/gpu/gpu_memory.h"
#include "runtime/gpu/gpu_memory_inside.h"

#include "runtime/gpu/gpu_calls.h"
#include "runtime/gpu/gpu_range.h"
#include "runtime/core/status.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct gpu_memory *waiting; /* to be used again, or freed */
static size_t n_pieces;            /* of this process; with `waiting`, under its lock */
static pthread_mutex_t sweep_lock = PTHREAD_MUTEX_INITIALIZER; /* one sweep at a time, so that only calls are in its way */
static pthread_mutex_t waiting_lock = PTHREAD_MUTEX_INITIALIZER;

static void release(struct gpu_memory *m)
{
	const struct gpu_driver *d;
	int before;

	if (sccli_gpu_enter(&m->unit, &d, &before) == SCCL_OK) {
		if (m->how == TEAM)
			sccli_gpu_virtual_free_team(d, m->unit.number, m->bound, &m->mapping);
		else if (m->mapping.bytes)
			sccli_gpu_virtual_free(d, &m->mapping);
		else if (m->how == OWN)
			d->free(m->base);
		else if (m->how == OPENED)
			d->ipc_close(m->base);
		else if (m->how == HOSTED || m->how == IMPORTED || m->how == MAPPED)
			d->host_unregister((uint8_t *)sccli_shared_base(m->users) + (m->how == MAPPED ? 0 : HOSTED_AT));
		sccli_gpu_leave(d, before);
	}
	if (m->how == OPENED || m->how == IMPORTED || m->how == SEEN) /* only now may the owner free it */
		atomic_fetch_sub(gpu_users(m), 1);
	sccli_shared_close(m->users);
	free(m);
}

static bool is_open_elsewhere(const struct gpu_memory *m)
{
	return m->users && atomic_load(gpu_users(m)) > 0;
}

static bool frees_later(const struct gpu_memory *m)
{
	return m->how == OWN || m->how == OPENED || m->how == HOSTED || m->how == IMPORTED;
}

/* Frees what no other rank has open any more. With the lock of `waiting`. */
static void release_waiting(bool teams)
{
	for (struct gpu_memory **at = &waiting; *at;) {
		struct gpu_memory *m = *at;
		if ((m->how == TEAM) != teams || (m->how == OWN && is_open_elsewhere(m))) {
			at = &m->next;
			continue;
		}
		*at = m->next;
		release(m);
	}
}

/* Frees what waits, if that waits for no call; otherwise a later one does. Memory is unbound from multicast objects before it is
 * unmapped. */
static void sweep(void)
{
	pthread_mutex_lock(&sweep_lock);
	if (!sccli_gpu_calls_stop()) {
		pthread_mutex_unlock(&sweep_lock);
		return;
	}
	pthread_mutex_lock(&waiting_lock);
	if (waiting && (n_pieces == 0 || sccli_gpu_calls_done())) {
		release_waiting(true);
		release_waiting(false);
	}
	pthread_mutex_unlock(&waiting_lock);
	sccli_gpu_calls_go_on();
	pthread_mutex_unlock(&sweep_lock);
}

/* Gives TO the waiting memory of the same GPU, size and kind. */
static bool take_waiting(struct gpu_memory *to, bool is_virtual)
{
	bool taken = false;

	pthread_mutex_lock(&waiting_lock);
	for (struct gpu_memory **at = &waiting; *at && !taken; at = &(*at)->next) {
		struct gpu_memory *m = *at;
		bool same = m->whole == to->whole && m->unit.number == to->unit.number && m->unit.device == to->unit.device;
		if (m->how != OWN || !same || (m->mapping.bytes != 0) != is_virtual || m->bound || is_open_elsewhere(m))
			continue;
		*at = m->next;
		to->base = m->base;
		to->mapping = m->mapping;
		taken = true;
		sccli_shared_close(m->users);
		free(m);
		break;
	}
	pthread_mutex_unlock(&waiting_lock);
	return taken;
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
	sccli_gpu_withdraw(m);
	pthread_mutex_lock(&waiting_lock);
	n_pieces--;
	pthread_mutex_unlock(&waiting_lock);
	if (frees_later(m) && (m->at || m->base))
		wait_with(m);
	else
		release(m);
	sweep();
}

void sccli_gpu_free_later(struct gpu_memory *m)
{
	wait_with(m);
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
	sccli_gpu_free_later(m);
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

/* Memory that other ranks open is made so that it can leave its process in more ways than by IPC, where the driver can. */
static sccl_status_t allocate(const struct gpu_driver *d, struct gpu_memory *m, enum piece_reach reach, struct fill *f)
{
	size_t whole = f->bytes > SIZE_MAX - GPU_WHOLE ? f->bytes : (f->bytes + GPU_WHOLE - 1) / GPU_WHOLE * GPU_WHOLE;
	bool leaves = reach != REACH_OWNER && (sccli_gpu_may_leave(WAY_FILE) || sccli_gpu_may_leave(WAY_FABRIC));
	int error = 0;

	m->whole = whole;
	if (leaves && !take_waiting(m, true) && sccli_gpu_virtual_create(d, m->unit.number, whole, &m->mapping) == 0)
		m->base = m->mapping.at;
	if (!m->base && !take_waiting(m, false))
		error = d->malloc(&m->base, whole, GPU_MALLOC_FINE);
	if (error != 0) {
		(void)d->last_error();
		m->base = NULL;
		return sccli_fail(SCCL_NO_MEMORY, "cannot allocate %zu bytes of GPU memory: %s", whole, d->error_text(error));
	}
	f->to = m->base;
	return apart(d, fill, f);
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
		status = allocate(d, m, reach, &zeros);
	if (status == SCCL_OK) {
		m->at = buffer ? buffer : m->base;
		m->bytes = bytes;
		status = reach == REACH_OWNER ? SCCL_OK : sccli_gpu_export(d, m, reach, &h);
		if (status != SCCL_OK && !buffer && !m->users) {
			put_aside(m);
			m->base = NULL;
			m->mapping = (struct gpu_virtual){0};
			status = sccli_gpu_export_host(d, m, &h);
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
		[IMPORTED] = "through memory of the host", [SEEN] = "by address",
	};
	static const char *const ways[] = {[WAY_IPC] = "through IPC", [WAY_FILE] = "through files of its memory",
	                                   [WAY_FABRIC] = "through fabric handles", [WAY_HOST] = "through memory of the host"};
	const struct gpu_memory *m = piece->own;
	return !m ? "not at all" : m->how == OPENED ? ways[m->way] : routes[m->how];
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
	status = m ? sccli_gpu_import(d, &h, bytes, m, piece) : SCCL_NO_MEMORY;
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
	sccli_gpu_withdraw(m);
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
	status = m ? allocate(d, m, REACH_OWNER, &f) : SCCL_NO_MEMORY;
	if (m)
		piece->base = m->base;
	sccli_gpu_leave(d, before);
	return status;
}

/*
 * Stands in for libcudart where there is no GPU, so that what the runtime asks of the driver is tried in earnest: streams
 * that go on by themselves, memory that other processes can only open through handles, kernels whose blocks run at the
 * same time, captured graphs. There are as many GPUs as STAND_IN_GPUS says (2). Misuse ends the process with a line:
 * memory freed while another process has it open, a handle opened by its own process, a launch of more blocks than fit.
 * Memory of cuMemCreate and multicast objects are in stand_in_virtual.h.
 * A GPU runs at most RESIDENT blocks of all streams at the same time. The handle of a destroyed stream, which goes on with
 * what it was given, is the next new stream's.
 */

#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#pragma GCC diagnostic ignored "-Wmissing-prototypes" /* their prototypes are the driver's, which is not here */

enum { OK, INVALID = 1, NO_MEMORY = 2, BAD_DEVICE = 101, ACCESS_ALREADY = 704, CAPTURING = 900, RESIDENT = 48, GPUS_MAX = 16 };

struct job {
	int (*work)(struct job *);
	void (*kernel)(const void *, uint32_t);
	void *to, *argument;
	const void *from;
	size_t bytes;
	uint64_t value;
	uint32_t grid, byte;
	uint64_t ticket;
	int device;
	struct job *next;
};

struct stream {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct job *first, **last, *captured, **captured_last;
	bool capturing, busy, ends;
	int device;
	uint8_t parameters[512]; /* of the last kernel that it has run */
	size_t parameter_bytes;
	struct queue *queue; /* NULL: of its own */
	unsigned long long id;
	struct stream *next; /* of all streams */
};

/* A hardware queue of a GPU. What streams were given is begun in the order in which it came, and of all but kernels, which
 * only are begun, the next waits for the end. */
struct queue {
	unsigned streams;
	uint64_t last, served;
	pthread_cond_t changed;
};

/* A cudaStream_t. */
struct handle_of {
	struct stream *stream;
	struct handle_of *next_free;
};

struct event {
	uint64_t recorded, reached;
	unsigned users; /* its owner, and what streams still have to do with it */
};

struct allocation {
	uint8_t *base;
	size_t bytes;
	int file, *opened; /* in the memory's last page: how many processes have it open */
	bool imported, pooled, is_virtual; /* is_virtual: mapped by cuMemMap; then `opened` is NULL */
	int device;
	const void *bound; /* to this multicast object; NULL: to none */
	struct allocation *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct allocation *allocations;
static bool access_enabled[GPUS_MAX];
static _Thread_local int device, last;
static struct queue queues[GPUS_MAX][32];
static struct handle_of *of_all, *free_handles;
static struct stream *streams;
static unsigned used[GPUS_MAX]; /* places of blocks */
static pthread_cond_t places_changed = PTHREAD_COND_INITIALIZER;

static void misuse(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));
static void misuse(const char *format, ...)
{
	va_list ap;
	va_start(ap, format);
	fprintf(stderr, "stand-in GPU: ");
	vfprintf(stderr, format, ap);
	fputc('\n', stderr);
	_exit(99);
}

static int failed(int error)
{
	last = error;
	return error;
}

static int gpus(void)
{
	const char *text = getenv("STAND_IN_GPUS");
	int n = text ? atoi(text) : 2;
	return n < 0 || n > GPUS_MAX ? 2 : n;
}

#define API __attribute__((visibility("default")))

API int cudaGetDevice(int *d) { *d = device; return OK; }
API int cudaSetDevice(int d) { return d < 0 || d >= gpus() ? failed(BAD_DEVICE) : (device = d, OK); }
API int cudaGetDeviceCount(int *n) { *n = gpus(); return *n ? OK : failed(100); }
API int cudaDeviceGetPCIBusId(char *text, int size, int d) { snprintf(text, (size_t)size, "0000:%02x:00.0", d); return OK; }
API int cudaDeviceCanAccessPeer(int *yes, int d, int peer) { *yes = d != peer; return OK; }
/* Only of atomics, which STAND_IN_PCIE=1 lacks. */
API int cudaDeviceGetP2PAttribute(int *value, int which, int d, int peer) { *value = which == 3 && d != peer && !getenv("STAND_IN_PCIE"); return OK; }
/* Compute capabilities of the GPUs, such as 90,80, in STAND_IN_CAPABILITIES; without, it tells none. */
API int cudaDeviceGetAttribute(int *value, int which, int d)
{
	enum { MAJOR = 75, MINOR = 76 };
	const char *text = getenv("STAND_IN_CAPABILITIES");
	for (int i = 0; text && i < d; i++)
		text = strchr(text, ',') ? strchr(text, ',') + 1 : NULL;
	if (!text || (which != MAJOR && which != MINOR))
		return failed(INVALID);
	*value = which == MAJOR ? atoi(text) / 10 : atoi(text) % 10;
	return OK;
}
API int cudaGetLastError(void) { int e = last; last = OK; return e; }
API const char *cudaGetErrorString(int e)
{
	return e == NO_MEMORY ? "out of memory" : e == BAD_DEVICE ? "invalid device ordinal" : e == 100 ? "no device is detected" : "invalid argument";
}

API int cudaDeviceEnablePeerAccess(int peer, unsigned flags)
{
	(void)flags;
	if (peer < 0 || peer >= gpus() || peer == device)
		return failed(BAD_DEVICE);
	return __atomic_exchange_n(&access_enabled[peer], true, __ATOMIC_SEQ_CST) ? failed(ACCESS_ALREADY) : OK;
}

static struct allocation *find(const void *at)
{
	for (struct allocation *a = allocations; a; a = a->next)
		if ((const uint8_t *)at >= a->base && (const uint8_t *)at < a->base + a->bytes)
			return a;
	return NULL;
}

static struct allocation *map(int file, size_t bytes, bool imported)
{
	struct allocation *a = calloc(1, sizeof *a);
	size_t page = 4096, whole = (bytes + page - 1) / page * page + page;

	if (!a || (!imported && ftruncate(file, (off_t)whole) != 0))
		return NULL;
	a->base = mmap(NULL, whole, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	if (a->base == MAP_FAILED)
		return NULL;
	*a = (struct allocation){a->base, bytes, file, (int *)(void *)(a->base + whole - page), imported, false, false, device, NULL, NULL};
	pthread_mutex_lock(&lock);
	a->next = allocations;
	allocations = a;
	pthread_mutex_unlock(&lock);
	return a;
}

API int cudaMalloc(void **at, size_t bytes)
{
	int file = bytes > (size_t)1 << 36 ? -1 : memfd_create("gpu", MFD_CLOEXEC);
	struct allocation *a = file < 0 ? NULL : map(file, bytes, false);
	if (!a)
		return failed(NO_MEMORY);
	memset(a->base, 0xdb, bytes); /* fresh memory is not zero */
	*at = a->base;
	return OK;
}

static int unmap(void *at, bool imported)
{
	pthread_mutex_lock(&lock);
	struct allocation *a = find(at);
	if (!a || a->base != at || a->imported != imported || a->is_virtual)
		misuse("%s of what is not %s", imported ? "close" : "free", imported ? "an opened handle" : "an allocation");
	if (imported)
		__atomic_fetch_sub(a->opened, 1, __ATOMIC_SEQ_CST);
	else if (__atomic_load_n(a->opened, __ATOMIC_SEQ_CST) != 0)
		misuse("memory is freed while %d others have it open", *a->opened);
	for (struct allocation **p = &allocations; *p; p = &(*p)->next)
		if (*p == a) {
			*p = a->next;
			break;
		}
	pthread_mutex_unlock(&lock);
	size_t page = 4096;
	munmap(a->base, (a->bytes + page - 1) / page * page + page);
	close(a->file);
	free(a);
	return OK;
}

/* As CUDA's, it waits until the GPUs that can reach the memory have nothing to do. */
static void wait_for_streams(void);

API int cudaFree(void *at)
{
	if (at)
		wait_for_streams();
	return at ? unmap(at, false) : OK;
}

API int cudaIpcCloseMemHandle(void *at)
{
	wait_for_streams();
	return unmap(at, true);
}

/* Memory of a pool, as from cudaMallocAsync, which cannot be exported so. */
API int standInMallocPooled(void **at, size_t bytes)
{
	int error = cudaMalloc(at, bytes);
	if (error == OK) {
		pthread_mutex_lock(&lock);
		find(*at)->pooled = true;
		pthread_mutex_unlock(&lock);
	}
	return error;
}

static unsigned exports;
API unsigned standInExports(void) { return exports; }

struct handle {
	int pid, file;
	uint64_t bytes;
	char rest[48];
};

API int cuMemGetAddressRange_v2(void **base, size_t *bytes, void *at)
{
	pthread_mutex_lock(&lock);
	struct allocation *a = find(at);
	pthread_mutex_unlock(&lock);
	if (!a)
		return failed(INVALID);
	*base = a->base;
	*bytes = a->bytes;
	return OK;
}

API int cudaIpcGetMemHandle(struct handle *h, void *at)
{
	pthread_mutex_lock(&lock);
	struct allocation *a = find(at);
	pthread_mutex_unlock(&lock);
	if (!a || a->base != at || a->imported || a->pooled || a->is_virtual || getenv("STAND_IN_NO_IPC"))
		return failed(INVALID);
	__atomic_add_fetch(&exports, 1, __ATOMIC_SEQ_CST);
	*h = (struct handle){.pid = getpid(), .file = a->file, .bytes = a->bytes};
	return OK;
}

API int cudaIpcOpenMemHandle(void **at, struct handle h, unsigned flags)
{
	char path[64];
	(void)flags;
	if (h.pid == getpid())
		misuse("a process opens its own handle");
	snprintf(path, sizeof path, "/proc/%d/fd/%d", h.pid, h.file);
	int file = open(path, O_RDWR | O_CLOEXEC);
	struct allocation *a = file < 0 ? NULL : map(file, h.bytes, true);
	if (!a)
		return failed(INVALID);
	__atomic_fetch_add(a->opened, 1, __ATOMIC_SEQ_CST);
	*at = a->base;
	return OK;
}

#include "tests/runtime/gpu/stand_in_virtual.h"

API int cudaHostRegister(void *at, size_t bytes, unsigned flags) { (void)at; (void)bytes; return flags == 3 ? OK : failed(INVALID); }
API int cudaHostGetDevicePointer(void **seen, void *at, unsigned flags) { (void)flags; *seen = at; return OK; }
API int cudaHostUnregister(void *at)
{
	(void)at;
	wait_for_streams();
	return OK;
}

/* The queue with the fewest streams; NULL unless STAND_IN_QUEUES is in the environment. */
static struct queue *join_queue(void)
{
	const char *text = getenv("STAND_IN_QUEUES");
	int n = text ? atoi(text) : 0;
	struct queue *least = n > 0 && n <= 32 ? queues[device] : NULL;

	for (int i = 1; least && i < n; i++)
		if (queues[device][i].streams < least->streams)
			least = &queues[device][i];
	if (least)
		least->streams++;
	return least;
}

static void take_turn(struct queue *q, uint64_t ticket)
{
	pthread_mutex_lock(&lock);
	while (q && q->served + 1 != ticket)
		pthread_cond_wait(&q->changed, &lock);
	pthread_mutex_unlock(&lock);
}

static void pass_turn(struct queue *q)
{
	pthread_mutex_lock(&lock);
	if (q) {
		q->served++;
		pthread_cond_broadcast(&q->changed);
	}
	pthread_mutex_unlock(&lock);
}

static void *go_on(void *argument)
{
	struct stream *s = argument;
	pthread_mutex_lock(&s->lock);
	for (;;) {
		while (!s->first && !s->ends)
			pthread_cond_wait(&s->changed, &s->lock);
		if (!s->first)
			break;
		struct job *j = s->first;
		s->first = j->next;
		if (!s->first)
			s->last = &s->first;
		s->busy = true;
		pthread_mutex_unlock(&s->lock);
		j->device = s->device;
		take_turn(s->queue, j->ticket);
		if (j->kernel)
			pass_turn(s->queue);
		j->work(j);
		if (!j->kernel)
			pass_turn(s->queue);
		pthread_mutex_lock(&s->lock);
		if (j->kernel && j->bytes <= sizeof s->parameters) {
			memcpy(s->parameters, j->argument, j->bytes);
			s->parameter_bytes = j->bytes;
		}
		free(j->argument);
		free(j);
		s->busy = false;
		pthread_cond_broadcast(&s->changed);
	}
	pthread_mutex_unlock(&s->lock);
	pthread_mutex_lock(&lock);
	if (s->queue)
		s->queue->streams--;
	for (struct stream **at = &streams; *at; at = &(*at)->next)
		if (*at == s) {
			*at = s->next;
			break;
		}
	pthread_mutex_unlock(&lock);
	free(s);
	return NULL;
}

API int cudaStreamCreateWithFlags(struct handle_of **handle, unsigned flags)
{
	static unsigned long long ids;
	struct stream *made = calloc(1, sizeof *made);
	if (!made || flags != 1)
		return failed(INVALID);
	pthread_mutex_init(&made->lock, NULL);
	pthread_cond_init(&made->changed, NULL);
	made->last = &made->first;
	made->captured_last = &made->captured;
	made->device = device;
	pthread_mutex_lock(&lock);
	struct handle_of *h = free_handles;
	if (h)
		free_handles = h->next_free;
	else
		h = calloc(1, sizeof *h);
	made->id = ++ids;
	made->queue = join_queue();
	made->next = streams;
	streams = made;
	pthread_mutex_unlock(&lock);
	if (!h || pthread_create(&made->thread, NULL, go_on, made) != 0)
		misuse("no thread for a stream");
	pthread_detach(made->thread);
	h->stream = made;
	*handle = h;
	return OK;
}

static bool is_idle(struct stream *s)
{
	pthread_mutex_lock(&s->lock);
	bool idle = !s->first && !s->busy;
	pthread_mutex_unlock(&s->lock);
	return idle;
}

static void wait_for_streams(void)
{
	for (bool idle = false; !idle;) {
		idle = true;
		pthread_mutex_lock(&lock);
		for (struct stream *s = streams; s && idle; s = s->next)
			idle = is_idle(s);
		pthread_mutex_unlock(&lock);
		if (!idle)
			usleep(50);
	}
}

static struct handle_of *handle_or_default(struct handle_of *h)
{
	static pthread_mutex_t making = PTHREAD_MUTEX_INITIALIZER;
	if (h)
		return h;
	pthread_mutex_lock(&making);
	if (!of_all)
		cudaStreamCreateWithFlags(&of_all, 1);
	pthread_mutex_unlock(&making);
	return of_all;
}

API int cudaStreamSynchronize(struct handle_of *h)
{
	struct stream *s = handle_or_default(h)->stream;
	pthread_mutex_lock(&s->lock);
	while (s->first || s->busy)
		pthread_cond_wait(&s->changed, &s->lock);
	pthread_mutex_unlock(&s->lock);
	return OK;
}

API size_t standInParameters(struct handle_of *h, void *to, size_t room)
{
	struct stream *s = handle_or_default(h)->stream;

	cudaStreamSynchronize(h);
	pthread_mutex_lock(&s->lock);
	size_t bytes = s->parameter_bytes;
	memcpy(to, s->parameters, bytes < room ? bytes : room);
	pthread_mutex_unlock(&s->lock);
	return bytes;
}

API int cudaStreamGetId(struct handle_of *h, unsigned long long *id)
{
	*id = handle_or_default(h)->stream->id;
	return OK;
}

API int cudaStreamDestroy(struct handle_of *h)
{
	struct stream *s = h->stream;
	pthread_mutex_lock(&lock);
	h->next_free = free_handles;
	free_handles = h;
	pthread_mutex_unlock(&lock);
	pthread_mutex_lock(&s->lock);
	s->ends = true;
	pthread_cond_broadcast(&s->changed);
	pthread_mutex_unlock(&s->lock);
	return OK;
}

static int enqueue(struct handle_of *h, struct job job)
{
	struct job *j = malloc(sizeof *j);
	if (!j)
		return failed(NO_MEMORY);
	*j = job;
	j->next = NULL;
	struct stream *s = handle_or_default(h)->stream;
	pthread_mutex_lock(&s->lock);
	if (s->capturing) {
		*s->captured_last = j;
		s->captured_last = &j->next;
	} else {
		j->ticket = s->queue ? __atomic_add_fetch(&s->queue->last, 1, __ATOMIC_SEQ_CST) : 0;
		*s->last = j;
		s->last = &j->next;
	}
	pthread_cond_broadcast(&s->changed);
	pthread_mutex_unlock(&s->lock);
	return OK;
}

static int do_set(struct job *j) { memset(j->to, (int)j->byte, j->bytes); return OK; }
static int do_copy(struct job *j) { memcpy(j->to, j->from, j->bytes); return OK; }
static int do_write(struct job *j) { __atomic_store_n((uint64_t *)j->to, j->value, __ATOMIC_RELEASE); return OK; }
static int do_wait(struct job *j)
{
	while ((int64_t)(__atomic_load_n((uint64_t *)j->to, __ATOMIC_ACQUIRE) - j->value) < 0)
		usleep(20);
	return OK;
}
static void use_no_more(struct event *e)
{
	if (__atomic_sub_fetch(&e->users, 1, __ATOMIC_ACQ_REL) == 0)
		free(e);
}
static int do_record(struct job *j)
{
	struct event *e = j->to;
	__atomic_store_n(&e->reached, j->value, __ATOMIC_RELEASE);
	use_no_more(e);
	return OK;
}
static int do_await_event(struct job *j)
{
	struct event *e = j->to;
	while (__atomic_load_n(&e->reached, __ATOMIC_ACQUIRE) < j->value)
		usleep(20);
	use_no_more(e);
	return OK;
}

API int cudaMemsetAsync(void *at, int byte, size_t bytes, struct handle_of *s)
{
	return enqueue(s, (struct job){.work = do_set, .to = at, .byte = (uint32_t)byte, .bytes = bytes});
}
API int cudaMemcpyAsync(void *to, const void *from, size_t bytes, int kind, struct handle_of *s)
{
	return kind != 4 ? failed(INVALID) : enqueue(s, (struct job){.work = do_copy, .to = to, .from = from, .bytes = bytes});
}
API int cuStreamWriteValue64_v2(struct handle_of *s, void *at, uint64_t value, unsigned flags)
{
	(void)flags;
	return enqueue(s, (struct job){.work = do_write, .to = at, .value = value});
}
API int cuStreamWaitValue64_v2(struct handle_of *s, void *at, uint64_t value, unsigned flags)
{
	return flags != 0 ? failed(INVALID) : enqueue(s, (struct job){.work = do_wait, .to = at, .value = value});
}
API int cudaEventCreateWithFlags(struct event **e, unsigned flags)
{
	(void)flags;
	*e = calloc(1, sizeof **e);
	if (!*e)
		return failed(NO_MEMORY);
	(*e)->users = 1;
	return OK;
}
API int cudaEventRecord(struct event *e, struct handle_of *s)
{
	__atomic_add_fetch(&e->users, 1, __ATOMIC_ACQ_REL);
	return enqueue(s, (struct job){.work = do_record, .to = e, .value = ++e->recorded});
}
API int cudaStreamWaitEvent(struct handle_of *s, struct event *e, unsigned flags)
{
	(void)flags;
	__atomic_add_fetch(&e->users, 1, __ATOMIC_ACQ_REL);
	return enqueue(s, (struct job){.work = do_await_event, .to = e, .value = e->recorded});
}
API int cudaEventQuery(struct event *e)
{
	enum { NOT_READY = 600 };
	return __atomic_load_n(&e->reached, __ATOMIC_ACQUIRE) < e->recorded ? failed(NOT_READY) : OK;
}
API int cudaEventDestroy(struct event *e) { use_no_more(e); return OK; }

struct block {
	pthread_t thread;
	const struct job *job;
	uint32_t number;
};

static void *run_block(void *argument)
{
	struct block *b = argument;
	b->job->kernel(b->job->argument, b->number);
	pthread_mutex_lock(&lock);
	used[b->job->device]--;
	pthread_cond_broadcast(&places_changed);
	pthread_mutex_unlock(&lock);
	return NULL;
}

static void take_place(int of)
{
	pthread_mutex_lock(&lock);
	while (used[of] == RESIDENT)
		pthread_cond_wait(&places_changed, &lock);
	used[of]++;
	pthread_mutex_unlock(&lock);
}

/* Stacks so small that the C library keeps those of all blocks for the next launch. */
static pthread_attr_t stacks;
static void make_stacks(void)
{
	if (pthread_attr_init(&stacks) != 0 || pthread_attr_setstacksize(&stacks, 256 << 10) != 0)
		misuse("no stack for a block");
}

static int do_kernel(struct job *j)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	struct block blocks[RESIDENT];

	pthread_once(&once, make_stacks);
	for (uint32_t i = 0; i < j->grid; i++) {
		blocks[i] = (struct block){.job = j, .number = i};
		take_place(j->device);
		if (pthread_create(&blocks[i].thread, &stacks, run_block, &blocks[i]) != 0)
			misuse("no thread for a block");
	}
	for (uint32_t i = 0; i < j->grid; i++)
		pthread_join(blocks[i].thread, NULL);
	return OK;
}

API int standInLaunch(void (*kernel)(const void *, uint32_t), const void *argument, size_t bytes, uint32_t grid, struct handle_of *s)
{
	void *copy = malloc(bytes);
	if (!copy || grid < 1)
		return failed(INVALID);
	if (grid > RESIDENT)
		misuse("%u blocks are launched, of which %d fit", grid, RESIDENT);
	memcpy(copy, argument, bytes);
	return enqueue(s, (struct job){.work = do_kernel, .kernel = kernel, .argument = copy, .bytes = bytes, .grid = grid});
}

API int standInResident(void) { return RESIDENT; }

/* Kernels that wait are stopped while `frozen`, as on a GPU that runs other work. */
static bool frozen;
API void standInFreeze(int freezes) { __atomic_store_n(&frozen, freezes != 0, __ATOMIC_SEQ_CST); }
API void standInPause(void)
{
	while (__atomic_load_n(&frozen, __ATOMIC_SEQ_CST))
		usleep(100);
}

API int cudaStreamBeginCapture(struct handle_of *s, int mode)
{
	(void)mode;
	if (s->stream->capturing)
		return failed(CAPTURING);
	s->stream->capturing = true;
	return OK;
}
API int cudaStreamIsCapturing(struct handle_of *s, int *status)
{
	*status = s && s->stream->capturing;
	return OK;
}
API int cudaStreamEndCapture(struct handle_of *h, struct job **graph)
{
	struct stream *s = h->stream;
	*graph = s->captured;
	s->captured = NULL;
	s->captured_last = &s->captured;
	s->capturing = false;
	return OK;
}
API int cudaGraphInstantiateWithFlags(struct job **exec, struct job *graph, unsigned long long flags)
{
	(void)flags;
	*exec = graph;
	return OK;
}
API int cudaGraphLaunch(struct job *exec, struct handle_of *s)
{
	for (struct job *j = exec; j; j = j->next) {
		struct job copy = *j;
		if (j->argument && (copy.argument = malloc(j->bytes)))
			memcpy(copy.argument, j->argument, j->bytes);
		enqueue(s, copy);
	}
	return OK;
}
API int cudaGraphExecDestroy(struct job *exec) { (void)exec; return OK; }
API int cudaGraphDestroy(struct job *graph)
{
	while (graph) {
		struct job *next = graph->next;
		free(graph->argument);
		free(graph);
		graph = next;
	}
	return OK;
}

/*
 * All lanes of this process in a list, from which follows how many hardware queues of a GPU are taken.
 */
#include "runtime/gpu/engine_lanes.h"

#include "runtime/core/status.h"

#include <pthread.h>
#include <stdlib.h>

enum { QUEUES = 8, QUEUES_MOST = 32, OWN_STREAMS = 2, LANES_MOST = 8 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct lanes *all;

static uint32_t queues(void)
{
	const char *text = getenv("CUDA_DEVICE_MAX_CONNECTIONS");
	long n = text ? strtol(text, NULL, 10) : 0;
	return n < 1 ? QUEUES : n > QUEUES_MOST ? QUEUES_MOST : (uint32_t)n;
}

/* Queues of C's GPU that this process's other communicators have. */
static uint32_t taken(const struct sccl_comm *c)
{
	uint32_t n = 0;
	for (const struct lanes *l = all; l; l = l->next)
		if (l->comm->meeting.unit.device == c->meeting.unit.device && l->comm->meeting.unit.number == c->meeting.unit.number &&
		    l->comm->number != c->number)
			n += OWN_STREAMS + l->n;
	return n;
}

static sccl_status_t count(const struct sccl_comm *c, uint32_t *n)
{
	uint32_t has = queues(), used = taken(c), each = (used < has ? has - used : 0) / c->ranks_here;

	*n = 0;
	if (c->meeting.unit.device->synchronous)
		return SCCL_OK;
	if (each < OWN_STREAMS)
		return sccli_fail(SCCL_UNSUPPORTED,
		                  "GPU %d has %u hardware queues (CUDA_DEVICE_MAX_CONNECTIONS), %u of them taken: not enough for the streams "
		                  "of %u ranks on copy engines", c->meeting.unit.number, has, used, c->ranks_here);
	uint32_t most = c->meeting.ranks - 1 < LANES_MOST ? c->meeting.ranks - 1 : LANES_MOST;
	*n = each - OWN_STREAMS < most ? each - OWN_STREAMS : most;
	return SCCL_OK;
}

static void destroy(struct lanes *l)
{
	const struct unit *unit = &l->comm->meeting.unit;

	for (uint32_t i = 0; l->of && i < l->n; i++)
		if (l->of[i].stream)
			unit->device->lane_destroy(unit, l->of[i].stream);
	if (l->spare)
		unit->device->lane_destroy(unit, l->spare);
	free(l->of);
	free(l);
}

static sccl_status_t create(const struct sccl_comm *c, struct lanes **lanes)
{
	const struct unit *unit = &c->meeting.unit;
	uint32_t n;
	sccl_status_t status = count(c, &n);
	struct lanes *l = status == SCCL_OK ? calloc(1, sizeof *l) : NULL;

	if (status != SCCL_OK)
		return status;
	if (l)
		*l = (struct lanes){.comm = c, .n = n, .of = calloc(n + (size_t)1, sizeof *l->of), .users = 1};
	if (!l || !l->of) {
		free(l);
		return sccli_fail(SCCL_NO_MEMORY, "no memory for the streams of a communicator");
	}
	status = unit->device->lane_create(unit, &l->spare);
	for (uint32_t i = 0; i < n && status == SCCL_OK; i++)
		status = unit->device->lane_create(unit, &l->of[i].stream);
	if (status != SCCL_OK) {
		destroy(l);
		return status;
	}
	l->next = all;
	all = l;
	*lanes = l;
	return SCCL_OK;
}

sccl_status_t sccli_lanes_get(const struct sccl_comm *c, struct lanes **lanes)
{
	sccl_status_t status = SCCL_OK;

	pthread_mutex_lock(&lock);
	struct lanes *l = all;
	while (l && l->comm != c)
		l = l->next;
	if (l) {
		l->users++;
		*lanes = l;
	} else {
		status = create(c, lanes);
	}
	pthread_mutex_unlock(&lock);
	return status;
}

void sccli_lanes_put(struct lanes *lanes)
{
	if (!lanes)
		return;
	pthread_mutex_lock(&lock);
	bool last = --lanes->users == 0;
	struct lanes **at = &all;
	while (*at && *at != lanes)
		at = &(*at)->next;
	if (last && *at)
		*at = lanes->next;
	pthread_mutex_unlock(&lock);
	if (last)
		destroy(lanes);
}

void sccli_lanes_release(const struct lanes *lanes, uint8_t *flags, size_t bytes, uint64_t epoch)
{
	const struct unit *unit = &lanes->comm->meeting.unit;
	uint64_t *far = malloc(bytes);

	for (size_t i = 0; far && i < bytes / sizeof *far; i++)
		far[i] = epoch + ((uint64_t)1 << 60);
	if (far) {
		unit->device->copy(unit, flags, far, bytes, lanes->spare);
		unit->device->wait(unit, lanes->spare); /* FAR is freed */
	}
	free(far);
}

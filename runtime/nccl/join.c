/*
 * How shadows come to be: the ranks of a communicator that NCCL has just made meet at a socket, or in their process; those of one
 * that it made from another use that one's shadow.
 */
#include "runtime/nccl/shadow_inside.h"

#include "runtime/core/comm.h"
#include "runtime/net/bootstrap_socket.h"
#include "runtime/nccl/catalog.h"
#include "runtime/nccl/turns.h"

#include <stdio.h>
#include <stdlib.h>

static double timeout(void)
{
	double seconds = catalog_number("SCCL_NCCL_TIMEOUT", 0);
	return seconds > 0 ? seconds : 10;
}

/* A name that only processes which know the id can derive. */
static void meeting_name(const ncclUniqueId *id, char *name, size_t size)
{
	uint64_t a = 0xcbf29ce484222325u, b = 0x9e3779b97f4a7c15u;

	for (size_t i = 0; i < sizeof id->internal; i++) {
		a = (a ^ (unsigned char)id->internal[i]) * 0x100000001b3u;
		b = (b + (unsigned char)id->internal[i]) * 0xff51afd7ed558ccdu;
		b ^= b >> 29;
	}
	snprintf(name, size, "@sccl-nccl-%016llx%016llx", (unsigned long long)a, (unsigned long long)b);
}

static void join_one(void *of, size_t i)
{
	enum { LATER = 600 }; /* seconds */
	const struct joining *j = (const struct joining *)of + i;
	const struct catalog *c = catalog_open();
	sccl_comm_options_t options = {.target = c->target, .device = j->device, .max_blocks = 64};
	struct shadow *s = calloc(1, sizeof *s);
	char name[128];

	if (!s)
		return;
	*s = (struct shadow){.real = j->real, .ranks = (uint32_t)j->ranks, .rank = (uint32_t)j->rank};
	meeting_name(&j->id, name, sizeof name);
	sccl_status_t status = sccl_socket_open(&s->bootstrap, name, s->rank, s->ranks, timeout());
	s->socket = status == SCCL_OK;
	if (status == SCCL_OK)
		status = sccl_comm_create(&s->comm, s->rank, s->ranks, &s->bootstrap, &options);
	if (status == SCCL_OK) /* registering is collective */
		status = shadow_agree(s, windows_are_used(), &s->uses_windows);
	if (status == SCCL_OK) {
		/* All ranks have arrived; a rank that is late for a later exchange is only slow, and NCCL would wait
		 * for it too. */
		sccli_socket_patience(&s->bootstrap, LATER);
		shadow_keep(s);
		return;
	}
	catalog_log("rank %u of %u: NCCL serves: %s", s->rank, s->ranks, sccl_error_text());
	shadow_release(s);
}

static sccl_status_t make_part(sccl_comm_t **part, const struct shadow *parent, const struct joining *j)
{
	if (!j->shrinks)
		return sccl_comm_split(part, parent->comm, j->color, j->key);
	return sccl_comm_shrink(part, parent->comm, j->without, j->n_without);
}

/* Collective over the parent, or what is left of it. */
static void split_one(void *of, size_t i)
{
	const struct joining *j = (const struct joining *)of + i;
	struct shadow *parent = shadow_get(j->parent), *s = must_have(calloc(1, sizeof *s));

	if (parent && make_part(&s->comm, parent, j) != SCCL_OK)
		catalog_log("a part of %u ranks: NCCL serves: %s", parent->ranks, sccl_error_text());
	if (s->comm) {
		s->real = j->real;
		s->ranks = s->comm->meeting.ranks;
		s->rank = s->comm->meeting.rank;
		s->alone = parent->alone;
		s->uses_windows = parent->uses_windows;
		shadow_keep(s);
	} else {
		free(s);
	}
	shadow_put(parent);
}

static void make_one(void *of, size_t i)
{
	(((const struct joining *)of)[i].parent ? split_one : join_one)(of, i);
}

/* The parts of a communicator are made one after another. */
static ncclComm_t made_of(const void *of, size_t i)
{
	const struct joining *j = (const struct joining *)of + i;
	return j->parent ? j->parent : j->real;
}

static void join_local(const struct joining *j, size_t n)
{
	const struct catalog *c = catalog_open();
	sccl_comm_options_t options = {.target = c->target, .max_blocks = 64};
	sccl_comm_t **comms = calloc(n, sizeof *comms);
	int *devices = calloc(n, sizeof *devices);

	for (size_t i = 0; devices && i < n; i++)
		devices[i] = j[i].device;
	if (!comms || !devices || sccl_comms_create(comms, (uint32_t)n, devices, &options) != SCCL_OK) {
		catalog_log("NCCL serves: %s", sccl_error_text());
	} else {
		for (size_t i = 0; i < n; i++) {
			struct shadow *s = calloc(1, sizeof *s);
			if (!s)
				abort(); /* otherwise the ranks' calls would be split between the two libraries */
			*s = (struct shadow){.real = j[i].real, .comm = comms[i], .ranks = (uint32_t)n, .rank = (uint32_t)i,
			                    .uses_windows = windows_are_used()};
			shadow_keep(s);
		}
	}
	free(comms);
	free(devices);
}

static void mark_alone(ncclComm_t real)
{
	struct shadow *s = shadow_get(real);
	if (s)
		s->alone = true;
	shadow_put(s);
}

void shadows_join(const struct joining *joining, size_t n)
{
	if (!catalog_open() || n < 1)
		return;
	if (joining->local) {
		join_local(joining, n);
		return;
	}
	turns_by_comm(make_one, (void *)(uintptr_t)joining, n, made_of);
	if (n == 1 && !joining->parent)
		mark_alone(joining->real);
}

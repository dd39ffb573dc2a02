#define _GNU_SOURCE /* MAP_ANONYMOUS */
#include "tests/runtime/ranks.h"

#include "tests/runtime/ring.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

struct rank {
	part_t part;
	uint32_t number;
	sccl_group_t *group;
	struct outcome *outcome;
};

static void *live(void *rank)
{
	struct rank *r = rank;
	sccl_bootstrap_t bootstrap;
	struct outcome o = {SCCL_OK, ""};

	o.status = sccl_group_join(r->group, r->number, &bootstrap);
	if (o.status == SCCL_OK)
		o.status = r->part(r->number, &bootstrap);
	snprintf(o.text, sizeof o.text, "%s", sccl_error_text());
	*r->outcome = o;
	return NULL;
}

static void prepare(part_t part, struct rank ranks[RING], struct outcome *out)
{
	sccl_group_t *group;
	if (sccl_group_create(&group, RING, 20) != SCCL_OK)
		abort();
	for (uint32_t i = 0; i < RING; i++)
		ranks[i] = (struct rank){part, i, group, &out[i]};
}

void in_threads(part_t part, struct outcome out[RING])
{
	struct rank ranks[RING];
	pthread_t threads[RING];

	prepare(part, ranks, out);
	for (int i = 0; i < RING; i++)
		if (pthread_create(&threads[i], NULL, live, &ranks[i]) != 0)
			abort();
	for (int i = 0; i < RING; i++)
		pthread_join(threads[i], NULL);
	sccl_group_free(ranks[0].group);
}

void in_processes(part_t part, struct outcome out[RING])
{
	size_t bytes = RING * sizeof *out;
	struct outcome *shared = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct rank ranks[RING];
	pid_t children[RING];

	if (shared == MAP_FAILED)
		abort();
	prepare(part, ranks, shared);
	fflush(NULL);
	for (int i = 0; i < RING; i++) {
		shared[i].status = SCCL_STATUSES;
		children[i] = fork();
		if (children[i] == 0) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			live(&ranks[i]);
			_exit(0);
		}
	}
	for (int i = 0; i < RING; i++)
		waitpid(children[i], NULL, 0);
	memcpy(out, shared, bytes);
	munmap(shared, bytes);
	sccl_group_free(ranks[0].group);
}

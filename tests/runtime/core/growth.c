/*
 * Nothing grows: CALLS collectives in a row, and then communicators and plans that come and go, with as many open files,
 * mappings and as much memory at the end as after a tenth of them. Ranks are processes, so that each counts its own.
 * usage: growth CALLS
 */
#include "tests/runtime/ranks.h"
#include "tests/runtime/ring.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT = 257, SLACK_KIB = 2048 };

static long n_calls;

/* What a process holds. */
struct holds {
	long files, mappings, kib;
};

static long lines_of(const char *path)
{
	long n = 0;
	FILE *f = fopen(path, "r");

	for (int c; f && (c = getc(f)) != EOF;)
		n += c == '\n';
	if (f)
		fclose(f);
	return n;
}

static struct holds look(void)
{
	struct holds h = {0, lines_of("/proc/self/maps"), 0};
	DIR *d = opendir("/proc/self/fd");
	FILE *f = fopen("/proc/self/statm", "r");
	long size;

	while (d && readdir(d))
		h.files++;
	if (d)
		closedir(d);
	if (!f || fscanf(f, "%ld %ld", &size, &h.kib) != 2)
		h.kib = -1;
	if (f)
		fclose(f);
	h.kib *= 4;
	return h;
}

static bool same(const char *what, uint32_t rank, struct holds before, struct holds after)
{
	bool good = after.files == before.files && after.mappings <= before.mappings + 2 && after.kib <= before.kib + SLACK_KIB;

	if (!good || rank == 0)
		printf("%s%s: rank %u: %ld -> %ld files, %ld -> %ld mappings, %ld -> %ld KiB\n", good ? "" : "GREW ", what, rank, before.files, after.files,
		       before.mappings, after.mappings, before.kib, after.kib);
	fflush(stdout);
	return good;
}

static sccl_status_t calls(uint32_t rank, sccl_comm_t *comm, long n, bool watch)
{
	sccl_plan_t *plan;
	sccl_memory_t *memory;
	static int32_t in[COUNT];
	struct holds before = {0, 0, 0};

	sccl_status_t status = sccl_plan_create(&plan, comm, &ring_allgather, SCCL_I32, SCCL_SUM, COUNT, NULL);
	if (status != SCCL_OK)
		return status;
	status = sccl_memory_create(&memory, comm, RING * sizeof in);
	if (status != SCCL_OK)
		return status;
	const int32_t *out = sccl_memory_at(memory, 0);
	for (long i = 0; i < n && status == SCCL_OK; i++) {
		in[0] = (int32_t)i + (int32_t)rank;
		status = sccl_run(plan, in, sccl_memory_at(memory, 0), COUNT, NULL);
		for (int r = 0; r < RING && status == SCCL_OK; r++)
			if (out[(size_t)r * COUNT] != (int32_t)i + r)
				status = SCCL_STATUSES;
		if (i == n / 10)
			before = look();
	}
	if (status == SCCL_OK && watch && !same("calls", rank, before, look()))
		status = SCCL_STATUSES;
	sccl_memory_free(memory);
	sccl_plan_free(plan);
	return status;
}

static sccl_status_t live(uint32_t rank, const sccl_bootstrap_t *bootstrap)
{
	sccl_comm_t *comm;
	struct holds before = {0, 0, 0};
	sccl_status_t status = sccl_comm_create(&comm, rank, RING, bootstrap, NULL);

	if (status != SCCL_OK)
		return status;
	status = calls(rank, comm, n_calls, true);
	sccl_comm_free(comm);
	for (long i = 0; i < n_calls / 1000 && status == SCCL_OK; i++) {
		status = sccl_comm_create(&comm, rank, RING, bootstrap, NULL);
		if (status == SCCL_OK)
			status = calls(rank, comm, 3, false);
		if (status == SCCL_OK)
			sccl_comm_free(comm);
		if (i == n_calls / 10000)
			before = look();
	}
	if (status == SCCL_OK && !same("communicators", rank, before, look()))
		status = SCCL_STATUSES;
	return status;
}

int main(int argc, char **argv)
{
	struct outcome out[RING];
	int bad = 0;

	n_calls = argc == 2 ? atol(argv[1]) : 0;
	if (n_calls < 1000) {
		fputs("usage: growth CALLS (1000 or more)\n", stderr);
		return 2;
	}
	in_processes(live, out);
	for (uint32_t r = 0; r < RING; r++)
		if (out[r].status != SCCL_OK) {
			printf("rank %u: status %d: %s\n", r, (int)out[r].status, out[r].text);
			bad++;
		}
	return bad > 0;
}

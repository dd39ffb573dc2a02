/* The table of targets, and what they share. */
#define _GNU_SOURCE /* memfd_create */
#include "tests/fuzz/targets.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static const struct fuzz_target targets[] = {
	{"algorithm", fuzz_algorithm, 1 << 14},
	{"choices", fuzz_choices, 1 << 12},
	{"collective", fuzz_collective, 1 << 12},
	{"frontier", fuzz_frontier, 1 << 15},
	{"journal", fuzz_journal, 1 << 12},
	{"machine", fuzz_machine, 1 << 14},
	{"name", fuzz_name, 96},
	{"options", fuzz_options, 256},
	{"parcel", fuzz_parcel, 1 << 12},
	{"plan", fuzz_plan, 1 << 14},
	{"proof", fuzz_proof, 1 << 14},
	{"remote", fuzz_remote, 1 << 12},
	{"rendezvous", fuzz_rendezvous, 160},
	{"schedule", fuzz_schedule, 1 << 14},
	{"time-proof", fuzz_time_proof, 1 << 14},
	{"topology", fuzz_topology, 1 << 13},
	{"trace", fuzz_trace, 1 << 10},
	{"workload", fuzz_workload, 1 << 13},
};

const struct fuzz_target *fuzz_target_list(size_t *n)
{
	*n = sizeof targets / sizeof *targets;
	return targets;
}

const struct fuzz_target *fuzz_target_named(const char *name)
{
	for (size_t i = 0; i < sizeof targets / sizeof *targets; i++)
		if (strcmp(targets[i].name, name) == 0)
			return &targets[i];
	return NULL;
}

void fuzz_need(bool ok, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "FAULT %s\n", what);
	abort();
}

const char *fuzz_file(const char *bytes, size_t n)
{
	static int file = -1;
	static char path[64];

	if (file >= 0)
		close(file);
	file = memfd_create("fuzzed", MFD_CLOEXEC);
	fuzz_need(file >= 0 && write(file, bytes, n) == (ssize_t)n, "no file in memory");
	snprintf(path, sizeof path, "/proc/self/fd/%d", file);
	return path;
}

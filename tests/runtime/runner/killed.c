/*
 * Ranks that are killed before, during and after allreduces, TRIALS times: every survivor returns in time, with an error
 * or with right sums alone, and nothing is left in /dev/shm.
 * usage: killed PROGRAM.so SYMBOL TRIALS SEED
 */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */

#include <sccl/sccl.h>

#include "tests/support/random.h"

#include <dirent.h>
#include <dlfcn.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { COUNT = 1021, CALLS = 4000, RANKS_MOST = 64 };
/* How a rank ended. LATE is that of SIGALRM, which nobody catches. */
enum { DONE, ENDED, WRONG = 9 };

static const sccl_program_t *program;
static uint32_t *begun; /* ranks that are about to make their first call; shared by all */

static int32_t value(uint32_t rank, int call, int i)
{
	return call * 7 + (int32_t)rank * 3 + i;
}

static int32_t sum(uint32_t ranks, int call, int i)
{
	return (int32_t)ranks * (call * 7 + i) + 3 * (int32_t)(ranks * (ranks - 1) / 2);
}

static int calls(sccl_plan_t *plan, uint32_t rank, uint32_t ranks)
{
	static int32_t in[COUNT], out[COUNT];

	__atomic_add_fetch(begun, 1, __ATOMIC_RELAXED);
	for (int call = 0; call < CALLS; call++) {
		for (int i = 0; i < COUNT; i++)
			in[i] = value(rank, call, i);
		if (sccl_run(plan, in, out, COUNT, NULL) != SCCL_OK)
			return ENDED;
		for (int i = 0; i < COUNT; i++)
			if (out[i] != sum(ranks, call, i))
				return WRONG;
	}
	return DONE;
}

static int live(sccl_group_t *group, uint32_t rank, sccl_protocol_t protocol)
{
	sccl_bootstrap_t bootstrap;
	sccl_comm_t *comm;
	sccl_plan_t *plan;
	sccl_comm_options_t options = {.timeout = 20};
	sccl_plan_options_t how = {.protocol = protocol};

	if (sccl_group_join(group, rank, &bootstrap) != SCCL_OK || sccl_comm_create(&comm, rank, program->ranks, &bootstrap, &options) != SCCL_OK)
		return ENDED;
	if (sccl_plan_create(&plan, comm, program, SCCL_I32, SCCL_SUM, COUNT, &how) != SCCL_OK) {
		sccl_comm_free(comm);
		return ENDED;
	}
	int end = calls(plan, rank, program->ranks);
	sccl_plan_free(plan);
	sccl_comm_free(comm);
	return end;
}

static int files_in_memory(void)
{
	int n = 0;
	DIR *d = opendir("/dev/shm");

	/* Others have theirs there. */
	for (const struct dirent *e; d && (e = readdir(d));)
		n += strstr(e->d_name, "sccl") != NULL;
	if (d)
		closedir(d);
	return n;
}

/* However long a shared computer takes to start the ranks; the trial notices a rank that never comes. */
static void await_calls(uint32_t ranks)
{
	const struct timespec pause = {0, 200000};

	for (int i = 0; i < 50000 && __atomic_load_n(begun, __ATOMIC_RELAXED) < ranks; i++)
		nanosleep(&pause, NULL);
}

/* One trial: *ENDS counts how the survivors ended. False: one of them was wrong, or late. */
static bool trial(uint64_t *state, int ends[2], int *during)
{
	uint32_t ranks = program->ranks, victim = (uint32_t)(random_bits(state) % ranks);
	sccl_protocol_t protocol = program->tables[SCCL_PACKETS].words && random_bits(state) % 2 ? SCCL_PACKETS : SCCL_PLAIN;
	/* Three kills in four happen during the calls, the others before. */
	bool early = random_bits(state) % 4 == 0;
	struct timespec until = {0, (long)(random_bits(state) % 20000000)};
	pid_t children[RANKS_MOST] = {0};
	sccl_group_t *group;
	bool good = true;

	*begun = 0;
	if (sccl_group_create(&group, ranks, 20) != SCCL_OK)
		return false;
	for (uint32_t r = 0; r < ranks; r++) {
		children[r] = fork();
		if (children[r] < 0)
			abort(); /* never kill -1 */
		if (children[r] == 0) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			alarm(100);
			_exit(live(group, r, protocol));
		}
	}
	if (!early)
		await_calls(ranks);
	nanosleep(&until, NULL);
	*during += __atomic_load_n(begun, __ATOMIC_RELAXED) == ranks;
	kill(children[victim], SIGKILL);
	for (uint32_t r = 0; r < ranks; r++) {
		int status;
		waitpid(children[r], &status, 0);
		if (r == victim)
			continue;
		if (WIFEXITED(status) && WEXITSTATUS(status) <= ENDED) {
			ends[WEXITSTATUS(status)]++;
			continue;
		}
		printf("rank %u %s %d, protocol %d, rank %u killed after %ld us\n", r, WIFEXITED(status) ? "returned" : "died of", status, (int)protocol,
		       victim, until.tv_nsec / 1000);
		good = false;
	}
	sccl_group_free(group);
	return good;
}

int main(int argc, char **argv)
{
	void *so = argc == 5 ? dlopen(argv[1], RTLD_NOW) : NULL;
	program = so ? dlsym(so, argv[2]) : NULL;
	if (!program || program->ranks > RANKS_MOST) {
		fprintf(stderr, "usage: killed PROGRAM.so SYMBOL TRIALS SEED: %s\n", so ? "no such program" : dlerror());
		return 2;
	}
	uint64_t state = random_start((uint64_t)atol(argv[4]));
	int ends[2] = {0, 0}, before = files_in_memory(), bad = 0, during = 0, trials = atoi(argv[3]);

	begun = mmap(NULL, sizeof *begun, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (begun == MAP_FAILED)
		return 2;
	for (int t = 0; t < trials; t++)
		bad += !trial(&state, ends, &during);
	if (files_in_memory() != before)
		bad++, printf("/dev/shm has other files of sccl than before\n");
	printf("%d ranks killed, %d of them in calls: %d survivors returned an error, %d had made all calls, %d trials went wrong\n", trials, during,
	       ends[ENDED], ends[DONE], bad);
	return bad > 0;
}

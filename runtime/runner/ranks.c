/*
 * Starts every rank as a process or a thread, waits for all of them, and derives the exit status.
 */
#define _GNU_SOURCE /* MAP_ANONYMOUS */
#include "runtime/runner/report.h"
#include "runtime/runner/session.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

struct rank_run {
	const struct settings *settings;
	const sccl_program_t *program;
	sccl_group_t *group;
	struct ending *endings; /* in shared memory, one per rank */
};

struct rank {
	const struct rank_run *run;
	uint32_t number;
	pthread_t thread;
	pid_t pid;
	int ended; /* the wait status of the process */
};

static void live(const struct rank *r)
{
	run_session(r->run->settings, r->run->program, r->run->group, r->number, &r->run->endings[r->number]);
}

static void *live_as_thread(void *rank)
{
	live(rank);
	return NULL;
}

static bool start_thread(struct rank *r)
{
	int why = pthread_create(&r->thread, NULL, live_as_thread, r);
	if (why)
		complain("threads", "cannot start rank %u: %s", r->number, strerror(why));
	return why == 0;
}

static bool start_process(struct rank *r)
{
	pid_t parent = getpid();
	fflush(NULL);
	r->pid = fork();
	if (r->pid < 0)
		complain("processes", "cannot start rank %u: %s", r->number, strerror(errno));
	if (r->pid != 0)
		return r->pid > 0;
	prctl(PR_SET_PDEATHSIG, SIGKILL); /* no rank outlives the program */
	if (getppid() != parent)
		_exit(EXIT_BROKEN);
	live(r);
	fflush(stdout);
	_exit(EXIT_DONE);
}

static void join(struct rank *r)
{
	if (r->run->settings->threads)
		pthread_join(r->thread, NULL);
	else
		while (waitpid(r->pid, &r->ended, 0) < 0 && errno == EINTR)
			;
}

/* Ranks would wait long for one that was never started. Threads cannot be ended individually, so the program exits. */
static void give_up(struct rank *ranks, uint32_t started)
{
	if (ranks->run->settings->threads)
		exit(EXIT_BROKEN);
	for (uint32_t i = 0; i < started; i++)
		kill(ranks[i].pid, SIGKILL);
	for (uint32_t i = 0; i < started; i++)
		join(&ranks[i]);
}

/* The first rank that failed by itself, rather than because another did. */
static const struct ending *the_first(const struct rank_run *run)
{
	const struct ending *found = NULL;
	for (uint32_t i = 0; i < run->program->ranks; i++) {
		const struct ending *e = &run->endings[i];
		if (*e->text && (!found || found->cause == SCCL_ABORTED || found->cause == SCCL_BOOTSTRAP))
			found = e;
	}
	return found;
}

static int judge(const struct rank_run *run, const struct rank *ranks)
{
	const struct ending *first = the_first(run);
	int status = EXIT_DONE;

	for (uint32_t i = 0; i < run->program->ranks; i++)
		status = run->endings[i].status > status ? run->endings[i].status : status;
	for (uint32_t i = 0; i < run->program->ranks && !run->settings->threads; i++)
		if (WIFSIGNALED(ranks[i].ended)) {
			complain(run->settings->label, "rank %u ended by signal %d (%s)", i, WTERMSIG(ranks[i].ended),
			         strsignal(WTERMSIG(ranks[i].ended)));
			return EXIT_BROKEN;
		} else if (WEXITSTATUS(ranks[i].ended) != EXIT_DONE) {
			complain(run->settings->label, "rank %u ended with status %d", i, WEXITSTATUS(ranks[i].ended));
			return EXIT_BROKEN;
		}
	if (first)
		complain(run->settings->label, "%s", first->text);
	return status;
}

static int run_to_end(struct rank_run *run, struct rank *ranks)
{
	for (uint32_t i = 0; i < run->program->ranks; i++) {
		ranks[i] = (struct rank){.run = run, .number = i};
		if (!(run->settings->threads ? start_thread : start_process)(&ranks[i])) {
			give_up(ranks, i);
			return EXIT_BROKEN;
		}
	}
	for (uint32_t i = 0; i < run->program->ranks; i++)
		join(&ranks[i]);
	return judge(run, ranks);
}

/* Allocating more memory than the machine has would end with a process killed without a message. */
static bool fits(const struct settings *s, const sccl_program_t *p)
{
	double most = 0, need = 0, have = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);

	for (size_t i = 0; i < s->n_amounts; i++)
		most = (double)s->amounts[i] > most ? (double)s->amounts[i] : most;
	double bytes = s->by_count ? most * 8 : most;
	const sccl_table_t *t = &p->tables[s->protocol];
	double slots = t->scratch_slots + 4.0 * t->packet_slots; /* two sets of packets, each at most twice the size of its
	                                                          * data */
	for (uint32_t r = 0; r < p->ranks; r++)
		need += (double)(p->input_count(r, 1 << 20) + p->output_count(r, 1 << 20)) / (1 << 20) * bytes +
		        slots * (double)p->chunk_limit(1 << 20) / (1 << 20) * bytes;
	if (need < 0.8 * have)
		return true;
	complain(s->by_count ? "--counts" : "--sizes", "take %.1f GiB in total; this machine has %.1f", need / (1 << 30),
	         have / (1 << 30));
	return false;
}

int run_ranks(const struct settings *s, const sccl_program_t *program)
{
	struct rank_run run = {.settings = s, .program = program};
	size_t bytes = program->ranks * sizeof *run.endings;
	int status = EXIT_BROKEN;

	if (!fits(s, program))
		return EXIT_INPUT;
	if (sccl_group_create(&run.group, program->ranks, s->timeout) != SCCL_OK) {
		complain("ranks", "%s", sccl_error_text());
		return EXIT_BROKEN;
	}
	void *endings = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct rank *ranks = calloc(program->ranks, sizeof *ranks);
	if (endings != MAP_FAILED && ranks) {
		run.endings = endings;
		report_head(s, program);
		status = run_to_end(&run, ranks);
	} else {
		complain("memory", "is too small for %u ranks", program->ranks);
	}
	free(ranks);
	if (endings != MAP_FAILED)
		munmap(endings, bytes);
	sccl_group_free(run.group);
	return status;
}

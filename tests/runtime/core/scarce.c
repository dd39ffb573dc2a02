/*
 * The runtime's C interface without memory: allocation number n fails, for every n, alone or with all after it. Each time a call
 * does its work, or ends with an error whose line names what is missing; everything is freed, no file stays open, and what is made
 * next works. TAP.
 * usage: scarce EVERY TABLE      EVERY: the first allocation, and one in so many after it; TABLE: of choices
 */
#include "tests/runtime/ring.h"

#include <sccl/sccl.h>

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- the allocator ---- */

void *__libc_malloc(size_t n);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *old, size_t n);
void *__libc_memalign(size_t alignment, size_t n);
void __libc_free(void *p);

static unsigned long fail_at, fail_from, counted; /* 0: none fails */
static long live;                                 /* blocks that are not freed */

static bool fails(void)
{
	unsigned long at = __atomic_load_n(&fail_at, __ATOMIC_RELAXED), from = __atomic_load_n(&fail_from, __ATOMIC_RELAXED);
	unsigned long n = at || from ? __atomic_add_fetch(&counted, 1, __ATOMIC_RELAXED) : 0;

	if (n == 0 || (n != at && (from == 0 || n < from)))
		return false;
	errno = ENOMEM;
	return true;
}

static void *taken(void *p)
{
	__atomic_add_fetch(&live, p != NULL, __ATOMIC_RELAXED);
	return p;
}

void *malloc(size_t n)
{
	return fails() ? NULL : taken(__libc_malloc(n));
}

void *calloc(size_t n, size_t size)
{
	return fails() ? NULL : taken(__libc_calloc(n, size));
}

void *realloc(void *old, size_t n)
{
	if (fails())
		return NULL;
	return old ? __libc_realloc(old, n) : taken(__libc_realloc(old, n));
}

void *aligned_alloc(size_t alignment, size_t n)
{
	return fails() ? NULL : taken(__libc_memalign(alignment, n));
}

int posix_memalign(void **p, size_t alignment, size_t n)
{
	if (fails())
		return ENOMEM;
	*p = taken(__libc_memalign(alignment, n));
	return *p ? 0 : ENOMEM;
}

void free(void *p)
{
	__atomic_sub_fetch(&live, p != NULL, __ATOMIC_RELAXED);
	__libc_free(p);
}

static long open_files(void)
{
	long n = 0;
	DIR *d = opendir("/proc/self/fd");

	while (d && readdir(d))
		n++;
	if (d)
		closedir(d);
	return n;
}

/* ---- what an application does ---- */

enum { COUNT = 257 };

static const char *table;
static char first_text[1024]; /* of the error that ended live_once */
static bool stuck; /* a communicator did not go on */
static int32_t inputs[RING][COUNT], outputs[RING][RING * COUNT];
static const void *in[RING] = {inputs[0], inputs[1], inputs[2], inputs[3]};
static void *out[RING] = {outputs[0], outputs[1], outputs[2], outputs[3]};

static sccl_status_t run_all(sccl_plan_t *plans[RING])
{
	memset(outputs, 0x5a, sizeof outputs);
	sccl_status_t status = sccl_run_all(plans, RING, in, out, COUNT, NULL);
	for (int r = 0; r < RING && status == SCCL_OK; r++)
		if (memcmp(outputs[r], inputs, sizeof inputs) != 0)
			status = SCCL_STATUSES; /* success with wrong data */
	return status;
}

static sccl_status_t plans_and_memories(sccl_comm_t *comms[RING])
{
	static const sccl_plan_options_t options[] = {{.blocks = 2}, {.blocks = 1, .overlap = 1}};
	sccl_memory_t *memories[RING] = {NULL};
	sccl_status_t status = sccl_memories_create(memories, comms, RING, out, sizeof outputs[0]);

	for (size_t i = 0; i < sizeof options / sizeof *options && status == SCCL_OK; i++) {
		sccl_plan_t *plans[RING] = {NULL};
		status = sccl_plans_create(plans, comms, RING, &ring_allgather, SCCL_I32, SCCL_SUM, COUNT, &options[i]);
		if (status == SCCL_OK)
			status = run_all(plans);
		for (int r = 0; r < RING; r++)
			sccl_plan_free(plans[r]);
	}
	for (int r = 0; r < RING; r++)
		sccl_memory_free(memories[r]);
	return status;
}

/* Whoever lacked memory, all ranks know, and can make the next plan together. */
static bool goes_on(sccl_comm_t *comms[RING])
{
	sccl_plan_t *plans[RING] = {NULL};
	sccl_status_t status = sccl_plans_create(plans, comms, RING, &ring_allgather, SCCL_I32, SCCL_SUM, COUNT, NULL);

	if (status == SCCL_OK)
		status = run_all(plans);
	for (int r = 0; r < RING; r++)
		sccl_plan_free(plans[r]);
	return status == SCCL_OK;
}

static sccl_status_t choices(void)
{
	const sccl_program_t *const programs[] = {&ring_allgather, &ring_reducescatter};
	sccl_choice_t *found = NULL;
	size_t n = 0;
	sccl_status_t status = sccl_choices_cost(&found, &n, programs, 2, "allgather", -1, 1, 0.001);

	sccl_choices_free(found);
	found = NULL;
	if (status == SCCL_OK)
		status = sccl_choices_read(&found, &n, table, programs, 2, "allgather", -1);
	sccl_choices_free(found);
	return status;
}

static sccl_status_t live_once(void)
{
	sccl_comm_t *comms[RING] = {NULL};
	sccl_status_t status = sccl_comms_create(comms, RING, NULL, NULL);

	if (status == SCCL_OK)
		status = plans_and_memories(comms);
	if (status == SCCL_OK)
		status = choices();
	/* Where a thread could not be started, no rank can meet another again. */
	if (status == SCCL_NO_MEMORY && comms[0]) {
		char text[1024];
		snprintf(text, sizeof text, "%s", sccl_error_text());
		fail_at = fail_from = 0;
		stuck = stuck || !goes_on(comms);
		snprintf(first_text, sizeof first_text, "%s", text);
	} else
		snprintf(first_text, sizeof first_text, "%s", status == SCCL_OK ? "" : sccl_error_text());
	sccl_comms_free(comms, RING);
	return status;
}

/* ---- the test ---- */

static bool is_line(const char *s)
{
	for (const char *c = s; *c; c++)
		if ((unsigned char)*c < ' ')
			return false;
	return *s != '\0';
}

/* Does the line say what there is too little of? */
static bool names_it(sccl_status_t status, const char *text)
{
	return is_line(text) && (status == SCCL_NO_MEMORY || strstr(text, "memory") || strstr(text, "thread"));
}

struct result {
	long runs, failed, wrong;
};

static void wrong(struct result *all, const char *what, unsigned long n, const char *text)
{
	if (all->wrong++ < 10)
		printf("# allocation %lu: %s: %s\n", n, what, text);
}

/* One run without memory, and one with. Returns whether any allocation failed. */
static bool try(struct result *all, unsigned long n, bool onwards, long held, long files)
{
	counted = 0;
	*(onwards ? &fail_from : &fail_at) = n;
	sccl_status_t status = live_once();
	bool reached = counted >= n;
	fail_at = fail_from = 0;
	const char *text = first_text;
	all->runs++;
	all->failed += status != SCCL_OK;
	if (status == SCCL_STATUSES)
		wrong(all, "success with wrong data", n, "");
	else if (status != SCCL_OK && !names_it(status, text))
		wrong(all, "an error that does not name it", n, text);
	if (stuck)
		wrong(all, "the communicator does not go on", n, text);
	stuck = false;
	if (live > held)
		wrong(all, "blocks are not freed", n, text);
	if (open_files() != files)
		wrong(all, "files stay open", n, text);
	return reached;
}

int main(int argc, char **argv)
{
	struct result all = {0};
	unsigned long every = argc == 3 ? strtoul(argv[1], NULL, 10) : 0, n = 1;

	if (every < 1) {
		fputs("usage: scarce EVERY TABLE\n", stderr);
		return 2;
	}
	table = argv[2];
	setvbuf(stdout, NULL, _IONBF, 0);
	alarm(500); /* what waits for ever fails */
	for (int r = 0; r < RING; r++)
		for (int i = 0; i < COUNT; i++)
			inputs[r][i] = 1000000 * r + i;
	bool works = live_once() == SCCL_OK && live_once() == SCCL_OK;
	long held = live, files = open_files();
	while (works && try(&all, n, false, held, files)) {
		try(&all, n, true, held, files);
		n += every;
	}
	printf("%s 1 - with memory it works\n", works ? "ok" : "not ok");
	printf("%s 2 - %ld runs without memory, up to allocation %lu: right, or one line that names it; nothing is kept\n",
	       works && all.wrong == 0 ? "ok" : "not ok", all.runs, n);
	printf("%s 3 - %ld of them ended with an error\n", all.failed > all.runs / 2 ? "ok" : "not ok", all.failed);
	printf("%s 4 - and then it works again\n", live_once() == SCCL_OK ? "ok" : "not ok");
	puts("1..4");
	return 0;
}

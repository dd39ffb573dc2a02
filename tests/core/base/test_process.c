#include "core/base/process.h"

#include "core/base/error.h"
#include "core/base/memory.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

TestSuite(process, .description = "workers in processes of their own");

static int send_much(const void *what, int file)
{
	char block[1000];

	memset(block, *(const char *)what, sizeof block);
	for (int i = 0; i < 1000; i++)
		process_send(file, block, sizeof block);
	return 7;
}

static int sleep_long(const void *what, int file)
{
	(void)what, (void)file;
	sleep(1000);
	return 0;
}

static int compute_long(const void *what, int file)
{
	volatile unsigned long n = 0;

	(void)what, (void)file;
	for (;;)
		n++;
	return 0;
}

static int sleep_a_little(const void *what, int file)
{
	(void)what, (void)file;
	nanosleep(&(struct timespec){.tv_nsec = 300000000}, NULL);
	return 3;
}

static int take_memory(const void *what, int file)
{
	(void)what, (void)file;
	return malloc((size_t)64 << 20) ? 0 : 5;
}

/* Says on what is standard error to it what a command says that has no memory left. */
static int have_no_memory(const void *what, int file)
{
	memory_used_by(what);
	dup2(file, STDERR_FILENO);
	memory_out();
}

static int write_to_shared(const void *what, int file)
{
	(void)file;
	**(volatile int *const *)what = 12;
	return 0;
}

static int crash(const void *what, int file)
{
	(void)what, (void)file;
	signal(SIGSEGV, SIG_DFL); /* a sanitizer catches it */
	raise(SIGSEGV);
	return 0;
}

static bool exited(struct process_end end, int status)
{
	return WIFEXITED(end.status) && WEXITSTATUS(end.status) == status;
}

static bool died(struct process_end end, int signal)
{
	return WIFSIGNALED(end.status) && WTERMSIG(end.status) == signal;
}

static struct worker started(int (*work)(const void *what, int file), struct process_limits limits)
{
	struct error e = {0};
	struct worker p;

	cr_assert(process_start(&p, work, "x", limits, &e), "%s: %s", e.where, e.what);
	return p;
}

static struct process_end run(struct worker *p)
{
	cr_assert(eq(int, process_wait(&p, 1, -1), 0));
	return process_finish(p);
}

Test(process, sends_its_bytes_and_its_status)
{
	struct worker p = started(send_much, (struct process_limits){0});
	struct process_end end = run(&p);

	cr_expect(exited(end, 7));
	cr_expect(eq(sz, p.bytes.length, 1000000));
	cr_expect(eq(chr, p.bytes.bytes[999999], 'x'));
	cr_expect(gt(sz, end.peak_kib, 0));
	text_free(&p.bytes);
}

Test(process, ends_at_its_limits_and_no_later)
{
	struct worker late = started(sleep_long, (struct process_limits){.seconds = 0.05});
	struct worker wordy = started(send_much, (struct process_limits){.bytes = 300000});
	struct process_end end = run(&late);

	cr_expect(late.late && died(end, SIGKILL));
	run(&wordy);
	cr_expect(wordy.wordy && wordy.bytes.length > 300000 && wordy.bytes.length < 500000);
	text_free(&wordy.bytes);
}

Test(process, a_crash_and_a_lack_of_memory_end_the_worker_alone)
{
	struct worker crashing = started(crash, (struct process_limits){0});
	struct process_end end = run(&crashing);
	cr_expect(died(end, SIGSEGV));
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
	struct worker hungry = started(take_memory, (struct process_limits){.mebibytes = 16});
	end = run(&hungry);
	cr_expect(exited(end, 5));
#else
	(void)take_memory;
#endif
}

Test(process, a_lack_of_memory_is_told_with_the_name_of_the_command)
{
	static const char line[] = "sccl-synth: solve: out of memory\n";
	struct worker p;
	struct error e = {0};

	cr_assert(process_start(&p, have_no_memory, "solve", (struct process_limits){0}, &e), "%s", e.what);
	cr_expect(exited(run(&p), MEMORY_STATUS));
	cr_expect(eq(sz, p.bytes.length, strlen(line)));
	cr_expect(p.bytes.bytes && strncmp(p.bytes.bytes, line, strlen(line)) == 0);
	text_free(&p.bytes);
}

Test(process, shares_a_number)
{
	struct worker p;
	struct error e = {0};
	volatile int *number = process_share(&e);

	cr_assert(ne(ptr, (void *)number, NULL));
	cr_expect(eq(int, *number, 0));
	cr_assert(process_start(&p, write_to_shared, &number, (struct process_limits){0}, &e), "%s", e.what);
	cr_expect(exited(run(&p), 0));
	cr_expect(eq(int, *number, 12));
	process_unshare(number);
	process_unshare(NULL);
	text_free(&p.bytes);
}

Test(process, many_are_waited_for_at_once_and_killed)
{
	struct worker a = started(sleep_long, (struct process_limits){0}), b = started(send_much, (struct process_limits){0});
	struct worker *all[] = {&a, &b};

	cr_expect(eq(int, process_wait(all, 1, 20), -1));
	cr_expect(eq(int, process_wait(all, 2, -1), 1));
	process_finish(&b);
	text_free(&b.bytes);
	process_kill(&a);
	cr_expect(eq(ptr, a.bytes.bytes, NULL));
}

/* What a worker waits for is no CPU time. */
Test(process, cpu_time_is_limited)
{
	struct worker busy = started(compute_long, (struct process_limits){.cpu = 0.1});
	struct worker idle = started(sleep_a_little, (struct process_limits){.cpu = 0.1});
	struct worker *one = &busy;

	cr_expect(eq(int, process_wait(&one, 1, -1), 0));
	cr_expect(busy.late && died(process_finish(&busy), SIGKILL));
	one = &idle;
	cr_expect(eq(int, process_wait(&one, 1, -1), 0));
	cr_expect(exited(process_finish(&idle), 3));
	cr_expect(not(idle.late));
	text_free(&busy.bytes);
	text_free(&idle.bytes);
}

Test(process, is_heard_where_standard_streams_are_closed)
{
	struct worker p;
	struct error e = {0};
	struct process_end end = {0};
	int kept[3];
	bool ok;

	for (int i = 0; i < 3; i++) {
		kept[i] = fcntl(i, F_DUPFD_CLOEXEC, 100);
		close(i);
	}
	ok = process_start(&p, send_much, "x", (struct process_limits){0}, &e);
	if (ok) {
		struct worker *one = &p;
		process_wait(&one, 1, -1);
		end = process_finish(&p);
	}
	for (int i = 0; i < 3; i++) {
		dup2(kept[i], i);
		close(kept[i]);
	}
	cr_assert(ok, "%s: %s", e.where, e.what);
	cr_expect(exited(end, 7));
	cr_expect(eq(sz, p.bytes.length, 1000000));
	text_free(&p.bytes);
}

/*
 * Preloaded: workers fall ill. The process that $ILL_AT counts among those that are forked (0: every one) does what $ILL says: where it
 * begins its work ("begin" of $ILL_WHEN), or before it writes the first bytes of its answer ("answer"). Its number goes to the file $ILL_MARK.
 */
#define _GNU_SOURCE /* RTLD_NEXT */

#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static bool ill;

static const char *word(const char *name)
{
	const char *s = getenv(name);
	return s ? s : "";
}

static void *next(const char *name)
{
	return dlsym(RTLD_NEXT, name);
}

pid_t fork(void)
{
	static pid_t (*real)(void);
	static int forked;
	void *symbol = next("fork");

	memcpy(&real, &symbol, sizeof real);
	int at = atoi(word("ILL_AT"));
	bool chosen = ++forked == at || at == 0;
	pid_t id = real();
	if (id == 0)
		ill = chosen;
	return id;
}

/* ---- what an ill process does ---- */

static void crash(void)
{
	signal(SIGSEGV, SIG_DFL);
	raise(SIGSEGV);
}

static void be_busy(void)
{
	for (volatile unsigned turns = 0;; turns++)
		;
}

static void sleep_on(void)
{
	for (;;)
		pause();
}

static void stop(void)
{
	raise(SIGSTOP);
}

/* As a solver in C++ does: what is not caught aborts. Without a limit the system's memory is left alone. */
static void take_all_memory(void)
{
	struct rlimit64 limit;

	while (getrlimit64(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM64_INFINITY && malloc(1 << 20))
		;
	abort();
}

static void go(void)
{
	_exit(0);
}

static void go_with_status(void)
{
	_exit(7);
}

static void leave_mark(void)
{
	int mark = open(word("ILL_MARK"), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);

	if (mark >= 0)
		dprintf(mark, "%d\n", (int)getpid());
	if (mark >= 0)
		close(mark);
}

static void fall_ill(void)
{
	static const struct {
		const char *name;
		void (*act)(void);
	} ills[] = {{"crash", crash}, {"abort", abort}, {"busy", be_busy}, {"sleep", sleep_on}, {"stop", stop},
		    {"hungry", take_all_memory}, {"gone", go}, {"status", go_with_status}};
	ill = false;
	for (size_t i = 0; i < sizeof ills / sizeof *ills; i++)
		if (strcmp(word("ILL"), ills[i].name) == 0)
			ills[i].act();
}

/* ---- where ---- */

/* The last that a worker does before its limit of memory is set, which is the next call of this. */
int setrlimit64(__rlimit_resource_t resource, const struct rlimit64 *limit)
{
	static int (*real)(__rlimit_resource_t, const struct rlimit64 *);
	void *symbol = next("setrlimit64");

	memcpy(&real, &symbol, sizeof real);
	int result = real(resource, limit);
	bool last = resource == (*word("ILL_LIMIT") ? RLIMIT_AS : RLIMIT_CORE);
	if (ill && last && strcmp(word("ILL_WHEN"), "begin") == 0) {
		leave_mark();
		fall_ill();
	}
	return result;
}

ssize_t write(int file, const void *bytes, size_t n)
{
	static ssize_t (*real)(int, const void *, size_t);
	void *symbol = next("write");

	memcpy(&real, &symbol, sizeof real);
	if (ill && file > STDERR_FILENO && strcmp(word("ILL_WHEN"), "answer") == 0) {
		leave_mark();
		if (strcmp(word("ILL"), "half") == 0) {
			if (real(file, bytes, n / 2) >= 0)
				_exit(0);
		} else if (strcmp(word("ILL"), "garbage") == 0) {
			memset((char *)bytes, 0x5a, n); /* the worker's own buffer */
		}
		fall_ill();
	}
	return real(file, bytes, n);
}

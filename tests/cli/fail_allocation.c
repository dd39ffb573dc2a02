/*
 * Preloaded: an allocator whose allocation number $FAIL_AT fails, or with $FAIL_FROM that one and all later. It counts from the
 * beginning of main: what fails before is the loader's. A process that reaches the number makes the file $FAIL_MARK.
 * Forks count on from where they began; other programs that it starts are left alone.
 */
#define _GNU_SOURCE /* RTLD_NEXT */

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void *__libc_malloc(size_t n);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *old, size_t n);
void *__libc_memalign(size_t alignment, size_t n);

static unsigned long at, from, count;
static const char *mark;

static bool fails(void)
{
	unsigned long n = at || from ? __atomic_add_fetch(&count, 1, __ATOMIC_RELAXED) : 0;

	if (n == 0 || (n != at && (from == 0 || n < from)))
		return false;
	int file = mark ? open(mark, O_WRONLY | O_CREAT | O_CLOEXEC, 0600) : -1;
	if (file >= 0)
		close(file);
	errno = ENOMEM;
	return true;
}

void *malloc(size_t n)
{
	return fails() ? NULL : __libc_malloc(n);
}

void *calloc(size_t n, size_t size)
{
	return fails() ? NULL : __libc_calloc(n, size);
}

void *realloc(void *old, size_t n)
{
	return fails() ? NULL : __libc_realloc(old, n);
}

void *aligned_alloc(size_t alignment, size_t n)
{
	return fails() ? NULL : __libc_memalign(alignment, n);
}

int posix_memalign(void **p, size_t alignment, size_t n)
{
	if (fails())
		return ENOMEM;
	*p = __libc_memalign(alignment, n);
	return *p ? 0 : ENOMEM;
}

static unsigned long number(const char *name)
{
	const char *s = getenv(name);
	return s ? strtoul(s, NULL, 10) : 0;
}

typedef int main_function(int argc, char **argv, char **environment);
typedef int start_function(main_function *m, int argc, char **argv, void (*begin)(void), void (*end)(void), void (*unload)(void),
			   void *stack);

start_function __libc_start_main;

static main_function *real_main;

static int counted_main(int argc, char **argv, char **environment)
{
	mark = getenv("FAIL_MARK");
	from = number("FAIL_FROM");
	at = number("FAIL_AT");
	unsetenv("LD_PRELOAD");
	return real_main(argc, argv, environment);
}

int __libc_start_main(main_function *m, int argc, char **argv, void (*begin)(void), void (*end)(void), void (*unload)(void),
		      void *stack)
{
	start_function *next;
	void *symbol = dlsym(RTLD_NEXT, "__libc_start_main");

	memcpy(&next, &symbol, sizeof next);
	real_main = m;
	return next(counted_main, argc, argv, begin, end, unload, stack);
}

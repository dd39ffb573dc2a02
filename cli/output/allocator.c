/*
 * Replaces the allocator of the whole process, including the C library and all others: it forwards to the next one, but
 * ends the process if an allocation fails. Otherwise jansson would report a failed allocation as a syntax error, nauty
 * would exit with the status of bad input, Clp and Z3 would abort, and failures in the C library would look like
 * missing folders.
 */
#define _GNU_SOURCE /* RTLD_NEXT */

#include "core/base/memory.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static struct {
	void *(*malloc)(size_t n);
	void *(*calloc)(size_t n, size_t size);
	void *(*realloc)(void *old, size_t n);
	void *(*aligned_alloc)(size_t alignment, size_t n);
	int (*posix_memalign)(void **p, size_t alignment, size_t n);
} next;

/* ISO C does not allow casting an object pointer to a function pointer; POSIX gives both the same representation. */
static void find(const char *name, void *function)
{
	void *symbol = dlsym(RTLD_NEXT, name);

	memcpy(function, &symbol, sizeof symbol);
}

/* Finds the functions of the next allocator. The first allocation happens before main, in a library's constructor,
 * while there is only one thread. Old versions of dlsym allocate memory themselves and cope with a failure; false is
 * for this call. */
static bool ready(void)
{
	static bool finding;

	if (next.malloc)
		return true;
	if (finding)
		return false;
	finding = true;
	find("calloc", &next.calloc);
	find("realloc", &next.realloc);
	find("aligned_alloc", &next.aligned_alloc);
	find("posix_memalign", &next.posix_memalign);
	find("malloc", &next.malloc);
	finding = false;
	return true;
}

void *malloc(size_t n)
{
	if (!ready())
		return NULL;
	void *p = next.malloc(n);
	if (!p && n)
		memory_out();
	return p;
}

void *calloc(size_t n, size_t size)
{
	if (!ready())
		return NULL;
	void *p = next.calloc(n, size);
	if (!p && n && size)
		memory_out();
	return p;
}

void *realloc(void *old, size_t n)
{
	if (!ready())
		return NULL;
	void *p = next.realloc(old, n);
	if (!p && n)
		memory_out();
	return p;
}

void *aligned_alloc(size_t alignment, size_t n)
{
	if (!ready())
		return NULL;
	void *p = next.aligned_alloc(alignment, n);
	if (!p && n && errno == ENOMEM)
		memory_out();
	return p;
}

int posix_memalign(void **p, size_t alignment, size_t n)
{
	int error = ready() ? next.posix_memalign(p, alignment, n) : ENOMEM;

	if (error == ENOMEM && next.malloc)
		memory_out();
	return error;
}

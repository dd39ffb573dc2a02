/*
 * The allocator of the whole program, C library and all others included: the next one behind it, but what that cannot give ends
 * the process. jansson reports a failed allocation as a syntax error, nauty ends with the status of bad input, Clp and Z3
 * abort, and the C library's failures look like folders that are not there; none of them sees one here.
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

/* ISO C has no cast from an object pointer to a function pointer; POSIX gives both the same form. */
static void find(const char *name, void *function)
{
	void *symbol = dlsym(RTLD_NEXT, name);

	memcpy(function, &symbol, sizeof symbol);
}

/* The first allocation is made before main, by a library's constructor, while there is one thread. An old dlsym allocates and
 * copes with a refusal: false is for that one. */
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

/*
 * Finds the functions of the real NCCL with dlsym.
 */
#define _GNU_SOURCE /* RTLD_NEXT */
#include "runtime/nccl/real.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

real_t real_function(const char *name)
{
	void *found = dlsym(RTLD_NEXT, name);
	real_t function = NULL;

	if (!found) { /* the program loads NCCL late, as a dependency of a plugin */
		void *library = dlopen("libnccl.so.2", RTLD_NOW | RTLD_LOCAL);
		found = library ? dlsym(library, name) : NULL;
	}
	if (!found)
		fprintf(stderr, "sccl-nccl: NCCL's %s was not found: is libnccl.so.2 installed?\n", name);
	memcpy(&function, &found, sizeof found); /* ISO C does not allow a cast between object and function pointers */
	return function;
}

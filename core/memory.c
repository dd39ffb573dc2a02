#include "core/memory.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *or_die(void *p)
{
	if (!p) {
		fputs("sccl-synth: out of memory\n", stderr);
		exit(4);
	}
	return p;
}

void *zeroed(size_t n, size_t size)
{
	return or_die(calloc(n ? n : 1, size));
}

void *grown(void *array, size_t *capacity, size_t n, size_t size)
{
	if (n <= *capacity && array)
		return array;
	size_t wanted = *capacity < 8 ? 8 : *capacity;
	while (wanted < n)
		wanted += wanted / 2;
	*capacity = wanted;
	return or_die(wanted > SIZE_MAX / size ? NULL : realloc(array, wanted * size));
}

char *copy_string(const char *s)
{
	return s ? copy_bytes(s, strlen(s) + 1) : NULL;
}

void *copy_bytes(const void *p, size_t n)
{
	void *copy = zeroed(n, 1);
	return n ? memcpy(copy, p, n) : copy;
}

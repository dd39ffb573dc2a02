/* Allocation that ends the process on failure. The message is written with write(2): stdio might need memory itself. */

#include "core/base/memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *user;

void memory_used_by(const char *what)
{
	user = what;
}

static void print_error(const char *s)
{
	if (write(STDERR_FILENO, s, strlen(s)) < 0)
		_exit(MEMORY_STATUS); /* no one can read it */
}

void memory_out(void)
{
	print_error("sccl-synth: ");
	if (user) {
		print_error(user);
		print_error(": ");
	}
	print_error("out of memory\n");
	_exit(MEMORY_STATUS);
}

static void *or_end(void *p)
{
	if (!p)
		memory_out();
	return p;
}

void *zeroed(size_t n, size_t size)
{
	return or_end(calloc(n ? n : 1, size));
}

void *grown(void *array, size_t *capacity, size_t n, size_t size)
{
	if (n <= *capacity && array)
		return array;
	size_t wanted = *capacity < 8 ? 8 : *capacity;
	while (wanted < n)
		wanted += wanted / 2;
	*capacity = wanted;
	return or_end(wanted > SIZE_MAX / size ? NULL : realloc(array, wanted * size));
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

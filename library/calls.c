/* Entering and leaving the library: one lock, since deadlines and search paths are global to the process, and the error of
 * each thread. */

#include "library/objects.h"

#include "core/base/file.h"
#include "core/base/memory.h"
#include "core/schedule/collective.h"
#include "build_config.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

/*
 * std::set_new_handler, by its name in C++: operator new of the solvers ends with our line instead of an exception that nobody catches.
 * Absent where no solver in C++ is linked. The caller's handler is put back on leaving.
 */
typedef void new_handler(void);
extern new_handler *set_new_handler(new_handler *handler) __asm__("_ZSt15set_new_handlerPFvvE") __attribute__((weak));

static new_handler *callers;

static void no_memory(void)
{
	memory_out();
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Thread_local char error_text[sizeof((struct error *)0)->where + sizeof((struct error *)0)->what + 4];

void library_enter(void)
{
	pthread_mutex_lock(&lock);
	memory_used_by("libsccl-synth");
	if (set_new_handler)
		callers = set_new_handler(no_memory);
}

static void leave(void)
{
	if (set_new_handler)
		set_new_handler(callers);
	pthread_mutex_unlock(&lock);
}

sccls_status_t library_leave(const struct error *e)
{
	static const sccls_status_t statuses[] = {
		[ERROR_NONE] = SCCLS_OK, [ERROR_INPUT] = SCCLS_INPUT, [ERROR_LIMIT] = SCCLS_LIMIT, [ERROR_SYSTEM] = SCCLS_FAILED,
	};

	if (e->kind != ERROR_NONE)
		snprintf(error_text, sizeof error_text, "%s: %s", e->where, e->what);
	leave();
	return statuses[e->kind];
}

sccls_status_t library_leave_no(const char *why)
{
	snprintf(error_text, sizeof error_text, "%s", why);
	leave();
	return SCCLS_NO;
}

sccls_status_t library_refuse(const char *what)
{
	snprintf(error_text, sizeof error_text, "%s", what);
	return SCCLS_INPUT;
}

const char *sccls_version(void)
{
	return SCCL_VERSION;
}

const char *sccls_error_text(void)
{
	return error_text;
}

void sccls_search_path(const char *folder)
{
	static char *kept;

	pthread_mutex_lock(&lock);
	char *before = kept;
	kept = copy_string(folder);
	search_path_first(kept);
	free(before);
	pthread_mutex_unlock(&lock);
}

bool library_collective(const sccls_topology_t *t, const char *name, int32_t root, struct collective *out, struct error *e)
{
	return collective_open(name, t->topology->nodes, root, out, e);
}

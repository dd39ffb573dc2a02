/*
 * The marks of this process in a list, and a lock that calls share and whoever needs silence holds alone.
 */
#define _GNU_SOURCE /* pthread_rwlock_t */
#include "runtime/gpu/gpu_calls.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct mark {
	const struct gpu_driver *driver;
	void *event;
	struct mark *next;
};

static struct mark *marks;
static pthread_mutex_t marks_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t calls = PTHREAD_RWLOCK_INITIALIZER;
static atomic_bool captured;

void sccli_gpu_call_begins(void)
{
	pthread_rwlock_rdlock(&calls);
}

void sccli_gpu_call_ends(void)
{
	pthread_rwlock_unlock(&calls);
}

void sccli_gpu_captured(void)
{
	atomic_store(&captured, true);
}

bool sccli_gpu_calls_stop(void)
{
	return pthread_rwlock_trywrlock(&calls) == 0;
}

void sccli_gpu_calls_go_on(void)
{
	pthread_rwlock_unlock(&calls);
}

bool sccli_gpu_calls_done(void)
{
	bool done = !atomic_load(&captured);

	pthread_mutex_lock(&marks_lock);
	for (struct mark *m = marks; m && done; m = m->next) {
		done = m->driver->event_query && m->driver->event_query(m->event) == 0;
		if (!done)
			(void)m->driver->last_error();
	}
	pthread_mutex_unlock(&marks_lock);
	return done;
}

int sccli_gpu_mark_create(const struct gpu_driver *d, void **event)
{
	enum { NO_MEMORY = 2 }; /* in both drivers */
	struct mark *m = calloc(1, sizeof *m);
	int error = m ? d->event_create(event, GPU_EVENT_NO_TIMING) : NO_MEMORY;

	if (error != 0) {
		free(m);
		return error;
	}
	pthread_mutex_lock(&marks_lock);
	*m = (struct mark){d, *event, marks};
	marks = m;
	pthread_mutex_unlock(&marks_lock);
	return 0;
}

void sccli_gpu_mark_forget(const void *event)
{
	pthread_mutex_lock(&marks_lock);
	struct mark **at = &marks;
	while (*at && (*at)->event != event)
		at = &(*at)->next;
	struct mark *m = *at;
	if (m)
		*at = m->next;
	pthread_mutex_unlock(&marks_lock);
	free(m);
}

#ifndef SCCL_SIMULATE_EVENTS_H
#define SCCL_SIMULATE_EVENTS_H

/* What will happen, the earliest first; of those at one time the lowest message first, so that a run is always the same. */

#include <stdbool.h>
#include <stddef.h>

enum happening {
	HAPPENS_SENT,    /* its last byte has left: its pair may begin with the next message */
	HAPPENS_HEAD,    /* its head is before the next link of its route */
	HAPPENS_ARRIVED, /* its last byte is there */
};

struct event {
	double time;
	int message;
	enum happening what;
};

struct events {
	struct event *heap;
	size_t n, capacity;
};

void events_add(struct events *q, struct event e);
struct event events_take(struct events *q); /* of a queue that is not empty */
void events_free(struct events *q);

#endif

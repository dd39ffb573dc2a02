#ifndef SCCL_SIMULATE_RUN_H
#define SCCL_SIMULATE_RUN_H

/* A run at hand, and the two ways to share what messages cross. For simulate/ alone. */

#include "core/base/heap.h"
#include "simulate/fabric.h"
#include "simulate/traffic.h"

enum happening {
	HAPPENS_SENT,    /* its last byte has left: its pair may begin with the next message */
	HAPPENS_HEAD,    /* its head is before the next link of its route */
	HAPPENS_ARRIVED, /* its last byte is there */
};

struct run {
	const struct fabric *fabric;
	const struct traffic *traffic;
	double wire; /* bytes of a message with its heads */
	struct heap events; /* a time, of those at one time the lowest message first, and what happens to it */
	const struct sharing *sharing;
	void *shares; /* what the sharing knows */
	/* Told by the sharing: the last byte of a message has left its source, or reached its end. */
	void (*sent)(struct run *r, int message, double time);
	void (*arrived)(struct run *r, int message, double time);
};

static inline void run_expect(struct run *r, double time, int message, enum happening what)
{
	heap_put(&r->events, (struct heap_entry){heap_key(time), message, (int)what});
}

struct sharing {
	void *(*open)(const struct run *r);
	void (*close)(void *shares);
	void (*start)(struct run *r, int message, double time);
	void (*head)(struct run *r, int message, double time); /* HAPPENS_HEAD */
	double (*next)(struct run *r);                         /* when `finish` has something to do; INFINITY: not by itself */
	void (*finish)(struct run *r, double time);
};

extern const struct sharing sharing_fair, sharing_fifo;

#endif

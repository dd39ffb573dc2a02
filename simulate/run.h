#ifndef SCCL_SIMULATE_RUN_H
#define SCCL_SIMULATE_RUN_H

/*
 * One run of a simulation, and the interface of the two ways to share the resources that messages cross. Internal to
 * simulate/.
 */

#include "core/base/heap.h"
#include "simulate/fabric.h"
#include "simulate/traffic.h"

/* What can happen to a message. */
enum happening {
	HAPPENS_SENT,    /* its last byte has left: its pair may start the next message */
	HAPPENS_HEAD,    /* its head has reached the next link of its route */
	HAPPENS_ARRIVED, /* its last byte has arrived */
	HAPPENS_STEP,    /* lockstep, of a node in place of a message: its step's estimated time has passed */
};

/* The state of a run that the simulator and the sharing have in common. */
struct run {
	const struct fabric *fabric;
	const struct traffic *traffic;
	double wire; /* bytes of a message, including headers */
	struct heap events; /* key: time, then message (lowest first); item: enum happening */
	const struct sharing *sharing;
	void *shares; /* the sharing's own state, from open */
	/* Called by the sharing: the last byte of a message has left its source, or arrived at its destination. */
	void (*sent)(struct run *r, int message, double time);
	void (*arrived)(struct run *r, int message, double time);
};

/* Schedules an event. */
static inline void run_expect(struct run *r, double time, int message, enum happening what)
{
	heap_put(&r->events, (struct heap_entry){heap_key(time), message, (int)what});
}

/*
 * How messages share links and limits. `start` puts a message on its route; `finish` ends those that are sent by TIME.
 */
struct sharing {
	void *(*open)(const struct run *r);
	void (*close)(void *shares);
	void (*start)(struct run *r, int message, double time);
	void (*head)(struct run *r, int message, double time); /* on HAPPENS_HEAD */
	double (*next)(struct run *r);                         /* time at which `finish` is needed; INFINITY: none */
	void (*finish)(struct run *r, double time);
};

/* Max-min fair (simulate/fair.c), first in, first out (simulate/fifo.c), and in the algorithm's order (simulate/order.c). */
extern const struct sharing sharing_fair, sharing_fifo, sharing_order;

#endif

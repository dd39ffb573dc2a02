#ifndef SCCL_SIMULATE_RUN_H
#define SCCL_SIMULATE_RUN_H

/* A run at hand, and the two ways to share what messages cross. For simulate/ alone. */

#include "simulate/events.h"
#include "simulate/fabric.h"
#include "simulate/traffic.h"

struct run {
	const struct fabric *fabric;
	const struct traffic *traffic;
	double wire; /* bytes of a message with its heads */
	struct events events;
	const struct sharing *sharing;
	void *shares; /* what the sharing knows */
	/* Told by the sharing: the last byte of a message has left its source, or reached its end. */
	void (*sent)(struct run *r, int message, double time);
	void (*arrived)(struct run *r, int message, double time);
};

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

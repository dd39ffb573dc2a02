#ifndef SCCL_SYNTH_TIMED_OCCUPANCY_H
#define SCCL_SYNTH_TIMED_OCCUPANCY_H

/*
 * The rates that the messages in flight leave free in a fabric, where each message has its full rate from its start until it
 * has been sent (the sharing "order" of simulate/simulator.h), and a queue of what happens next.
 */

#include "core/base/heap.h"

#include <stdbool.h>

struct fabric;

enum occupancy_event { OCCUPANCY_SENT, OCCUPANCY_ARRIVED };

/* Released by occupancy_close. */
struct occupancy {
	const struct fabric *fabric; /* borrowed */
	double bytes;                /* of each message */
	double *used;                /* [resource]: bytes per µs; owned */
	struct heap events;          /* by time; rank: the message, item: enum occupancy_event */
	double now;                  /* µs */
};

struct occupancy occupancy_open(const struct fabric *f, double bytes);
void occupancy_close(struct occupancy *o);

bool occupancy_has_room(const struct occupancy *o, int route); /* could a message start on the route now? */
void occupancy_add(struct occupancy *o, int route);
void occupancy_remove(struct occupancy *o, int route);
/* Makes the events of a message that starts now on ROUTE, to which it was added. */
void occupancy_expect(struct occupancy *o, int message, int route);

/* Moves `now` to the next event. False: there is none. */
bool occupancy_advance(struct occupancy *o);
/* Takes an event that happens now, but for rounding. False: there is none. */
bool occupancy_event(struct occupancy *o, int *message, enum occupancy_event *what);

#endif

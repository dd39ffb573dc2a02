#ifndef SCCL_SIMULATE_SIMULATOR_STATE_H
#define SCCL_SIMULATE_SIMULATOR_STATE_H

/* A simulator and its event loop, for the ways to play messages: step by step, or by what each waits for. Internal to simulate/. */

#include "core/base/csr.h"
#include "simulate/run.h"
#include "simulate/simulator.h"

struct gate;
struct way;

/* In a step: the last message of this delay has been sent after this many µs per byte of a message. */
struct step_pace {
	double delay; /* µs from being sent until the step is done: the route's latency and its step cost */
	bool reduces; /* and the time to add the message */
	double per_byte;
};

/* All steps, simulated for one byte: the paces of step s are of[begin[s]] .. of[begin[s + 1] - 1]. Arrays are owned. */
struct step_paces {
	size_t *begin; /* [n_steps + 1]; NULL: not simulated yet */
	size_t n, capacity;
	struct step_pace *of;
	double waited, longest_wait;
};

/* Where a node's interface is in its table (lockstep). */
struct interface {
	int step;      /* the current one; n_steps: it has come to the end */
	int at, end;   /* of its messages, in the list of those it sends */
	int waits_for; /* how many of the current step's have not been issued */
	int sending;   /* with ports: how many of the current step's have not left */
	bool is_over;  /* the current step's estimated time has passed, or all has left */
};

struct simulator {
	struct run run; /* first member: the sharing gets a pointer to this, which simulator_of converts back */
	const struct algorithm *algorithm;
	struct simulation how;
	const struct way *way; /* for these options */
	struct fabric fabric;
	struct traffic traffic;
	double *load; /* [resource]: messages that cross it; those that count once together are one */
	struct step_paces paces; /* step by step with fair sharing */
	size_t first_pace;  /* of the step being simulated */
	/* State of the current run. */
	double begin, end; /* of the current step */
	double waited, longest_wait;
	double *since;     /* dataflow: when each message's chunk was at its source; negative: not yet */
	bool *is_there;    /* dataflow: has the message arrived? */
	int *cursor;       /* dataflow: each place's first entry that has not happened yet */
	int *turn;         /* dataflow: each queue's next index (simulate/traffic.h) */
	int *in_flight;    /* dataflow: the queue's messages that are being sent: 1, or those of a bundle */
	int *waits;        /* dataflow, [bundle]: messages that have not been issued; NULL: there are no bundles */
	/* Lockstep; NULL: not. */
	const struct gate *gate;
	struct interface *interfaces; /* [node] */
	struct csr sends;             /* [node]: the messages it sends, by step */
	int *step_of;                 /* [message] */
	double *estimate;             /* [step]: µs until a node that has issued all of the step's messages goes on */
	/* By priority instead of the algorithm's order; NULL: not. */
	const double *priority;
	double *starts;
	struct heap *ready; /* [route]: its messages whose chunk is there, the highest priority first */
	struct heap looked; /* routes that may start a message now */
};

static inline struct simulator *simulator_of(struct run *r)
{
	return (struct simulator *)r;
}

/* How a run is simulated, and what the sharing calls in it. */
struct way {
	void (*play)(struct simulator *s);
	void (*sent)(struct run *r, int message, double time);
	void (*arrived)(struct run *r, int message, double time);
	/* What happens to a message, but for its head, and by priority what starts of all that can; NULL: no such events. */
	void (*handle)(struct simulator *s, double time, int message, enum happening what);
	void (*choose)(struct simulator *s, double time);
};

/* All steps at one byte, scaled; step by step for this size; each message when its chunk is there; by tables (lockstep.c). */
extern const struct way way_paced, way_steps, way_dataflow, way_lockstep;

/* What keeps messages back whose chunks are there. */
struct gate {
	void (*begin)(struct simulator *s);
	void (*chunk_is_there)(struct simulator *s, int message, double time); /* has come to its source */
	void (*step_is_over)(struct simulator *s, int node, double time);      /* on HAPPENS_STEP */
	void (*has_left)(struct simulator *s, int message, double time);       /* its last byte */
};

/* µs from a message's arrival until its step is done, so that others may rely on it. */
double simulator_delay(const struct simulator *s, int message);
/* Counts a message whose step is done at TIME, and that could have started at SINCE. */
void simulator_note_arrival(struct simulator *s, int message, double since, double time);
/* Runs until nothing is in flight. */
void simulator_play(struct simulator *s);

/* Plays by what messages wait for. */
void dataflow_play(struct simulator *s);
void dataflow_sent(struct run *r, int message, double time);
void dataflow_arrived(struct run *r, int message, double time);
void dataflow_handle(struct simulator *s, double time, int message, enum happening what);
/* Lets a message go whose chunk is there, and that no gate keeps back. */
void dataflow_issue(struct simulator *s, int message, double time);

#endif

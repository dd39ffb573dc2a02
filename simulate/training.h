#ifndef SCCL_SIMULATE_TRAINING_H
#define SCCL_SIMULATE_TRAINING_H

/*
 * One iteration of data-parallel training: forward through all layers, backward through them in reverse, and an
 * allreduce of the gradients. At once: a single call after the backward pass. Overlapped: gradients are collected in
 * buckets; a bucket that is full, or the last, is sent as soon as its last gradient is computed, one call at a time, in
 * order, concurrently with the rest of the backward pass.
 */

#include <stdint.h>

struct simulator;
struct workload;

/* The times of one iteration in µs, with calls at once and overlapped. */
struct iteration {
	double forward_us, backward_us;
	double communication_us;         /* of the single call */
	double at_once_us;               /* the iteration, with the call after the backward pass */
	double overlapped_communication_us; /* of all calls, whether or not they overlap computation */
	double overlapped_us;            /* the iteration, with calls concurrent with the backward pass */
	int calls;
};

/* Times by size, cached: layers often have equal sizes. */
struct call_times;
struct call_times *call_times_new(struct simulator *const *simulators, int n); /* borrowed; the fastest one counts */
void call_times_free(struct call_times *c);                                  /* NULL is allowed */
/* The time of a call with BYTES per rank, simulated if it is not cached. */
double call_time(struct call_times *c, int64_t bytes);                       /* µs; 0 for no bytes */

/* BUCKET is in bytes; 0: a call for each layer with parameters. */
void iteration_run(const struct workload *w, struct call_times *c, int64_t bucket, struct iteration *out);
/* Bytes of all gradients: those of one allreduce. */
int64_t workload_gradient_bytes(const struct workload *w);

#endif

#ifndef SCCL_SIMULATE_TRAINING_H
#define SCCL_SIMULATE_TRAINING_H

/*
 * One iteration of data-parallel training: forward through all layers, backward through them in reverse, and an allreduce of the
 * gradients. All at once: one call after the backward pass. Layer by layer: gradients wait in buckets; a bucket that is full, or
 * last, is called as soon as its last gradient is computed, one call at a time, in order, beside the rest of the backward pass.
 */

#include <stdint.h>

struct simulator;
struct workload;

struct iteration {
	double forward_us, backward_us;
	double communication_us;         /* of the one call */
	double at_once_us;               /* the iteration, with the call after the backward pass */
	double overlapped_communication_us; /* of all calls, side by side with computing or not */
	double overlapped_us;            /* the iteration, with calls beside the backward pass */
	int calls;
};

/* Times of calls that were asked before are kept: layers are often alike. */
struct call_times;
struct call_times *call_times_new(struct simulator *const *simulators, int n); /* borrowed. The fastest of them serves a call */
void call_times_free(struct call_times *c);                                  /* NULL is fine */
double call_time(struct call_times *c, int64_t bytes);                       /* µs; 0 for no bytes */

/* BUCKET: bytes; 0: each layer with parameters is a call of its own. */
void iteration_run(const struct workload *w, struct call_times *c, int64_t bucket, struct iteration *out);
int64_t workload_gradient_bytes(const struct workload *w);

#endif

#ifndef SCCL_SIMULATE_WORKLOAD_H
#define SCCL_SIMULATE_WORKLOAD_H

/* What one training iteration computes and sends, layer by layer, out of a file of format "sccl-workload"; docs/reference/formats.md. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct error;

struct layer {
	char *name;
	int64_t parameters;          /* each has a gradient */
	double forward_us, backward_us; /* of a whole batch */
};

struct workload {
	char *name, *description, *source;
	int batch;            /* samples a rank takes in one iteration */
	int gradient_bytes;   /* of one parameter */
	double teraflops;     /* that a rank sustains; 0: the file gives times */
	size_t n_layers;
	struct layer *layers; /* in the order of the forward pass */
};

/* NAME is a file of workloads/, or a path (it has a slash or ends in .json). BATCH, TERAFLOPS: in place of the file's; 0: the file's.
 * NULL with *e set. */
struct workload *workload_open(const char *name, int batch, double teraflops, struct error *e);
void workload_free(struct workload *w); /* NULL is fine */

enum { LAYERS_MAX = 1 << 16, BATCH_MAX = 1 << 20 };

#endif

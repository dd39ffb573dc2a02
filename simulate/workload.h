#ifndef SCCL_SIMULATE_WORKLOAD_H
#define SCCL_SIMULATE_WORKLOAD_H

/*
 * What one training iteration computes and communicates, layer by layer, read from a file of format "sccl-workload";
 * docs/reference/formats.md.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct error;

/* One layer of a model. */
struct layer {
	char *name;
	int64_t parameters;          /* each has one gradient */
	double forward_us, backward_us; /* µs for a whole batch */
};

/*
 * Arrays of multipliers that add, output-stationary: each computes a tile of ROWS x COLUMNS results, into which operands flow from
 * two sides.
 */
struct multiplier_arrays {
	int rows, columns, count; /* count 0: none */
	double gigahertz;
};

/* A model and how it is trained. Strings and layers are owned. */
struct workload {
	char *name, *description, *source;
	int batch;            /* samples per rank and iteration */
	int gradient_bytes;   /* per parameter */
	double teraflops;     /* 1e12 operations per second that a rank sustains; 0: not given */
	size_t n_layers;
	struct layer *layers; /* in the order of the forward pass */
};

/*
 * NAME is a file of workloads/ without its ending, or a path (it contains a slash or ends in .json). BATCH and
 * TERAFLOPS override the file's; 0: the file's are used. ARRAYS, unless NULL or of count 0, compute the products of layers in
 * place of a rate. NULL with *e set. The caller frees it.
 */
struct workload *workload_open(const char *name, int batch, double teraflops, const struct multiplier_arrays *arrays, struct error *e);
void workload_free(struct workload *w); /* NULL is allowed */

enum { LAYERS_MAX = 1 << 16, BATCH_MAX = 1 << 20, PRODUCT_SIDE_MAX = 1 << 24 };

#endif

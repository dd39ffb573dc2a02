#ifndef SCCL_RUNTIME_RUNNER_DATA_H
#define SCCL_RUNTIME_RUNNER_DATA_H

/*
 * The ranks' inputs: numbers chosen so that every order of reduction gives the same bits, so results can be compared
 * for equality. If nothing is reduced, arbitrary bits.
 *
 * All of them come from one table per type and operation; each rank starts at a different position in each call.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <sccl/sccl.h>

enum { DATA_PERIOD = 8191 }; /* elements; prime, so that chunks do not start at the same position */

/* The table of values for one type and operation. */
struct data {
	sccl_dtype_t type;
	sccl_op_t op;
	bool combining;
	size_t element;        /* size in bytes */
	uint32_t ranks;        /* number of ranks that are reduced */
	unsigned char *stored; /* the table, stored twice in a row, in the representation of the type */
	double *numbers;       /* the same as numbers (floating-point types), if reduced; of averages divided by the ranks */
	int64_t *wholes;       /* the same (integer types) */
};

/* False: out of memory. */
bool data_open(struct data *d, sccl_dtype_t type, sccl_op_t op, bool combining, uint32_t ranks);
void data_close(struct data *d);

/* Writes the factor of KEY, a rank, in a premultiplied sum to TO, which has room for an element. */
void data_factor(const struct data *d, uint64_t key, void *to);

/* A run of elements, starting at element FIRST of what KEY (a rank, or any other holder of data) contributes to CALL.
 * Positions in the table are taken modulo DATA_PERIOD. */
struct stretch {
	uint64_t key, call, first;
};
/* Writes the N elements of S to TO. */
void data_fill(const struct data *d, struct stretch s, void *to, uint64_t n);
/* Which of some elements differ. */
struct differences {
	uint64_t n, first; /* their number; the index of the first, or the number of elements */
};
/* Compares the N elements at AT with the data of S. */
struct differences data_compare(const struct data *d, struct stretch s, const void *at, uint64_t n);
/* The same for the reduction of the contributions of all KEYS. */
struct differences data_compare_reduced(const struct data *d, const uint64_t *keys, size_t n_keys, struct stretch s, const void *at,
                                        uint64_t n);

#endif

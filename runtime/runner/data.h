#ifndef SCCL_RUNTIME_RUNNER_DATA_H
#define SCCL_RUNTIME_RUNNER_DATA_H

/*
 * What the ranks put in: numbers chosen so that every order of reduction gives the same bits, so that results are
 * compared for equality. Where nothing is reduced, any bits at all.
 *
 * All come out of one table a type and operation; each rank begins elsewhere in it in each call.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <sccl/sccl.h>

enum { DATA_PERIOD = 8191 }; /* elements; prime, so that no chunk begins where another does */

struct data {
	sccl_dtype_t type;
	sccl_op_t op;
	bool combining;
	size_t element;        /* bytes */
	uint32_t ranks;        /* that are reduced */
	unsigned char *stored; /* the table, twice in a row, as the type stores it */
	double *numbers;       /* the same as numbers (f types), where it is reduced */
	int64_t *wholes;       /* the same (i and u types) */
};

/* False: no memory. */
bool data_open(struct data *d, sccl_dtype_t type, sccl_op_t op, bool combining, uint32_t ranks);
void data_close(struct data *d);

/* A run of elements, from element FIRST of what KEY (a rank, or whatever else holds data) puts into CALL. Both are
 * counted from there on modulo DATA_PERIOD. */
struct stretch {
	uint64_t key, call, first;
};
void data_fill(const struct data *d, struct stretch s, void *to, uint64_t n);
/* The first of N elements at AT that is not as put in; N: none. */
uint64_t data_compare(const struct data *d, struct stretch s, const void *at, uint64_t n);
/* The same of the reduction of what KEYS put in. */
uint64_t data_compare_reduced(const struct data *d, const uint64_t *keys, size_t n_keys, struct stretch s, const void *at,
                              uint64_t n);

#endif

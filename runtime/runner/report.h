#ifndef SCCL_RUNTIME_RUNNER_REPORT_H
#define SCCL_RUNTIME_RUNNER_REPORT_H

/* Output of results, readable or as JSON. */

#include "runtime/runner/run.h"

/* One row of results. */
struct timing_row {
	sccl_dtype_t type;
	sccl_op_t op;
	uint64_t count, bytes; /* of L */
	double least, median;  /* microseconds per call */
	bool checked, exact;
};

/* Prints the header of the table, unless the output is JSON. */
void report_head(const struct settings *s, const sccl_program_t *p);
/* Prints one row, with the throughput and bus bandwidth derived from its median time. */
void report_row(const struct settings *s, const sccl_program_t *p, const struct timing_row *r);

#endif

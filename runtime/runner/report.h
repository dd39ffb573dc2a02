#ifndef SCCL_RUNTIME_RUNNER_REPORT_H
#define SCCL_RUNTIME_RUNNER_REPORT_H

/* Output of results, readable or as JSON. */

#include "runtime/runner/run.h"

/* One row of results. */
struct timing_row {
	sccl_dtype_t type;
	sccl_op_t op;
	uint64_t count, bytes; /* of L */
	/* By placement. */
	struct placed_calls {
		bool measured, checked;
		double least, median; /* microseconds per call */
		uint64_t wrong;       /* elements of all ranks in all calls; what lies around the buffers counts as one */
	} places[PLACES];
};

/* What the lines after the table state. */
struct report_total {
	uint64_t wrong;
	double bus; /* sum of busbw */
	size_t n;   /* number of measurements */
};

/* Prints the header of the table, unless the output is JSON. */
void report_head(const struct settings *s, const sccl_program_t *p);
/* Prints one row, with the throughput and bus bandwidth derived from its median time, and adds it to *TOTAL. */
void report_row(const struct settings *s, const sccl_program_t *p, const struct timing_row *r, struct report_total *total);
/* Prints the lines after the table, unless the output is JSON. */
void report_end(const struct settings *s, const struct report_total *total);

#endif

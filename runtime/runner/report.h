#ifndef SCCL_RUNTIME_RUNNER_REPORT_H
#define SCCL_RUNTIME_RUNNER_REPORT_H

/* Rows for people or for programs. */

#include "runtime/runner/run.h"

struct timing_row {
	sccl_dtype_t type;
	sccl_op_t op;
	uint64_t count, bytes; /* of L */
	double least, median;  /* microseconds of a call */
	bool checked, exact;
};

void report_head(const struct settings *s, const sccl_program_t *p);
void report_row(const struct settings *s, const sccl_program_t *p, const struct timing_row *r);

#endif

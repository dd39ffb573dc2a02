#ifndef SCCL_LOWER_PROGRAM_TOTALS_H
#define SCCL_LOWER_PROGRAM_TOTALS_H

struct program;

/* Marks the reductions of P, which must be executable (program_check), whose results have the parts of all ranks. Such a result
 * is only copied, so that an average is divided once. */
void program_mark_totals(struct program *p);

#endif

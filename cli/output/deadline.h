#ifndef SCCL_CLI_OUTPUT_DEADLINE_H
#define SCCL_CLI_OUTPUT_DEADLINE_H

/*
 * An end for a whole command. Solvers have limits of their own; bounds, groups and drawings before and after them look at no
 * clock, so a timer ends the process with the honest answer. Children die with it, files are whole or not there.
 */

/* From now on; then ANSWER goes to standard output, COMPLAINT to standard error, and the exit status is STATUS_GAVE_UP. Both are
 * kept, and may be "". One at a time. */
void deadline_begin(double seconds, const char *answer, const char *complaint);
/* The answer is there: what is left, to write it, is not cut short. */
void deadline_end(void);

#endif

#ifndef SCCL_CLI_OUTPUT_DEADLINE_H
#define SCCL_CLI_OUTPUT_DEADLINE_H

/*
 * A time limit for a whole command. Solvers have limits of their own, but the bounds, automorphism groups and schedule
 * builders before and after them do not check the clock, so a timer ends the process and reports that it gave up.
 * Children die with it, and files are complete or absent.
 */

/* Starts the limit. After SECONDS, the process writes ANSWER to standard output and MESSAGE to standard error, both
 * copied here and possibly "", and exits with STATUS_GAVE_UP. Only one limit at a time. */
void deadline_begin(double seconds, const char *answer, const char *message);
/* Replaces what is written at the limit, and the exit status, by those of what has been found by now. No effect without a limit. */
void deadline_answer(const char *answer, const char *message, int status);
/* Cancels the limit: the answer has been found, and writing it must not be cut short. No effect if there is none. */
void deadline_end(void);

#endif

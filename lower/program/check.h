#ifndef SCCL_LOWER_PROGRAM_CHECK_H
#define SCCL_LOWER_PROGRAM_CHECK_H

/*
 * The checkers of programs, which share only the representation (program.h) with the code that builds them. Their
 * errors give the place: rank, instruction and step.
 */

#include <stdbool.h>

struct error;
struct program;

/*
 * Is a program with flags correctly synchronized, whatever the relative speed of the ranks? Rejects a read of data that
 * has not surely arrived; two writes to one place, or a read and a later write, that are not ordered; a wait that never
 * ends and ranks that wait for each other; a write into the memory of a rank that may still be in an earlier call or
 * may have left this one; an output chunk that is never written; peers and places that do not exist. Checks calls with
 * separate input and output and, if the collective supports them, calls in place. False with *e set.
 */
bool program_check(const struct program *p, struct error *e);

/* Interprets the program over sets of contributions: does every output chunk hold what the collective requires? The
 * program must have passed program_check or packets_check, which show that every order of execution has the same
 * result. False with *e set. */
bool program_interpret(const struct program *p, struct error *e);

#endif

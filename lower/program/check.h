#ifndef SCCL_LOWER_PROGRAM_CHECK_H
#define SCCL_LOWER_PROGRAM_CHECK_H

/*
 * The judges of programs; they share nothing with the strides that build them. Each refuses with the place: which rank,
 * instruction and step.
 */

#include <stdbool.h>

struct error;
struct program;

/*
 * Is everything in order, whatever the speed of the ranks? Refuses a read of what has not surely arrived; two writes of
 * one place, or a read and a later write, without order; a wait that nobody ends and ranks that wait for each other; a
 * write into a rank that may still be in an earlier call, or may have left this one; an output chunk that is never
 * written; places that do not exist. Once with input and output apart, and once in the same place where that is meant.
 */
bool program_check(const struct program *p, struct error *e);

/* Plays the program over sets of contributions: does every output chunk hold what the collective wants? After the
 * check, which shows that every order of execution gives the same. */
bool program_interpret(const struct program *p, struct error *e);

#endif

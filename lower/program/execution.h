#ifndef SCCL_LOWER_PROGRAM_EXECUTION_H
#define SCCL_LOWER_PROGRAM_EXECUTION_H

/* A program executed in one possible order: every wait after its signal, every credit after its offer. */

#include <stdbool.h>
#include <stddef.h>

struct error;
struct program;

/* Who speaks to whom: the ends of all offers, credits, waits and signals, sorted by (from, to); from writes into to. */
struct connections {
	size_t n;
	struct {
		int from, to;
	} *of;
};

struct connections program_connections(const struct program *p);
void connections_free(struct connections *c);
size_t connections_find(const struct connections *c, int from, int to); /* which must be there */

/*
 * Calls VISIT for each instruction, each rank's in its order; it returns false to stop. False with *e set: stopped, a
 * signal or offer that nobody gives, signals out of their order, or ranks that wait for each other.
 */
bool program_execute(const struct program *p, bool (*visit)(void *context, int rank, size_t instruction, struct error *e),
		  void *context, struct error *e);

/* Refuses for what is wrong at this instruction: sets *e to the place and the reason. Returns false. */
bool program_fault(const struct program *p, int rank, size_t instruction, struct error *e, const char *format, ...)
	__attribute__((format(printf, 5, 6)));

#endif

#ifndef SCCL_LOWER_PROGRAM_EXECUTION_H
#define SCCL_LOWER_PROGRAM_EXECUTION_H

/* Executes a program in one possible order: every wait after its signal, every credit after its offer. */

#include <stdbool.h>
#include <stddef.h>

struct error;
struct program;

/* The ends of all offers, credits, waits and signals, sorted by (from, to) without duplicates; from writes into to. */
struct connections {
	size_t n;
	struct {
		int from, to;
	} *of;
};

/* The caller releases the result with connections_free. */
struct connections program_connections(const struct program *p);
void connections_free(struct connections *c);
size_t connections_find(const struct connections *c, int from, int to); /* its index; it must exist */

/*
 * Calls VISIT for each instruction, those of each rank in their order; VISIT returns false, with *e set, to stop. False
 * with *e set: VISIT stopped it; a signal, offer or packet never comes; signals are out of order; or ranks wait for
 * each other. With packets, credits come from earlier calls and never block. Peers and packet slots must exist
 * (program_check, packets_check).
 */
bool program_execute(const struct program *p, bool (*visit)(void *context, int rank, size_t instruction, struct error *e),
		  void *context, struct error *e);

/* Reports a fault at this instruction: sets *e to the place and the reason. Returns false. */
bool program_fault(const struct program *p, int rank, size_t instruction, struct error *e, const char *format, ...)
	__attribute__((format(printf, 5, 6)));

#endif

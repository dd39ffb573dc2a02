#ifndef TESTS_SYNTH_METHODS_CELLS_H
#define TESTS_SYNTH_METHODS_CELLS_H

/*
 * The matrix of methods: every method, collective and root on the machines of machines.txt. A cell is one of them: served, or
 * refused with a reason. Whoever walks it sees the same cells, so that what is built is also what is run.
 */

#include "core/schedule/algorithm.h"
#include "core/base/error.h"
#include "synth/builder/method.h"

struct cell {
	const char *machine;
	const struct method *method;
	struct collective collective;
	struct algorithm *algorithm; /* NULL: refused */
	struct error refusal;        /* why */
};

/* Of the cells of a machine, those whose number, from 0, is FROM modulo EVERY. */
struct sample {
	int every, from;
};

/* Called for each cell; what it points to lives until it returns. */
typedef void (*cell_visitor)(void *context, const struct cell *c);

/* Every method, collective and, where it is rooted, its first and its last root on a machine, or a sample of them. False with *e set:
 * there is no such machine. */
bool cells_visit(const char *machine, struct sample sample, cell_visitor visit, void *context, struct error *e);

/* What is wrong with it: the schedule does not verify, is faster than the bounds, or is refused for no good reason. False: FAULT
 * says what; else it is "". */
enum { CELL_FAULT = 1024 };
bool cell_is_well(const struct cell *c, char fault[CELL_FAULT]);

/* The part of it that holds a schedule against the bounds, whether or not it verifies. */
bool cell_keeps_bounds(const struct algorithm *a, char fault[CELL_FAULT]);

/* A line of machines.txt. */
struct cell_machine {
	const char *group, *name;
	int served; /* at least so many of its cells */
};

/* Calls VISIT for each machine of machines.txt that is in GROUP; how many there are, or -1 with *e set. $SOURCE_ROOT is the source
 * tree. */
int machines_visit(const char *group, void (*visit)(const struct cell_machine *m), struct error *e);

#endif

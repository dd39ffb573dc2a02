#ifndef SCCL_CLI_COMMANDS_EXPORTING_H
#define SCCL_CLI_COMMANDS_EXPORTING_H

/* The formats of `export`. */

#include "cli/arguments/shared.h"

#include "core/schedule/algorithm.h"

#include <stdbool.h>

struct error;
struct text;

struct export_options {
	int format; /* --format: index of smt2, dimacs, msccl-xml; -1: not given */
	struct subject_options subject;
	struct candidate candidate;
	const char *out;
	struct operands file; /* at most one */
};

/* A candidate of a machine and collective, from the options or from an algorithm file. */
struct wanted {
	struct topology *topology;
	struct collective collective;
	struct candidate candidate;
	struct schedule_constraints constraints; /* of a file; only smt2 can express them */
};
/* False with *e set. The caller calls wanted_close in either case. */
bool wanted_open(const struct export_options *o, struct wanted *out, struct error *e);
void wanted_close(struct wanted *w);

/* Each appends the export of the options or their file to INTO. False with *e set: the format cannot express it. */
bool export_question(const struct export_options *o, struct text *into, struct error *e); /* smt2 */
bool export_dimacs(const struct export_options *o, struct text *into, struct error *e);   /* dimacs */
bool export_msccl(const struct export_options *o, struct text *into, struct error *e);    /* msccl-xml */

#endif

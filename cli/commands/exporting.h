#ifndef SCCL_CLI_COMMANDS_EXPORTING_H
#define SCCL_CLI_COMMANDS_EXPORTING_H

/* The formats of `export`. */

#include "core/schedule/algorithm.h"

#include <stdbool.h>

struct error;
struct options;
struct text;

/* A candidate of a machine and collective, from the options or from an algorithm file. */
struct wanted {
	struct topology *topology;
	struct collective collective;
	struct candidate candidate;
	struct schedule_constraints constraints; /* of a file; only smt2 can express them */
};
/* False with *e set. The caller calls wanted_close in either case. */
bool wanted_open(const struct options *o, struct wanted *out, struct error *e);
void wanted_close(struct wanted *w);

/* Each appends the export of the options or their file to INTO. False with *e set: the format cannot express it. */
bool export_question(const struct options *o, struct text *into, struct error *e); /* smt2 */
bool export_dimacs(const struct options *o, struct text *into, struct error *e);   /* dimacs */
bool export_msccl(const struct options *o, struct text *into, struct error *e);    /* msccl-xml */

#endif

#ifndef SCCL_CLI_COMMANDS_EXPORTING_H
#define SCCL_CLI_COMMANDS_EXPORTING_H

/* The formats of export; each writes what the options and the file ask for into a text. False with *e set: it is no
 * question, or no plan, for that format. */

#include "core/schedule/algorithm.h"

#include <stdbool.h>

struct error;
struct options;
struct text;

/* A question, of the options or of an algorithm FILE. The owner closes it, whatever open said. */
struct wanted {
	struct topology *topology;
	struct collective collective;
	struct candidate candidate;
	struct schedule_constraints constraints; /* of a file; smt2 asks for them too */
};
bool wanted_open(const struct options *o, struct wanted *out, struct error *e);
void wanted_close(struct wanted *w);

bool export_question(const struct options *o, struct text *into, struct error *e); /* smt2 */
bool export_dimacs(const struct options *o, struct text *into, struct error *e);   /* dimacs */
bool export_msccl(const struct options *o, struct text *into, struct error *e);    /* msccl-xml */

#endif

#ifndef SCCL_CLI_COMMANDS_EXPORTING_H
#define SCCL_CLI_COMMANDS_EXPORTING_H

/* The formats of `export`. */

#include "cli/arguments/shared.h"

#include "core/schedule/algorithm.h"

#include <stdbool.h>
#include <stdint.h>

struct error;
struct text;

struct export_options {
	int format; /* --format: index of its names in export.c; -1: not given */
	bool in_place;             /* of plans */
	int proto;                 /* index of Simple, LL, LL128 */
	const char *least, *most;  /* --min-bytes, --max-bytes; NULL: no limit */
	const char *registers;     /* --register: the Python file; NULL: none */
	int64_t bytes;             /* --bytes: of one rank's input, for formats that state times or sizes */
	struct subject_options subject;
	struct candidate candidate;
	const char *out;
	struct operands file; /* at most one */
};

/* A candidate of a machine and collective, from the options or from an algorithm file. */
struct export_candidate {
	struct topology *topology;
	struct collective collective;
	struct candidate candidate;
	struct schedule_constraints constraints; /* of a file; only smt2 can express them */
};
/* False with *e set. The caller calls export_candidate_close in either case. */
bool export_candidate_open(const struct export_options *o, struct export_candidate *out, struct error *e);
void export_candidate_close(struct export_candidate *w);

/* Each appends the export of the options or their file to INTO. False with *e set: the format cannot express it. */
bool export_question(const struct export_options *o, struct text *into, struct error *e); /* smt2 */
bool export_dimacs(const struct export_options *o, struct text *into, struct error *e);   /* dimacs */
bool export_msccl(const struct export_options *o, struct text *into, struct error *e);    /* msccl-xml */
bool export_mscclpp(const struct export_options *o, struct text *into, struct error *e);  /* mscclpp */

/* export_schedules.c; chakra writes its files itself, one for each rank. */
bool export_csv(const struct export_options *o, struct text *into, struct error *e);
bool export_te_ccl(const struct export_options *o, struct text *into, struct error *e);
bool export_nccl_graph(const struct export_options *o, struct text *into, struct error *e);
bool export_chakra(const struct export_options *o, struct text *into, struct error *e);

/* The algorithm of the file operand, in full, for --format FORMAT. NULL with *e set. The caller frees it. */
struct algorithm *export_algorithm(const struct export_options *o, const char *format, struct error *e);

#endif

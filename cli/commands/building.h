#ifndef SCCL_CLI_COMMANDS_BUILDING_H
#define SCCL_CLI_COMMANDS_BUILDING_H

/* Building algorithms for `build`, for one machine or for two networks between the same nodes. */

#include "cli/arguments/shared.h"

#include "core/base/text.h"
#include "synth/builder/method.h"
#include "synth/methods/constructions.h"

#include <stdbool.h>

struct algorithm;
struct collective;
struct error;
struct topology;

struct build_options {
	struct subject_options subject;
	const char *method, *tables;   /* --tables: the file for what each node does in each step; NULL: none */
	struct method_options chosen;  /* without α and β, which depend on the machine */
	struct cost_options cost;
	struct {
		const char *topology, *out; /* the second machine, NULL: none; the file of its algorithm */
		double switching;           /* µs; negative: not given */
		const char *sizes;
	} beside;
	double within; /* seconds; 0: no limit */
	const char *out;
	bool json;
};

/* A built algorithm. Released with built_free. */
struct built {
	const char *path;            /* the file to write; NULL: none. Borrowed */
	struct algorithm *algorithm; /* owned, or one of the points */
	struct constructions points; /* without --method: all that no other beats; owned */
	struct text report;          /* owned: lines printed by the method */
};

/* Builds *b by the method of O, or by all; b->path is set by the caller. False with *e set. The caller calls built_free in either
 * case. */
bool built_make(const struct build_options *o, const struct topology *t, const struct collective *k, struct built *b, struct error *e);
/* Writes the algorithm to b->path, if any. False with *e set. */
bool built_save(const struct built *b, struct error *e);
/* Prints the lines of the method, unless as JSON, and the cost of the algorithm; as JSON then those of other points. */
void built_print(const struct build_options *o, const struct built *b);
void built_free(struct built *b);

/* build_all.c. Without --method: refuses the options that require one. False with *e set. */
bool all_check(const struct build_options *o, struct error *e);
/*
 * Builds by all methods, within the time and limits of O, and takes the best for *B, for the size and costs of CHOSEN
 * if it has any; the report lists what each method gives. False with *e set: nothing was built. The caller calls
 * built_free in either case.
 */
bool all_make(const struct build_options *o, const struct method_options *chosen, const struct topology *t,
	      const struct collective *k, struct built *b, struct error *e);

/* build_beside.c. Checks the options that are only for --beside, and those that it requires or excludes. False with *e
 * set. */
bool beside_check(const struct build_options *o, struct error *e);
/* Builds both algorithms, and prints how a buffer is split between them. Returns an exit status after reporting
 * errors. */
int beside_build(const struct build_options *o, const struct topology *t, const struct collective *k);

#endif

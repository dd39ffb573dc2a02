#ifndef SCCL_CLI_ARGUMENTS_SHARED_H
#define SCCL_CLI_ARGUMENTS_SHARED_H

/*
 * Options that several commands take (shared.c), and functions on them (subject.c). The comment on each table names the
 * struct of its group.
 */

#include "cli/arguments/costs.h"
#include "cli/arguments/options.h"

#include "core/schedule/algorithm.h"
#include "core/schedule/collective.h"
#include "encode/solve.h"

struct topology;

/* Groups of one row, whose struct is the field itself. */
extern const struct option_row directory_rows[1]; /* -d; it has no field */
extern const struct option_row json_rows[1];      /* --json: bool */
extern const struct option_row output_rows[1];    /* -o: const char * */
extern const struct option_row folder_rows[1];    /* -o, for a folder: const char * */
extern const struct option_row sizes_rows[1];     /* --sizes: const char *, for cli/arguments/sizes.h or sccl-run */
extern const struct option_row seconds_rows[1];   /* --within: double, seconds; 0: not given */
extern const struct option_row expand_rows[1];    /* --expand: bool */

/* --root. Zero: node 0, and not given. */
struct root_options {
	int node;
	const char *several; /* the text of --root N,M,...; NULL otherwise */
	bool is_given, is_all;
};
extern const struct option_row root_rows[1]; /* struct root_options */

/* A machine and a collective. */
struct subject_options {
	const char *topology, *collective; /* -t, -c */
	struct root_options root;
};
extern const struct option_row subject_rows[2]; /* struct subject_options, without its root */
#define SUBJECT_GROUPS(command, field) \
	OPTION_GROUP(subject_rows, command, field), OPTION_GROUP(root_rows, command, field.root)

extern const struct option_row candidate_rows[3]; /* -C, -S, -R: struct candidate; 0: not given */

/* The class of algorithms for an allreduce: both classes, compositions only, or direct ones only. */
enum options_within { WITHIN_BOTH, WITHIN_COMPOSED, WITHIN_DIRECT };
extern const struct option_row within_rows[1]; /* --within: enum options_within */

/* --within of a command that has a time too: a class, or seconds; each may be given once. */
struct class_or_seconds {
	enum options_within class;
	bool has_class;
	double seconds; /* 0: not given */
};
extern const struct option_row class_or_seconds_rows[1];

extern const struct option_row engine_rows[1];      /* --engine: struct solve_options */
extern const struct option_row timeout_rows[1];     /* --timeout: struct solve_options */
extern const struct option_row memory_rows[1];      /* --memory: struct solve_options */
extern const struct option_row constraint_rows[2];  /* --pipeline, --extra-memory: struct schedule_constraints */
extern const struct option_row frontier_rows[3];    /* -k, --max-steps, -j: struct pareto_options, which holds the defaults */

/* α and β of a model: µs per step, and per byte over one unit of bandwidth. */
struct cost_options {
	struct cost_option alpha, beta;
};
extern const struct option_row cost_rows[2]; /* --alpha, --beta: struct cost_options */
extern const struct option_row step_cost_rows[1]; /* --step-cost: struct step_overhead */

/* Opens the machine of -t and the collective of -c, which are both required. The caller releases them with
 * topology_free and collective_free. False with *e set and nothing to release: one of them is missing or invalid, or
 * --root is given for a collective without a root. */
bool options_subject(const struct subject_options *o, struct topology **t, struct collective *k, struct error *e);

/* Rejects -t, -c, --root, -C, -S and -R: a file already determines these. False with *e set. */
bool options_only_files(const struct subject_options *o, const struct candidate *c, struct error *e);

/* Rejects a class of --within for other collectives than an allreduce. False with *e set. */
bool options_class_applies(enum options_within within, const struct collective *k, struct error *e);

/* The classes to search for this collective: those of --within, which is only for allreduce, but only compositions with
 * an engine that cannot solve an allreduce directly. False with *e set: these options contradict each other. */
bool options_classes(enum options_within within, const char *engine_name, const struct collective *k, enum options_within *out,
		     struct error *e);

/* Rejects --root all, for commands that do not search over roots. False with *e set. */
bool options_one_root(const struct root_options *o, struct error *e);

/* Appends ", root 0", ", roots 0,3" or nothing; or prints it on standard output. */
void options_add_roots(const struct collective *k, struct text *into);
void options_print_roots(const struct collective *k);

/* Rejects --pipeline for compositions, whose halves are solved separately. False with *e set. */
bool options_pipeline(const struct schedule_constraints *t, const struct collective *k, enum options_within classes, struct error *e);

/* Appends ", pipeline 1, extra memory 2" or nothing. */
void options_add_constraints(const struct schedule_constraints *t, struct text *into);

/* Reports on standard error that a rooted collective without --root uses root 0. */
void options_report_root(const struct root_options *o, const struct collective *k);

#endif

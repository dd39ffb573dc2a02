#ifndef SCCL_CLI_ARGUMENTS_OPTIONS_H
#define SCCL_CLI_ARGUMENTS_OPTIONS_H

/* All options of all commands, each read in one place; a command names those that it takes. */

#include "core/schedule/collective.h"
#include "core/base/error.h"
#include "encode/solve.h"
#include "synth/builder/method.h"

#include <stdbool.h>
#include <stddef.h>

struct topology;

enum options_within { WITHIN_BOTH, WITHIN_COMPOSED, WITHIN_DIRECT };

/* What may be given several times, in order; borrowed from argv. */
enum { WORDS_MOST = 256 };
struct words {
	size_t n;
	const char *at[WORDS_MOST];
};

struct options {
	const char *topology;   /* -t */
	const char *collective; /* -c */
	struct words topologies, collectives; /* all of -t and -c; -t and -c alone are the last */
	struct words *list;     /* -t's or -c's, whichever was last: words without an option are more of it */
	int root;               /* --root N */
	const char *roots;      /* --root N,M,...: as written; else NULL */
	bool root_given, root_all;
	int chunks, steps, rounds; /* -C -S -R; 0: not given */
	int k, max_steps, max_chunks, jobs;
	struct schedule_constraints constraints;         /* --pipeline, --extra-memory */
	bool resume, least_steps, fresh, expand, json;
	enum options_within within; /* --within: which algorithms for an allreduce */
	struct solve_options solve; /* --engine --timeout --memory */
	double budget;              /* --budget, of steps */
	const char *out;            /* -o */
	const char *from;           /* --from */
	const char *format, *target;
	/* For sccl-run, checked there. */
	const char *sizes, *counts, *types, *ops, *calls, *mode, *blocks, *run_timeout, *protocol, *kernels;
	bool check, no_check, in_place, overlap, staged, registered, graph;
	const char *alpha, *beta; /* µs a step, µs a byte */
	bool measure;
	struct {
		const char *name;              /* --method */
		const char *tables;            /* --tables FILE */
		const char *bytes;             /* --bytes SIZE; read in cmd_build.c, with --alpha and --beta */
		struct method_options options; /* what the methods take; the chunks are -C */
	} method;
	struct {
		const char *topology, *out, *switching; /* --beside, --beside-output, --switching: read in cli/commands/build_beside.c */
	} beside;
	const char *links, *by; /* --links, --by */
	int runs, every;        /* --runs, --every; 0: not given */
	struct {
		const char *start, *sharing, *packet, *head, *buffer, *svg; /* read in cli/commands/simulation.c */
		int busiest; /* --busiest N */
	} simulation;
	struct {
		const char *workloads, *bucket, *teraflops;
		int batch; /* 0: the workload's */
	} training;
	bool proofs;
	bool traces;
	int keep; /* --keep KIB */
	bool help;
	char **files; /* what is no option, in order; n_files of them */
	size_t n_files;
};

struct usage {
	const char *options;   /* the letters of the table in option_rows.c that the command takes */
	const char *arguments; /* "FILE...", NULL: none; options_lists: they are more of -t or -c, and no files */
	const char *about;     /* the text of --help */
};

extern const char options_lists[]; /* "T..." */

/* Prints --help and ends; or false with *e set. Defaults are in *o. Borrowed from argv. */
bool options_read(int argc, char **argv, const struct usage *u, struct options *o, struct error *e);

/* -t and -c are needed; the owner frees both. A root of what has none is refused. */
bool options_subject(const struct options *o, struct topology **t, struct collective *k, struct error *e);

/* What a file says is not to be said again: -t, -c, --root, -C, -S and -R. */
bool options_only_files(const struct options *o, struct error *e);

/* --within is for allreduce alone. What it means for this collective: an engine that cannot be asked for an allreduce
 * directly composes it. */
bool options_classes(const struct options *o, const struct collective *k, enum options_within *out, struct error *e);

/* --root all is for those alone who walk over roots. */
bool options_one_root(const struct options *o, struct error *e);

/* ", root 0", ", roots 0,3", or nothing, on standard output. */
void options_print_roots(const struct collective *k);

/* A pipeline is not asked of the halves of a composition, which are apart. */
bool options_pipeline(const struct options *o, const struct collective *k, enum options_within classes, struct error *e);

/* ", pipeline 1, extra memory 2", or nothing, on standard output. */
void options_print_constraints(const struct schedule_constraints *t);

/* Says on standard error that root 0 was taken, where a rooted collective got none. */
void options_report_root(const struct options *o, const struct collective *k);

#endif

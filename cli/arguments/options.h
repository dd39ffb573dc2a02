#ifndef SCCL_CLI_ARGUMENTS_OPTIONS_H
#define SCCL_CLI_ARGUMENTS_OPTIONS_H

/* All options of all commands, each read in one place. A command lists those that it takes. */

#include "core/schedule/collective.h"
#include "core/base/error.h"
#include "encode/solve.h"
#include "synth/builder/method.h"

#include <stdbool.h>
#include <stddef.h>

struct topology;

/* The class of algorithms for an allreduce: both classes, compositions only, or direct ones only. */
enum options_within { WITHIN_BOTH, WITHIN_COMPOSED, WITHIN_DIRECT };

/* The values of an option that may be repeated, in order; borrowed from argv. */
enum { WORDS_MOST = 256 };
struct words {
	size_t n;
	const char *at[WORDS_MOST];
};

/* The options of a command line. Strings are borrowed from argv. */
struct options {
	const char *topology;   /* -t */
	const char *collective; /* -c */
	struct words topologies, collectives; /* all of -t and -c; `topology` and `collective` are the last ones */
	struct words *list;     /* that of -t or -c, whichever came last: bare words are added to it */
	int root;               /* --root N */
	const char *roots;      /* the text of --root N,M,...; NULL otherwise */
	bool root_given, root_all;
	int chunks, steps, rounds; /* -C -S -R; 0: not given */
	int k, max_steps, max_chunks, jobs;
	struct schedule_constraints constraints;         /* --pipeline, --extra-memory */
	bool resume, least_steps, fresh, expand, json;
	enum options_within within; /* --within: which algorithms for an allreduce */
	struct solve_options solve; /* --engine --timeout --memory */
	double budget;              /* --budget: steps of checking a proof */
	const char *out;            /* -o */
	const char *from;           /* --from */
	const char *format, *target;
	/* Passed on to sccl-run, which checks them. */
	const char *sizes, *counts, *types, *ops, *calls, *mode, *blocks, *run_timeout, *protocol, *kernels;
	bool check, no_check, in_place, overlap, staged, registered, graph;
	const char *alpha, *beta; /* --alpha, --beta: µs per step, µs per byte */
	bool measure;
	struct {
		const char *name;              /* --method */
		const char *tables;            /* --tables FILE */
		const char *bytes;             /* --bytes SIZE; parsed in cli/commands/building.c */
		struct method_options options; /* options of the methods; the number of chunks is -C */
	} method;
	struct {
		/* --beside, --beside-output, --switching: parsed in cli/commands/build_beside.c */
		const char *topology, *out, *switching;
	} beside;
	const char *links, *by; /* --links, --by */
	int runs, every;        /* --runs, --every; 0: not given */
	struct {
		const char *start, *sharing, *packet, *head, *buffer, *svg; /* parsed in cli/commands/simulation.c */
		int busiest; /* --busiest N */
	} simulation;
	struct {
		const char *workloads, *bucket, *teraflops;
		int batch; /* 0: that of the workload */
	} training;
	bool proofs;
	bool traces;
	int keep; /* --keep KIB */
	bool help;
	char **files; /* arguments that are not options, in order, n_files of them; the array is owned */
	size_t n_files;
};

/* What a command takes, and its help. */
struct usage {
	const char *options;   /* letters of the rows in option_rows.c that the command takes */
	const char *arguments; /* "FILE..."; NULL: none; options_lists: bare words are further values of -t or -c */
	const char *about;     /* the text of --help */
};

extern const char options_lists[]; /* "T..." */

/*
 * Reads the command line of a command into *o, with defaults for options not given. Strings are borrowed from argv; the
 * caller frees o->files. False with *e set and nothing to free. With --help, prints the help and ends the process.
 */
bool options_read(int argc, char **argv, const struct usage *u, struct options *o, struct error *e);

/* Opens the machine of -t and the collective of -c, which are both required. The caller releases them with
 * topology_free and collective_free. False with *e set and nothing to release: one of them is missing or invalid, or
 * --root is given for a collective without a root. */
bool options_subject(const struct options *o, struct topology **t, struct collective *k, struct error *e);

/* Rejects -t, -c, --root, -C, -S and -R: a file already determines these. False with *e set. */
bool options_only_files(const struct options *o, struct error *e);

/* The classes to search for this collective: those of --within, which is only for allreduce, but only compositions with
 * an engine that cannot solve an allreduce directly. False with *e set: these options contradict each other. */
bool options_classes(const struct options *o, const struct collective *k, enum options_within *out, struct error *e);

/* Rejects --root all, for commands that do not search over roots. False with *e set. */
bool options_one_root(const struct options *o, struct error *e);

/* Prints ", root 0", ", roots 0,3" or nothing on standard output. */
void options_print_roots(const struct collective *k);

/* Rejects --pipeline for compositions, whose halves are solved separately. False with *e set. */
bool options_pipeline(const struct options *o, const struct collective *k, enum options_within classes, struct error *e);

/* Prints ", pipeline 1, extra memory 2" or nothing on standard output. */
void options_print_constraints(const struct schedule_constraints *t);

/* Reports on standard error that a rooted collective without --root uses root 0. */
void options_report_root(const struct options *o, const struct collective *k);

#endif

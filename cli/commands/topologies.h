#ifndef SCCL_CLI_COMMANDS_TOPOLOGIES_H
#define SCCL_CLI_COMMANDS_TOPOLOGIES_H

/* The subcommands of `topology`, one per file. Each returns an exit status after reporting errors. */

#include "cli/arguments/options.h"

struct topology_options {
	int format;             /* --format of `show`: index of text, json, dot; -1: not given */
	const char *from, *out; /* of `probe` */
	bool json;
	struct operands words;  /* the subcommand and its arguments */
};

struct error;
struct topology;

/*
 * The name of a machine that is read from or written to PATH: the file's name without ENDING, or without any ending if
 * that is NULL; OTHERWISE if PATH is NULL. So it is found by that name in a folder of machines. The caller frees it.
 */
char *topology_name_for(const char *path, const char *ending, const char *otherwise);
/* Writes T to the file OUT, NULL: standard output. False with *e set. */
bool topology_write_to(const char *out, const struct topology *t, struct error *e);

int topology_list(const struct topology_options *o);
int topology_show(const struct topology_options *o);
int topology_parts(const struct topology_options *o);
int topology_isomorphic(const struct topology_options *o);
int topology_probe(const struct topology_options *o);

#endif

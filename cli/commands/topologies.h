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

int topology_list(const struct topology_options *o);
int topology_show(const struct topology_options *o);
int topology_parts(const struct topology_options *o);
int topology_isomorphic(const struct topology_options *o);
int topology_probe(const struct topology_options *o);

#endif

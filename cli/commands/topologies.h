#ifndef SCCL_CLI_COMMANDS_TOPOLOGIES_H
#define SCCL_CLI_COMMANDS_TOPOLOGIES_H

/* The subcommands of `topology`, one per file. Each returns an exit status after reporting errors. */

struct options;

int topology_list(const struct options *o);
int topology_show(const struct options *o);       /* o->files[1] */
int topology_parts(const struct options *o);      /* o->files[1] */
int topology_isomorphic(const struct options *o); /* o->files[1], o->files[2] */
int topology_probe(const struct options *o);      /* --from, -o */

#endif

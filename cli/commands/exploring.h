#ifndef SCCL_CLI_COMMANDS_EXPLORING_H
#define SCCL_CLI_COMMANDS_EXPLORING_H

/* The subject of `explore`, as read from its options. */

#include "cli/arguments/shared.h"

#include "core/schedule/collective.h"
#include "explore/explore.h"
#include "explore/report.h"
#include "explore/sweep.h"

struct error;

struct explore_command {
	struct words topologies, collectives; /* all of -t and -c */
	struct root_options root;
	const char *method, *links, *by, *format, *sizes, *out;
	struct cost_options cost;
	struct pareto_options search;
	double within; /* seconds for the whole command; 0: no limit */
	bool json;
};

/* Machines, collectives and how to compare them. Released with exploring_free. */
struct exploring {
	struct sweep machines;           /* names in the form of -t */
	struct topology **topologies;    /* [machines.n]; owned */
	struct sweep called;             /* collectives in the form of -c */
	struct collective *collectives;  /* [machine * called.n + collective]; owned */
	unsigned changes;                /* of links: a set of 1u << change */
	enum rank_by by;
	const struct report_form *form;  /* the format for standard output */
	int64_t *sizes;                  /* owned; options borrow it */
	bool *chosen;                    /* likewise: which methods to use */
	struct explore_options options;
};

/* Opens and checks everything before any work begins. False with *e set. The caller calls exploring_free in either
 * case. */
bool exploring_read(const struct explore_command *o, struct exploring *x, struct error *e);
void exploring_free(struct exploring *x);

#endif

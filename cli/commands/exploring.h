#ifndef SCCL_CLI_COMMANDS_EXPLORING_H
#define SCCL_CLI_COMMANDS_EXPLORING_H

/* What `explore` is to look at, read from its options. */

#include "core/schedule/collective.h"
#include "explore/explore.h"
#include "explore/report.h"
#include "explore/sweep.h"

struct error;
struct options;

struct exploring {
	struct sweep machines;           /* names, as -t takes them */
	struct topology **topologies;    /* [machines.n]; owned */
	struct sweep called;             /* collectives, as -c takes them */
	struct collective *collectives;  /* [machine * called.n + collective]; owned */
	unsigned changes;                /* of links, 1u << change */
	enum rank_by by;
	const struct report_form *form;  /* on standard output */
	int64_t *sizes;                  /* owned; options borrow it */
	bool *chosen;                    /* the same */
	struct explore_options options;
};

/* Everything is opened and checked before anything is worked on. exploring_free also where it is false. */
bool exploring_read(const struct options *o, struct exploring *x, struct error *e);
void exploring_free(struct exploring *x);

#endif

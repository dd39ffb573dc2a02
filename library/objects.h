#ifndef SCCL_LIBRARY_OBJECTS_H
#define SCCL_LIBRARY_OBJECTS_H

/* What the opaque types of the interface are, and what all its functions need. */

#include "library/include/sccl-synth/synth.h"

#include "core/base/error.h"
#include "core/machine/topology.h"
#include "core/schedule/algorithm.h"

#include <stdbool.h>

struct sccls_topology {
	struct topology *topology;
	char *json;
};

struct sccls_algorithm {
	struct algorithm *algorithm; /* in full form, owned */
	char *json;                  /* made at the first question */
};

/* Every function that does more than return a member: entered with the lock, and left with the status of the error, whose
 * text is kept for this thread. */
void library_enter(void);
sccls_status_t library_leave(const struct error *e);
/* The same for an answer that is no, and why. */
sccls_status_t library_leave_no(const char *why);
/* For a missing argument, without the lock. */
sccls_status_t library_refuse(const char *what);

/* A collective by name. False with *e set; released with collective_free. */
bool library_collective(const sccls_topology_t *t, const char *name, int32_t root, struct collective *out, struct error *e);
/* Takes A. */
sccls_algorithm_t *library_algorithm(struct algorithm *a);
/* JSON at the first question, then the same. */
const char *library_json(const sccls_algorithm_t *a);

#endif

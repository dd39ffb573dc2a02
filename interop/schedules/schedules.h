#ifndef SCCL_INTEROP_SCHEDULES_SCHEDULES_H
#define SCCL_INTEROP_SCHEDULES_SCHEDULES_H

/*
 * Schedules of other tools: files that say which chunk goes from where to where, rather than what threads do
 * (interop/plans). Each becomes an algorithm for a given machine, which verifies. Nothing here is shared with the writers in
 * lower/schedules.
 */

#include "core/schedule/collective.h"

#include <stdbool.h>
#include <stddef.h>

struct algorithm;
struct error;
struct topology;

struct schedule_source {
	const char *path, *bytes; /* borrowed; NUL-terminated */
	size_t n;                 /* bytes */
};

struct schedule_request {
	const struct schedule_source *of;
	size_t n;                      /* several only for formats with a file for each rank */
	const struct topology *topology;
	enum collective_kind asked;    /* ALLGATHER, REDUCESCATTER or ALLREDUCE; COLLECTIVE_KINDS: the file says it, or the usual */
};

/*
 * Finds the format by content and reads it, plans of interop/plans included. The caller frees the algorithm. NULL with *e
 * set: of no known format, wrong, or no schedule in steps on the machine.
 */
struct algorithm *schedule_read(const struct schedule_request *r, struct error *e);

/* The readers of each format, likewise. */
struct algorithm *read_te_ccl_schedule(const struct schedule_request *r, struct error *e);
struct algorithm *read_msccl_tools_schedule(const struct schedule_request *r, struct error *e);
struct algorithm *read_nccl_graph(const struct schedule_request *r, struct error *e);
struct algorithm *read_forestcoll(const struct schedule_request *r, struct error *e);
struct algorithm *read_csv_schedule(const struct schedule_request *r, struct error *e);
struct algorithm *read_chakra(const struct schedule_request *r, struct error *e);
/* Do the bytes begin with a record as Chakra's execution traces do? */
bool is_chakra(const char *bytes, size_t n);

enum { SCHEDULE_SENDS_MAX = 1 << 22, SCHEDULE_STEPS_MAX = 1 << 16, SCHEDULE_FILES_MAX = 4096 };

#endif

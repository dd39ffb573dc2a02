#ifndef SCCL_LOWER_SCHEDULES_SCHEDULES_H
#define SCCL_LOWER_SCHEDULES_SCHEDULES_H

/*
 * Schedules as other tools have them: sends, not programs. docs/reference/formats.md describes each format. What is written is
 * read back by interop/schedules, which shares nothing with this, before it reaches a file (cli/commands/export_schedules.c).
 */

#include <stdbool.h>
#include <stdint.h>

struct algorithm;
struct error;
struct text;

/* Each verifies A first. False with *e set and nothing appended: A does not verify, or the format cannot say it. */

/* A row a send. Not for custom collectives. */
bool schedule_write_csv(const struct algorithm *a, struct text *into, struct error *e);

/* As TE-CCL writes its schedules, for allgather. BYTES: of one rank's input; times are of the machine's kinds of links. */
bool schedule_write_te_ccl(const struct algorithm *a, int64_t bytes, struct text *into, struct error *e);

/*
 * NCCL's graph XML: rings, and chains for tree allreduce. NOTES gets remarks, one a line.
 */
bool schedule_write_nccl_graph(const struct algorithm *a, struct text *into, struct text *notes, struct error *e);

/* Chakra's execution trace of RANK, for BYTES of one rank's input. */
bool schedule_write_chakra(const struct algorithm *a, int rank, int64_t bytes, struct text *into, struct error *e);

/* Does A verify, and has it at most LOWERED_SENDS_MAX sends? False with *e set. */
bool schedule_check(const struct algorithm *a, struct error *e);

#endif

#ifndef SCCL_SYNTH_TREES_SCHEDULE_TABLES_H
#define SCCL_SYNTH_TREES_SCHEDULE_TABLES_H

/*
 * Schedule tables as read by MultiTree's network interfaces (Huang et al., ISCA 2021, figure 5): what each node does in
 * each step, with a NOP where it sends nothing, so that all proceed in lockstep. For any verified algorithm; format in
 * docs/reference/methods.md.
 */

#include <stdbool.h>

struct algorithm;
struct error;
struct json_document;
struct text;

void tables_write(const struct algorithm *a, struct text *into); /* JSON, one row per line */

bool tables_are(const struct json_document *d); /* is it of this format? */
/*
 * The algorithm of such tables, in full form, not verified; the caller frees it. NULL with *e set: not well-formed, or rows
 * that do not fit each other.
 */
struct algorithm *tables_read(const struct json_document *d, struct error *e);

#endif

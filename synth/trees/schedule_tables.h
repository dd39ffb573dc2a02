#ifndef SCCL_SYNTH_TREES_SCHEDULE_TABLES_H
#define SCCL_SYNTH_TREES_SCHEDULE_TABLES_H

/*
 * Schedule tables as read by MultiTree's network interfaces (Huang et al., ISCA 2021, figure 5): what each node does in
 * each step, with a NOP where it sends nothing, so that all proceed in lockstep. For any verified algorithm; format in
 * docs/reference/methods.md.
 */

struct algorithm;
struct text;

void tables_write(const struct algorithm *a, struct text *into); /* JSON, one row per line */

#endif

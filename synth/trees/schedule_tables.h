#ifndef SCCL_SYNTH_TREES_SCHEDULE_TABLES_H
#define SCCL_SYNTH_TREES_SCHEDULE_TABLES_H

/*
 * Schedule tables as MultiTree's network interfaces read them (Huang et al., ISCA 2021, figure 5): what each node does in each
 * step, with a NOP where it sends nothing, so that all go in lockstep. docs/reference/methods.md has the form. Of any verified algorithm.
 */

struct algorithm;
struct text;

void tables_write(const struct algorithm *a, struct text *into); /* JSON, one row a line */

#endif

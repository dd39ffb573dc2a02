#ifndef SCCL_CLI_COMMANDS_FRONTIER_TABLE_H
#define SCCL_CLI_COMMANDS_FRONTIER_TABLE_H

/* A frontier as a table for people: a line for each point, the values that no point attains, and why the search ended. */

struct frontier;
struct text;

void frontier_table(const struct frontier *f, struct text *into);

#endif

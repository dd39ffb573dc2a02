#ifndef SCCL_CLI_COMMANDS_PAGES_ROWS_H
#define SCCL_CLI_COMMANDS_PAGES_ROWS_H

/* The page of rows that --json printed: a simulation, a run, a study of best or explore. An exit status, after reporting errors. */
int pages_show_rows(const char *path, const char *out);

#endif

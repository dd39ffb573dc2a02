#ifndef SCCL_EXPLORE_REPORT_H
#define SCCL_EXPLORE_REPORT_H

/* Rows, ranked (rows_rank), for people and for programs. One row of a table a form. */

#include "explore/explore.h"

struct text;

struct report {
	const struct rows *rows;
	size_t n_sizes;
	const int64_t *sizes;
	enum rank_by by;
};

struct report_form {
	const char *name; /* "table", also of the file: explore.NAME with its ending */
	const char *ending;
	void (*write)(const struct report *r, struct text *into);
};
const struct report_form *report_forms(size_t *n);

void report_table(const struct report *r, struct text *into);
void report_csv(const struct report *r, struct text *into);
void report_json(const struct report *r, struct text *into); /* one object a line */
void report_svg(const struct report *r, struct text *into);

/* Words that several forms say. */
void report_add_subject(const struct row *row, struct text *into);  /* "allgather", "broadcast from 0" */
void report_add_links(const struct row *row, size_t most, struct text *into); /* "0-5 1-4 and 2 more" */
void report_add_time(struct rational microseconds, struct text *into);        /* of some four digits, without its unit */
const char *report_size(int64_t bytes, char text[32]);              /* "64K" */
/* The rows from FIRST on that belong to one table: one collective, and machines or the changes of one. */
size_t report_group_end(const struct rows *r, size_t first);

#endif

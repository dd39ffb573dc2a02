#ifndef SCCL_EXPLORE_REPORT_H
#define SCCL_EXPLORE_REPORT_H

/* Rows, ranked (rows_rank), as reports for people and for programs. Each form is a row of a table. */

#include "explore/explore.h"

struct text;

/* What a report shows; everything is borrowed. */
struct report {
	const struct rows *rows;
	size_t n_sizes;
	const int64_t *sizes;
	enum rank_by by;
};

/* A form: its name, the ending of its file, and its writer. */
struct report_form {
	const char *name; /* "table"; its file is explore.ENDING */
	const char *ending;
	void (*write)(const struct report *r, struct text *into);
};
/* All forms; static. Their number goes to *n. */
const struct report_form *report_forms(size_t *n);

/* The writers, each appending the whole report. */
void report_table(const struct report *r, struct text *into);
void report_csv(const struct report *r, struct text *into);
void report_json(const struct report *r, struct text *into); /* one object per line */
void report_svg(const struct report *r, struct text *into);

/* Text that several forms have in common. */
void report_add_subject(const struct row *row, struct text *into);  /* "allgather", "broadcast, root 0" */
void report_add_links(const struct row *row, size_t most, struct text *into); /* "0-5 1-4 and 2 more" */
void report_add_time(struct rational microseconds, struct text *into);        /* about four digits, without unit */
const char *report_size(int64_t bytes, char text[32]);              /* "64K"; returns TEXT */
/*
 * The end of the group of rows, from FIRST on, that form one table: one collective, and either unchanged machines or
 * the changes of one machine.
 */
size_t report_group_end(const struct rows *r, size_t first);

#endif

#ifndef SCCL_EXPLORE_BEST_REPORT_H
#define SCCL_EXPLORE_BEST_REPORT_H

/* A study of explore/best/best.h as a table for people, as CSV, as JSON (one line for each size), and as a plot. */

#include "explore/best/best.h"

/* What is reported; borrowed. */
struct best_report {
	const struct best_question *question;
	const struct best_study *best;
	const char *const *files; /* [entry]: where it was written; NULL: nowhere */
};

struct best_form {
	const char *name, *ending; /* "table"; of its file */
	void (*write)(const struct best_report *r, struct text *into);
};
/* "table", "csv", "json", "svg"; static. Their number goes to *n. */
const struct best_form *best_forms(size_t *n);

#endif

/* The table of report forms. */

#include "explore/report.h"

static const struct report_form forms[] = {
	{"table", "txt", report_table},
	{"csv", "csv", report_csv},
	{"json", "jsonl", report_json},
	{"svg", "svg", report_svg},
};

const struct report_form *report_forms(size_t *n)
{
	*n = sizeof forms / sizeof *forms;
	return forms;
}

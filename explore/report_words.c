/* Text that several report forms have in common. */

#include "explore/report.h"

#include "core/base/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void report_add_subject(const struct row *row, struct text *into)
{
	text_add_plain(into, row->collective);
	if (row->root >= 0)
		text_add(into, ", root %d", row->root);
}

void report_add_links(const struct row *row, size_t most, struct text *into)
{
	for (size_t i = 0; i < row->n_isomorphic && i < most; i++)
		text_add(into, "%s%d-%d", i ? " " : "", row->isomorphic[i].src, row->isomorphic[i].dst);
	if (row->n_isomorphic > most)
		text_add(into, " and %zu more", row->n_isomorphic - most);
}

void report_add_time(struct rational microseconds, struct text *into)
{
	double us = rational_double(microseconds);
	text_add(into, us < 10 ? "%.3f" : us < 100 ? "%.2f" : us < 1000 ? "%.1f" : "%.0f", us);
}

const char *report_size(int64_t bytes, char text[32])
{
	static const char *const letters[] = {"", "K", "M", "G"};
	int i = 0;

	for (; i < 3 && bytes % 1024 == 0; i++)
		bytes /= 1024;
	snprintf(text, 32, "%" PRId64 "%s", bytes, letters[i]);
	return text;
}

size_t report_group_end(const struct rows *r, size_t first)
{
	size_t i = first + 1;

	while (i < r->n && r->at[i].base == r->at[first].base && r->at[i].root == r->at[first].root && strcmp(r->at[i].collective, r->at[first].collective) == 0)
		i++;
	return i;
}

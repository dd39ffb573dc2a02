/*
 * A chart as SVG: one panel for each table, and for each row two bars: the lower bound on R/C (light) and the least R/C
 * that was built (dark). Shorter is faster; where both bars end together, R/C is optimal.
 */

#include "explore/report.h"

#include "core/base/text.h"

enum { WIDTH = 1040, LEFT = 250, RIGHT = 440, ROW = 18, HEAD = 44, TOP = 34, BAR = 12, LINKS_SHOWN = 4 };

static void add_label(struct text *into, int x, int y, const char *anchor, const char *s)
{
	text_add(into, "<text x=\"%d\" y=\"%d\" text-anchor=\"%s\">", x, y, anchor);
	text_add_xml(into, s);
	text_add(into, "</text>\n");
}

static double least_of(const struct row *row)
{
	return row->least < 0 ? 0 : rational_double(row->entries[row->least].bandwidth);
}

static double bound_of(const struct row *row)
{
	return row->why_not ? 0 : rational_double(row->bounds.bandwidth);
}

static double longest(const struct report *r, size_t first, size_t end)
{
	double most = 0;

	for (size_t i = first; i < end; i++) {
		most = bound_of(&r->rows->at[i]) > most ? bound_of(&r->rows->at[i]) : most;
		most = least_of(&r->rows->at[i]) > most ? least_of(&r->rows->at[i]) : most;
	}
	return most > 0 ? most : 1;
}

static void add_bar(struct text *into, double length, int y, int height, const char *colour)
{
	text_add(into, "<rect x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"%d\" fill=\"%s\"/>\n", LEFT, y, length, height, colour);
}

static void add_name(const struct row *row, int y, struct text *into)
{
	struct text name = {0};

	if (row->base < 0)
		text_add(&name, "%s", row->name);
	else {
		text_add(&name, "%d. %s ", row->rank, links_change_names[row->change]);
		report_add_links(row, LINKS_SHOWN, &name);
	}
	add_label(into, LEFT - 6, y, "end", name.bytes);
	text_free(&name);
}

/* "7/4, bound 7/4; 1.46 us at 1K; ..." */
static void add_figures(const struct report *r, const struct row *row, int y, struct text *into)
{
	struct text words = {0};
	char a[RATIONAL_TEXT], b[RATIONAL_TEXT], size[32];

	if (row->why_not)
		text_add(&words, "%s", row->why_not);
	else {
		if (row->least >= 0)
			text_add(&words, "%s, ", rational_text(row->entries[row->least].bandwidth, a));
		text_add(&words, "bound %s", rational_text(row->bounds.bandwidth, b));
		for (size_t s = 0; s < r->n_sizes && s < 3; s++)
			if (row->best[s].entry >= 0) {
				text_add(&words, "; ");
				report_add_time(row->best[s].microseconds, &words);
				text_add(&words, " us at %s", report_size(r->sizes[s], size));
			}
	}
	add_label(into, WIDTH - RIGHT + 8, y, "start", words.bytes);
	text_free(&words);
}

static void add_panel(const struct report *r, size_t first, size_t end, int top, struct text *into)
{
	const struct row *head = &r->rows->at[first];
	double scale = (WIDTH - LEFT - RIGHT) / longest(r, first, end);
	struct text title = {0};

	report_add_subject(head, &title);
	if (head->base >= 0)
		text_add(&title, " on %s, one link changed", r->rows->at[head->base].name);
	text_add(into, "<text x=\"8\" y=\"%d\" font-weight=\"bold\">", top + 26);
	text_add_xml(into, title.bytes);
	text_add(into, "</text>\n");
	text_free(&title);
	for (size_t i = first; i < end; i++) {
		const struct row *row = &r->rows->at[i];
		int y = top + HEAD + (int)(i - first) * ROW;
		add_name(row, y + BAR - 2, into);
		add_bar(into, bound_of(row) * scale, y, BAR, "#9ecae1");
		add_bar(into, least_of(row) * scale, y + BAR / 2, BAR / 2, "#08519c");
		add_figures(r, row, y + BAR - 2, into);
	}
}

static int height_of(const struct rows *rows)
{
	int height = TOP;

	for (size_t first = 0, end; first < rows->n; first = end) {
		end = report_group_end(rows, first);
		height += HEAD + (int)(end - first) * ROW;
	}
	return height + ROW;
}

void report_svg(const struct report *r, struct text *into)
{
	int height = height_of(r->rows), top = TOP;

	text_add(into, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" "
		 "font-family=\"sans-serif\" font-size=\"11\">\n<rect width=\"%d\" height=\"%d\" fill=\"white\"/>\n", WIDTH, height, WIDTH,
		 height, WIDTH, height);
	add_label(into, 8, 20, "start", "Rounds per chunk, R/C: lower bound (light) and best schedule built (dark). Shorter is faster.");
	for (size_t first = 0, end; first < r->rows->n; first = end) {
		end = report_group_end(r->rows, first);
		add_panel(r, first, end, top, into);
		top += HEAD + (int)(end - first) * ROW;
	}
	text_add(into, "</svg>\n");
}

/*
 * Writes SVG by hand: a grid, the curves and a legend. Colours repeat with other dashes when there are more curves than
 * colours.
 */

#include "simulate/plot.h"

#include "core/base/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

enum { WIDTH = 460, HEIGHT = 320, LEFT = 70, RIGHT = 20, TOP = 70, BOTTOM = 50, ROW = 18, LABELS = 8 };

static const char *const colours[] = {"#1f77b4", "#d62728", "#2ca02c", "#9467bd", "#ff7f0e", "#17becf", "#8c564b", "#e377c2", "#7f7f7f"};
static const char *const dashes[] = {"none", "6 3", "2 3"};
enum { COLOURS = sizeof colours / sizeof *colours, DASHES = sizeof dashes / sizeof *dashes };

/* The range of an axis, as base-10 logarithms. */
struct axis {
	double low, high;
};

const char *bytes_text(int64_t bytes, char text[BYTES_TEXT])
{
	static const char *const letters[] = {"", "K", "M", "G"};
	int i = 0;

	for (; i < 3 && bytes && bytes % 1024 == 0; i++)
		bytes /= 1024;
	snprintf(text, BYTES_TEXT, "%" PRId64 "%s", bytes, letters[i]);
	return text;
}

static struct axis axis_of_sizes(const struct plot *p)
{
	struct axis a = {log10((double)p->sizes[0]), log10((double)p->sizes[p->n_sizes - 1])};
	return a.high - a.low > 0 ? a : (struct axis){a.low - 0.5, a.low + 0.5};
}

/* Whole decades that contain all values. */
static struct axis axis_of_values(const struct plot *p, const struct panel *panel)
{
	struct axis a = {INFINITY, -INFINITY};

	for (size_t i = 0; i < p->n_sizes * p->n_curves; i++)
		if (panel->values[i] > 0) {
			a.low = fmin(a.low, floor(log10(panel->values[i])));
			a.high = fmax(a.high, ceil(log10(panel->values[i])));
		}
	if (!isfinite(a.low))
		return (struct axis){0, 1};
	return a.high - a.low > 0 ? a : (struct axis){a.low, a.low + 1};
}

static double across(struct axis a, double left, double bytes)
{
	return left + LEFT + (log10(bytes) - a.low) / (a.high - a.low) * (WIDTH - LEFT - RIGHT);
}

static double down(struct axis a, double value)
{
	return TOP + (a.high - log10(value)) / (a.high - a.low) * (HEIGHT - TOP - BOTTOM);
}

static void add_grid(const struct plot *p, struct axis x, struct axis y, double left, struct text *into)
{
	char name[BYTES_TEXT];
	size_t every = (p->n_sizes + LABELS - 1) / LABELS;

	for (int d = (int)y.low; d <= y.high; d++) { /* powers of ten */
		double at = down(y, pow(10, d));
		text_add(into, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"#ddd\"/>\n", left + LEFT, at, left + WIDTH - RIGHT,
			 at);
		text_add(into, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">%g</text>\n", left + LEFT - 6, at + 4, pow(10, d));
	}
	for (size_t s = 0; s < p->n_sizes; s += every) {
		double at = across(x, left, (double)p->sizes[s]);
		text_add(into, "<line x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\" stroke=\"#eee\"/>\n", at, TOP, at, HEIGHT - BOTTOM);
		text_add(into, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%s</text>\n", at, HEIGHT - BOTTOM + 16,
			 bytes_text(p->sizes[s], name));
	}
}

static void add_curve(const struct plot *p, const double *values, size_t curve, struct axis x, struct axis y, double left,
		      struct text *into)
{
	text_add(into, "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"2\" stroke-dasharray=\"%s\" points=\"", colours[curve % COLOURS],
		 dashes[curve / COLOURS % DASHES]);
	for (size_t s = 0; s < p->n_sizes; s++)
		if (values[s] > 0)
			text_add(into, "%.1f,%.1f ", across(x, left, (double)p->sizes[s]), down(y, values[s]));
	text_add(into, "\"/>\n");
	for (size_t s = 0; s < p->n_sizes; s++)
		if (values[s] > 0)
			text_add(into, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"2.5\" fill=\"%s\"/>\n", across(x, left, (double)p->sizes[s]),
				 down(y, values[s]), colours[curve % COLOURS]);
}

static void add_panel(const struct plot *p, const struct panel *panel, double left, struct text *into)
{
	struct axis x = axis_of_sizes(p), y = axis_of_values(p, panel);

	add_grid(p, x, y, left, into);
	text_add(into, "<rect x=\"%.1f\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"none\" stroke=\"#333\"/>\n", left + LEFT, TOP,
		 WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM);
	text_add(into, "<text x=\"%.1f\" y=\"%d\">", left + LEFT, TOP - 10);
	text_add_xml(into, panel->title);
	text_add(into, ", ");
	text_add_xml(into, panel->unit);
	text_add(into, "</text>\n<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">bytes of one rank's input</text>\n",
		 left + LEFT + (WIDTH - LEFT - RIGHT) / 2.0, HEIGHT - BOTTOM + 36);
	for (size_t c = 0; c < p->n_curves; c++)
		add_curve(p, &panel->values[c * p->n_sizes], c, x, y, left, into);
}

static void add_legend(const struct plot *p, struct text *into)
{
	for (size_t c = 0; c < p->n_curves; c++) {
		int y = HEIGHT + (int)c * ROW + ROW / 2;
		text_add(into, "<line x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\" stroke=\"%s\" stroke-width=\"2\" stroke-dasharray=\"%s\"/>\n", LEFT, y,
			 LEFT + 30, y, colours[c % COLOURS], dashes[c / COLOURS % DASHES]);
		text_add(into, "<text x=\"%d\" y=\"%d\">", LEFT + 38, y + 4);
		text_add_xml(into, p->names[c]);
		text_add(into, "</text>\n");
	}
}

void plot_write(const struct plot *p, struct text *into)
{
	int width = WIDTH * (int)p->n_panels, height = HEIGHT + ROW * (int)p->n_curves + ROW / 2;

	text_add(into, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" "
		 "font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"%d\" height=\"%d\" fill=\"white\"/>\n", width, height, width,
		 height, width, height);
	text_add(into, "<text x=\"%d\" y=\"24\" font-size=\"16\">", LEFT);
	text_add_xml(into, p->title);
	text_add(into, "</text>\n");
	for (size_t i = 0; i < p->n_panels; i++)
		add_panel(p, &p->panels[i], (double)(WIDTH * (int)i), into);
	add_legend(p, into);
	text_add(into, "</svg>\n");
}

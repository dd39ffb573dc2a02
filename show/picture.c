/* The drawings of show/page.js that do not move: the same layout, and the same bends. */

#include "show/picture.h"

#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/machine/topology.h"
#include "core/schedule/algorithm.h"
#include "core/schedule/collective.h"
#include "show/layout.h"
#include "synth/frontier/frontier.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

static const char style[] =
	"<style>text{font-family:sans-serif;fill:#1b1f24}.l{stroke:#c4ccd4;fill:none}.s{stroke:#c4ccd4;stroke-dasharray:2 4}.n{fill:#f6f8fa;stroke:#59636e}"
	".c{stroke:#0969da;fill:none}.a{stroke:#bc4c00;fill:none;stroke-dasharray:6 4}.h{fill:#fff;stroke:#59636e;stroke-dasharray:3 3}</style>\n"
	"<defs><marker id=\"c\" viewBox=\"0 0 10 10\" refX=\"8\" refY=\"5\" markerWidth=\"9\" markerHeight=\"9\" orient=\"auto\" markerUnits=\"userSpaceOnUse\">"
	"<path d=\"M0 1L10 5L0 9z\" fill=\"#0969da\"/></marker><marker id=\"a\" viewBox=\"0 0 10 10\" refX=\"8\" refY=\"5\" markerWidth=\"9\" markerHeight=\"9\" "
	"orient=\"auto\" markerUnits=\"userSpaceOnUse\"><path d=\"M0 1L10 5L0 9z\" fill=\"#bc4c00\"/></marker></defs>\n";

static void begin(double width, double height, struct text *into)
{
	text_add(into, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" width=\"%.0f\" height=\"%.0f\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n%s", width, height, width, height, style);
}

/* Text of a file as character data. */
static void add_words(const char *words, struct text *into)
{
	struct text plain = {0};

	text_add_plain(&plain, words);
	for (const char *c = plain.bytes ? plain.bytes : ""; *c; c++)
		if (*c == '<')
			text_add(into, "&lt;");
		else if (*c == '>') /* of "]]>", which character data may not have */
			text_add(into, "&gt;");
		else if (*c == '&')
			text_add(into, "&amp;");
		else
			text_add_bytes(into, c, 1);
	text_free(&plain);
}

/* How far the line from A to B must bend, so as not to cross another node. */
static double bend_of(const struct topology *t, const struct layout *l, int a, int b, double nx, double ny, double length)
{
	double x1 = l->at[a][0], y1 = l->at[a][1], dx = l->at[b][0] - x1, dy = l->at[b][1] - y1;

	for (int v = 0; v < t->nodes; v++) {
		double x = l->at[v][0] - x1, y = l->at[v][1] - y1, along = (x * dx + y * dy) / (length * length);
		if (v != a && v != b && along > 0.02 && along < 0.98 && fabs(x * nx + y * ny) < 0.9 * l->radius)
			return (a < b ? 1 : -1) * (2.2 * l->radius + 0.08 * length);
	}
	return 0;
}

static void add_path(const struct topology *t, const struct layout *l, int a, int b, double offset, const char *class, double width, const char *head,
		     struct text *into)
{
	double x1 = l->at[a][0], y1 = l->at[a][1], x2 = l->at[b][0], y2 = l->at[b][1], length = fmax(hypot(x2 - x1, y2 - y1), 1);
	double nx = -(y2 - y1) / length, ny = (x2 - x1) / length, bend = bend_of(t, l, a, b, nx, ny, length) + offset, r = l->radius + 2;
	double cx = (x1 + x2) / 2 + 2 * nx * bend, cy = (y1 + y2) / 2 + 2 * ny * bend;
	double from = fmax(hypot(cx - x1, cy - y1), 1), to = fmax(hypot(cx - x2, cy - y2), 1);

	text_add(into, "<path class=\"%s\" stroke-width=\"%.1f\"%s d=\"M%.1f %.1fQ%.1f %.1f %.1f %.1f\"/>\n", class, width, head, x1 + (cx - x1) * r / from,
		 y1 + (cy - y1) * r / from, cx, cy, x2 + (cx - x2) * r / to, y2 + (cy - y2) * r / to);
}

static void add_links(const struct topology *t, const struct layout *l, struct text *into)
{
	for (size_t i = 0; i < l->n_hubs; i++)
		for (int k = 0; k < l->hubs[i].n_nodes; k++)
			text_add(into, "<line class=\"s\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>\n", l->at[l->hubs[i].nodes[k]][0],
				 l->at[l->hubs[i].nodes[k]][1], l->hubs[i].at[0], l->hubs[i].at[1]);
	for (size_t i = 0; i < t->n_links; i++) {
		const struct link *x = &t->links[i], *back = topology_link(t, x->dst, x->src);
		if (x->src < t->nodes && x->dst < t->nodes && !(back && back->bandwidth == x->bandwidth && x->src > x->dst))
			add_path(t, l, x->src, x->dst, 0, "l", fmin(1 + x->bandwidth, 7), "", into);
	}
}

static void add_nodes(const struct topology *t, const struct layout *l, struct text *into)
{
	for (size_t i = 0; i < l->n_hubs; i++)
		text_add(into, "<rect class=\"h\" x=\"%.1f\" y=\"%.1f\" width=\"48\" height=\"22\" rx=\"5\"/><text x=\"%.1f\" y=\"%.1f\" font-size=\"11\" text-anchor=\"middle\">%s</text>\n",
			 l->hubs[i].at[0] - 24, l->hubs[i].at[1] - 11, l->hubs[i].at[0], l->hubs[i].at[1] + 4, l->hubs[i].n_switches == 1 ? "switch" : "switches");
	for (int v = 0; v < t->nodes; v++)
		text_add(into, "<circle class=\"n\" cx=\"%.1f\" cy=\"%.1f\" r=\"%.0f\"/><text x=\"%.1f\" y=\"%.1f\" font-size=\"%.0f\" text-anchor=\"middle\">%d</text>\n",
			 l->at[v][0], l->at[v][1], l->radius, l->at[v][0], l->at[v][1] + 0.35 * l->radius, l->radius, v);
}

void picture_machine(const struct topology *t, struct text *into)
{
	struct layout l = layout_new(t);

	begin(l.view[2], l.view[3], into);
	text_add(into, "<title>");
	add_words(t->name, into);
	text_add(into, "</title>\n<g transform=\"translate(%.1f %.1f)\">\n", -l.view[0], -l.view[1]);
	add_links(t, &l, into);
	add_nodes(t, &l, into);
	text_add(into, "</g></svg>\n");
	layout_free(&l);
}

/* An arrow for each pair; sends are sorted by chunk, so pairs are counted first. */
static void add_sends(const struct topology *t, const struct layout *l, const struct send *s, size_t n, bool adds, struct text *into)
{
	size_t pairs = (size_t)t->nodes * (size_t)t->nodes;
	int *count = new_array(int, pairs);

	for (size_t i = 0; i < n; i++)
		count[(size_t)s[i].src * (size_t)t->nodes + (size_t)s[i].dst]++;
	for (size_t p = 0; p < pairs; p++)
		if (count[p])
			add_path(t, l, (int)(p / (size_t)t->nodes), (int)(p % (size_t)t->nodes), 3, adds ? "a" : "c", fmin(1 + 0.5 * count[p], 6),
				 adds ? " marker-end=\"url(#a)\"" : " marker-end=\"url(#c)\"", into);
	free(count);
}

void picture_algorithm(const struct algorithm *a, struct text *into)
{
	enum { STEPS_DRAWN = 24, COLUMNS = 4, HEAD = 26 };
	const struct topology *t = a->topology;
	struct layout l = layout_new(t);
	int shown = a->n_steps < STEPS_DRAWN ? (int)a->n_steps : STEPS_DRAWN, columns = shown < COLUMNS ? shown : COLUMNS;
	int rows = columns ? (shown + columns - 1) / columns : 1;

	begin(l.view[2] * (columns ? columns : 1), (l.view[3] + HEAD) * rows, into);
	text_add(into, "<title>");
	add_words(a->name, into);
	text_add(into, "</title>\n");
	for (int k = 0; k < shown; k++) {
		const struct step *s = &a->steps[k];
		int row = k / columns, column = k % columns;
		double x = l.view[2] * column, y = (l.view[3] + HEAD) * row;
		text_add(into, "<text x=\"%.1f\" y=\"%.1f\" font-size=\"15\">step %d: %d round%s</text>\n<g transform=\"translate(%.1f %.1f)\">\n", x + 12, y + 18,
			 k + 1, s->rounds, plural(s->rounds), x - l.view[0], y + HEAD - l.view[1]);
		add_links(t, &l, into);
		add_sends(t, &l, s->sends, s->n_sends, false, into);
		add_sends(t, &l, s->reduces, s->n_reduces, true, into);
		add_nodes(t, &l, into);
		text_add(into, "</g>\n");
	}
	text_add(into, "</svg>\n");
	layout_free(&l);
}

void picture_frontier(const struct frontier *f, struct text *into)
{
	static const double width = 640, height = 320, left = 56, bottom = 40;
	double least = rational_double(f->bound_bandwidth), most = least;
	int first = f->bound_steps, last = f->bound_steps + 1;
	char ratio[RATIONAL_TEXT];

	for (size_t i = 0; i < f->n_points; i++) {
		most = fmax(most, rational_double(algorithm_bandwidth(f->points[i])));
		last = (int)f->points[i]->n_steps > last ? (int)f->points[i]->n_steps : last;
	}
	double span = most > least ? most - least : fmax(most, 1), across = (width - left - 30) / (last - first + 0.6), down = (height - bottom - 30) / (1.16 * span);
	double floor_y = height - bottom - 0.08 * span * down - 6;
	begin(width, height, into);
	text_add(into, "<line class=\"l\" x1=\"%.0f\" y1=\"%.0f\" x2=\"%.0f\" y2=\"%.0f\"/><line class=\"l\" x1=\"%.0f\" y1=\"6\" x2=\"%.0f\" y2=\"%.0f\"/>\n", left,
		 height - bottom, width - 6, height - bottom, left, left, height - bottom);
	text_add(into, "<line class=\"a\" x1=\"%.0f\" y1=\"%.1f\" x2=\"%.0f\" y2=\"%.1f\"/><text x=\"%.0f\" y=\"%.1f\" font-size=\"12\">no algorithm is below R/C = %s</text>\n", left,
		 floor_y, width - 6, floor_y, left + 6, floor_y + 14, rational_text(f->bound_bandwidth, ratio));
	for (int s = first; s <= last; s++)
		text_add(into, "<text x=\"%.1f\" y=\"%.0f\" font-size=\"12\" text-anchor=\"middle\">%d</text>\n", left + across * (s - first + 0.3), height - bottom + 16, s);
	text_add(into, "<text x=\"%.0f\" y=\"%.0f\" font-size=\"13\" text-anchor=\"middle\">steps</text><text x=\"14\" y=\"%.0f\" font-size=\"13\" text-anchor=\"middle\" "
		       "transform=\"rotate(-90 14 %.0f)\">R/C</text>\n", (left + width) / 2, height - 6, height / 2, height / 2);
	for (size_t i = 0; i < f->n_points; i++) {
		const struct algorithm *a = f->points[i];
		double x = left + across * ((double)a->n_steps - first + 0.3), y = floor_y - down * (rational_double(algorithm_bandwidth(a)) - least);
		text_add(into, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"5\" fill=\"#0969da\"/><text x=\"%.1f\" y=\"%.1f\" font-size=\"12\"%s>(%d,%zu,%d)</text>\n", x, y,
			 x + 7, y - 8, x > width - 100 ? " text-anchor=\"end\"" : "", a->chunks, a->n_steps, algorithm_rounds(a));
	}
	text_add(into, "</svg>\n");
}

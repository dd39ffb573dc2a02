/* The data of a page is one JSON object, which page.js draws. Its style and script are in the program, as arrays that the build
 * makes from page.css and page.js. */

#include "show/page.h"

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/machine/topology.h"
#include "core/schedule/algorithm.h"
#include "show/assets.h"
#include "show/data.h"
#include "synth/frontier/frontier.h"

#include <stdarg.h>
#include <stdio.h>

struct page page_new(const char *title)
{
	struct page p = {0};

	text_add(&p.json, "{\"title\":");
	text_add_json_string(&p.json, title);
	text_add(&p.json, ",\"sections\":[");
	return p;
}

void page_free(struct page *p)
{
	text_free(&p->json);
}

static void begin(struct page *p, const char *kind)
{
	text_add(&p->json, "%s{\"kind\":\"%s\"", p->n_sections++ ? ",\n" : "\n", kind);
}

static void add(struct page *p, const char *key, const char *value)
{
	text_add(&p->json, ",\"%s\":", key);
	text_add_json_string(&p->json, value);
}

void page_heading(struct page *p, const char *title)
{
	begin(p, "heading");
	add(p, "title", title);
	text_add(&p->json, "}");
}

void page_line(struct page *p, const char *line)
{
	begin(p, "text");
	text_add(&p->json, ",\"lines\":[");
	text_add_json_string(&p->json, line);
	text_add(&p->json, "]}");
}

void page_machine(struct page *p, const struct topology *t)
{
	begin(p, "machine");
	text_add(&p->json, ",\"machine\":");
	data_machine(t, &p->json);
	text_add(&p->json, "}");
}

bool page_algorithm(struct page *p, const struct algorithm *a, struct error *e)
{
	struct text data = {0};
	bool ok = data_algorithm(a, &data, e);

	if (ok) {
		begin(p, "player");
		text_add(&p->json, ",\"algorithm\":");
		text_add_bytes(&p->json, data.bytes, data.length);
		text_add(&p->json, "}");
	}
	text_free(&data);
	return ok;
}

/* ---- frontiers ---- */

enum { PAGE_BYTES_MAX = 6 << 20 }; /* points beyond it open without their steps */

static bool add_point(struct page *p, const struct algorithm *a, struct error *e)
{
	char ratio[RATIONAL_TEXT];
	struct text cost = {0}, proof = {0};

	text_add(&cost, "(%d,%zu,%d)", a->chunks, a->n_steps, algorithm_rounds(a));
	data_proof(a, &proof);
	text_add(&p->json, "{\"steps\":%zu,\"rate\":%.9g", a->n_steps, rational_double(algorithm_bandwidth(a)));
	add(p, "cost", cost.bytes);
	add(p, "ratio", rational_text(algorithm_bandwidth(a), ratio));
	add(p, "proved", proof.bytes);
	text_free(&cost);
	text_free(&proof);
	text_add(&p->json, ",\"algorithm\":");
	bool ok = true;
	if (data_fits(a) && p->json.length < PAGE_BYTES_MAX)
		ok = data_algorithm(a, &p->json, e);
	else
		text_add(&p->json, "null");
	text_add(&p->json, "}");
	return ok;
}

bool page_frontier(struct page *p, const struct frontier *f, struct error *e)
{
	char ratio[RATIONAL_TEXT];
	bool ok = true;

	begin(p, "frontier");
	text_add(&p->json, ",\"steps\":%d,\"rate\":%.9g", f->bound_steps, rational_double(f->bound_bandwidth));
	add(p, "ratio", rational_text(f->bound_bandwidth, ratio));
	text_add(&p->json, ",\"machine\":");
	data_machine(f->topology, &p->json);
	text_add(&p->json, ",\"points\":[");
	for (size_t i = 0; i < f->n_points && ok; i++) {
		text_add(&p->json, "%s", i ? "," : "");
		ok = add_point(p, f->points[i], e);
	}
	text_add(&p->json, "]}");
	return ok;
}

/* ---- charts and tables ---- */

void page_chart(struct page *p, const struct page_chart *c)
{
	begin(p, "chart");
	add(p, "title", c->title);
	text_add(&p->json, ",\"x\":[");
	for (size_t s = 0; s < c->n_sizes; s++)
		text_add(&p->json, "%s%lld", s ? "," : "", (long long)c->sizes[s]);
	text_add(&p->json, "],\"series\":[");
	for (size_t i = 0; i < c->n_curves; i++) {
		text_add(&p->json, "%s{\"name\":", i ? "," : "");
		text_add_json_string(&p->json, c->names[i]);
		text_add(&p->json, ",\"y\":[");
		for (size_t s = 0; s < c->n_sizes; s++)
			text_add(&p->json, "%s%.6g", s ? "," : "", c->values[i * c->n_sizes + s]);
		text_add(&p->json, "]}");
	}
	text_add(&p->json, "]}");
}

void page_table(struct page *p, const char *title, const char *note, const char *const *head)
{
	const char *comma = "";

	begin(p, "table");
	if (title)
		add(p, "title", title);
	if (note)
		add(p, "note", note);
	text_add(&p->json, ",\"head\":[");
	for (size_t i = 0; head[i]; i++) {
		text_add(&p->json, "%s", i ? "," : "");
		text_add_json_string(&p->json, head[i] + (*head[i] == '-'));
	}
	text_add(&p->json, "],\"wide\":[");
	for (size_t i = 0; head[i]; i++)
		if (*head[i] == '-') {
			text_add(&p->json, "%s%zu", comma, i);
			comma = ",";
		}
	text_add(&p->json, "],\"rows\":[");
	p->n_rows = 0;
}

void page_row(struct page *p)
{
	text_add(&p->json, "%s[", p->n_rows++ ? "]," : "");
	p->n_cells = 0;
}

void page_cell(struct page *p, const char *format, ...)
{
	struct text cell = {0};
	va_list arguments;

	va_start(arguments, format);
	text_add_list(&cell, format, arguments);
	va_end(arguments);
	text_add(&p->json, "%s", p->n_cells++ ? "," : "");
	text_add_json_string(&p->json, cell.bytes ? cell.bytes : "");
	text_free(&cell);
}

void page_table_end(struct page *p)
{
	text_add(&p->json, p->n_rows ? "]]}" : "]}");
}

/* ---- the whole ---- */

/* JSON in a script element: "<" is in strings alone, where it may be escaped, so that no text ends the element. */
static void add_data(const struct text *json, struct text *into)
{
	for (size_t i = 0; i < json->length; i++)
		if (json->bytes[i] == '<')
			text_add(into, "\\u003c");
		else
			text_add_bytes(into, &json->bytes[i], 1);
}

static void page_write(struct page *p, struct text *into)
{
	text_add(&p->json, "\n]}");
	text_add(into, "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
		       "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:\">\n"
		       "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<link rel=\"icon\" href=\"data:,\">\n<title>sccl-synth</title>\n<style>\n");
	text_add_bytes(into, (const char *)page_css, page_css_length);
	text_add(into, "</style></head>\n<body><main></main>\n<script type=\"application/json\" id=\"data\">");
	add_data(&p->json, into);
	text_add(into, "</script>\n<script>\n");
	text_add_bytes(into, (const char *)page_js, page_js_length);
	text_add(into, "document.title = data.title;\n</script></body></html>\n");
}

bool page_finish(struct page *p, const char *out, struct error *e)
{
	struct text html = {0};
	bool ok = true;

	page_write(p, &html);
	if (out)
		ok = file_write(out, html.bytes, html.length, e);
	else
		fwrite(html.bytes, 1, html.length, stdout);
	text_free(&html);
	page_free(p);
	return ok;
}

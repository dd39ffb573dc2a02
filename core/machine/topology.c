#include "core/machine/topology.h"

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/json.h"
#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/machine/topology_rows.h"

#include <stdlib.h>
#include <string.h>

static int by_ends(const void *va, const void *vb)
{
	const struct link *a = va, *b = vb;
	if (a->src != b->src)
		return a->src < b->src ? -1 : 1;
	return (a->dst > b->dst) - (a->dst < b->dst);
}

void topology_add_link(struct topology *t, size_t *capacity, int src, int dst, int bandwidth)
{
	t->links = grown(t->links, capacity, t->n_links + 1, sizeof *t->links);
	t->links[t->n_links++] = (struct link){src, dst, bandwidth, -1};
}

void topology_sort_links(struct topology *t)
{
	if (t->n_links)
		qsort(t->links, t->n_links, sizeof *t->links, by_ends);
}

const struct link *topology_link(const struct topology *t, int src, int dst)
{
	struct link key = {src, dst, 0, -1};
	return t->n_links ? bsearch(&key, t->links, t->n_links, sizeof *t->links, by_ends) : NULL;
}

static struct topology *open_file(const char *path, struct error *e)
{
	struct json_document *d = json_document_open(path, e);
	if (!d)
		return NULL;
	struct json_place top = json_top(d);
	struct topology *t = topology_read(&top, e);
	json_document_close(d);
	return t;
}

static bool is_path(const char *name)
{
	size_t n = strlen(name);
	return strchr(name, '/') || (n > 5 && strcmp(name + n - 5, ".json") == 0);
}

/* A shipped name, found along the search path. */
static struct topology *open_shipped(const char *name, struct error *e)
{
	struct text file = {0};
	text_add(&file, "%s.json", name);
	char *path = search_path_find("topologies", file.bytes);
	text_free(&file);
	if (!path) {
		error_set(e, ERROR_INPUT, name, "no such topology; `sccl-synth topology list` shows those there are");
		return NULL;
	}
	struct topology *t = open_file(path, e);
	free(path);
	return t;
}

static struct topology *open_single(const char *name, struct error *e)
{
	if (is_path(name))
		return open_file(name, e);
	struct topology *t = topology_from_shape(name, strlen(name), e);
	return t || e->kind != ERROR_NONE ? t : open_shipped(name, e);
}

/* Several boxes, or one. The number is behind the last slash: a path may have a * of its own. */
static struct topology *open_plain(const char *name, struct error *e)
{
	const char *slash = strrchr(name, '/'), *times = strrchr(slash ? slash : name, '*');
	struct text single = {0};

	if (!times || times == name)
		return open_single(name, e);
	text_add(&single, "%.*s", (int)(times - name), name);
	struct topology *one = open_single(single.bytes, e), *t = NULL;
	if (one) {
		struct text full = {0};
		text_add(&full, "%s%s", one->name, times);
		t = topology_boxes(one, times + 1, full.bytes, e);
		text_free(&full);
	}
	text_free(&single);
	return t;
}

struct topology *topology_open(const char *name, struct error *e)
{
	/* A path may have an @ of its own; its edits begin after the last slash. */
	const char *slash = strrchr(name, '/');
	const char *edits = strchr(slash ? slash : name, '@');
	if (!edits)
		return open_plain(name, e);

	struct text plain = {0};
	text_add_bytes(&plain, name, (size_t)(edits - name));
	struct topology *t = open_plain(plain.bytes, e);
	if (t) {
		struct text full = {0};
		text_add(&full, "%s%s", t->name, edits);
		t = topology_edited(t, edits, full.bytes, e);
		text_free(&full);
	}
	text_free(&plain);
	return t;
}

struct topology *topology_open_named(const char *name, struct error *e)
{
	if (!strchr(name, '/') && !strstr(name, ".json"))
		return topology_open(name, e);
	error_set(e, ERROR_INPUT, name, "is a path, and a file can name only shapes and shipped topologies");
	return NULL;
}

bool topology_has_anothers_name(const struct topology *t)
{
	struct error unknown = {0};
	struct topology *known = topology_open_named(t->name, &unknown);
	bool other = known && !topology_same_machine(t, known);

	topology_free(known);
	return other;
}

struct topology *topology_copy(const struct topology *t)
{
	struct topology *c = copy_bytes(t, sizeof *t);

	c->name = copy_string(t->name);
	c->description = copy_string(t->description);
	c->source = copy_string(t->source);
	c->links = copy_bytes(t->links, t->n_links * sizeof *t->links);
	c->limits = copy_bytes(t->limits, t->n_limits * sizeof *t->limits);
	c->kinds = copy_bytes(t->kinds, t->n_kinds * sizeof *t->kinds);
	for (size_t i = 0; i < t->n_limits; i++) {
		c->limits[i].name = copy_string(t->limits[i].name);
		c->limits[i].edges = copy_bytes(t->limits[i].edges, t->limits[i].n_edges * sizeof *t->limits[i].edges);
	}
	for (size_t i = 0; i < t->n_kinds; i++)
		c->kinds[i].name = copy_string(t->kinds[i].name);
	return c;
}

static int by_edge_ends(const void *va, const void *vb)
{
	const struct edge_ends *a = va, *b = vb;
	if (a->src != b->src)
		return a->src < b->src ? -1 : 1;
	return (a->dst > b->dst) - (a->dst < b->dst);
}

static void reverse_limit(struct limit *l)
{
	if (l->of != LIMIT_EDGES)
		l->of = l->of == LIMIT_INTO ? LIMIT_OUT_OF : LIMIT_INTO;
	for (size_t i = 0; i < l->n_edges; i++)
		l->edges[i] = (struct edge_ends){l->edges[i].dst, l->edges[i].src};
	if (l->n_edges)
		qsort(l->edges, l->n_edges, sizeof *l->edges, by_edge_ends);
}

struct topology *topology_reversed(const struct topology *t)
{
	struct topology *r = topology_copy(t);

	for (size_t i = 0; i < r->n_links; i++) {
		r->links[i].src = t->links[i].dst;
		r->links[i].dst = t->links[i].src;
	}
	topology_sort_links(r);
	for (size_t i = 0; i < r->n_limits; i++)
		reverse_limit(&r->limits[i]);
	return r;
}

void topology_free(struct topology *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < t->n_limits; i++) {
		free(t->limits[i].name);
		free(t->limits[i].edges);
	}
	for (size_t i = 0; i < t->n_kinds; i++)
		free(t->kinds[i].name);
	free(t->limits);
	free(t->kinds);
	free(t->links);
	free(t->name);
	free(t->description);
	free(t->source);
	free(t);
}

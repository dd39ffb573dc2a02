/*
 * dgx1@gpus=1,4,5,6@add=0-1x2@drop=2-3: a machine modified on the command line. Each kind of edit is one row of a
 * table.
 */

#include "core/machine/topology.h"

#include "core/base/error.h"
#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/machine/topology_rows.h"

#include <stdlib.h>
#include <string.h>

/* The context of an edit: WHERE, the location in error messages, is the whole name. */
struct edit {
	struct topology *t;
	const char *where;
	struct error *e;
	int *chosen; /* while nodes are listed, [old node]: its new number, -1: not chosen */
	int n_chosen;
};

static bool number_in(const char *s, size_t n, int64_t low, int64_t high, int *out)
{
	char digits[16];
	int64_t value;

	if (n == 0 || n >= sizeof digits)
		return false;
	memcpy(digits, s, n);
	digits[n] = '\0';
	if (!parse_integer(digits, low, high, &value))
		return false;
	*out = (int)value;
	return true;
}

/* Parses "2-3" or, if WIDTH is not NULL, "2-3x2". EXAMPLE shows the syntax in an error message. */
static bool read_pair(const struct edit *edit, const char *s, size_t n, int *a, int *b, int *width, const char *example)
{
	int last = edit->t->nodes + edit->t->switches - 1;
	const char *dash = memchr(s, '-', n), *x = width ? memchr(s, 'x', n) : NULL;
	size_t end = x ? (size_t)(x - s) : n;

	if (width)
		*width = 1;
	if (!dash || (x && x < dash) || !number_in(s, (size_t)(dash - s), 0, INT32_MAX, a) ||
	    !number_in(dash + 1, end - (size_t)(dash - s) - 1, 0, INT32_MAX, b) ||
	    (x && !number_in(x + 1, n - end - 1, 1, BANDWIDTH_MAX, width)))
		return error_set(edit->e, ERROR_INPUT, edit->where, "\"%.*s\" is not a link; write it as in %s",
				 (int)(n < 64 ? n : 64), s, example);
	if (*a > last || *b > last || *a == *b)
		return error_set(edit->e, ERROR_INPUT, edit->where, "%d-%d is not a pair of the nodes 0 to %d", *a,
				 *b, last);
	return true;
}

static struct link *find(struct topology *t, int src, int dst)
{
	return (struct link *)topology_link(t, src, dst);
}

/* Widens a link, or adds it if there is none. A new link gets the machine's kind if there is exactly one. */
static bool widen(struct edit *edit, int src, int dst, int width)
{
	struct link *l = find(edit->t, src, dst);
	if (!l) {
		size_t capacity = edit->t->n_links;
		topology_add_link(edit->t, &capacity, src, dst, width);
		edit->t->links[edit->t->n_links - 1].kind = edit->t->n_kinds == 1 ? 0 : -1;
		topology_sort_links(edit->t);
		return true;
	}
	if (l->bandwidth > BANDWIDTH_MAX - width)
		return error_set(edit->e, ERROR_INPUT, edit->where, "link %d-%d would have a bandwidth above %d", src, dst, BANDWIDTH_MAX);
	l->bandwidth += width;
	return true;
}

/* Narrows a link, which must keep a positive bandwidth. */
static bool thin(struct edit *edit, struct link *l, int width)
{
	if (l->bandwidth <= width)
		return error_set(edit->e, ERROR_INPUT, edit->where, "link %d-%d has bandwidth %d and cannot be narrowed by %d; @drop= removes it",
				 l->src, l->dst, l->bandwidth, width);
	l->bandwidth -= width;
	return true;
}

/* Widens or narrows an existing link, in the directions in which it exists. */
static bool resize(struct edit *edit, const char *s, size_t n, bool wider)
{
	int a, b, width;

	if (!read_pair(edit, s, n, &a, &b, &width, wider ? "@widen=0-4x1" : "@narrow=0-4x1"))
		return false;
	struct link *forth = find(edit->t, a, b), *back = find(edit->t, b, a);
	if (!forth && !back)
		return error_set(edit->e, ERROR_INPUT, edit->where, "there is no link %d-%d to %s", a, b, wider ? "widen" : "narrow");
	if (forth && !(wider ? widen(edit, a, b, width) : thin(edit, forth, width)))
		return false;
	return !back || (wider ? widen(edit, b, a, width) : thin(edit, back, width));
}

static bool grow(struct edit *edit, const char *s, size_t n)
{
	return resize(edit, s, n, true);
}

static bool shrink(struct edit *edit, const char *s, size_t n)
{
	return resize(edit, s, n, false);
}

static bool add(struct edit *edit, const char *s, size_t n)
{
	int a, b, width;
	return read_pair(edit, s, n, &a, &b, &width, "@add=0-4x1") && widen(edit, a, b, width) && widen(edit, b, a, width);
}

static void remove_link(struct topology *t, struct link *l)
{
	size_t i = (size_t)(l - t->links);
	memmove(l, l + 1, (--t->n_links - i) * sizeof *l);
}

/* Removes edges that are no longer links from all limits, and limits that have no edges left. */
static void mend_limits(struct topology *t)
{
	size_t kept = 0;

	for (size_t i = 0; i < t->n_limits; i++) {
		struct limit *l = &t->limits[i];
		size_t edges = 0;
		for (size_t k = 0; k < l->n_edges; k++)
			if (topology_link(t, l->edges[k].src, l->edges[k].dst))
				l->edges[edges++] = l->edges[k];
		l->n_edges = edges;
		if (l->of == LIMIT_EDGES && edges == 0) {
			free(l->name);
			free(l->edges);
		} else
			t->limits[kept++] = *l;
	}
	t->n_limits = kept;
}

static bool drop(struct edit *edit, const char *s, size_t n)
{
	int a, b;
	if (!read_pair(edit, s, n, &a, &b, NULL, "@drop=2-3"))
		return false;
	struct link *forth = find(edit->t, a, b);
	if (forth)
		remove_link(edit->t, forth);
	struct link *back = find(edit->t, b, a);
	if (back)
		remove_link(edit->t, back);
	mend_limits(edit->t);
	return forth || back || error_set(edit->e, ERROR_INPUT, edit->where, "there is no link %d-%d to drop", a, b);
}

typedef bool edit_item(struct edit *edit, const char *s, size_t n);

/* Applies ONE to each item of a list with commas. */
static bool each_item(struct edit *edit, const char *list, size_t length, edit_item *one)
{
	for (;;) {
		const char *comma = memchr(list, ',', length);
		size_t n = comma ? (size_t)(comma - list) : length;
		if (!one(edit, list, n))
			return false;
		if (!comma)
			return true;
		list = comma + 1;
		length -= n + 1;
	}
}

/* NOW [old number of a node or switch]: its new number, -1: removed. */
static void renumber(struct topology *t, const int *now)
{
	size_t links = 0, limits = 0;

	for (size_t i = 0; i < t->n_links; i++) {
		struct link l = t->links[i];
		if (now[l.src] >= 0 && now[l.dst] >= 0)
			t->links[links++] = (struct link){now[l.src], now[l.dst], l.bandwidth, l.kind};
	}
	t->n_links = links;
	topology_sort_links(t);
	for (size_t i = 0; i < t->n_limits; i++) {
		struct limit *l = &t->limits[i];
		size_t edges = 0;
		for (size_t k = 0; k < l->n_edges; k++)
			if (now[l->edges[k].src] >= 0 && now[l->edges[k].dst] >= 0)
				l->edges[edges++] = (struct edge_ends){now[l->edges[k].src], now[l->edges[k].dst]};
		l->n_edges = edges;
		if (edges)
			qsort(l->edges, edges, sizeof *l->edges, edge_ends_order);
		if (l->of != LIMIT_EDGES)
			l->node = now[l->node];
		if (l->of == LIMIT_EDGES ? edges == 0 : l->node < 0) {
			free(l->name);
			free(l->edges);
		} else
			t->limits[limits++] = *l;
	}
	t->n_limits = limits;
}

static bool choose(struct edit *edit, const char *s, size_t n)
{
	int node;

	if (!number_in(s, n, 0, INT32_MAX, &node))
		return error_set(edit->e, ERROR_INPUT, edit->where, "\"%.*s\" is not a node; write them as in @gpus=1,4,5",
				 (int)(n < 64 ? n : 64), s);
	if (node >= edit->t->nodes)
		return error_set(edit->e, ERROR_INPUT, edit->where, "there is no node %d; the last is %d", node, edit->t->nodes - 1);
	if (edit->chosen[node] >= 0)
		return error_set(edit->e, ERROR_INPUT, edit->where, "node %d is named twice", node);
	edit->chosen[node] = edit->n_chosen++;
	return true;
}

/* All other nodes become switches, after those that the machine has, in their order. */
static bool make_relays(struct edit *edit)
{
	struct topology *t = edit->t;
	int switches = t->switches, last = edit->n_chosen + switches;

	if (t->nodes - edit->n_chosen + switches > SWITCHES_MAX)
		return error_set(edit->e, ERROR_INPUT, edit->where, "@relay makes %d switches; at most %d are supported",
				 t->nodes - edit->n_chosen + switches, SWITCHES_MAX);
	for (int v = 0; v < t->nodes; v++)
		if (edit->chosen[v] < 0)
			edit->chosen[v] = last++;
	t->switches = last - edit->n_chosen;
	if (t->abilities) { /* GPUs only forward */
		unsigned char *abilities = new_array(unsigned char, (size_t)t->switches);
		memcpy(abilities, t->abilities, (size_t)switches);
		free(t->abilities);
		t->abilities = abilities;
	}
	return true;
}

/* The sub-machine induced by the listed nodes, renumbered in that order. All switches stay. */
static bool keep_nodes(struct edit *edit, const char *list, size_t length, bool relay)
{
	struct topology *t = edit->t;
	int switches = t->switches;

	edit->chosen = new_array(int, (size_t)(t->nodes + t->switches));
	edit->n_chosen = 0;
	for (int v = 0; v < t->nodes; v++)
		edit->chosen[v] = -1;
	bool ok = each_item(edit, list, length, choose);
	if (ok) {
		for (int s = 0; s < switches; s++)
			edit->chosen[t->nodes + s] = edit->n_chosen + s;
		ok = !relay || make_relays(edit);
	}
	if (ok) {
		renumber(t, edit->chosen);
		t->nodes = edit->n_chosen;
	}
	free(edit->chosen);
	return ok;
}

static const struct {
	const char *name;
	edit_item *item; /* NULL: keep_nodes, which needs the whole list */
} rows[] = {
	{"gpus", NULL}, {"add", add}, {"drop", drop}, {"widen", grow}, {"narrow", shrink},
};

/* Advances *EDITS past "@relay", if that comes next. */
static bool take_relay(const char **edits)
{
	static const char word[] = "@relay";
	size_t n = sizeof word - 1;
	bool is = strncmp(*edits, word, n) == 0 && (!(*edits)[n] || (*edits)[n] == '@');

	*edits += is ? n : 0;
	return is;
}

/* Applies one "@name=list" and advances *edits past it; past "@relay" too, after "@gpus=". */
static bool apply(struct edit *edit, const char **edits)
{
	const char *name = *edits + 1;
	size_t length = strcspn(name, "@"), word = strcspn(name, "=@");

	*edits = name + length;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (word < length && strlen(rows[i].name) == word && strncmp(rows[i].name, name, word) == 0)
			return rows[i].item ? each_item(edit, name + word + 1, length - word - 1, rows[i].item)
					    : keep_nodes(edit, name + word + 1, length - word - 1, take_relay(edits));
	const char *relay = name - 1;
	if (take_relay(&relay))
		return error_set(edit->e, ERROR_INPUT, edit->where, "@relay must follow @gpus=, whose other nodes it makes switches");
	return error_set(edit->e, ERROR_INPUT, edit->where, "\"@%.*s\" is not an edit; the edits are @gpus=, @relay after it, @add=, @drop=, @widen= and @narrow=",
			 (int)(length < 64 ? length : 64), name);
}

struct topology *topology_edited(struct topology *t, const char *edits, const char *name, struct error *e)
{
	struct edit edit = {.t = t, .where = name, .e = e};

	while (*edits)
		if (!apply(&edit, &edits)) {
			topology_free(t);
			return NULL;
		}
	free(t->name);
	t->name = copy_string(name);
	return t;
}

/*
 * Tries each change on each link, or free pair, of a machine and groups the results by their canonical form, so that
 * isomorphic machines are explored once.
 */

#include "explore/links.h"

#include "core/schedule/cost.h"
#include "core/base/error.h"
#include "core/base/memory.h"
#include "core/machine/network.h"
#include "core/base/text.h"
#include "core/symmetry/canonical.h"

#include <stdlib.h>
#include <string.h>

const char *const links_change_names[LINKS_CHANGES] = {"add", "remove", "widen", "degrade"};

struct link_search {
	const char *spec;
	const struct topology *base;
	int root;
	const volatile int *stop;
	struct link_classes *out;
	struct error *e;
};

/* The links between two nodes or switches, in both directions; NULL: none. */
struct link_pair {
	int a, b;
	const struct link *forth, *back;
};

static bool is_there(const struct link_pair *p)
{
	return p->forth || p->back;
}

static bool is_thin(const struct link_pair *p)
{
	return (p->forth && p->forth->bandwidth == 1) || (p->back && p->back->bandwidth == 1);
}

static bool is_free(const struct link_pair *p)
{
	return !is_there(p);
}

static bool is_wide(const struct link_pair *p)
{
	return is_there(p) && !is_thin(p);
}

static bool grows(const struct link_pair *p)
{
	return is_there(p) && !(p->forth && p->forth->bandwidth == BANDWIDTH_MAX) && !(p->back && p->back->bandwidth == BANDWIDTH_MAX);
}

static const struct {
	const char *edit; /* of core/machine/edits.c */
	bool (*is_for)(const struct link_pair *p);
} rows[LINKS_CHANGES] = {
	[LINKS_ADD] = {"add", is_free},
	[LINKS_REMOVE] = {"drop", is_there},
	[LINKS_WIDEN] = {"widen", grows},
	[LINKS_DEGRADE] = {"narrow", is_wide},
};

bool links_changes_read(const char *list, unsigned *changes, struct error *e)
{
	if (strcmp(list, "all") == 0) {
		*changes = (1u << LINKS_CHANGES) - 1;
		return true;
	}
	*changes = 0;
	for (const char *s = list;; s++) {
		size_t length = strcspn(s, ","), found = LINKS_CHANGES;
		for (size_t i = 0; i < LINKS_CHANGES; i++)
			if (strlen(links_change_names[i]) == length && strncmp(links_change_names[i], s, length) == 0)
				found = i;
		if (found == LINKS_CHANGES)
			return error_set(e, ERROR_INPUT, "--links", "must list add, remove, widen or degrade with commas between, or be all, not \"%.64s\"",
					 list);
		*changes |= 1u << found;
		s += length;
		if (!*s)
			return true;
	}
}

/* Equal keys mean isomorphic machines whose slowest links are equally fast. NULL with *e set. */
static char *key_of(const struct topology *t, int root, struct error *e)
{
	struct network *w = network_new(t, e);
	struct rational alpha = {0, 1}, beta = {0, 1};
	char a[RATIONAL_TEXT], b[RATIONAL_TEXT];
	struct text key = {0};

	if (!w)
		return NULL;
	struct canonical form = canonical_new(w, root);
	bool timed = topology_alpha_beta(t, &alpha, &beta);
	text_add(&key, "%s %s %s %s", timed ? "timed" : "", rational_text(alpha, a), rational_text(beta, b), form.form);
	canonical_free(&form);
	network_free(w);
	return text_take(&key);
}

static struct link_class *class_of(struct link_classes *c, enum links_change change, const char *key)
{
	for (size_t i = 0; i < c->n; i++)
		if (c->at[i].change == change && strcmp(c->at[i].key, key) == 0)
			return &c->at[i];
	return NULL;
}

/* Takes ownership of its arguments. */
static struct link_class *new_class(struct link_classes *c, enum links_change change, char *spec, struct topology *t, char *key)
{
	c->at = grown(c->at, &c->capacity, c->n + 1, sizeof *c->at);
	c->at[c->n] = (struct link_class){.change = change, .spec = spec, .topology = t, .key = key};
	return &c->at[c->n++];
}

static bool try_pair(struct link_search *s, enum links_change change, const struct link_pair *p)
{
	struct text spec = {0};

	if (s->stop && *s->stop)
		return error_set(s->e, ERROR_SYSTEM, s->spec, "interrupted");
	text_add(&spec, "%s@%s=%d-%d", s->spec, rows[change].edit, p->a, p->b);
	struct topology *t = topology_open(spec.bytes, s->e);
	char *key = t ? key_of(t, s->root, s->e) : NULL;
	if (!key) {
		topology_free(t);
		text_free(&spec);
		return false;
	}
	struct link_class *c = class_of(s->out, change, key);
	if (c) {
		topology_free(t);
		text_free(&spec);
		free(key);
	} else
		c = new_class(s->out, change, text_take(&spec), t, key);
	c->isomorphic = grown(c->isomorphic, &c->capacity, c->n_isomorphic + 1, sizeof *c->isomorphic);
	c->isomorphic[c->n_isomorphic++] = (struct edge_ends){p->a, p->b};
	return true;
}

static struct link_pair pair_of(const struct topology *t, int a, int b)
{
	return (struct link_pair){a, b, topology_link(t, a, b), topology_link(t, b, a)};
}

/* Refuses too large a number of changes before any of them is tried, which takes time. */
static bool check_number(const struct link_search *s, unsigned changes)
{
	int vertices = s->base->nodes + s->base->switches;
	size_t n = 0;

	for (int a = 0; a < vertices; a++)
		for (int b = a + 1; b < vertices && n <= LINKS_MOST; b++) {
			struct link_pair p = pair_of(s->base, a, b);
			for (int change = 0; change < LINKS_CHANGES; change++)
				n += (changes >> change & 1) && rows[change].is_for(&p);
		}
	return n <= LINKS_MOST || error_set(s->e, ERROR_LIMIT, "--links", "%s has more than %d links to change", s->spec, LINKS_MOST);
}

static bool try_all(struct link_search *s, enum links_change change)
{
	int vertices = s->base->nodes + s->base->switches;

	for (int a = 0; a < vertices; a++)
		for (int b = a + 1; b < vertices; b++) {
			struct link_pair p = pair_of(s->base, a, b);
			s->out->n_too_thin += change == LINKS_DEGRADE && is_there(&p) && is_thin(&p);
			if (rows[change].is_for(&p) && !try_pair(s, change, &p))
				return false;
		}
	return true;
}

bool link_classes_new(const char *spec, const struct topology *t, unsigned changes, int root, const volatile int *stop,
		      struct link_classes *out, struct error *e)
{
	struct link_search s = {spec, t, root, stop, out, e};

	*out = (struct link_classes){0};
	if (!check_number(&s, changes))
		return false;
	for (int change = 0; change < LINKS_CHANGES; change++)
		if (changes >> change & 1 && !try_all(&s, (enum links_change)change)) {
			link_classes_free(out);
			return false;
		}
	return true;
}

void link_classes_free(struct link_classes *c)
{
	for (size_t i = 0; i < c->n; i++) {
		topology_free(c->at[i].topology);
		free(c->at[i].spec);
		free(c->at[i].isomorphic);
		free(c->at[i].key);
	}
	free(c->at);
	*c = (struct link_classes){0};
}

/*
 * Goes through the candidate folders in alphabetical order. A frontier file is used if its machine is isomorphic to the
 * requested one (core/symmetry/canonical.h), it answers the options, passes the judge, relabels to a valid frontier and
 * its refutations are proved; the first that does wins.
 */

#include "synth/frontier/atlas.h"

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/json.h"
#include "core/base/memory.h"
#include "core/machine/network.h"
#include "core/base/text.h"
#include "core/machine/topology.h"
#include "core/symmetry/canonical.h"
#include "synth/frontier/relabelled_frontier.h"
#include "synth/frontier/frontier_parts.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/* Larger machines are not looked up: constructing their schedules anew is as fast as reading lists of sends. */
enum { NODES_SOUGHT = 32 };

struct atlas_search {
	const struct atlas_question *question;
	struct network *network;
	char *class_end; /* "-NODES-DIGEST", the end of a class folder's name */
	struct frontier *found;
	struct atlas_source *from;
};

static int not_hidden(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

/* Calls LOOK for each entry of DIR, by name, until one has the answer. */
static bool in_each(struct atlas_search *s, const char *dir, bool (*look)(struct atlas_search *s, const char *dir, const char *name))
{
	struct dirent **names;
	int n = scandir(dir, &names, not_hidden, alphasort);
	bool found = false;

	if (n < 0 && errno == ENOMEM)
		memory_out(); /* not an empty folder */
	for (int i = 0; i < n; i++) {
		found = found || look(s, dir, names[i]->d_name);
		free(names[i]);
	}
	if (n >= 0)
		free(names);
	return found;
}

static void doubt(const struct atlas_search *s, const char *path, const struct error *e, const char *why)
{
	struct text line = {0};

	if (e->kind == ERROR_NONE)
		text_add(&line, "%s", why);
	else
		text_add(&line, "%s: %s", e->where, e->what);
	s->question->doubt(path, line.bytes);
	text_free(&line);
}

/* Reads only the size: the points are read only if the machine may be isomorphic. */
static bool is_of_our_size(const struct atlas_search *s, const char *path, struct error *e)
{
	struct json_document *d = json_document_open(path, e);
	int nodes = 0;

	if (!d)
		return false;
	struct json_place top = json_top(d), at;
	bool ours = json_check_format(&top, "sccl-frontier", e) && json_member_needed(&top, "nodes", &at, e) &&
		    json_get_int(&at, 1, NODES_MAX, &nodes, e) && nodes == s->network->nodes;
	json_document_close(d);
	return ours;
}

/* Is F's machine isomorphic to the requested one, with the root mapped to the root? Fills TO. */
static bool is_isomorphic(const struct atlas_search *s, const struct frontier *f, int *to)
{
	const struct collective *ours = &s->question->problem->collective;
	bool rooted = collective_row(ours)->rooted;
	struct error e = {0};
	struct network *w = network_new(f->topology, &e);
	bool isomorphic = w && network_isomorphism(w, rooted ? f->collective.root : -1, s->network, rooted ? ours->root : -1, to);

	network_free(w);
	return isomorphic;
}

static struct frontier *carry_over(const struct atlas_search *s, struct frontier *f, char *why, size_t size, struct error *e)
{
	const struct atlas_question *q = s->question;
	int to[NODES_SOUGHT];

	if (f->collective.kind != q->problem->collective.kind || !frontier_answers(f, q->options) || !is_isomorphic(s, f, to) ||
	    !frontier_judge(f, why, size))
		return NULL;
	return frontier_relabelled(f, q->problem, q->direct, to, q->options, e);
}

static bool is_shown(const struct atlas_search *s, const char *path, const struct frontier *f, char *why, size_t size)
{
	const struct atlas_question *q = s->question;
	struct atlas_source *from = s->from;

	if (f->k != WITHOUT_K && !f->n_refuted && !(f->composed && f->composed->n_refuted)) {
		snprintf(from->shown, sizeof from->shown, "nothing was refuted");
		return true;
	}
	if (q->shown(path, f, q->options->solve.timeout, from->shown, sizeof from->shown))
		return true;
	snprintf(why, size, "%s", from->shown);
	return false;
}

static bool look_at_file(struct atlas_search *s, const char *dir, const char *name)
{
	bool rooted = collective_row(&s->question->problem->collective)->rooted;
	struct text path = {0};
	struct error e = {0};
	char why[256] = "";

	if (rooted ? strncmp(name, "frontier-root", strlen("frontier-root")) != 0 : strcmp(name, "frontier.json") != 0)
		return false;
	if (strlen(name) < strlen(".json") || strcmp(name + strlen(name) - strlen(".json"), ".json") != 0)
		return false;
	text_add(&path, "%s/%s", dir, name);
	struct frontier *f = is_of_our_size(s, path.bytes, &e) ? frontier_open(path.bytes, &e) : NULL;
	s->found = f && !constraints_any(&f->constraints) ? carry_over(s, f, why, sizeof why, &e) : NULL;
	if (s->found && !is_shown(s, path.bytes, f, why, sizeof why)) {
		frontier_free(s->found);
		s->found = NULL;
	}
	frontier_free(f);
	if (e.kind != ERROR_NONE || why[0])
		doubt(s, path.bytes, &e, why);
	if (s->found)
		s->from->path = text_take(&path);
	text_free(&path);
	return s->found;
}

/* In DIR/MACHINE/COLLECTIVE */
static bool look_at_machine(struct atlas_search *s, const char *dir, const char *name)
{
	struct text folder = {0};

	text_add(&folder, "%s/%s/%s", dir, name, collective_name(&s->question->problem->collective));
	bool found = in_each(s, folder.bytes, look_at_file);
	text_free(&folder);
	return found;
}

static bool look_at_class(struct atlas_search *s, const char *dir, const char *name)
{
	size_t length = strlen(name), end = strlen(s->class_end);
	struct text folder = {0};

	if (length < end || strcmp(name + length - end, s->class_end) != 0)
		return false;
	text_add(&folder, "%s/%s", dir, name);
	bool found = in_each(s, folder.bytes, look_at_machine);
	text_free(&folder);
	return found;
}

static char *class_end(const struct network *w)
{
	struct canonical c = canonical_new(w, -1);
	char digest[CANONICAL_DIGEST + 1];
	struct text end = {0};

	canonical_digest(&c, digest);
	canonical_free(&c);
	text_add(&end, "-%d-%s", w->nodes, digest);
	return text_take(&end);
}

static bool look_at_catalogs(struct atlas_search *s)
{
	bool found = false;
	char *dir;

	for (size_t i = 0; !found && (dir = search_path_at(i)); i++) {
		struct text catalog = {0}, atlas = {0};
		text_add(&catalog, "%s/algorithms", dir);
		text_add(&atlas, "%s/atlas", catalog.bytes);
		found = in_each(s, catalog.bytes, look_at_machine) || in_each(s, atlas.bytes, look_at_class);
		text_free(&catalog);
		text_free(&atlas);
		free(dir);
	}
	return found;
}

struct frontier *atlas_find(const struct atlas_question *q, struct atlas_source *from)
{
	const struct topology *t = q->problem->topology;
	struct atlas_search s = {.question = q, .from = from};
	struct error e = {0};

	*from = (struct atlas_source){0};
	if (!q->shown || t->nodes > NODES_SOUGHT || q->problem->collective.kind == CUSTOM || !(s.network = network_new(t, &e)))
		return NULL;
	s.class_end = class_end(s.network);
	look_at_catalogs(&s);
	free(s.class_end);
	network_free(s.network);
	return s.found;
}

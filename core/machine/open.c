/* Opens a topology by name: a file, a shipped topology or a shape, followed by the copies and edits in the name. */

#include "core/machine/topology.h"

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/json.h"
#include "core/base/memory.h"
#include "core/base/names.h"
#include "core/base/spelling.h"
#include "core/base/text.h"
#include "core/machine/topology_rows.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static struct topology *open_file(const char *path, struct error *e)
{
	return topology_read_document(json_document_open(path, e), e);
}

static bool is_path(const char *name)
{
	size_t n = strlen(name);
	return strchr(name, '/') || (n > 5 && strcmp(name + n - 5, ".json") == 0);
}

/* The path of NAME.json in the folders of the search path, or NULL. The caller frees it. */
static char *shipped_path(const char *name)
{
	struct text file = {0};

	text_add(&file, "%s.json", name);
	char *path = search_path_find("topologies", file.bytes);
	text_free(&file);
	return path;
}

/* Looks for NAME among everything that can be given: shipped machines, their aliases, and shapes. */
static void refuse_name(const char *name, struct error *e)
{
	struct spelling s = spelling_new(name);
	struct names shipped = names_of("topologies");
	size_t n;

	for (size_t i = 0; i < shipped.n; i++)
		spelling_try(&s, shipped.all[i]);
	const struct machine_alias *aliases = topology_aliases(&n);
	for (size_t i = 0; i < n; i++)
		spelling_try(&s, aliases[i].alias);
	const struct shape *shapes = topology_shapes(&n);
	for (size_t i = 0; i < n; i++)
		spelling_try(&s, shapes[i].example);
	const char *hint = spelling_hint(&s);
	error_set(e, ERROR_INPUT, name, "no such topology; %s%s`sccl-synth topology list` lists them", hint, *hint ? " " : "");
	names_free(&shipped);
	spelling_free(&s);
}

/* The path of the machine of that name or alias, or NULL. The caller frees it. */
static char *known_path(const char *name)
{
	size_t n;
	const struct machine_alias *aliases = topology_aliases(&n);
	char *path = shipped_path(name);

	for (size_t i = 0; i < n && !path; i++)
		if (strcmp(aliases[i].alias, name) == 0)
			path = shipped_path(aliases[i].name);
	return path;
}

/* A topology from the folders of the search path. Names that people type in capitals or with underscores, as DGX_H100, stand
 * for those of small letters and dashes. */
static struct topology *open_shipped(const char *name, struct error *e)
{
	char *path = known_path(name);

	if (!path) {
		char *plain = copy_string(name);
		for (char *c = plain; *c; c++)
			*c = *c == '_' ? '-' : (char)tolower((unsigned char)*c);
		path = known_path(plain);
		free(plain);
	}
	if (!path) {
		refuse_name(name, e);
		return NULL;
	}
	struct topology *t = open_file(path, e);
	free(path);
	return t;
}

static struct topology *open_forwarding(const char *name, struct error *e)
{
	if (is_path(name))
		return open_file(name, e);
	struct topology *t = topology_from_shape(name, e);
	return t || e->kind != ERROR_NONE ? t : open_shipped(name, e);
}

static const char nvls[] = "+nvls";

/* Lets all switches of T copy and add, and says so in its name and description. NULL with *e set, after freeing T. */
static struct topology *with_nvls(struct topology *t, struct error *e)
{
	struct text name = {0}, description = {0};

	text_add(&name, "%s%s", t->name, nvls);
	text_add(&description, "%s; the switches copy and add (multimem.st: one store that all GPUs get; multimem.ld_reduce: one load "
		 "of the sum over all GPUs)", t->description ? t->description : t->name);
	free(t->name);
	free(t->description);
	t->name = text_take(&name);
	t->description = text_take(&description);
	if (t->switches == 0) {
		error_set(e, ERROR_INPUT, t->name, "there are no switches that could copy and add");
		topology_free(t);
		return NULL;
	}
	free(t->abilities);
	t->abilities = new_array(unsigned char, (size_t)t->switches);
	memset(t->abilities, MULTICASTS | REDUCES, (size_t)t->switches);
	return t;
}

/* One box, whose name may end in "+nvls". */
static struct topology *open_single(const char *name, struct error *e)
{
	size_t n = strlen(name), tail = strlen(nvls);

	if (n <= tail || strcmp(name + n - tail, nvls) != 0)
		return open_forwarding(name, e);
	struct text plain = {0};
	text_add_bytes(&plain, name, n - tail);
	struct topology *t = open_forwarding(plain.bytes, e);
	text_free(&plain);
	return t ? with_nvls(t, e) : NULL;
}

/* The "*" of copies, or NULL. It follows the last slash, as a path may itself contain one, unless the slash is a network's. */
static const char *times_in(const char *name)
{
	const char *slash = strrchr(name, '/'), *last = strrchr(name, '*');

	if (last && topology_is_network(last + 1))
		return last;
	return strrchr(slash ? slash : name, '*');
}

/* One box or several copies. */
static struct topology *open_plain(const char *name, struct error *e)
{
	const char *times = times_in(name);
	struct text single = {0};

	if (!times || times == name)
		return open_single(name, e);
	text_add(&single, "%.*s", (int)(times - name), name);
	if (strchr(single.bytes, '*') && !strchr(single.bytes, '/')) {
		error_set(e, ERROR_INPUT, name, "has copies of copies: give one number of boxes, as in dgx-h100*4");
		text_free(&single);
		return NULL;
	}
	struct topology *one = open_single(single.bytes, e), *t = one ? topology_boxes(one, times + 1, e) : NULL;
	text_free(&single);
	return t;
}

struct topology *topology_open(const char *name, struct error *e)
{
	/* A path may itself contain an @: edits come after the last slash. */
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
	error_set(e, ERROR_INPUT, name, "is a path; a file can name only shapes and shipped topologies");
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

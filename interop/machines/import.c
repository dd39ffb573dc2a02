/*
 * The table of formats, and several descriptions of one machine. A format is known by what only it contains, never by
 * the name of the file.
 */

#include "interop/machines/import.h"

#include "interop/machines/compare.h"
#include "interop/machines/readers.h"

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/memory.h"
#include "core/machine/topology.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* The first row that fits is taken. ROOT: the root element; otherwise the text has all of HAS. */
static const struct format {
	const char *name;
	const char *root;
	const char *has[3];
	int detail; /* of several descriptions, the one of most detail is taken */
	struct topology *(*read)(const struct machine_source *s, struct error *e);
} formats[] = {
	{"topology XML of NCCL or RCCL", "system", {NULL}, 5, read_nccl_xml},
	{"hwloc XML", "topology", {NULL}, 4, read_hwloc_xml},
	{"TE-CCL input", NULL, {"\"TopologyParams\""}, 3, read_te_ccl},
	{"TACCL topology", NULL, {"\"gpus_per_node\"", "\"alpha\""}, 3, read_taccl},
	{"msccl-tools topology", NULL, {"\"msccl_type\"", "\"links\""}, 3, read_msccl_tools_topology},
	{"graph in node-link form", NULL, {"\"nodes\"", "\"source\"", "\"target\""}, 3, read_node_link},
	{"ASTRA-sim network YAML", NULL, {"npus_count", "topology:"}, 3, read_astra_yaml},
	{"TACOS table", NULL, {"NPUs Count", "SrcID"}, 3, read_tacos},
	{"text of rocm-smi or amd-smi", NULL, {"Link Type between two GPUs"}, 2, read_amd_text},
	{"text of rocm-smi or amd-smi", NULL, {"LINK TYPE TABLE"}, 2, read_amd_text},
	{"nvidia-smi topo -m", NULL, {"GPU0", "X"}, 2, read_nvidia_smi},
	{"matrix of GB/s", NULL, {NULL}, 1, read_matrix},
};
enum { FORMATS = sizeof formats / sizeof *formats };

const char *import_format(size_t i)
{
	return i < FORMATS ? formats[i].name : NULL;
}

/* Of a file that looks like XML, the name of the first element. */
static void find_root(struct machine_source *s)
{
	const char *at = s->bytes;
	size_t n = 0;

	while (*at && strspn(at, " \t\r\n\xef\xbb\xbf") > 0)
		at += strspn(at, " \t\r\n\xef\xbb\xbf");
	while (at[0] == '<' && (at[1] == '?' || at[1] == '!')) {
		bool subset = at[strcspn(at, "[>")] == '['; /* <!DOCTYPE x [...]> */
		const char *end = strncmp(at, "<!--", 4) == 0 ? strstr(at, "-->") : subset ? strstr(at, "]>") : strchr(at, '>');
		if (!end)
			return;
		at = strchr(end, '>') + 1;
		at += strspn(at, " \t\r\n");
	}
	if (*at != '<')
		return;
	for (at++; n + 1 < sizeof s->root && (isalnum((unsigned char)*at) || *at == '_'); at++)
		s->root[n++] = *at;
	s->root[n] = 0;
}

static bool has_all(const struct machine_source *s, const struct format *f)
{
	for (size_t i = 0; i < sizeof f->has / sizeof *f->has && f->has[i]; i++)
		if (!strstr(s->bytes, f->has[i]))
			return false;
	return true;
}

/* The other kinds of files that one may try to import, and what they are. */
static const struct stranger {
	const char *root, *has, *what;
} strangers[] = {
	{"algo", NULL, "is an MSCCL plan, not a machine; `import PLAN -t T` makes it an algorithm for T"},
	{"graphs", NULL, "is a graph of NCCL, not a machine; `import GRAPH -t T` makes it an algorithm for T, and NCCL_TOPO_DUMP_FILE is the machine"},
	{"Algo", NULL, "has trees of ForestColl, not a machine; `import TREES -t T` makes them an algorithm for T"},
	{"trees", NULL, "has trees of ForestColl, not a machine; `import TREES -t T` makes them an algorithm for T"},
	{NULL, "\"sccl-algorithm\"", "is an algorithm, not a machine"},
	{NULL, "\"sccl-topology\"", "is a topology file already"},
	{NULL, "\"msccl_type\": \"algorithm\"", "is an algorithm of msccl-tools, not a machine; `import FILE -t T` makes it an algorithm for T"},
	{NULL, "collective,root,chunks,step,rounds", "is a schedule, not a machine; `import FILE -t T` makes it an algorithm for T"},
	{NULL, "\"threadblocks\"", "is an MSCCL++ plan, not a machine; `import PLAN -t T` makes it an algorithm for T"},
	{NULL, "\"1-Epoch_Duration\"", "is a schedule of TE-CCL, not a machine; `import PLAN -t T` makes it an algorithm for T"},
	{NULL, "\"intranode_sketch\"", "is a sketch of TACCL, which needs a topology of TACCL beside it"},
};

static const struct format *format_of(const struct machine_source *s, struct error *e)
{
	for (size_t i = 0; i < sizeof strangers / sizeof *strangers; i++)
		if (strangers[i].root ? strcmp(strangers[i].root, s->root) == 0 : strstr(s->bytes, strangers[i].has) != NULL) {
			error_set(e, ERROR_INPUT, s->path, "%s", strangers[i].what);
			return NULL;
		}
	bool json = s->bytes[strspn(s->bytes, " \t\r\n")] == '{';
	for (size_t i = 0; i < FORMATS; i++) {
		const struct format *f = &formats[i];
		if (*s->root ? f->root && strcmp(f->root, s->root) == 0
			     : !f->root && has_all(s, f) && (!json || f->has[0]) && json == (f->has[0] && *f->has[0] == '"'))
			return f;
	}
	if (*s->root)
		error_set(e, ERROR_INPUT, s->path, "is XML with the root <%s>; known are <system> (NCCL, RCCL) and <topology> (hwloc)", s->root);
	else
		error_set(e, ERROR_INPUT, s->path, json ? "is JSON of no known tool" : "is of no known format");
	return NULL;
}

/* One description, while there are several. */
struct description {
	const struct format *format;
	char *path; /* as in struct machine_source; owned */
	struct topology *topology;
};

static bool describe(struct description *d, const char *path, const char *name, enum import_rates rates, struct text *notes, struct error *e)
{
	struct text bytes = {0}, plain = {0};

	text_add_plain(&plain, path);
	d->path = text_take(&plain);
	struct machine_source s = {.path = d->path, .name = name, .rates = rates, .notes = notes};
	if (file_read(path, &bytes, e)) {
		s.bytes = bytes.bytes ? bytes.bytes : "";
		s.n = bytes.length;
		if (strlen(s.bytes) != s.n)
			error_set(e, ERROR_INPUT, path, "is not text: it has a NUL byte");
		else if (s.n == 0)
			error_set(e, ERROR_INPUT, path, "is empty");
		else {
			find_root(&s);
			d->format = format_of(&s, e);
			d->topology = d->format ? d->format->read(&s, e) : NULL;
		}
	}
	text_free(&bytes);
	return d->topology != NULL;
}

static struct topology *merge(struct description *all, size_t n, struct import_report *report, struct error *e)
{
	size_t best = 0;
	struct topology *t;

	for (size_t i = 1; i < n; i++)
		if (all[i].format->detail > all[best].format->detail)
			best = i;
	for (size_t i = 0; i < n; i++) {
		if (i == best)
			continue;
		if (all[i].topology->nodes != all[best].topology->nodes) {
			error_set(e, ERROR_INPUT, all[i].path, "describes %d GPUs and %s %d; they are not the same machine", all[i].topology->nodes,
				  all[best].path, all[best].topology->nodes);
			return NULL;
		}
		machines_compare(all[best].topology, all[best].path, all[i].topology, all[i].path, report->notes);
	}
	if (n > 1)
		text_add(report->notes, "%s: taken, as the most detailed of %zu descriptions\n", all[best].path, n);
	report->format = all[best].format->name;
	t = all[best].topology;
	all[best].topology = NULL;
	return t;
}

struct topology *import_machine(const char *const *paths, size_t n, const char *name, enum import_rates rates,
				struct import_report *report, struct error *e)
{
	struct description *all = new_array(struct description, n);
	struct topology *t = NULL;
	bool ok = true;

	for (size_t i = 0; ok && i < n; i++)
		ok = describe(&all[i], paths[i], name, rates, report->notes, e);
	if (ok)
		t = merge(all, n, report, e);
	for (size_t i = 0; i < n; i++) {
		topology_free(all[i].topology);
		free(all[i].path);
	}
	free(all);
	return t;
}

/*
 * Runs hwloc in a worker process, which sends back what it saw and the topology as JSON; the topology is then read by
 * the reader of topology files, which checks it.
 */

#include "interop/hwloc/probe.h"

#include "interop/hwloc/machine.h"
#include "interop/hwloc/vendors.h"

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/json.h"
#include "core/base/memory.h"
#include "core/base/process.h"
#include "core/base/text.h"
#include "core/machine/topology.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

enum { SECONDS_MAX = 120 }; /* drivers may hang; a machine that needs longer than this is not healthy */

/*
 * "hwloc VERSION, NAME" with the last component of the path FROM, in which anything but printable ASCII is replaced; if
 * FROM is NULL, "hwloc VERSION, on the machine itself". The caller frees it.
 */
struct head {
	struct probe_sights seen;
	struct error error;
};

/*
 * "hwloc VERSION, NAME": the last component of the path FROM, with anything but printable ASCII replaced. The caller
 * frees it.
 */
static char *source_of(const char *from, bool vendors)
{
	struct text s = {0};
	const char *slash = from ? strrchr(from, '/') : NULL, *base = slash ? slash + 1 : from;

	text_add(&s, "hwloc %s, ", HWLOC_IS);
	if (!base)
		text_add(&s, "on the machine itself%s", vendors ? ", links by the vendor's management library" : "");
	for (; base && *base; base++)
		text_add(&s, "%c", *base >= ' ' && *base <= '~' ? *base : '?');
	return text_take(&s);
}

struct probe_task {
	const char *from, *name;
	const struct text *xml; /* NULL: this machine */
};

/* Runs in the worker. */
static int read_machine(const void *what, int file)
{
	const struct probe_task *q = what;
	struct machine m = {0};
	struct head head = {0};
	struct text json = {0};
	struct topology *t = NULL;

	bool ok = machine_read(q->from, q->xml, &m, &head.error), vendors = ok && !q->from && vendors_complete(&m);
	if (ok && m.n > 0) {
		char *source = source_of(q->from, vendors);
		t = machine_topology(&m, q->name, source, &head.error);
		free(source);
	}
	head.seen = m.seen;
	if (t)
		topology_write(t, &json, 0);
	process_send(file, &head, sizeof head);
	process_send(file, json.bytes, json.length);
	topology_free(t);
	machine_free(&m);
	text_free(&json);
	return 0;
}

static bool ask(const char *from, const struct text *xml, const char *name, struct text *said, struct error *e)
{
	struct probe_task q = {from, name, xml};
	struct worker reader, *all = &reader;

	if (!process_start(&reader, read_machine, &q, (struct process_limits){.seconds = SECONDS_MAX}, e))
		return false;
	while (process_wait(&all, 1, -1) < 0)
		;
	int status = process_finish(&reader).status;
	*said = reader.bytes;
	if (reader.late)
		return error_set(e, from ? ERROR_INPUT : ERROR_SYSTEM, from ? from : "topology probe", "hwloc did not finish within %d seconds",
				 SECONDS_MAX);
	if (WIFSIGNALED(status))
		return error_set(e, from ? ERROR_INPUT : ERROR_SYSTEM, from ? from : "topology probe", "hwloc was ended by signal %d",
				 WTERMSIG(status));
	if (WIFEXITED(status) && WEXITSTATUS(status) == MEMORY_STATUS)
		return error_set(e, from ? ERROR_LIMIT : ERROR_SYSTEM, from ? from : "topology probe", "hwloc needs more memory than there is");
	if (status != 0 || said->length < sizeof(struct head))
		return error_set(e, ERROR_SYSTEM, "topology probe", "the process that runs hwloc failed");
	return true;
}

/* Passes the topology that was built through the reader of topology files, which accepts or rejects it. */
static struct topology *judged(const char *json, const char *where, struct error *e)
{
	return topology_read_document(json_document_parse(json, where, e), e);
}

static struct topology *probe_one(const char *from, const struct text *xml, const char *name, struct probe_sights *seen, struct error *e)
{
	struct topology *t = NULL;
	struct text said = {0};
	struct head head;

	if (ask(from, xml, name, &said, e)) {
		memcpy(&head, said.bytes, sizeof head);
		*seen = head.seen;
		if (head.error.kind != ERROR_NONE)
			*e = head.error;
		else if (said.length > sizeof head)
			t = judged(said.bytes + sizeof head, from ? from : "topology probe", e);
	}
	text_free(&said);
	return t;
}

/* The file is read here and once: it may be a pipe. */
struct topology *probe(const char *from, const char *name, struct probe_sights *seen, struct error *e)
{
	struct text xml = {0};
	struct topology *t = !from || file_read(from, &xml, e) ? probe_one(from, from ? &xml : NULL, name, seen, e) : NULL;

	text_free(&xml);
	return t;
}

struct topology *probe_xml(const char *from, const char *bytes, size_t n, const char *name, struct probe_sights *seen, struct error *e)
{
	struct text xml = {0};

	text_add_bytes(&xml, bytes, n);
	struct topology *t = probe_one(from, &xml, name, seen, e);
	text_free(&xml);
	return t;
}

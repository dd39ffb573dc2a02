/* Machines and their bounds. */

#include "library/objects.h"

#include "core/base/json.h"
#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/bounds/bounds.h"
#include "core/schedule/collective.h"

#include <stdlib.h>

/* Takes T, which may be NULL with *e set, and leaves the library. */
static sccls_status_t give(struct topology *t, const struct error *e, sccls_topology_t **out)
{
	struct text json = {0};

	*out = NULL;
	if (t) {
		sccls_topology_t *object = zeroed(1, sizeof *object);
		topology_write(t, &json, 0);
		text_add(&json, "\n");
		*object = (sccls_topology_t){t, text_take(&json)};
		*out = object;
	}
	return library_leave(e);
}

sccls_status_t sccls_topology_open(const char *name, sccls_topology_t **out)
{
	struct error e = {0};

	if (!name || !out)
		return library_refuse("sccls_topology_open: no name, or nowhere to put the machine");
	library_enter();
	return give(topology_open(name, &e), &e, out);
}

sccls_status_t sccls_topology_parse(const char *json, sccls_topology_t **out)
{
	struct error e = {0};

	if (!json || !out)
		return library_refuse("sccls_topology_parse: no text, or nowhere to put the machine");
	library_enter();
	return give(topology_read_document(json_document_parse(json, "topology", &e), &e), &e, out);
}

const char *sccls_topology_name(const sccls_topology_t *t)
{
	return t ? t->topology->name : NULL;
}

int32_t sccls_topology_nodes(const sccls_topology_t *t)
{
	return t ? t->topology->nodes : 0;
}

const char *sccls_topology_json(const sccls_topology_t *t)
{
	return t ? t->json : NULL;
}

void sccls_topology_free(sccls_topology_t *t)
{
	if (!t)
		return;
	topology_free(t->topology);
	free(t->json);
	free(t);
}

sccls_status_t sccls_bounds(const sccls_topology_t *t, const char *collective, int32_t root, sccls_bounds_t *out)
{
	struct error e = {0};
	struct collective k = {0};
	struct bounds b;

	if (!t || !collective || !out)
		return library_refuse("sccls_bounds: no machine, no collective, or nowhere to put the bounds");
	library_enter();
	if (library_collective(t, collective, root, &k, &e) && bounds_compute(t->topology, &k, &b, &e)) {
		*out = (sccls_bounds_t){b.steps, {b.bandwidth.num, b.bandwidth.den}};
		bounds_free(&b);
	}
	collective_free(&k);
	return library_leave(&e);
}

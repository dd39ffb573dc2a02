/*
 * The only file that calls hwloc's topology functions: reads the accelerators, the bandwidth matrices of their links,
 * and the tree that they hang in.
 */

#include "interop/hwloc/machine.h"

#include "interop/hwloc/accelerators.h"
#include "interop/hwloc/version3.h"

#include "core/base/error.h"
#include "core/base/memory.h"
#include "core/base/text.h"

#include <hwloc.h>
#include <hwloc/distances.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool fault(const struct accelerators *a, struct error *e, const char *at, const char *what)
{
	return error_set(e, ERROR_INPUT, a->where, "%s: %s", at, what);
}

/* ---- the tree ---- */

/* Reads a link speed in MB/s, 0 if there is none. The float comes from a file and may be anything, so it is checked. */
static bool speed_of(const struct accelerators *a, hwloc_obj_t o, uint64_t *speed, struct error *e)
{
	const struct hwloc_pcidev_attr_s *pci = NULL;
	char name[64];

	*speed = 0;
	if (o->type == HWLOC_OBJ_PCI_DEVICE)
		pci = &o->attr->pcidev;
	else if (o->type == HWLOC_OBJ_BRIDGE && o->attr->bridge.upstream_type == HWLOC_OBJ_BRIDGE_PCI)
		pci = &o->attr->bridge.upstream.pci;
	if (!pci)
		return true;
	if (pci->linkspeed >= 0 && (double)pci->linkspeed * 1000 <= SPEED_MAX) {
		*speed = (uint64_t)((double)pci->linkspeed * 1000 + 0.5);
		return true;
	}
	snprintf(name, sizeof name, "%04x:%02x:%02x.%x", (unsigned)pci->domain, pci->bus, pci->dev, pci->func);
	return fault(a, e, name, "the speed of its PCI link is implausible");
}

static hwloc_obj_t above(const struct accelerators *a, hwloc_obj_t o)
{
	do
		o = o->parent;
	while (o && accelerators_at(a, o) >= 0); /* one below another in the tree is treated as its sibling */
	return o;
}

static void mark(hwloc_obj_t o, int place)
{
	o->userdata = (void *)((uintptr_t)place + 1);
}

/* The places above accelerator I, up to the first that an earlier accelerator's path went through. */
static bool read_way_up(const struct accelerators *a, int i, struct machine *m, struct error *e)
{
	uint64_t speed;
	int below = i;

	for (hwloc_obj_t o = above(a, a->list[i].object); o; o = above(a, o)) {
		if (o->userdata) {
			m->places[below].parent = (int)(uintptr_t)o->userdata - 1;
			return true;
		}
		if (!speed_of(a, o, &speed, e))
			return false;
		int place = machine_add_place(m, -1, speed);
		mark(o, place);
		m->places[below].parent = place;
		below = place;
	}
	return true;
}

/*
 * First the accelerators' own places, so that a place has the number of its accelerator; then each place above them
 * once.
 */
static bool read_places(const struct accelerators *a, struct machine *m, struct error *e)
{
	uint64_t speed;
	bool ok = true;

	for (int i = 0; ok && i < a->n; i++) {
		ok = speed_of(a, a->list[i].object, &speed, e);
		machine_add_place(m, -1, speed);
	}
	for (int i = 0; ok && i < a->n; i++)
		ok = read_way_up(a, i, m, e);
	return ok;
}

/* ---- links ---- */

static const struct matrix {
	const char *name, *hops; /* HOPS: a matrix of distances in links; NULL: all links of the matrix are direct */
	enum machine_kind kind;
} matrices[] = {
	{"NVLinkBandwidth", NULL, KIND_NVLINK},
	{"XGMIBandwidth", "XGMIHops", KIND_XGMI},
	{"XeLinkBandwidth", NULL, KIND_XELINK},
};

static bool is_nvswitch(hwloc_obj_t o)
{
	return o->type == HWLOC_OBJ_PCI_DEVICE &&
	       ((o->subtype && strcmp(o->subtype, "NVSwitch") == 0) ||
		(o->attr->pcidev.class_id == 0x0680 && o->attr->pcidev.vendor_id == 0x10de));
}

/*
 * The vertex of each object of a matrix. All NVSwitches are one hub; any other object that is not an accelerator is a
 * hub too.
 */
static int *vertices_of(const struct accelerators *a, const struct hwloc_distances_s *d, struct machine *m)
{
	int *v = new_array(int, d->nbobjs);

	for (unsigned i = 0; i < d->nbobjs; i++) {
		hwloc_obj_t o = d->objs[i];
		v[i] = o ? accelerators_holding(a, o) : -1;
		if (!o || v[i] >= 0)
			continue;
		if (!is_nvswitch(o))
			v[i] = m->n + m->n_hubs++;
		else if (m->nvswitch)
			v[i] = m->nvswitch;
		else
			v[i] = m->nvswitch = m->n + m->n_hubs++;
	}
	return v;
}

static bool is_direct(const struct hwloc_distances_s *d, const struct hwloc_distances_s *hops, unsigned i, unsigned j)
{
	if (!hops || hops->nbobjs != d->nbobjs || hops->objs[i] != d->objs[i] || hops->objs[j] != d->objs[j])
		return true;
	return hops->values[(size_t)i * d->nbobjs + j] <= 1;
}

static bool read_matrix(const struct accelerators *a, const struct matrix *row, const struct hwloc_distances_s *d,
			const struct hwloc_distances_s *hops, struct machine *m, struct error *e)
{
	int *v = vertices_of(a, d, m);
	bool ok = true;

	for (unsigned i = 0; ok && i < d->nbobjs; i++)
		for (unsigned j = 0; ok && j < d->nbobjs; j++) {
			uint64_t speed = d->values[(size_t)i * d->nbobjs + j];
			if (v[i] < 0 || v[j] < 0 || v[i] == v[j] || !speed || !is_direct(d, hops, i, j))
				continue;
			if (speed > SPEED_MAX)
				ok = fault(a, e, row->name, "a speed of more than 1 PB/s is implausible");
			bool switched = m->nvswitch && (v[i] == m->nvswitch || v[j] == m->nvswitch);
			machine_add_link(m, v[i], v[j], speed, switched ? KIND_NVSWITCH : row->kind);
		}
	free(v);
	return ok;
}

static struct hwloc_distances_s *matrix_named(hwloc_topology_t h, const char *name)
{
	struct hwloc_distances_s *d = NULL;
	unsigned n = 1;

	return name && hwloc_distances_get_by_name(h, name, &n, &d, 0) == 0 && n > 0 ? d : NULL;
}

static bool read_links(const struct accelerators *a, hwloc_topology_t h, struct machine *m, struct error *e)
{
	bool ok = true;

	for (size_t i = 0; ok && i < sizeof matrices / sizeof *matrices; i++) {
		struct hwloc_distances_s *d = matrix_named(h, matrices[i].name), *hops = matrix_named(h, matrices[i].hops);
		if (d && !(d->kind & HWLOC_DISTANCES_KIND_MEANS_BANDWIDTH))
			ok = fault(a, e, matrices[i].name, "is not a matrix of bandwidths");
		else if (d)
			ok = read_matrix(a, &matrices[i], d, hops, m, e);
		if (d)
			hwloc_distances_release(h, d);
		if (hops)
			hwloc_distances_release(h, hops);
	}
	return ok;
}

/* ---- reading everything ---- */

static int count(hwloc_topology_t h, hwloc_obj_type_t type)
{
	int n = hwloc_get_nbobjs_by_type(h, type);
	return n > 0 ? n : 0;
}

static bool read_all(hwloc_topology_t h, struct machine *m, struct error *e)
{
	struct accelerators a = {.where = m->where};

	m->seen = (struct probe_sights){count(h, HWLOC_OBJ_PACKAGE), count(h, HWLOC_OBJ_CORE), count(h, HWLOC_OBJ_PCI_DEVICE)};
	bool ok = accelerators_find(&a, h, e);
	if (ok) {
		m->n = a.n;
		m->model = accelerators_model(&a);
		m->addresses = new_array(uint64_t, (size_t)a.n);
		for (int i = 0; i < a.n; i++) {
			const struct hwloc_obj *o = a.list[i].object;
			if (o->type == HWLOC_OBJ_PCI_DEVICE)
				m->addresses[i] = machine_pci_address(o->attr->pcidev.domain, o->attr->pcidev.bus, o->attr->pcidev.dev, o->attr->pcidev.func);
		}
		ok = a.n == 0 || (read_places(&a, m, e) && read_links(&a, h, m, e));
	}
	free(a.list);
	return ok;
}

/* hwloc may keep pointers into XML until it has loaded. */
static bool load(hwloc_topology_t h, const char *from, struct text *xml, struct error *e)
{
	const char *where = from ? from : "topology probe";

	if (from)
		hwloc_xml_as_version2(xml);
	if (from && (xml->length == 0 || xml->length >= INT_MAX ||
		     hwloc_topology_set_xmlbuffer(h, xml->bytes, (int)xml->length + 1) != 0))
		return error_set(e, ERROR_INPUT, where, "is not XML of hwloc");
	if (hwloc_topology_set_io_types_filter(h, HWLOC_TYPE_FILTER_KEEP_ALL) != 0 || hwloc_topology_load(h) != 0)
		return error_set(e, from ? ERROR_INPUT : ERROR_SYSTEM, where, "hwloc cannot load this machine");
	return true;
}

bool machine_read(const char *from, const struct text *given, struct machine *m, struct error *e)
{
	hwloc_topology_t h;
	struct text xml = {0};

	if (given)
		text_add_bytes(&xml, given->bytes ? given->bytes : "", given->length);

	m->where = from ? from : "topology probe";
	setenv("HWLOC_HIDE_ERRORS", "2", 1);
	unsetenv("HWLOC_XMLFILE"); /* the environment must not replace this machine, or FROM */
	unsetenv("HWLOC_SYNTHETIC");
	if (hwloc_topology_init(&h) != 0)
		return error_set(e, ERROR_SYSTEM, "topology probe", "hwloc cannot start");
	bool ok = load(h, from, &xml, e) && read_all(h, m, e);
	hwloc_topology_destroy(h);
	text_free(&xml);
	return ok;
}

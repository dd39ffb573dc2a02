/*
 * Finds the accelerators among hwloc's OS devices and, if the drivers' backends are missing, among its PCI devices, and
 * numbers them. OS devices of one PCI device are one accelerator; its rank comes from the preferred family's numbering.
 */

#include "interop/hwloc/accelerators.h"

#include "core/base/error.h"
#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/machine/topology.h"

#include <stdlib.h>
#include <string.h>

/*
 * Sources of device numbers, preferred first: programs number devices as CUDA or HIP does, so those numbers become the
 * ranks.
 */
static const struct family {
	const char *subtype, *prefix;
} families[] = {{"CUDA", "cuda"}, {"RSMI", "rsmi"}, {"LevelZero", "ze"}, {"NVML", "nvml"}, {"OpenCL", "opencl"}};
enum { FAMILIES = sizeof families / sizeof *families, PCI_ALONE = FAMILIES };

/* An hwloc without the vendors' backends, as distributions build it, sees these only as PCI devices. */
static const struct {
	unsigned vendor, class_id;
} on_the_bus[] = {
	{0x10de, 0x0302}, /* NVIDIA, 3D controller */
	{0x1002, 0x0380}, /* AMD Instinct, display controller without a display */
	{0x1002, 0x1200}, /* AMD Instinct, processing accelerator */
	{0x8086, 0x0380}, /* Intel Data Center GPU */
	{0x1da3, 0x1200}, /* Gaudi */
};

/* The family of an OS device, -1: not an accelerator. hwloc also lists screens and frame buffers as GPUs. */
static int family_of(hwloc_obj_t o)
{
	const char *kind = hwloc_obj_get_info_by_name(o, "OpenCLDeviceType");

	if (o->attr->osdev.type != HWLOC_OBJ_OSDEV_COPROC && o->attr->osdev.type != HWLOC_OBJ_OSDEV_GPU)
		return -1;
	if (!o->name || (kind && strcmp(kind, "CPU") == 0))
		return -1;
	for (int f = 0; f < FAMILIES; f++) {
		size_t n = strlen(families[f].prefix);
		bool named = strncmp(o->name, families[f].prefix, n) == 0 && o->name[n] >= '0' && o->name[n] <= '9';
		if (named && (!o->subtype || strcmp(o->subtype, families[f].subtype) == 0))
			return f;
	}
	return -1;
}

static uint64_t digits(const char **s)
{
	uint64_t n = 0;

	for (; **s >= '0' && **s <= '9'; (*s)++)
		n = n < UINT32_MAX / 10 ? n * 10 + (uint64_t)(**s - '0') : UINT32_MAX;
	return n;
}

/* cuda3 gives 3; opencl1d2 gives device 2 of platform 1, as 1 << 32 | 2. */
static uint64_t number_of(hwloc_obj_t device, int family)
{
	const char *s = device->name + strlen(families[family].prefix);
	uint64_t n = digits(&s);

	if (*s != 'd')
		return n;
	s++;
	return n << 32 | digits(&s);
}

static uint64_t bus_number(hwloc_obj_t pci)
{
	const struct hwloc_pcidev_attr_s *p = &pci->attr->pcidev;
	return (uint64_t)p->domain << 16 | (uint64_t)p->bus << 8 | (uint64_t)p->dev << 3 | p->func;
}

/* The PCI device that an OS device belongs to, or else the outermost OS device: parts of one device count once. */
static hwloc_obj_t holder(hwloc_obj_t o)
{
	while (o->type == HWLOC_OBJ_OS_DEVICE && o->parent &&
	       (o->parent->type == HWLOC_OBJ_OS_DEVICE || o->parent->type == HWLOC_OBJ_PCI_DEVICE))
		o = o->parent;
	return o;
}

static void note(struct accelerators *a, struct accelerator found)
{
	uintptr_t known = (uintptr_t)found.object->userdata;

	if (!known) {
		a->list = grown(a->list, &a->capacity, (size_t)a->n + 1, sizeof *a->list);
		a->list[a->n++] = found;
		found.object->userdata = (void *)(uintptr_t)a->n;
		return;
	}
	struct accelerator *old = &a->list[known - 1];
	if (found.family < old->family || (found.family == old->family && found.number < old->number))
		*old = found;
}

static void find_all(struct accelerators *a, hwloc_topology_t h)
{
	for (hwloc_obj_t o = NULL; (o = hwloc_get_next_osdev(h, o));) {
		int f = family_of(o);
		if (f >= 0)
			note(a, (struct accelerator){holder(o), o, f, number_of(o, f)});
	}
	for (hwloc_obj_t o = NULL; (o = hwloc_get_next_pcidev(h, o));)
		for (size_t i = 0; i < sizeof on_the_bus / sizeof *on_the_bus; i++)
			if (o->attr->pcidev.vendor_id == on_the_bus[i].vendor &&
			    o->attr->pcidev.class_id == on_the_bus[i].class_id)
				note(a, (struct accelerator){o, o, PCI_ALONE, bus_number(o)});
}

/*
 * Without a PCI device nothing shows that cuda0 and nvml0 are the same device, so only the preferred family of those is
 * used.
 */
static void drop_doubles(struct accelerators *a)
{
	int best = PCI_ALONE, n = 0;

	for (int i = 0; i < a->n; i++)
		if (a->list[i].object->type == HWLOC_OBJ_OS_DEVICE && a->list[i].family < best)
			best = a->list[i].family;
	for (int i = 0; i < a->n; i++)
		if (a->list[i].object->type != HWLOC_OBJ_OS_DEVICE || a->list[i].family == best)
			a->list[n++] = a->list[i];
		else
			a->list[i].object->userdata = NULL;
	a->n = n;
}

static int by_number(const void *va, const void *vb)
{
	const struct accelerator *a = va, *b = vb;
	if (a->family != b->family)
		return a->family < b->family ? -1 : 1;
	return (a->number > b->number) - (a->number < b->number);
}

bool accelerators_find(struct accelerators *a, hwloc_topology_t h, struct error *e)
{
	find_all(a, h);
	drop_doubles(a);
	if (a->n > NODES_MAX)
		return error_set(e, ERROR_INPUT, a->where, "has %d accelerators; at most %d are supported", a->n, NODES_MAX);
	if (a->n)
		qsort(a->list, (size_t)a->n, sizeof *a->list, by_number);
	for (int i = 0; i < a->n; i++) {
		const struct accelerator *x = &a->list[i];
		if (i && by_number(x - 1, x) == 0)
			return error_set(e, ERROR_INPUT, a->where, "two accelerators have number %llu on %s",
					 (unsigned long long)x->number,
					 x->family < FAMILIES ? families[x->family].subtype : "the PCI bus");
		x->object->userdata = (void *)((uintptr_t)i + 1);
	}
	return true;
}

int accelerators_at(const struct accelerators *a, hwloc_obj_t o)
{
	uintptr_t mark = (uintptr_t)o->userdata;
	return mark > 0 && mark <= (uintptr_t)a->n ? (int)(mark - 1) : -1;
}

int accelerators_holding(const struct accelerators *a, hwloc_obj_t o)
{
	return accelerators_at(a, holder(o));
}

static const char *model_of(const struct accelerator *x)
{
	const char *model = hwloc_obj_get_info_by_name(x->teller, "GPUModel");
	return model ? model : hwloc_obj_get_info_by_name(x->object, "PCIDevice");
}

char *accelerators_model(const struct accelerators *a)
{
	const char *model = a->n ? model_of(&a->list[0]) : NULL;
	struct text plain = {0};

	for (int i = 1; model && i < a->n; i++) {
		const char *other = model_of(&a->list[i]);
		if (!other || strcmp(other, model) != 0)
			model = NULL;
	}
	for (size_t i = 0; model && model[i] && i < 64; i++)
		text_add(&plain, "%c", model[i] >= ' ' && model[i] <= '~' ? model[i] : '?');
	return text_take(&plain);
}

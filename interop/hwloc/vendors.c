/*
 * NVML and ROCm SMI by dlopen, so that neither is needed to build or to run. Only calls that all their versions of the last
 * years have are used; their types are repeated here as far as they are passed.
 */

#include "interop/hwloc/vendors.h"

#include "core/base/memory.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

enum { DEVICES_MAX = 256 };

/* What a library has seen. A link leads to another device, or to a switch that joins all. */
struct seen_link {
	int from, to; /* devices; TO: -1: the switch */
	uint64_t speed; /* MB/s */
	enum machine_kind kind;
};

struct seen {
	int n;
	uint64_t addresses[DEVICES_MAX];
	size_t n_links, capacity;
	struct seen_link *links; /* owned */
};

static void see_link(struct seen *s, int from, int to, uint64_t speed, enum machine_kind kind)
{
	s->links = grown(s->links, &s->capacity, s->n_links + 1, sizeof *s->links);
	s->links[s->n_links++] = (struct seen_link){from, to, speed < SPEED_MAX ? speed : SPEED_MAX, kind};
}

static int device_at(const struct seen *s, uint64_t address)
{
	for (int i = 0; i < s->n; i++)
		if (s->addresses[i] == address)
			return i;
	return -1;
}

/* ISO C has no conversion between pointers to data and to functions; POSIX has. */
static bool load(void *library, const char *name, void *function)
{
	void *symbol = dlsym(library, name);

	memcpy(function, &symbol, sizeof symbol);
	return symbol != NULL;
}

/* ---- NVML ---- */

struct nvml_pci {
	char legacy[16];
	unsigned domain, bus, device, ids, subsystem;
	char bus_id[32];
};

enum { NVLINKS_MAX = 36, NVLINK_TO_GPU = 0, NVLINK_TO_SWITCH = 2 };

struct nvml {
	int (*start)(void), (*stop)(void), (*count)(unsigned *n), (*at)(unsigned i, void **device), (*pci)(void *device, struct nvml_pci *out);
	int (*state)(void *device, unsigned link, int *active), (*remote)(void *device, unsigned link, struct nvml_pci *out);
	int (*version)(void *device, unsigned link, unsigned *out), (*remote_type)(void *device, unsigned link, int *out);
};

static uint64_t nvml_address(const struct nvml_pci *p)
{
	return machine_pci_address(p->domain, p->bus, p->device, 0);
}

/* MB/s of a link in one direction. */
static uint64_t nvlink_speed(unsigned version)
{
	return version == 1 ? 20000 : version == 5 ? 50000 : 25000;
}

static void see_nvlinks(const struct nvml *v, void *device, int i, struct seen *s)
{
	for (unsigned link = 0; link < NVLINKS_MAX; link++) {
		struct nvml_pci peer = {{0}, 0, 0, 0, 0, 0, {0}};
		int active = 0, type = NVLINK_TO_GPU;
		unsigned version = 0;
		if (v->state(device, link, &active) != 0 || !active || v->version(device, link, &version) != 0)
			continue;
		if (v->remote_type && v->remote_type(device, link, &type) != 0)
			continue;
		int to = type == NVLINK_TO_GPU && v->remote(device, link, &peer) == 0 ? device_at(s, nvml_address(&peer)) : -1;
		if (type == NVLINK_TO_SWITCH)
			see_link(s, i, -1, nvlink_speed(version), KIND_NVSWITCH);
		else if (to >= 0 && to != i)
			see_link(s, i, to, nvlink_speed(version), KIND_NVLINK);
	}
}

static void see_nvml(void *library, struct seen *s)
{
	struct nvml v = {0};
	void *devices[DEVICES_MAX];
	unsigned n = 0;

	if (!load(library, "nvmlInit_v2", &v.start) || !load(library, "nvmlShutdown", &v.stop) || !load(library, "nvmlDeviceGetCount_v2", &v.count) ||
	    !load(library, "nvmlDeviceGetHandleByIndex_v2", &v.at) || !load(library, "nvmlDeviceGetPciInfo_v3", &v.pci) ||
	    !load(library, "nvmlDeviceGetNvLinkState", &v.state) || !load(library, "nvmlDeviceGetNvLinkRemotePciInfo_v2", &v.remote) ||
	    !load(library, "nvmlDeviceGetNvLinkVersion", &v.version) || v.start() != 0)
		return;
	load(library, "nvmlDeviceGetNvLinkRemoteDeviceType", &v.remote_type); /* since driver 450 */
	if (v.count(&n) != 0)
		n = 0;
	for (unsigned i = 0; i < n && s->n < DEVICES_MAX; i++) {
		struct nvml_pci own = {{0}, 0, 0, 0, 0, 0, {0}};
		if (v.at(i, &devices[s->n]) == 0 && v.pci(devices[s->n], &own) == 0) /* a device may be another user's */
			s->addresses[s->n++] = nvml_address(&own);
	}
	for (int i = 0; i < s->n; i++)
		see_nvlinks(&v, devices[i], i, s);
	v.stop();
}

/* ---- ROCm SMI ---- */

enum { IOLINK_XGMI = 2 };

struct rsmi {
	int (*start)(uint64_t flags), (*stop)(void), (*count)(uint32_t *n), (*pci)(uint32_t i, uint64_t *id);
	int (*link)(uint32_t from, uint32_t to, uint64_t *hops, int *type), (*bandwidth)(uint32_t from, uint32_t to, uint64_t *least, uint64_t *most);
};

static void see_rsmi(void *library, struct seen *s)
{
	struct rsmi v = {0};
	uint32_t n = 0;

	if (!load(library, "rsmi_init", &v.start) || !load(library, "rsmi_shut_down", &v.stop) || !load(library, "rsmi_num_monitor_devices", &v.count) ||
	    !load(library, "rsmi_dev_pci_id_get", &v.pci) || !load(library, "rsmi_topo_get_link_type", &v.link) || v.start(0) != 0)
		return;
	load(library, "rsmi_minmax_bandwidth_get", &v.bandwidth);
	if (v.count(&n) != 0)
		n = 0;
	for (uint32_t i = 0; i < n && i < DEVICES_MAX; i++) {
		uint64_t id = 0;
		v.pci(i, &id);
		s->addresses[s->n++] = machine_pci_address((unsigned)(id >> 32), (unsigned)(id >> 8 & 0xff), (unsigned)(id >> 3 & 0x1f), (unsigned)(id & 7));
	}
	for (int i = 0; i < s->n; i++)
		for (int j = 0; j < s->n; j++) {
			uint64_t hops = 0, least = 0, most = 0;
			int type = 0;
			if (i == j || v.link((uint32_t)i, (uint32_t)j, &hops, &type) != 0 || type != IOLINK_XGMI)
				continue;
			if (!v.bandwidth || v.bandwidth((uint32_t)i, (uint32_t)j, &least, &most) != 0 || !most)
				most = 50000; /* a link of the third generation */
			see_link(s, i, j, most, KIND_XGMI);
		}
	v.stop();
}

/* ---- both ---- */

static const struct vendor {
	const char *names[5];
	void (*see)(void *library, struct seen *s);
} vendors[] = {
	{{"libnvidia-ml.so.1", "libnvidia-ml.so"}, see_nvml},
	{{"librocm_smi64.so.7", "librocm_smi64.so.6", "librocm_smi64.so.5", "librocm_smi64.so"}, see_rsmi},
};

/* Accelerators of a machine that hwloc shows without any: each below one place, as nothing is known of their buses. */
static void take_devices(struct machine *m, const struct seen *s)
{
	m->n = s->n;
	m->model = m->model ? m->model : copy_string("");
	m->n_places = 0;
	for (int i = 0; i < s->n; i++)
		machine_add_place(m, s->n, 0);
	machine_add_place(m, -1, 0);
	free(m->addresses);
	m->addresses = copy_bytes(s->addresses, (size_t)s->n * sizeof *s->addresses);
}

/* The accelerator that a device is; -1: none. */
static int rank_of(const struct machine *m, uint64_t address)
{
	for (int i = 0; i < m->n; i++)
		if (m->addresses[i] == address)
			return i;
	return -1;
}

static bool take_links(struct machine *m, const struct seen *s)
{
	size_t before = m->n_links;

	for (size_t i = 0; i < s->n_links; i++) {
		const struct seen_link *l = &s->links[i];
		int from = rank_of(m, s->addresses[l->from]), to = l->to < 0 ? -1 : rank_of(m, s->addresses[l->to]);
		if (from < 0 || (l->to >= 0 && to < 0))
			continue;
		if (l->to >= 0) {
			machine_add_link(m, from, to, l->speed, l->kind);
			continue;
		}
		if (!m->nvswitch)
			m->nvswitch = m->n + m->n_hubs++;
		machine_add_link(m, from, m->nvswitch, l->speed, l->kind);
		machine_add_link(m, m->nvswitch, from, l->speed, l->kind);
	}
	return m->n_links > before;
}

bool vendors_complete(struct machine *m)
{
	bool bare = m->n == 0, added = false;

	for (size_t v = 0; v < sizeof vendors / sizeof *vendors && (bare ? !added : m->n_links == 0); v++) {
		void *library = NULL;
		struct seen s = {.n = 0};
		for (size_t i = 0; !library && i < sizeof vendors[v].names / sizeof *vendors[v].names && vendors[v].names[i]; i++)
			library = dlopen(vendors[v].names[i], RTLD_NOW | RTLD_LOCAL);
		if (!library)
			continue;
		vendors[v].see(library, &s);
		if (bare && s.n)
			take_devices(m, &s);
		added = (s.n && take_links(m, &s)) || (bare && s.n);
		free(s.links);
		dlclose(library);
	}
	return added;
}

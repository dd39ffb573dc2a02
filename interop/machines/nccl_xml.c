/*
 * NCCL's and RCCL's topology XML (NCCL_TOPO_DUMP_FILE, NCCL_TOPO_FILE): a tree of buses with GPUs in it, and for each
 * GPU its NVLinks or xGMI links by the bus address of the other end. The file counts links; what one carries follows
 * from the model of the GPU. Nominal rates are the vendors', planned ones those of NCCL 2.30 and RCCL 2.27.
 */

#include "interop/machines/readers.h"

#include "interop/hwloc/machine.h"
#include "interop/input/xml.h"
#include "interop/machines/speeds.h"

#include "core/base/error.h"
#include "core/base/memory.h"
#include "core/machine/topology.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { GPUS_MAX = 1024, LINK_COUNT_MAX = 1024, PLACES_MAX = 1 << 16 };

/* MB/s of one link and direction, by compute capability; the first row whose least is not above it. */
static const struct link_rate {
	int least;
	uint64_t nominal, planned;
} nvlink_rates[] = {
	{100, 50000, 40100}, {90, 25000, 20600}, {87, 25000, 20000}, {86, 14062, 12000}, {80, 25000, 20000}, {70, 25000, 20000}, {0, 20000, 18000},
};

static const struct xgmi_rate {
	const char *gcn; /* the beginning of the attribute, after "gfx" */
	uint64_t nominal, planned;
} xgmi_rates[] = {
	{"95", 76800, 48000}, {"94", 64000, 48000}, {"90a", 50000, 36000}, {"910", 50000, 36000}, {"", 46000, 24000},
};

/* A lane of PCIe, MB/s, by transfer rate; 2.5 and 5 GT/s code 8 bits in 10, the others 128 in 130. */
static const struct lane_rate {
	const char *gt;
	double nominal, planned;
} lane_rates[] = {
	{"2.5", 250, 187.5}, {"5", 500, 375}, {"8", 984.615, 750}, {"16", 1969.231, 1500}, {"32", 3938.462, 3000}, {"64", 7876.923, 6000},
};

struct gpu {
	const struct xml_element *at; /* <gpu> */
	const char *bus;              /* of the <pci> around it; "" if none */
	int rank, dev, order;
	int above;                    /* its parent's number among the elements that are places; see place_of */
};

struct nccl {
	const struct machine_source *s;
	struct machine m;
	size_t n, capacity;
	struct gpu *gpus;
	size_t n_nics;
	double nic_speed; /* Mb/s, of all; -1: they differ */
	int *count;       /* [a * n + b]: links from a to b */
	int lost;         /* links to devices that the file does not have */
	int own;          /* links of a GPU to itself */
};

static uint64_t pci_speed(const struct nccl *x, const struct xml_element *pci)
{
	const char *speed = xml_get(pci, "link_speed"), *width = xml_get(pci, "link_width");
	int64_t lanes;

	if (!speed || !width || !parse_integer(width, 1, 64, &lanes))
		return 0;
	double gt = strtod(speed, NULL);
	for (size_t i = 0; i < sizeof lane_rates / sizeof *lane_rates; i++)
		if (gt == strtod(lane_rates[i].gt, NULL))
			return (uint64_t)((x->s->rates == RATES_PLANNED ? lane_rates[i].planned : lane_rates[i].nominal) * (double)lanes + 0.5);
	return 0;
}

/* Of the link between processors; the vendors state none, so nominal rates leave it unknown. */
static uint64_t processor_speed(const struct nccl *x, const struct xml_element *cpu)
{
	const char *arch = xml_get(cpu, "arch"), *vendor = xml_get(cpu, "vendor"), *model = xml_get(cpu, "modelid");
	int64_t id = 0;

	if (x->s->rates == RATES_NOMINAL || !arch)
		return 0;
	if (strncmp(arch, "ppc", 3) == 0)
		return 32000;
	if (strcmp(arch, "x86_64") != 0)
		return 6000;
	if (vendor && strcmp(vendor, "AuthenticAMD") == 0)
		return 16000;
	if (model)
		parse_integer(model, 0, 4096, &id);
	return id >= 0xcf ? 40000 : id >= 0x8f ? 22000 : id >= 0x55 ? 10000 : 6000;
}

static bool add_gpu(struct nccl *x, const struct xml_element *gpu, int above, struct error *e)
{
	const struct xml_element *pci = gpu->parent;
	struct gpu g = {.at = gpu, .bus = pci ? xml_get(pci, "busid") : NULL, .order = (int)x->n, .above = above};

	if (!g.bus)
		g.bus = "";
	if (!xml_get_int_or(x->s->path, gpu, "rank", -1, 1 << 20, -1, &g.rank, e) ||
	    !xml_get_int_or(x->s->path, gpu, "dev", -1, 1 << 20, -1, &g.dev, e))
		return false;
	if (x->n == GPUS_MAX)
		return xml_fault(x->s->path, gpu, e, "more than %d GPUs", GPUS_MAX);
	x->gpus = grown(x->gpus, &x->capacity, x->n + 1, sizeof *x->gpus);
	x->gpus[x->n++] = g;
	return true;
}

static void count_nic(struct nccl *x, const struct xml_element *net)
{
	const char *speed = xml_get(net, "speed");
	double mbps = speed ? strtod(speed, NULL) : 0;

	x->nic_speed = x->n_nics && x->nic_speed != mbps ? -1 : mbps;
	x->n_nics++;
}

/* Places above the GPUs, numbered from 0; once GPUs are counted, they move behind the GPUs' own. */
struct places {
	size_t n, capacity;
	struct machine_place *of;
};

/* Walks the tree: <system>, <cpu> and <pci> are places. Depth is limited by the parser of XML. */
static bool walk(struct nccl *x, const struct xml_element *at, int above, struct places *p, struct error *e)
{
	for (const struct xml_element *i = at->first; i; i = i->next) {
		bool cpu = strcmp(i->name, "cpu") == 0, pci = strcmp(i->name, "pci") == 0;
		int inside = above;
		if (strcmp(i->name, "gpu") == 0) {
			if (!add_gpu(x, i, above, e))
				return false;
			continue;
		}
		if (strcmp(i->name, "net") == 0)
			count_nic(x, i);
		if (cpu || pci) {
			if (p->n == PLACES_MAX)
				return xml_fault(x->s->path, i, e, "too many devices");
			p->of = grown(p->of, &p->capacity, p->n + 1, sizeof *p->of);
			p->of[p->n] = (struct machine_place){above, cpu ? processor_speed(x, i) : pci_speed(x, i)};
			inside = (int)p->n++;
		}
		if (!walk(x, i, inside, p, e))
			return false;
	}
	return true;
}

static int by_rank(const void *va, const void *vb)
{
	const struct gpu *a = va, *b = vb;

	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	if (a->dev != b->dev)
		return a->dev < b->dev ? -1 : 1;
	return a->order - b->order;
}

static bool find_places(struct nccl *x, const struct xml_element *root, struct error *e)
{
	struct places p = {0};
	bool ok = true;

	p.of = grown(p.of, &p.capacity, 1, sizeof *p.of);
	p.of[p.n++] = (struct machine_place){-1, 0}; /* what joins the processors */
	ok = walk(x, root, 0, &p, e);
	if (ok && x->n)
		qsort(x->gpus, x->n, sizeof *x->gpus, by_rank);
	/* A GPU is at the end of its own <pci>, which is a place already; its own link to that has no speed. */
	for (size_t i = 0; ok && i < x->n; i++)
		machine_add_place(&x->m, (int)x->n + x->gpus[i].above, 0);
	for (size_t i = 0; ok && i < p.n; i++)
		machine_add_place(&x->m, p.of[i].parent < 0 ? -1 : (int)x->n + p.of[i].parent, p.of[i].speed);
	free(p.of);
	return ok;
}

static int gpu_at_bus(const struct nccl *x, const char *bus)
{
	for (size_t i = 0; i < x->n; i++)
		if (*bus && strcasecmp(x->gpus[i].bus, bus) == 0)
			return (int)i;
	return -1;
}

static uint64_t nvlink_speed(const struct nccl *x, const struct gpu *g)
{
	const char *sm = xml_get(g->at, "sm");
	int64_t v = 70;
	size_t i = 0;

	if (sm)
		parse_integer(sm, 0, 10000, &v);
	while (nvlink_rates[i].least > v)
		i++;
	return x->s->rates == RATES_PLANNED ? nvlink_rates[i].planned : nvlink_rates[i].nominal;
}

static uint64_t xgmi_speed(const struct nccl *x, const struct gpu *g)
{
	const char *gcn = xml_get(g->at, "gcn");
	size_t i = 0;

	if (!gcn)
		gcn = "";
	if (strncmp(gcn, "gfx", 3) == 0)
		gcn += 3;
	while (strncmp(gcn, xgmi_rates[i].gcn, strlen(xgmi_rates[i].gcn)) != 0)
		i++;
	return x->s->rates == RATES_PLANNED ? xgmi_rates[i].planned : xgmi_rates[i].nominal;
}

static void add_links(struct nccl *x, int src, int dst, int count, uint64_t speed, enum machine_kind kind)
{
	for (int i = 0; i < count; i++)
		machine_add_link(&x->m, src, dst, speed, kind);
}

/* The hub that NVLinks of this class lead to; classes 0x0680 are bridges: NVSwitches, or processors that have NVLink. */
static int hub_of(struct nccl *x, const char *class, const char *target, const char **hub_names, int *n_hubs)
{
	bool nvswitch = strcmp(class, "0x068001") != 0;
	const char *name = nvswitch ? "" : target;

	for (int i = 0; i < *n_hubs; i++)
		if (strcmp(hub_names[i], name) == 0)
			return (int)x->n + i;
	if (*n_hubs == 16)
		return -1;
	hub_names[(*n_hubs)++] = name;
	x->m.n_hubs = *n_hubs;
	if (nvswitch)
		x->m.nvswitch = (int)x->n + *n_hubs - 1;
	return (int)x->n + *n_hubs - 1;
}

static bool read_links(struct nccl *x, struct error *e)
{
	const char *hub_names[16];
	int n_hubs = 0;

	for (size_t i = 0; i < x->n; i++) {
		int links = 0; /* of the GPU */
		for (const struct xml_element *l = x->gpus[i].at->first; l; l = l->next) {
			const char *target = xml_get(l, "target"), *class = xml_get(l, "tclass");
			bool nvlink = strcmp(l->name, "nvlink") == 0;
			int count;
			if (!nvlink && strcmp(l->name, "xgmi") != 0)
				continue;
			if (!xml_get_int(x->s->path, l, "count", 0, LINK_COUNT_MAX, &count, e))
				return false;
			links += count;
			if (links > LINK_COUNT_MAX)
				return xml_fault(x->s->path, l, e, "the GPU has more than %d links", LINK_COUNT_MAX);
			int to = target ? gpu_at_bus(x, target) : -1;
			if (to == (int)i) {
				x->own += count;
				continue;
			}
			if (to >= 0) {
				x->count[i * x->n + (size_t)to] += count;
				continue;
			}
			int hub = nvlink && class && strncasecmp(class, "0x0680", 6) == 0 ? hub_of(x, class, target ? target : "", hub_names, &n_hubs) : -1;
			if (hub < 0) {
				x->lost += count;
				continue;
			}
			enum machine_kind kind = hub == x->m.nvswitch ? KIND_NVSWITCH : KIND_NVLINK;
			add_links(x, (int)i, hub, count, nvlink_speed(x, &x->gpus[i]), kind);
			add_links(x, hub, (int)i, count, nvlink_speed(x, &x->gpus[i]), kind);
		}
	}
	return true;
}

/* Links between GPUs. Both ends list them; where they differ, the larger number is taken. */
static void join_pairs(struct nccl *x)
{
	int *c = x->count;

	for (size_t a = 0; a < x->n; a++)
		for (size_t b = a + 1; b < x->n; b++) {
			int there = c[a * x->n + b], back = c[b * x->n + a], most = there > back ? there : back;
			bool xgmi = xml_first(x->gpus[a].at, "xgmi") || xml_first(x->gpus[b].at, "xgmi");
			uint64_t speed = xgmi ? xgmi_speed(x, &x->gpus[a]) : nvlink_speed(x, &x->gpus[a]);
			if (there != back)
				text_add(x->s->notes, "%s: GPU %zu lists %d links to GPU %zu, which lists %d back; %d are taken\n", x->s->path, a, there,
					 b, back, most);
			add_links(x, (int)a, (int)b, most, speed, xgmi ? KIND_XGMI : KIND_NVLINK);
			add_links(x, (int)b, (int)a, most, speed, xgmi ? KIND_XGMI : KIND_NVLINK);
		}
}

static void add_remarks(const struct nccl *x)
{
	struct text *notes = x->s->notes;

	if (x->lost)
		text_add(notes, "%s: %d link%s to devices that the file does not list, as in a virtual machine, %s left out\n", x->s->path, x->lost,
			 plural(x->lost), x->lost == 1 ? "is" : "are");
	if (x->own)
		text_add(notes, "%s: %d link%s of GPUs to themselves %s left out, as no path of NCCL uses them\n", x->s->path, x->own, plural(x->own),
			 x->own == 1 ? "is" : "are");
	if (!x->n_nics)
		return;
	int gigabits = x->nic_speed >= 100000 ? (int)(x->nic_speed / 1000) : 0;
	text_add(notes, "%s: %zu network interface%s", x->s->path, x->n_nics, plural((int64_t)x->n_nics));
	if (gigabits)
		text_add(notes, " of %d Gb/s", gigabits);
	text_add(notes, "%s left out; join copies of the machine as in -t 'FILE*4:%zuxib%d'\n", x->n_nics == 1 ? " is" : " are", x->n_nics,
		 gigabits >= 800 ? 800 : gigabits >= 400 ? 400 : gigabits >= 200 ? 200 : 100);
}

static struct topology *convert(struct nccl *x, struct error *e)
{
	struct text source = {0};
	const char *slash = strrchr(x->s->path, '/'), *base = slash ? slash + 1 : x->s->path;

	text_add(&source, "topology XML of NCCL or RCCL, ");
	text_add_plain(&source, base);
	text_add(&source, ", %s rates", x->s->rates == RATES_PLANNED ? "planned" : "nominal");
	struct topology *t = machine_topology(&x->m, x->s->name, source.bytes, e);
	struct topology *read = t ? machines_judged(t, x->s->path, e) : NULL;
	topology_free(t);
	text_free(&source);
	return read;
}

struct topology *read_nccl_xml(const struct machine_source *s, struct error *e)
{
	struct nccl x = {.s = s, .m = {.where = s->path, .model = copy_string("")}};
	struct topology *t = NULL;
	struct xml_element *root = xml_parse(s->path, s->bytes, s->n, e);

	if (root && find_places(&x, root, e)) {
		x.m.n = (int)x.n;
		x.count = new_array(int, x.n * x.n);
		if (x.n == 0)
			error_set(e, ERROR_INPUT, s->path, "lists no GPU; NCCL adds them to a file of buses as it starts: take what NCCL_TOPO_DUMP_FILE writes");
		else if (read_links(&x, e)) {
			join_pairs(&x);
			add_remarks(&x);
			t = convert(&x, e);
		}
	}
	xml_free(root);
	machine_free(&x.m);
	free(x.gpus);
	free(x.count);
	return t;
}

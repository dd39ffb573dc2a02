/*
 * `nvidia-smi topo -m`: for each pair of GPUs how they are joined. "NV4" is a number of NVLinks, but behind NVSwitches
 * each GPU lists all of its links with every other one: where a row sums to more links than any GPU has, or all pairs
 * of more than two GPUs list the most links that GPUs have, they lead to a switch. Other words say where in the tree of
 * buses two GPUs meet. Neither generations nor speeds are there.
 */

#include "interop/machines/readers.h"

#include "interop/hwloc/machine.h"
#include "interop/machines/cells.h"
#include "interop/machines/speeds.h"

#include "core/base/error.h"
#include "core/base/memory.h"
#include "core/machine/topology.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	SMI_GPUS_MAX = 256,
	NVLINKS_MAX = 18, /* of one GPU, up to Blackwell */
	NVLINK_MB = 25000, NVLINK_MB_PLANNED = 20000, PCIE_MB = 15754, PCIE_MB_PLANNED = 12000,
};

/* From the nearest to the farthest. SOC is SYS in old versions. */
static const struct smi_meeting {
	const char *name;
	int level;
} meetings[] = {{"PIX", 0}, {"PXB", 1}, {"PHB", 2}, {"NODE", 3}, {"SYS", 4}, {"SOC", 4}};
enum { LEVELS = 5 };

struct smi {
	const struct machine_source *s;
	int n;
	int *links;  /* [a * n + b]: NVLinks; 0: none */
	int *level;  /* [a * n + b]: where they meet; LEVELS - 1 where NVLinks are listed instead */
};

static bool fault(const struct smi *x, const struct cell_line *l, struct error *e, const char *what, const char *cell)
{
	char where[sizeof e->where];

	snprintf(where, sizeof where, "%.400s:%d", x->s->path, l->number);
	return error_set(e, ERROR_INPUT, where, what, cell);
}

/* The number N of "GPUN"; -1: it is none. */
static int gpu_of(const char *cell)
{
	int64_t v;
	return strncmp(cell, "GPU", 3) == 0 && parse_integer(cell + 3, 0, SMI_GPUS_MAX - 1, &v) ? (int)v : -1;
}

static bool read_cell(struct smi *x, const struct cell_line *l, int row, int column, const char *cell, struct error *e)
{
	size_t at = (size_t)row * (size_t)x->n + (size_t)column;
	int64_t count;

	x->level[at] = LEVELS - 1;
	if (row == column)
		return strcmp(cell, "X") == 0 || fault(x, l, e, "the pair of a GPU with itself must be X, not \"%.20s\"", cell);
	if (strncmp(cell, "NV", 2) == 0 && parse_integer(cell + 2, 1, 64, &count)) {
		x->links[at] = (int)count;
		return true;
	}
	for (size_t i = 0; i < sizeof meetings / sizeof *meetings; i++)
		if (strcmp(cell, meetings[i].name) == 0) {
			x->level[at] = meetings[i].level;
			return true;
		}
	return fault(x, l, e, "\"%.20s\" is none of X, NV#, PIX, PXB, PHB, NODE, SYS", cell);
}

/* The header names the columns; the row of GPU i follows, not always directly. */
static bool read_table(struct smi *x, const struct cell_table *t, struct error *e)
{
	size_t header = 0;
	int rows = 0;

	while (header < t->n && !(t->lines[header].n > 0 && gpu_of(t->lines[header].cells[0]) == 0 &&
				  (t->lines[header].n == 1 || strcmp(t->lines[header].cells[1], "X") != 0)))
		header++;
	if (header == t->n)
		return error_set(e, ERROR_INPUT, x->s->path, "has no line of columns that begins with GPU0");
	while ((size_t)x->n < t->lines[header].n && gpu_of(t->lines[header].cells[x->n]) == x->n)
		x->n++;
	x->links = new_array(int, (size_t)x->n * (size_t)x->n);
	x->level = new_array(int, (size_t)x->n * (size_t)x->n);
	for (size_t i = header + 1; i < t->n && rows < x->n; i++) {
		const struct cell_line *l = &t->lines[i];
		if (gpu_of(l->cells[0]) != rows)
			continue;
		if (l->n < (size_t)x->n + 1)
			return fault(x, l, e, "has fewer cells than there are GPUs%s", "");
		for (int c = 0; c < x->n; c++)
			if (!read_cell(x, l, rows, c, l->cells[c + 1], e))
				return false;
		rows++;
	}
	if (rows < x->n)
		return error_set(e, ERROR_INPUT, x->s->path, "lacks the row of GPU%d", rows);
	return true;
}

static bool is_switched(const struct smi *x)
{
	for (int a = 0; a < x->n; a++) {
		int sum = 0;
		for (int b = 0; b < x->n; b++)
			sum += x->links[a * x->n + b];
		if (sum > NVLINKS_MAX)
			return true;
	}
	return false;
}

static void add_nvlinks(const struct smi *x, struct machine *m)
{
	uint64_t speed = x->s->rates == RATES_PLANNED ? NVLINK_MB_PLANNED : NVLINK_MB;
	bool switched = is_switched(x), any = false;

	for (int a = 0; a < x->n; a++) {
		int most = 0;
		for (int b = 0; b < x->n; b++) {
			int count = x->links[a * x->n + b], back = x->links[b * x->n + a];
			any |= count > 0;
			most = count > most ? count : most;
			if (a < b && count != back)
				text_add(x->s->notes, "%s: GPU%d lists NV%d to GPU%d, which lists NV%d back; the larger is taken\n", x->s->path, a, count, b, back);
			for (int i = 0; !switched && i < (count > back ? count : back); i++)
				machine_add_link(m, a, b, speed, KIND_NVLINK);
		}
		for (int i = 0; switched && i < most; i++) {
			machine_add_link(m, a, x->n, speed, KIND_NVSWITCH);
			machine_add_link(m, x->n, a, speed, KIND_NVSWITCH);
		}
	}
	if (switched) {
		m->n_hubs = 1;
		m->nvswitch = x->n;
		text_add(x->s->notes, "%s: NV# is the links of a GPU here, not of a pair: no GPU has more than %d; they lead to a switch\n", x->s->path,
			 NVLINKS_MAX);
	}
	if (any)
		text_add(x->s->notes, "%s: an NVLink is assumed to carry %d GB/s each way; the text does not tell\n", x->s->path, (int)(speed / 1000));
}

/* All whose highest place is OLD get PLACE above it. */
static void put_below(const struct smi *x, struct machine *m, int *top, int old, int place)
{
	m->places[old].parent = place;
	m->places[old].speed = x->s->rates == RATES_PLANNED ? PCIE_MB_PLANNED : PCIE_MB;
	for (int c = 0; c < x->n; c++)
		if (top[c] == old)
			top[c] = place;
}

/*
 * NVLinks hide where two GPUs meet on the buses. In a tree they meet no farther than the farther of where each meets a
 * third GPU: the level becomes the least over all ways through others, for both directions.
 */
static void meet_through_others(struct smi *x)
{
	int n = x->n;

	for (int a = 0; a < n; a++)
		for (int b = 0; b < a; b++) {
			int *there = &x->level[a * n + b], *back = &x->level[b * n + a];
			*there = *back = *there < *back ? *there : *back;
		}
	for (int c = 0; c < n; c++)
		for (int a = 0; a < n; a++)
			for (int b = 0; b < n; b++) {
				int first = x->level[a * n + c], second = x->level[c * n + b];
				int through = first > second ? first : second;
				if (a != b && through < x->level[a * n + b])
					x->level[a * n + b] = through;
			}
}

/* Level by level, a place above each group of GPUs that meet there. */
static void add_places(const struct smi *x, struct machine *m)
{
	int *top = new_array(int, (size_t)x->n); /* the highest place so far above each GPU */

	for (int a = 0; a < x->n; a++)
		top[a] = machine_add_place(m, -1, 0);
	for (int level = 0; level < LEVELS; level++)
		for (int a = 0; a < x->n; a++) {
			int old = top[a], place = -1;
			for (int b = 0; b < x->n; b++) {
				if (top[b] == old || top[b] == place || x->level[a * x->n + b] > level)
					continue;
				if (place < 0)
					place = machine_add_place(m, -1, 0);
				put_below(x, m, top, top[b], place);
			}
			if (place >= 0)
				put_below(x, m, top, old, place);
		}
	free(top);
}

static struct topology *convert(const struct smi *x, struct error *e)
{
	struct machine m = {.where = x->s->path, .model = copy_string(""), .n = x->n};
	struct text source = {0};

	add_nvlinks(x, &m);
	add_places(x, &m);
	if (!machine_is_joined(&m))
		text_add(x->s->notes, "%s: not all GPUs are joined by NVLinks; a link of PCIe is assumed to be one of generation 3 with 16 lanes\n",
			 x->s->path);
	text_add(&source, "nvidia-smi topo -m; speeds assumed, %s", x->s->rates == RATES_PLANNED ? "planned" : "nominal");
	struct topology *t = machine_topology(&m, x->s->name, source.bytes, e);
	struct topology *read = t ? machines_judged(t, x->s->path, e) : NULL;
	topology_free(t);
	text_free(&source);
	machine_free(&m);
	return read;
}

struct topology *read_nvidia_smi(const struct machine_source *s, struct error *e)
{
	struct smi x = {.s = s};
	struct cell_table t = {0};
	struct topology *result = NULL;

	text_cells_read(s->bytes, s->n, " \t", &t);
	if (read_table(&x, &t, e)) {
		meet_through_others(&x);
		result = convert(&x, e);
	}
	text_cells_free(&t);
	free(x.links);
	free(x.level);
	return result;
}

/*
 * Tables of `rocm-smi --showtopo`, `--shownodesbw` and `amd-smi topology`. Types say which pairs are joined by xGMI.
 * Hops are 1 and weights 15 for every such pair, however many links it has, so these tell nothing about links; the
 * table of bandwidths, "least-most" in MB/s, does: its most is all links of a pair together.
 */

#include "interop/machines/readers.h"

#include "interop/machines/cells.h"
#include "interop/machines/speeds.h"

#include "core/base/error.h"
#include "core/base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { AMD_GPUS_MAX = 256, XGMI_GB = 50, XGMI_GB_PLANNED = 36, PCIE_GB = 16, PCIE_GB_PLANNED = 12 };

enum section { SECTION_OTHER, SECTION_TYPES, SECTION_SPEEDS, SECTION_HOPS, SECTIONS };

/* Words of the lines above each table. */
static const struct title {
	const char *first, *second;
	enum section section;
} titles[] = {
	{"Link", "Type", SECTION_TYPES}, {"LINK", "TYPE", SECTION_TYPES}, {"Bandwidth", "between", SECTION_SPEEDS}, {"NUMA", "BW", SECTION_SPEEDS},
	{"Hops", "between", SECTION_HOPS}, {"HOPS", "TABLE:", SECTION_HOPS}, {"Weight", "between", SECTION_OTHER}, {"WEIGHT", "TABLE:", SECTION_OTHER},
	{"ACCESS", "TABLE:", SECTION_OTHER}, {"Numa", "Nodes", SECTION_OTHER}, {"Access", "between", SECTION_OTHER}, {"COHERANT", "TABLE:", SECTION_OTHER},
	{"ATOMICS", "TABLE:", SECTION_OTHER}, {"DMA", "TABLE:", SECTION_OTHER}, {"BI-DIRECTIONAL", "TABLE:", SECTION_OTHER}, {"CACHE", "COHERENCY", SECTION_OTHER},
};

struct amd {
	const struct machine_source *s;
	int n;
	const struct cell_line *rows[SECTIONS][AMD_GPUS_MAX]; /* borrowed from the table */
};

static bool is_gpu(const char *cell)
{
	return (strncmp(cell, "GPU", 3) == 0 && cell[3] >= '0' && cell[3] <= '9') || (strlen(cell) == 12 && cell[4] == ':' && cell[7] == ':');
}

static enum section section_of(const struct cell_line *l, enum section now)
{
	for (size_t i = 0; i < l->n && i < 4; i++)
		for (size_t k = 0; i + 1 < l->n && k < sizeof titles / sizeof *titles; k++)
			if (strcmp(l->cells[i], titles[k].first) == 0 && strcmp(l->cells[i + 1], titles[k].second) == 0)
				return titles[k].section;
	return now;
}

static void find_rows(struct amd *x, const struct cell_table *t)
{
	enum section now = SECTION_OTHER;
	int row = 0;

	for (size_t i = 0; i < t->n; i++) {
		const struct cell_line *l = &t->lines[i];
		enum section next = section_of(l, now);
		if (next != now || !is_gpu(l->cells[0])) {
			now = next;
			row = 0;
			continue;
		}
		bool header = l->n == 1 || is_gpu(l->cells[1]);
		if (header) {
			row = 0;
			if (now == SECTION_TYPES)
				x->n = l->n < AMD_GPUS_MAX ? (int)l->n : AMD_GPUS_MAX;
		} else if (row < AMD_GPUS_MAX)
			x->rows[now][row++] = l;
	}
}

static const char *cell_of(const struct amd *x, enum section in, int a, int b)
{
	const struct cell_line *l = x->rows[in][a];
	return l && l->n > (size_t)b + 1 ? l->cells[b + 1] : "";
}

/* MB/s of all links of a pair; 0: not stated. */
static int64_t stated_speed(const struct amd *x, int a, int b)
{
	const char *cell = cell_of(x, SECTION_SPEEDS, a, b), *most = strchr(cell, '-');
	int64_t v = 0;

	return parse_integer(most ? most + 1 : cell, 1, 1000000000, &v) ? v : 0;
}

static bool add_pairs(const struct amd *x, struct speed_links *l, int *unstated, struct error *e)
{
	bool planned = x->s->rates == RATES_PLANNED;
	struct rational none = {0, 0};

	for (int a = 0; a < x->n; a++)
		for (int b = 0; b < x->n; b++) {
			const char *type = cell_of(x, SECTION_TYPES, a, b), *hops = cell_of(x, SECTION_HOPS, a, b);
			int64_t speed = stated_speed(x, a, b), far = 0;
			char where[sizeof e->where];
			if (a == b)
				continue;
			if (strcmp(type, "XGMI") != 0 && strcmp(type, "PCIE") != 0) {
				snprintf(where, sizeof where, "%.400s:%d", x->s->path, x->rows[SECTION_TYPES][a] ? x->rows[SECTION_TYPES][a]->number : 1);
				return error_set(e, ERROR_INPUT, where, "the link type of GPUs %d and %d must be XGMI or PCIE, not \"%.20s\"", a, b, type);
			}
			if (strcmp(type, "XGMI") != 0 || (parse_integer(hops, 2, 100, &far)))
				continue;
			*unstated += !speed;
			struct rational gb = speed ? rational(speed, 1000) : rational(planned ? XGMI_GB_PLANNED : XGMI_GB, 1);
			if (speed && planned)
				gb = rational_mul(gb, rational(XGMI_GB_PLANNED, XGMI_GB));
			speeds_add(l, a, b, gb, none, "xgmi");
		}
	return true;
}

static bool is_whole(const struct speed_links *l, int n)
{
	char *reached = new_array(char, (size_t)n);
	bool moved = true, whole = true;

	reached[0] = 1;
	while (moved) {
		moved = false;
		for (size_t i = 0; i < l->n; i++)
			if (reached[l->of[i].src] && !reached[l->of[i].dst])
				moved = (reached[l->of[i].dst] = 1);
	}
	for (int v = 0; v < n; v++)
		whole &= reached[v];
	free(reached);
	return whole;
}

static struct topology *convert(const struct amd *x, struct error *e)
{
	struct speed_links l = {0};
	struct speeds_head head = {x->s->path, x->s->name, NULL, "tables of rocm-smi or amd-smi; latencies assumed", x->n, 0};
	struct topology *t = NULL;
	int unstated = 0;

	if (add_pairs(x, &l, &unstated, e)) {
		if (unstated)
			text_add(x->s->notes, "%s: hops and weights do not tell how many links join a pair; one of %d GB/s is assumed: add the table of "
				 "bandwidths (rocm-smi --shownodesbw, amd-smi topology -b) or RCCL's XML\n", x->s->path,
				 x->s->rates == RATES_PLANNED ? XGMI_GB_PLANNED : XGMI_GB);
		if (!is_whole(&l, x->n)) {
			head.switches = 1;
			text_add(x->s->notes, "%s: xGMI does not join all GPUs; those of PCIe are assumed to meet in one switch, at %d GB/s each\n", x->s->path,
				 x->s->rates == RATES_PLANNED ? PCIE_GB_PLANNED : PCIE_GB);
			for (int a = 0; a < x->n; a++)
				speeds_add_both(&l, a, x->n, rational(x->s->rates == RATES_PLANNED ? PCIE_GB_PLANNED : PCIE_GB, 1), (struct rational){0, 0},
						"pcie");
		}
		t = speeds_topology(&head, &l, x->s->notes, e);
	}
	speeds_free(&l);
	return t;
}

struct topology *read_amd_text(const struct machine_source *s, struct error *e)
{
	struct amd *x = new(struct amd);
	struct cell_table t = {0};
	struct topology *result = NULL;

	x->s = s;
	text_cells_read(s->bytes, s->n, " \t", &t);
	find_rows(x, &t);
	if (x->n < 1)
		error_set(e, ERROR_INPUT, s->path, "has no table of link types between GPUs; write it with rocm-smi --showtopo or amd-smi topology");
	else
		result = convert(x, e);
	text_cells_free(&t);
	free(x);
	return result;
}

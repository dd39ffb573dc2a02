/*
 * TACOS' tables (its first version; removed in 1.3): "NPUs Count,N", "Links Count,L", ..., then a row for each link,
 * "source,destination,latency in ns,GB/s,chunks".
 */

#include "interop/machines/readers.h"

#include "interop/machines/cells.h"
#include "interop/machines/speeds.h"

#include "core/base/error.h"
#include "core/machine/topology.h"

#include <stdio.h>
#include <string.h>

static bool fault(const struct machine_source *s, const struct cell_line *l, struct error *e, const char *what)
{
	char where[sizeof e->where];

	snprintf(where, sizeof where, "%.400s:%d", s->path, l->number);
	return error_set(e, ERROR_INPUT, where, "%s", what);
}

static bool read_row(const struct machine_source *s, const struct cell_line *l, int64_t nodes, struct speed_links *links, struct error *e)
{
	struct rational latency, speed;
	int64_t src, dst;

	if (l->n < 4 || !parse_integer(l->cells[0], 0, nodes - 1, &src) || !parse_integer(l->cells[1], 0, nodes - 1, &dst) || src == dst)
		return fault(s, l, e, "a link is source,destination,latency,bandwidth with two different NPUs");
	if (!rational_parse_decimal(l->cells[2], &latency) || !speeds_latency_us(latency, 1, 1000, &latency) || !rational_parse_decimal(l->cells[3], &speed) || speed.num <= 0)
		return fault(s, l, e, "a latency in ns and a bandwidth in GB/s are positive numbers");
	speeds_add(links, (int)src, (int)dst, speed, latency, "link");
	return true;
}

struct topology *read_tacos(const struct machine_source *s, struct error *e)
{
	struct cell_table t = {0};
	struct speed_links links = {0};
	struct topology *result = NULL;
	int64_t nodes = 0;
	bool ok = true, rows = false;

	text_cells_read(s->bytes, s->n, ",", &t);
	for (size_t i = 0; ok && i < t.n; i++) {
		const struct cell_line *l = &t.lines[i];
		if (rows)
			ok = read_row(s, l, nodes, &links, e);
		else if (strcmp(l->cells[0], "NPUs Count") == 0)
			ok = (l->n > 1 && parse_integer(l->cells[1], 1, NODES_MAX, &nodes)) || fault(s, l, e, "the number of NPUs is out of range");
		rows |= strcmp(l->cells[0], "SrcID") == 0;
	}
	if (ok && (!rows || !nodes))
		ok = error_set(e, ERROR_INPUT, s->path, "lacks the number of NPUs or the row of columns that begins with SrcID");
	if (ok) {
		struct speeds_head head = {s->path, s->name, NULL, "TACOS", (int)nodes, 0};
		result = speeds_topology(&head, &links, s->notes, e);
	}
	text_cells_free(&t);
	speeds_free(&links);
	return result;
}

/*
 * ASTRA-sim's network files: lists of dimensions, each a Ring, FullyConnected or Switch of so many NPUs, with GB/s of a
 * link and direction and its latency in ns. The first dimension runs fastest. A Switch is a switch here, one for each
 * group; latencies are of one link, as ASTRA-sim counts them on the way to a switch and from it.
 */

#include "interop/machines/readers.h"

#include "interop/input/yaml.h"
#include "interop/machines/speeds.h"

#include "core/base/error.h"
#include "core/machine/topology.h"

#include <stdio.h>
#include <string.h>

enum { DIMENSIONS_MAX = 8 };

struct dimension {
	const char *shape;
	int npus;
	struct rational speed, latency_us;
};

struct astra_network {
	const struct machine_source *s;
	struct yaml_table table;
	size_t n;
	struct dimension of[DIMENSIONS_MAX];
	int nodes, switches;
	struct speed_links links;
};

static bool fault(const struct astra_network *x, const struct yaml_row *row, struct error *e, const char *what, const char *value)
{
	char where[sizeof e->where];

	snprintf(where, sizeof where, "%.400s:%d", x->s->path, row ? row->line : 1);
	return error_set(e, ERROR_INPUT, where, what, value);
}

static bool row_of(struct astra_network *x, const char *key, const struct yaml_row **row, struct error *e)
{
	*row = yaml_table_get(&x->table, key);
	if (!*row)
		return error_set(e, ERROR_INPUT, x->s->path, "lacks the list \"%s\"", key);
	if (!x->n)
		x->n = (*row)->n;
	if ((*row)->n != x->n || x->n < 1 || x->n > DIMENSIONS_MAX)
		return fault(x, *row, e, "\"%s\" must have a value for each dimension, of which there are 1 to 8", key);
	return true;
}

static bool read_dimensions(struct astra_network *x, struct error *e)
{
	const struct yaml_row *shapes, *npus, *speeds, *latencies;
	int64_t count, nodes = 1;

	if (!row_of(x, "topology", &shapes, e) || !row_of(x, "npus_count", &npus, e) || !row_of(x, "bandwidth", &speeds, e) ||
	    !row_of(x, "latency", &latencies, e))
		return false;
	for (size_t d = 0; d < x->n; d++) {
		struct dimension *m = &x->of[d];
		m->shape = shapes->values[d];
		if (strcmp(m->shape, "Ring") != 0 && strcmp(m->shape, "FullyConnected") != 0 && strcmp(m->shape, "Switch") != 0)
			return fault(x, shapes, e, "\"%.40s\" is none of Ring, FullyConnected, Switch", m->shape);
		if (!parse_integer(npus->values[d], 1, NODES_MAX, &count) || nodes * count > NODES_MAX)
			return fault(x, npus, e, "\"%.40s\" NPUs are too few or too many", npus->values[d]);
		if (!rational_parse_decimal(speeds->values[d], &m->speed) || m->speed.num <= 0)
			return fault(x, speeds, e, "\"%.40s\" is not a bandwidth in GB/s", speeds->values[d]);
		if (!rational_parse_decimal(latencies->values[d], &m->latency_us) || !speeds_latency_us(m->latency_us, 1, 1000, &m->latency_us))
			return fault(x, latencies, e, "\"%.40s\" is not a latency in ns", latencies->values[d]);
		m->npus = (int)count;
		nodes *= count;
	}
	x->nodes = (int)nodes;
	return true;
}

/* The links of dimension D; STRIDE is the number of nodes between neighbours. */
static void add_dimension(struct astra_network *x, const struct dimension *d, int stride)
{
	bool switched = strcmp(d->shape, "Switch") == 0, full = strcmp(d->shape, "FullyConnected") == 0;

	for (int v = 0; v < x->nodes; v++) {
		int place = v / stride % d->npus, first = v - place * stride;
		int group = first / (stride * d->npus) * stride + first % stride;
		if (switched)
			speeds_add_both(&x->links, v, x->nodes + x->switches + group, d->speed, d->latency_us, "network");
		for (int other = 0; !switched && other < d->npus; other++) {
			bool next = (place + 1) % d->npus == other || (other + 1) % d->npus == place;
			if (other != place && (next || full))
				speeds_add(&x->links, v, first + other * stride, d->speed, d->latency_us, "network");
		}
	}
	if (switched)
		x->switches += x->nodes / d->npus;
}

struct topology *read_astra_yaml(const struct machine_source *s, struct error *e)
{
	struct astra_network x = {.s = s};
	struct topology *t = NULL;
	int stride = 1;

	if (yaml_table_read(s->path, s->bytes, s->n, &x.table, e) && read_dimensions(&x, e)) {
		for (size_t d = 0; d < x.n; d++) {
			if (x.links.n + (size_t)x.nodes * (size_t)x.of[d].npus > LINKS_MAX) {
				error_set(e, ERROR_INPUT, s->path, "more than %d links", LINKS_MAX);
				break;
			}
			add_dimension(&x, &x.of[d], stride);
			stride *= x.of[d].npus;
		}
		struct speeds_head head = {s->path, s->name, NULL, "ASTRA-sim's network file", x.nodes, x.switches};
		if (e->kind == ERROR_NONE)
			t = speeds_topology(&head, &x.links, s->notes, e);
	}
	yaml_table_free(&x.table);
	speeds_free(&x.links);
	return t;
}

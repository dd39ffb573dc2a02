#include "core/verify.h"

#include "core/error.h"
#include "core/memory.h"
#include "core/network.h"
#include "core/topology.h"
#include "core/verify_claims.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const fault_names[FAULTS] = {
	"none", "range", "no-link", "overload", "not-held", "twice", "overlap", "reduces", "not-delivered", "cost",
};

/*
 * The value of a chunk at a node: a set of contributions, a bit for each node, where the collective combines; else one bit,
 * there or not. An empty set: nothing is there.
 */
struct play {
	const struct algorithm *a;
	const struct network *w;
	bool combines;
	size_t width;          /* bytes of a value */
	unsigned char *values; /* [(chunk * P + node) * width] */
	unsigned char *copied; /* [chunk * P + node]: a copy arrived in the step at hand */
	unsigned char *taken;  /* the values that the step's entries read, in their order, as they were before it */
	size_t taken_capacity;
	long *load;            /* [edge] in the step at hand */
	int step;
};

static struct verdict fault(enum fault what, int step, const struct send *s, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

static struct verdict fault(enum fault what, int step, const struct send *s, const char *format, ...)
{
	struct verdict v = {what, step, s ? s->chunk : -1, s ? s->src : -1, s ? s->dst : -1, ""};
	va_list ap;
	va_start(ap, format);
	vsnprintf(v.why, sizeof v.why, format, ap);
	va_end(ap);
	return v;
}

static const struct verdict fine = {FAULT_NONE, -1, -1, -1, -1, ""};

static size_t cell(const struct play *p, int chunk, int node)
{
	return (size_t)chunk * (size_t)p->w->nodes + (size_t)node;
}

static unsigned char *value(const struct play *p, int chunk, int node)
{
	return p->values + cell(p, chunk, node) * p->width;
}

static void contribute(const struct play *p, unsigned char *set, int node)
{
	if (p->combines)
		set[node / 8] |= (unsigned char)(1 << node % 8);
	else
		set[0] = 1;
}

static bool is_empty(const struct play *p, const unsigned char *set)
{
	for (size_t i = 0; i < p->width; i++)
		if (set[i])
			return false;
	return true;
}

static bool overlaps(const struct play *p, const unsigned char *a, const unsigned char *b)
{
	for (size_t i = 0; i < p->width; i++)
		if (a[i] & b[i])
			return true;
	return false;
}

static struct verdict check_entry(struct play *p, const struct send *s)
{
	int nodes = p->w->nodes;

	if (s->chunk < 0 || s->chunk >= p->a->global_chunks || s->src < 0 || s->src >= nodes || s->dst < 0 || s->dst >= nodes)
		return fault(FAULT_RANGE, p->step, s, "step %d sends chunk %d from node %d to node %d, which are not all there",
			     p->step + 1, s->chunk, s->src, s->dst);
	int edge = network_edge(p->w, s->src, s->dst);
	if (edge < 0)
		return fault(FAULT_NO_LINK, p->step, s, "step %d sends chunk %d from node %d to node %d, which no link joins",
			     p->step + 1, s->chunk, s->src, s->dst);
	p->load[edge]++;
	if (is_empty(p, value(p, s->chunk, s->src)))
		return fault(FAULT_NOT_HELD, p->step, s, "step %d sends chunk %d from node %d, which does not hold it then",
			     p->step + 1, s->chunk, s->src);
	return fine;
}

/* Reads all values of a list before any of the step is written. */
static struct verdict take_values(struct play *p, const struct send *list, size_t n, size_t from)
{
	struct verdict v = fine;

	p->taken = grown(p->taken, &p->taken_capacity, (from + n) * p->width, 1);
	for (size_t i = 0; i < n && v.fault == FAULT_NONE; i++) {
		v = check_entry(p, &list[i]);
		if (v.fault == FAULT_NONE)
			memcpy(p->taken + (from + i) * p->width, value(p, list[i].chunk, list[i].src), p->width);
	}
	return v;
}

static struct verdict copy_values(struct play *p, const struct step *step)
{
	for (size_t i = 0; i < step->n_sends; i++) {
		const struct send *s = &step->sends[i];
		unsigned char *mark = &p->copied[cell(p, s->chunk, s->dst)];
		if (*mark)
			return fault(FAULT_TWICE, p->step, s, "in step %d chunk %d arrives at node %d twice", p->step + 1, s->chunk,
				     s->dst);
		*mark = 1;
		memcpy(value(p, s->chunk, s->dst), p->taken + i * p->width, p->width);
	}
	for (size_t i = 0; i < step->n_sends; i++)
		p->copied[cell(p, step->sends[i].chunk, step->sends[i].dst)] = 0;
	return fine;
}

static struct verdict add_values(struct play *p, const struct step *step)
{
	for (size_t i = 0; i < step->n_reduces; i++) {
		const struct send *s = &step->reduces[i];
		const unsigned char *from = p->taken + (step->n_sends + i) * p->width;
		unsigned char *to = value(p, s->chunk, s->dst);
		if (overlaps(p, from, to))
			return fault(FAULT_OVERLAP, p->step, s,
				     "step %d adds chunk %d of node %d into that of node %d, which has some of it already",
				     p->step + 1, s->chunk, s->src, s->dst);
		for (size_t b = 0; b < p->width; b++)
			to[b] |= from[b];
	}
	return fine;
}

static struct verdict check_loads(const struct play *p, const struct step *step)
{
	const struct network *w = p->w;

	for (size_t i = 0; i < w->n_edges; i++) {
		const struct send at = {-1, w->edges[i].src, w->edges[i].dst};
		if (p->load[i] > (long)w->edges[i].bandwidth * step->rounds)
			return fault(FAULT_OVERLOAD, p->step, &at, "step %d sends %ld chunks from node %d to node %d, and %ld fit into its "
				     "rounds", p->step + 1, p->load[i], at.src, at.dst, (long)w->edges[i].bandwidth * step->rounds);
	}
	for (size_t i = 0; i < w->n_limits; i++) {
		long sum = 0;
		for (size_t k = 0; k < w->limits[i].n_edges; k++)
			sum += p->load[w->limits[i].edges[k]];
		if (sum > (long)w->limits[i].bandwidth * step->rounds)
			return fault(FAULT_OVERLOAD, p->step, NULL, "step %d sends %ld chunks under the limit %.64s, and %ld fit into its "
				     "rounds", p->step + 1, sum, w->limits[i].name ? w->limits[i].name : "(no name)",
				     (long)w->limits[i].bandwidth * step->rounds);
	}
	return fine;
}

static struct verdict play_step(struct play *p)
{
	const struct step *step = &p->a->steps[p->step];
	struct verdict v;

	if (step->rounds < 1)
		return fault(FAULT_RANGE, p->step, NULL, "step %d has %d rounds", p->step + 1, step->rounds);
	if (step->n_reduces && !p->combines)
		return fault(FAULT_REDUCES, p->step, &step->reduces[0], "step %d adds values, and %s does not combine", p->step + 1,
			     collective_name(&p->a->collective));
	memset(p->load, 0, p->w->n_edges * sizeof *p->load);
	v = take_values(p, step->sends, step->n_sends, 0);
	if (v.fault == FAULT_NONE)
		v = take_values(p, step->reduces, step->n_reduces, step->n_sends);
	if (v.fault == FAULT_NONE)
		v = copy_values(p, step);
	if (v.fault == FAULT_NONE)
		v = add_values(p, step);
	return v.fault == FAULT_NONE ? check_loads(p, step) : v;
}

static struct verdict check_delivery(const struct play *p)
{
	const struct collective *k = &p->a->collective;
	int nodes = p->w->nodes;
	unsigned char *whole = new_array(unsigned char, p->width);
	struct verdict v = fine;

	for (int c = 0; c < p->a->global_chunks && v.fault == FAULT_NONE; c++) {
		memset(whole, 0, p->width);
		for (int n = 0; n < nodes; n++)
			if (collective_pre(k, nodes, c, n))
				contribute(p, whole, n);
		for (int n = 0; n < nodes && v.fault == FAULT_NONE; n++) {
			struct send at = {c, -1, n};
			if (collective_post(k, nodes, c, n) && memcmp(value(p, c, n), whole, p->width) != 0)
				v = fault(FAULT_NOT_DELIVERED, -1, &at, "chunk %d is not %s at node %d in the end", c,
					  p->combines ? "whole" : "there", n);
		}
	}
	free(whole);
	return v;
}

static void set_up(struct play *p)
{
	size_t n = (size_t)p->a->global_chunks * (size_t)p->w->nodes;

	p->combines = collective_row(&p->a->collective)->combining;
	p->width = p->combines ? ((size_t)p->w->nodes + 7) / 8 : 1;
	p->values = zeroed(n, p->width);
	p->copied = new_array(unsigned char, n);
	p->load = new_array(long, p->w->n_edges);
	for (int c = 0; c < p->a->global_chunks; c++)
		for (int node = 0; node < p->w->nodes; node++)
			if (collective_pre(&p->a->collective, p->w->nodes, c, node))
				contribute(p, value(p, c, node), node);
}

static struct verdict play(const struct algorithm *a, const struct network *w)
{
	struct play p = {.a = a, .w = w};
	struct verdict v = fine;

	set_up(&p);
	for (p.step = 0; p.step < (int)a->n_steps && v.fault == FAULT_NONE; p.step++)
		v = play_step(&p);
	if (v.fault == FAULT_NONE)
		v = check_delivery(&p);
	free(p.values);
	free(p.copied);
	free(p.taken);
	free(p.load);
	return v;
}

struct verdict algorithm_verify(const struct algorithm *a)
{
	struct error e = {0};
	struct network *w;

	if (!collective_check(&a->collective, a->topology->nodes, a->chunks, &e) || !(w = network_new(a->topology, &e)))
		return fault(FAULT_COST, -1, NULL, "%.200s", e.what);
	if (a->n_steps < 1 || a->global_chunks != collective_global_chunks(&a->collective, a->topology->nodes, a->chunks)) {
		network_free(w);
		return fault(FAULT_COST, -1, NULL, "C = %d does not make G = %d, or there are no steps", a->chunks, a->global_chunks);
	}
	struct verdict v = play(a, w);
	network_free(w);
	if (v.fault == FAULT_NONE && !claims_hold(a, v.why, sizeof v.why))
		v.fault = FAULT_COST;
	return v;
}

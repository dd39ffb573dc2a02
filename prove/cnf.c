/* The formula of docs/proofs.md, clause by clause in its order. */

#include "prove/cnf.h"

#include "core/error.h"
#include "core/memory.h"
#include "core/network.h"
#include "core/text.h"
#include "prove/sha256.h"

#include <limits.h>
#include <stdlib.h>

/* Constants among literals: each is the other's negative. What no useful schedule does has NO for its variable. */
enum { YES = INT_MAX, NO = -INT_MAX };

struct writer {
	const struct instance *i;
	const struct network *w;
	int chunks, nodes, edges, steps, extra; /* G, P, E, S, R - S */
	int *near, *far;                        /* hops from where a chunk is, and to where it must go; FAR: no way */
	int *have, *send, *rho;
	struct cnf *f;
	size_t clause; /* where the one that grows begins */
	bool holds, full;
};

enum { FAR = INT_MAX / 4 };

static size_t at(const struct writer *k, int c, int n)
{
	return (size_t)c * (size_t)k->nodes + (size_t)n;
}

/* ---- what can be anywhere when ---- */

/* Hops to every node from the marked ones (their hops are 0), or with BACK from every node to them. */
static void spread(const struct writer *k, bool back, int *hops, int *queue)
{
	int first = 0, last = 0;

	for (int n = 0; n < k->nodes; n++)
		if (hops[n] == 0)
			queue[last++] = n;
	while (first < last) {
		int n = queue[first++];
		const int *list = back ? k->w->in : k->w->out, *begin = back ? k->w->in_begin : k->w->out_begin;
		for (int i = begin[n]; i < begin[n + 1]; i++) {
			const struct edge *e = &k->w->edges[list[i]];
			int next = back ? e->src : e->dst;
			if (hops[next] == FAR) {
				hops[next] = hops[n] + 1;
				queue[last++] = next;
			}
		}
	}
}

static void measure(struct writer *k)
{
	int *queue = new_array(int, (size_t)k->nodes);

	for (int c = 0; c < k->chunks; c++) {
		for (int n = 0; n < k->nodes; n++) {
			bool pre = instance_pre(k->i, c, n);
			k->near[at(k, c, n)] = pre ? 0 : FAR;
			k->far[at(k, c, n)] = !pre && instance_post(k->i, c, n) ? 0 : FAR;
		}
		spread(k, false, &k->near[at(k, c, 0)], queue);
		spread(k, true, &k->far[at(k, c, 0)], queue);
	}
	free(queue);
}

static int *have_at(const struct writer *k, int c, int n, int s)
{
	return &k->have[at(k, c, n) * (size_t)(k->steps + 1) + (size_t)s];
}

static int *send_at(const struct writer *k, int c, int e, int s)
{
	return &k->send[((size_t)c * (size_t)k->edges + (size_t)e) * (size_t)k->steps + (size_t)(s - 1)];
}

static int *rho_at(const struct writer *k, int s, int j)
{
	return &k->rho[(size_t)(s - 1) * (size_t)(k->extra + 1) + (size_t)(j - 1)];
}

static void number_haves(struct writer *k)
{
	for (int c = 0; c < k->chunks; c++)
		for (int n = 0; n < k->nodes; n++)
			for (int s = 0; s <= k->steps; s++) {
				int near = k->near[at(k, c, n)], far = k->far[at(k, c, n)], *have = have_at(k, c, n, s);
				if (near == 0)
					*have = YES;
				else if (near <= s && near + far <= k->steps)
					*have = far == 0 && s == k->steps ? YES : ++k->f->variables;
				else
					*have = NO;
			}
}

static void number_sends(struct writer *k)
{
	for (int c = 0; c < k->chunks; c++)
		for (int e = 0; e < k->edges; e++)
			for (int s = 1; s <= k->steps; s++) {
				int u = k->w->edges[e].src, v = k->w->edges[e].dst;
				bool serves = *have_at(k, c, u, s - 1) != NO && k->near[at(k, c, v)] != 0 &&
					      k->far[at(k, c, v)] <= k->steps - s;
				*send_at(k, c, e, s) = serves ? ++k->f->variables : NO;
			}
}

static void number_rounds(struct writer *k)
{
	for (int s = 1; s <= k->steps; s++)
		for (int j = 1; j <= k->extra + 1; j++)
			*rho_at(k, s, j) = j == 1 ? YES : ++k->f->variables;
}

/* ---- clauses ---- */

static void put(struct writer *k, int literal)
{
	struct cnf *f = k->f;
	if (f->n_literals >= CNF_LITERALS_MAX) {
		k->full = true;
		return;
	}
	f->literals = grown(f->literals, &f->capacity, f->n_literals + 1, sizeof *f->literals);
	f->literals[f->n_literals++] = literal;
}

static void add(struct writer *k, int literal)
{
	if (literal == YES)
		k->holds = true;
	else if (literal != NO)
		put(k, literal);
}

/* A clause that a constant fulfils is taken back. */
static void end(struct writer *k)
{
	if (k->holds)
		k->f->n_literals = k->clause;
	else {
		put(k, 0);
		k->f->n_clauses++;
	}
	k->holds = false;
	k->clause = k->f->n_literals;
}

static void clause2(struct writer *k, int a, int b)
{
	add(k, a);
	add(k, b);
	end(k);
}

/* What must be there at the end and cannot: the empty clause. */
static void write_ends(struct writer *k)
{
	for (int c = 0; c < k->chunks; c++)
		for (int n = 0; n < k->nodes; n++)
			if (k->far[at(k, c, n)] == 0 && k->near[at(k, c, n)] != 0) {
				add(k, *have_at(k, c, n, k->steps));
				end(k);
			}
}

/* What is there stays, and what is new was sent, by one node alone. */
static void write_arrivals(struct writer *k, int c, int n, int s)
{
	const int *in = k->w->in + k->w->in_begin[n], n_in = k->w->in_begin[n + 1] - k->w->in_begin[n];
	int before = *have_at(k, c, n, s - 1), now = *have_at(k, c, n, s);

	clause2(k, -before, now);
	add(k, -now);
	add(k, before);
	for (int i = 0; i < n_in; i++)
		add(k, *send_at(k, c, in[i], s));
	end(k);
	for (int i = 0; i < n_in; i++)
		for (int j = i + 1; j < n_in; j++)
			clause2(k, -*send_at(k, c, in[i], s), -*send_at(k, c, in[j], s));
}

/* What is sent was there, was not where it goes, and then is. */
static void write_sends(struct writer *k, int c, int e, int s)
{
	const struct edge *edge = &k->w->edges[e];
	int send = *send_at(k, c, e, s);

	clause2(k, -send, *have_at(k, c, edge->src, s - 1));
	clause2(k, -send, -*have_at(k, c, edge->dst, s - 1));
	clause2(k, -send, *have_at(k, c, edge->dst, s));
}

/*
 * Unary sums: of two numbers x and y, each a list of literals where the i-th says "i or more", a third of at most MOST
 * literals, the last of which says "MOST or more".
 */
static size_t sum(struct writer *k, const int *x, size_t n_x, const int *y, size_t n_y, size_t most, int *out)
{
	size_t n = n_x + n_y < most ? n_x + n_y : most;

	for (size_t i = 0; i < n; i++)
		out[i] = ++k->f->variables;
	for (size_t i = 0; i <= n_x; i++)
		for (size_t j = 0; j <= n_y; j++) {
			if (i + j == 0 || (i + j > n && i && j))
				continue; /* nothing to say, or less of one says it */
			add(k, i ? -x[i - 1] : NO);
			add(k, j ? -y[j - 1] : NO);
			add(k, out[(i + j < n ? i + j : n) - 1]);
			end(k);
		}
	return n;
}

/* Adds neighbours up until one number is left. IN is used up and has the number; returns its length. */
static size_t count(struct writer *k, int *in, size_t n, size_t most)
{
	size_t *length = new_array(size_t, n);
	int *next = new_array(int, n);

	for (size_t i = 0; i < n; i++)
		length[i] = 1;
	for (size_t numbers = n, made; numbers > 1; numbers = made) {
		size_t from = 0, to = 0;
		made = 0;
		for (size_t i = 0; i < numbers; i += 2) {
			size_t x = length[i], y = i + 1 < numbers ? length[i + 1] : 0, z = x;
			if (y)
				z = sum(k, in + from, x, in + from + x, y, most, next + to);
			else
				for (size_t j = 0; j < x; j++)
					next[to + j] = in[from + j];
			from += x + y;
			to += z;
			length[made++] = z;
		}
		for (size_t i = 0; i < to; i++)
			in[i] = next[i];
	}
	size_t left = n ? length[0] : 0;
	free(length);
	free(next);
	return left;
}

/* More than j b sends over L need j + 1 rounds. */
static void write_capacity(struct writer *k, int s, const int *edges, size_t n_edges, int bandwidth)
{
	int *sends = new_array(int, n_edges * (size_t)k->chunks);
	size_t n = 0, b = (size_t)bandwidth;

	for (size_t i = 0; i < n_edges; i++)
		for (int c = 0; c < k->chunks; c++)
			if (*send_at(k, c, edges[i], s) != NO)
				sends[n++] = *send_at(k, c, edges[i], s);
	if (n > b) {
		n = count(k, sends, n, b * (size_t)(k->extra + 1) + 1);
		for (int j = 1; j <= k->extra + 1 && (size_t)j * b < n; j++)
			clause2(k, -sends[(size_t)j * b], j <= k->extra ? *rho_at(k, s, j + 1) : NO);
	}
	free(sends);
}

static void write_rounds(struct writer *k)
{
	int *rounds = new_array(int, (size_t)k->steps * (size_t)k->extra);
	size_t n = 0;

	for (int s = 1; s <= k->steps; s++)
		for (int j = 2; j <= k->extra + 1; j++) {
			clause2(k, -*rho_at(k, s, j), *rho_at(k, s, j - 1));
			rounds[n++] = *rho_at(k, s, j);
		}
	n = count(k, rounds, n, (size_t)k->extra + 1);
	if (n > (size_t)k->extra)
		clause2(k, -rounds[k->extra], NO);
	free(rounds);
}

static void write_plain(struct writer *k)
{
	write_ends(k);
	for (int c = 0; c < k->chunks && !k->full; c++)
		for (int s = 1; s <= k->steps; s++) {
			for (int n = 0; n < k->nodes; n++)
				write_arrivals(k, c, n, s);
			for (int e = 0; e < k->edges; e++)
				write_sends(k, c, e, s);
		}
	write_rounds(k);
	for (int s = 1; s <= k->steps && !k->full; s++) {
		for (int e = 0; e < k->edges; e++)
			write_capacity(k, s, &e, 1, k->w->edges[e].bandwidth);
		for (size_t l = 0; l < k->w->n_limits; l++)
			write_capacity(k, s, k->w->limits[l].edges, k->w->limits[l].n_edges, k->w->limits[l].bandwidth);
	}
}

/* The one with the lower number is there no later. */
static void write_order(struct writer *k, const struct order *o)
{
	for (size_t i = 0; i + 1 < o->n_chunks; i++)
		for (int s = 0; s <= k->steps; s++)
			clause2(k, -*have_at(k, o->chunks[i + 1], o->node, s), *have_at(k, o->chunks[i], o->node, s));
}

static bool fits(const struct writer *k)
{
	int64_t cells = (int64_t)(k->steps + 1) * (k->nodes + k->edges);
	return k->extra < 1 << 16 && cells <= CNF_CELLS_MAX && (int64_t)k->chunks * cells <= CNF_CELLS_MAX &&
	       (int64_t)k->steps * (k->extra + 1) <= 1 << 20;
}

static struct writer writer_of(const struct instance *i, struct cnf *f)
{
	return (struct writer){.i = i, .w = i->network, .chunks = i->global_chunks, .nodes = i->network->nodes,
			       .edges = (int)i->network->n_edges, .steps = i->steps, .extra = i->rounds - i->steps, .f = f};
}

bool cnf_write(const struct instance *i, const struct orders *o, struct cnf *out, struct error *e)
{
	struct writer k = writer_of(i, out);

	*out = (struct cnf){0};
	if (!fits(&k))
		return error_set(e, ERROR_LIMIT, "formula", "C=%d, S=%d, R=%d is too large to be written out", i->chunks, i->steps,
				 i->rounds);
	k.near = new_array(int, at(&k, k.chunks, 0));
	k.far = new_array(int, at(&k, k.chunks, 0));
	k.have = new_array(int, at(&k, k.chunks, 0) * (size_t)(k.steps + 1));
	k.send = new_array(int, (size_t)k.chunks * (size_t)k.edges * (size_t)k.steps);
	k.rho = new_array(int, (size_t)k.steps * (size_t)(k.extra + 1));
	measure(&k);
	number_haves(&k);
	number_sends(&k);
	number_rounds(&k);
	write_plain(&k);
	for (size_t c = 0; o && c < o->n; c++)
		write_order(&k, &o->all[c]);
	free(k.near);
	free(k.far);
	free(k.have);
	free(k.send);
	free(k.rho);
	if (!k.full)
		return true;
	cnf_free(out);
	return error_set(e, ERROR_LIMIT, "formula", "C=%d, S=%d, R=%d makes more than %d literals", i->chunks, i->steps, i->rounds,
			 (int)CNF_LITERALS_MAX);
}

void cnf_free(struct cnf *f)
{
	free(f->literals);
	*f = (struct cnf){0};
}

/* ---- DIMACS ---- */

static void add_number(struct text *into, int n, char behind)
{
	char digits[16];
	size_t at = sizeof digits;
	unsigned rest = n < 0 ? 0u - (unsigned)n : (unsigned)n;

	digits[--at] = behind;
	do
		digits[--at] = (char)('0' + rest % 10);
	while (rest /= 10);
	if (n < 0)
		digits[--at] = '-';
	text_add_bytes(into, digits + at, sizeof digits - at);
}

void cnf_dimacs(const struct cnf *f, struct text *into)
{
	text_add(into, "p cnf %d %zu\n", f->variables, f->n_clauses);
	for (size_t i = 0; i < f->n_literals; i++)
		add_number(into, f->literals[i], f->literals[i] ? ' ' : '\n');
}

void cnf_digest(const struct cnf *f, char hex[65])
{
	struct sha256 d = sha256_begin();
	struct text part = {0};

	text_add(&part, "p cnf %d %zu\n", f->variables, f->n_clauses);
	for (size_t i = 0; i < f->n_literals; i++) {
		add_number(&part, f->literals[i], f->literals[i] ? ' ' : '\n');
		if (part.length >= 1 << 16) {
			sha256_add(&d, part.bytes, part.length);
			part.length = 0;
		}
	}
	sha256_add(&d, part.bytes, part.length);
	sha256_end(&d, hex);
	text_free(&part);
}

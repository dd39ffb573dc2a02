/* What formulas have in common: clauses, sums, rounds and capacities; and how they are written out. docs/proofs.md. */

#include "prove/cnf_parts.h"

#include "core/base/error.h"
#include "core/base/memory.h"
#include "core/base/sha256.h"
#include "core/base/text.h"
#include "core/base/work.h"

#include <stdlib.h>

/* ---- clauses ---- */

static void put(struct writer *k, int literal)
{
	struct cnf *f = k->f;
	if (f->n_literals >= CNF_LITERALS_MAX || !work_spend(2)) {
		k->full = true;
		return;
	}
	f->literals = grown(f->literals, &f->capacity, f->n_literals + 1, sizeof *f->literals);
	f->literals[f->n_literals++] = literal;
}

void cnf_add(struct writer *k, int literal)
{
	if (literal == YES)
		k->holds = true;
	else if (literal != NO)
		put(k, literal);
}

void cnf_end(struct writer *k)
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

void cnf_clause(struct writer *k, int a, int b, int c)
{
	cnf_add(k, a);
	cnf_add(k, b);
	cnf_add(k, c);
	cnf_end(k);
}

void cnf_number_rounds(struct writer *k)
{
	for (int s = 1; s <= k->steps; s++)
		for (int j = 1; j <= k->extra + 1; j++)
			*rho_at(k, s, j) = j == 1 ? YES : ++k->f->variables;
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
	for (size_t i = 0; i <= n_x && !k->full && work_spend((double)n_y + 1); i++)
		for (size_t j = 0; j <= n_y; j++) {
			if (i + j == 0 || (i + j > n && i && j))
				continue; /* nothing to say, or less of one says it */
			cnf_add(k, i ? -x[i - 1] : NO);
			cnf_add(k, j ? -y[j - 1] : NO);
			cnf_add(k, out[(i + j < n ? i + j : n) - 1]);
			cnf_end(k);
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

	if (!work_spend((double)n_edges * k->chunks)) {
		free(sends);
		return;
	}
	for (size_t i = 0; i < n_edges; i++)
		for (int c = 0; c < k->chunks; c++)
			if (*send_at(k, c, edges[i], s) != NO)
				sends[n++] = *send_at(k, c, edges[i], s);
	if (n > b) {
		n = count(k, sends, n, b * (size_t)(k->extra + 1) + 1);
		for (int j = 1; j <= k->extra + 1 && (size_t)j * b < n; j++)
			cnf_clause(k, -sends[(size_t)j * b], j <= k->extra ? *rho_at(k, s, j + 1) : NO, NO);
	}
	free(sends);
}

void cnf_write_rounds(struct writer *k)
{
	int *rounds = new_array(int, (size_t)k->steps * (size_t)k->extra);
	size_t n = 0;

	for (int s = 1; s <= k->steps; s++)
		for (int j = 2; j <= k->extra + 1; j++) {
			cnf_clause(k, -*rho_at(k, s, j), *rho_at(k, s, j - 1), NO);
			rounds[n++] = *rho_at(k, s, j);
		}
	n = count(k, rounds, n, (size_t)k->extra + 1);
	if (n > (size_t)k->extra)
		cnf_clause(k, -rounds[k->extra], NO, NO);
	free(rounds);
}

void cnf_write_capacities(struct writer *k)
{
	for (int s = 1; s <= k->steps && !k->full; s++) {
		for (int e = 0; e < k->edges; e++)
			write_capacity(k, s, &e, 1, k->w->edges[e].bandwidth);
		for (size_t l = 0; l < k->w->n_limits; l++)
			write_capacity(k, s, k->w->limits[l].edges, k->w->limits[l].n_edges, k->w->limits[l].bandwidth);
	}
}

void cnf_write_sends(struct writer *k, size_t most)
{
	size_t cells = (size_t)k->chunks * (size_t)k->edges * (size_t)k->steps, n = 0;
	int *sends = new_array(int, cells);

	work_spend((double)cells);
	for (size_t i = 0; i < cells; i++)
		if (k->send[i] != NO)
			sends[n++] = k->send[i];
	if (n > most) {
		n = count(k, sends, n, most + 1);
		if (n > most)
			cnf_clause(k, -sends[most], NO, NO);
	}
	free(sends);
}

/* Places for variables. */
static double cells_of(const struct writer *k)
{
	bool direct = k->i->collective.kind == ALLREDUCE;

	return (double)k->chunks * (k->steps + 1) * ((double)k->nodes + k->edges) * (direct ? 2 * k->nodes : 1);
}

static bool fits(const struct writer *k)
{
	return k->extra < 1 << 16 && cells_of(k) <= CNF_CELLS_MAX && (int64_t)k->steps * (k->extra + 1) <= 1 << 20;
}

static bool too_much(struct error *e)
{
	return error_set(e, ERROR_LIMIT, "formula", "takes more steps to write than there are left");
}

static struct writer writer_of(const struct instance *i, struct cnf *f)
{
	return (struct writer){.i = i, .w = i->network, .chunks = i->global_chunks, .nodes = i->network->nodes,
			       .edges = (int)i->network->n_edges, .steps = i->steps, .extra = i->rounds - i->steps, .f = f};
}

static bool write(const struct instance *i, const struct orders *o, size_t most_sends, struct cnf *out, struct error *e)
{
	struct writer k = writer_of(i, out);

	*out = (struct cnf){0};
	if (!fits(&k))
		return error_set(e, ERROR_LIMIT, "formula", "C=%d, S=%d, R=%d is too large to be written out", i->chunks, i->steps,
				 i->rounds);
	if (!work_spend(cells_of(&k)))
		return too_much(e);
	k.send = new_array(int, (size_t)k.chunks * (size_t)k.edges * (size_t)k.steps);
	k.rho = new_array(int, (size_t)k.steps * (size_t)(k.extra + 1));
	(i->collective.kind == ALLREDUCE ? cnf_direct : cnf_plain)(&k, o, most_sends);
	free(k.send);
	free(k.rho);
	if (!k.full && !work_is_over())
		return true;
	cnf_free(out);
	if (work_is_over())
		return too_much(e);
	return error_set(e, ERROR_LIMIT, "formula", "C=%d, S=%d, R=%d makes more than %d literals", i->chunks, i->steps, i->rounds,
			 (int)CNF_LITERALS_MAX);
}

bool cnf_write(const struct instance *i, const struct orders *o, struct cnf *out, struct error *e)
{
	return write(i, o, SIZE_MAX, out, e);
}

bool cnf_write_share(const struct instance *i, size_t most_sends, struct cnf *out, struct error *e)
{
	return write(i, NULL, most_sends, out, e);
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
	enum { BYTES = 8 }; /* of a literal */
	struct sha256 d = sha256_begin();
	struct text part = {0};

	text_add(&part, "p cnf %d %zu\n", f->variables, f->n_clauses);
	for (size_t i = 0; i < f->n_literals && work_spend(BYTES); i++) {
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

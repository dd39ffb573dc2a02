/*
 * What all formulas share: building clauses, unary sums (totalizers; Bailleux and Boufkhad, 2003), rounds and
 * capacities. See docs/reference/proofs.md.
 */

#include "prove/cnf_parts.h"

#include "core/base/memory.h"
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

/* The last of MOST literals states "MOST or more". */
size_t cnf_sum(struct writer *k, const int *x, size_t n_x, const int *y, size_t n_y, size_t most, int *out)
{
	size_t n = n_x + n_y < most ? n_x + n_y : most;

	for (size_t i = 0; i < n; i++)
		out[i] = ++k->f->variables;
	for (size_t i = 0; i <= n_x && !k->full && work_spend((double)n_y + 1); i++)
		for (size_t j = 0; j <= n_y; j++) {
			if (i + j == 0 || (i + j > n && i && j))
				continue; /* trivial, or implied by clauses with a smaller i or j */
			cnf_add(k, i ? -x[i - 1] : NO);
			cnf_add(k, j ? -y[j - 1] : NO);
			cnf_add(k, out[(i + j < n ? i + j : n) - 1]);
			cnf_end(k);
		}
	return n;
}

/* Adds numbers pairwise until one is left. IN is overwritten with the sum; returns its length. */
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
				z = cnf_sum(k, in + from, x, in + from + x, y, most, next + to);
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

/* More than j b sends over L need at least j + 1 rounds. */
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

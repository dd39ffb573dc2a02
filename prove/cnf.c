/*
 * Entry points of formulas: size limits, the choice of encoding, and DIMACS output. The clauses are in cnf_plain.c,
 * cnf_direct.c, cnf_gossip.c and cnf_prices.c; docs/reference/proofs.md defines them.
 */

#include "prove/cnf_parts.h"

#include "core/base/error.h"
#include "core/base/memory.h"
#include "core/base/sha256.h"
#include "core/base/text.h"
#include "core/base/work.h"

#include <stdlib.h>

/* An estimate of the number of variables. */
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
	return error_set(e, ERROR_LIMIT, "formula", "takes more steps to write than are left");
}

static struct writer writer_of(const struct instance *i, const struct pattern_question *q, struct cnf *f)
{
	return (struct writer){.i = i, .w = i->network, .pattern = q, .chunks = i->global_chunks, .nodes = i->network->nodes,
			       .edges = (int)i->network->n_edges, .steps = i->steps, .extra = i->rounds - i->steps, .f = f};
}

static bool write(const struct instance *i, const struct orders *o, size_t most_sends, const struct pattern_question *q, struct cnf *out,
		  struct error *e)
{
	struct writer k = writer_of(i, q, out);

	*out = (struct cnf){0};
	if (!fits(&k))
		return error_set(e, ERROR_LIMIT, "formula", "C=%d, S=%d, R=%d is too large to write out", i->chunks, i->steps,
				 i->rounds);
	if (!work_spend(cells_of(&k)))
		return too_much(e);
	k.send = new_array(int, (size_t)k.chunks * (size_t)k.edges * (size_t)k.steps);
	k.rho = new_array(int, (size_t)k.steps * (size_t)(k.extra + 1));
	if (q && q->gossip)
		cnf_gossip(&k);
	else
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
	return write(i, o, SIZE_MAX, NULL, out, e);
}

bool cnf_write_share(const struct instance *i, size_t most_sends, struct cnf *out, struct error *e)
{
	return write(i, NULL, most_sends, NULL, out, e);
}

bool cnf_write_pattern(const struct instance *i, const struct pattern_question *q, struct cnf *out, struct error *e)
{
	enum { COUNTED_MAX = 1 << 22 }; /* literals of what is paid, one number a step */

	*out = (struct cnf){0};
	if ((int64_t)i->steps * (q->most + 1) > COUNTED_MAX)
		return error_set(e, ERROR_LIMIT, "formula", "S=%d with a pay of %d is too large to write out", i->steps, q->most + 1);
	return write(i, NULL, SIZE_MAX, q, out, e);
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
	enum { BYTES = 8 }; /* per literal */
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

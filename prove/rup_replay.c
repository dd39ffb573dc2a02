/* Replays a trace line by line, and determines which of its lines a refutation needs. */

#include "prove/rup_parts.h"

#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/base/work.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- bytes ---- */

static bool malformed(char why[160], const char *what)
{
	snprintf(why, 160, "%s", what);
	return false;
}

/* 7 bits a byte, least significant first; all bytes except the last have the high bit set. */
static bool read_number(const unsigned char *trace, size_t n, size_t *byte, uint32_t *out, char why[160])
{
	uint64_t number = 0;
	size_t at = *byte;

	for (int shift = 0; shift < 35; shift += 7) {
		if (at == n)
			return malformed(why, "the trace ends in the middle of a line");
		number |= (uint64_t)(trace[at] & 0x7f) << shift;
		if (trace[at++] & 0x80)
			continue;
		if (number > UINT32_MAX)
			break;
		*byte = at;
		*out = (uint32_t)number;
		return true;
	}
	return malformed(why, "a number has too many bits");
}

/* Reads the line at *byte and advances *byte past it. False with WHY: it is malformed at *byte. */
static bool line_read(const unsigned char *trace, size_t n, int variables, size_t *byte, struct trace_line *out, char why[160])
{
	uint32_t number;

	out->kind = (char)trace[*byte];
	out->n = 0;
	if (out->kind != 'a' && out->kind != 'd')
		return malformed(why, "no line begins here: one begins with 'a' or 'd'");
	++*byte;
	for (;;) {
		size_t at = *byte;
		if (!read_number(trace, n, byte, &number, why))
			return false;
		if (number == 0)
			return true;
		if (number < 2 || number / 2 > (uint32_t)variables) {
			*byte = at;
			snprintf(why, 160, "there is no variable %u; the formula has %d", (unsigned)(number / 2), variables);
			return false;
		}
		work_spend(1);
		out->l = grown(out->l, &out->capacity, (size_t)out->n + 1, sizeof *out->l);
		out->l[out->n++] = number % 2 ? -(int)(number / 2) : (int)(number / 2);
	}
}

static void write_number(struct text *into, uint32_t number)
{
	unsigned char bytes[5];
	size_t n = 0;

	for (; number > 0x7f; number >>= 7)
		bytes[n++] = (unsigned char)(number | 0x80);
	bytes[n++] = (unsigned char)number;
	text_add_bytes(into, bytes, n);
}

static void write_line(struct text *into, char kind, const int *l, uint32_t n)
{
	text_add_bytes(into, &kind, 1);
	for (uint32_t i = 0; i < n; i++)
		write_number(into, l[i] > 0 ? 2 * (uint32_t)l[i] : 2 * (uint32_t)-l[i] + 1);
	write_number(into, 0);
}

/* ---- replay ---- */

static void fail(struct replay *out, size_t byte, const char *what)
{
	out->byte = byte;
	snprintf(out->why, sizeof out->why, "%s", what);
}

static bool take_line(struct rup *r, struct trace_line *line, struct replay *out, size_t byte)
{
	if (line->kind == 'd') {
		out->deleted++;
		if (!rup_delete(r, line->l, line->n))
			fail(out, byte, "a clause that does not exist is deleted");
		return !out->why[0];
	}
	out->added++;
	if (!rup_follows(r, line->l, line->n)) {
		snprintf(out->why, sizeof out->why, "added clause %zu does not follow by unit propagation", out->added);
		out->byte = byte;
	} else if (!rup_add(r, line->l, line->n))
		fail(out, byte, "there are too many clauses");
	return !out->why[0];
}

/* After the contradiction lines are only parsed. */
static struct replay replay(struct rup *r, const unsigned char *trace, size_t n, const volatile int *interrupted)
{
	struct replay out = {0};
	struct trace_line line = {0};
	bool ok = true;

	for (size_t byte = 0; ok && byte < n;) {
		size_t begin = byte;
		ok = line_read(trace, n, r->variables, &byte, &line, out.why);
		if (!ok)
			out.byte = byte;
		else if (r->conflict == NO_CLAUSE)
			ok = take_line(r, &line, &out, begin);
		if (ok && ((interrupted && *interrupted) || work_is_over())) {
			fail(&out, begin, work_is_over() ? "the step budget is used up" : "interrupted");
			ok = false;
		}
	}
	free(line.l);
	out.refuted = ok && r->conflict != NO_CLAUSE;
	if (ok && !out.refuted)
		fail(&out, n, "the trace ends without a contradiction");
	return out;
}

struct replay rup_check(const struct cnf *f, const void *trace, size_t n, const volatile int *interrupted)
{
	struct rup *r = rup_new(f, false);
	struct replay out = replay(r, trace, n, interrupted);
	rup_free(r);
	return out;
}

/* ---- trimming ---- */

/* Marks backwards from the conflict; whatever a clause needs comes before it. */
struct needs {
	const struct rup *r;
	bool *clause, *root;
	size_t n_waiting;
	int *waiting; /* variables whose reasons have not been marked yet */
};

static void need_root(struct needs *w, int v)
{
	if (!w->root[v])
		w->waiting[w->n_waiting++] = v;
	w->root[v] = true;
}

static void need_clause_and_roots(struct needs *w, uint32_t clause)
{
	const struct rup_clause *k = &w->r->clauses[clause];

	w->clause[clause] = true;
	for (uint32_t i = 0; i < k->size; i++)
		need_root(w, abs(w->r->literals[k->begin + i]));
}

static void mark_reasons(struct needs *w)
{
	while (w->n_waiting > 0)
		need_clause_and_roots(w, w->r->reason[w->waiting[--w->n_waiting]]);
}

static void mark(struct needs *w)
{
	const struct rup *r = w->r;

	need_clause_and_roots(w, r->conflict);
	mark_reasons(w);
	for (size_t i = r->n_clauses; i-- > r->n_formula;) {
		if (!w->clause[i])
			continue;
		for (size_t u = r->uses_begin[i - r->n_formula]; u < r->uses_begin[i - r->n_formula + 1]; u++)
			if (r->uses[u] & ROOT)
				need_root(w, (int)(r->uses[u] & ~ROOT));
			else
				w->clause[r->uses[u]] = true;
		mark_reasons(w);
	}
}

static void write_needed(const struct rup *r, struct text *into)
{
	struct needs w = {.r = r, .clause = new_array(bool, r->n_clauses), .root = new_array(bool, (size_t)r->variables + 1),
			  .waiting = new_array(int, (size_t)r->variables + 1)};

	mark(&w);
	for (size_t i = r->n_formula; i < r->n_clauses; i++)
		if (w.clause[i])
			write_line(into, 'a', r->literals + r->clauses[i].begin, r->clauses[i].size);
	write_line(into, 'a', NULL, 0);
	free(w.clause);
	free(w.root);
	free(w.waiting);
}

struct replay rup_trim(const struct cnf *f, const void *trace, size_t n, struct text *trimmed, const volatile int *interrupted)
{
	struct rup *r = rup_new(f, true);
	struct replay out = replay(r, trace, n, interrupted);

	if (out.refuted)
		write_needed(r, trimmed);
	rup_free(r);
	return out;
}

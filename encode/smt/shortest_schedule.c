/*
 * For each chunk and node an integer: when it arrives; for each chunk and route a Boolean: it is brought by this one. A message
 * starts its delay before it arrives, when its chunk is at the source. Of two that do not fit on a resource together, one ends
 * before the other begins. Where two or more fit, a Boolean says for each pair whether one occupies the resource when the other
 * begins, and those that do must fit: what a resource carries is largest when some message begins.
 *
 * No node needs a chunk twice, and chunks that may change places are numbered in the order of their arrival at one node.
 */

#include "encode/smt/shortest_schedule.h"

#include "core/base/csr.h"
#include "core/base/memory.h"
#include "encode/smt/z3_question.h"

#include <stdlib.h>

struct timed_formula {
	const struct shortest_question *of;
	struct z3 z;
	Z3_ast *arrives; /* [chunk * nodes + node]; owned, as are the others */
	Z3_ast *brings;  /* [chunk * n_routes + route]; NULL: never, since its destination has the chunk */
	struct csr into;  /* [node]: routes */
};

static void require(const struct timed_formula *f, Z3_ast holds)
{
	Z3_solver_assert(f->z.context, f->z.solver, holds);
}

static Z3_ast number(const struct timed_formula *f, int n)
{
	return Z3_mk_int(f->z.context, n, Z3_mk_int_sort(f->z.context));
}

/* A + N <= B. */
static Z3_ast at_least_later(const struct timed_formula *f, Z3_ast a, int n, Z3_ast b)
{
	Z3_ast difference[] = {a, b};

	return Z3_mk_le(f->z.context, Z3_mk_sub(f->z.context, 2, difference), number(f, -n));
}

static Z3_ast either(const struct timed_formula *f, size_t n, Z3_ast *of)
{
	return n ? Z3_mk_or(f->z.context, (unsigned)n, of) : Z3_mk_false(f->z.context);
}

static size_t at(const struct timed_formula *f, int chunk, int node)
{
	return (size_t)chunk * (size_t)f->of->nodes + (size_t)node;
}

static Z3_ast brings(const struct timed_formula *f, int chunk, int route)
{
	return f->brings[(size_t)chunk * f->of->n_routes + (size_t)route];
}

/* ---- one chunk ---- */

/* The routes that may bring the chunk to a node, as Booleans; returns their number. */
static size_t ways_to(const struct timed_formula *f, int chunk, int node, Z3_ast *ways)
{
	size_t n = 0;

	for (int i = f->into.begin[node]; i < f->into.begin[node + 1]; i++)
		if (brings(f, chunk, f->into.of[i]))
			ways[n++] = brings(f, chunk, f->into.of[i]);
	return n;
}

/* It comes once if it is wanted, else at most once. */
static void require_arrival(const struct timed_formula *f, int chunk, int node)
{
	Z3_context c = f->z.context;
	Z3_ast *ways = new_array(Z3_ast, f->of->n_routes);
	size_t n = ways_to(f, chunk, node, ways);

	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < i; k++) {
			Z3_ast both[] = {Z3_mk_not(c, ways[i]), Z3_mk_not(c, ways[k])};
			require(f, Z3_mk_or(c, 2, both));
		}
	if (f->of->wanted[at(f, chunk, node)]) {
		require(f, either(f, n, ways));
		require(f, Z3_mk_le(c, f->arrives[at(f, chunk, node)], number(f, f->of->within)));
	}
	free(ways);
}

/* The source has the chunk when the message starts. */
static void require_source(const struct timed_formula *f, int chunk, int route)
{
	Z3_context c = f->z.context;
	const struct shortest_route *r = &f->of->routes[route];
	Z3_ast sends = brings(f, chunk, route);

	if (!sends)
		return;
	bool there = f->of->has[at(f, chunk, r->src)];
	Z3_ast from = there ? number(f, 0) : f->arrives[at(f, chunk, r->src)];
	require(f, Z3_mk_implies(c, sends, at_least_later(f, from, r->delay, f->arrives[at(f, chunk, r->dst)])));
	if (there)
		return;
	Z3_ast *ways = new_array(Z3_ast, f->of->n_routes);
	size_t n = ways_to(f, chunk, r->src, ways);
	require(f, Z3_mk_implies(c, sends, either(f, n, ways)));
	free(ways);
}

/* The first node that wants the chunk and has not got it; -1: none. */
static int first_receiver(const struct shortest_question *q, int chunk)
{
	for (int v = 0; v < q->nodes; v++)
		if (q->wanted[chunk * q->nodes + v] && !q->has[chunk * q->nodes + v])
			return v;
	return -1;
}

static void require_chunk(const struct timed_formula *f, int chunk)
{
	const struct shortest_question *q = f->of;
	int before = q->alike[chunk], first = first_receiver(q, chunk);

	for (int v = 0; v < q->nodes; v++)
		if (!q->has[at(f, chunk, v)])
			require_arrival(f, chunk, v);
	for (size_t r = 0; r < q->n_routes; r++)
		require_source(f, chunk, (int)r);
	if (before >= 0 && first >= 0)
		require(f, at_least_later(f, f->arrives[at(f, before, first)], 0, f->arrives[at(f, chunk, first)]));
}

/* ---- resources ---- */

/* A message that may cross a resource. */
struct timed_crossing {
	Z3_ast sends, arrives;
	int busy, delay, use;
};

/* All that may cross it; returns their number. */
static size_t crossings_of(const struct timed_formula *f, int resource, struct timed_crossing **out)
{
	const struct shortest_question *q = f->of;
	size_t n = 0, capacity = 0;

	*out = NULL;
	for (size_t r = 0; r < q->n_routes; r++)
		for (int i = q->begin[r]; i < q->begin[r + 1]; i++)
			for (int c = 0; q->over[i] == resource && c < q->chunks; c++) {
				if (!brings(f, c, (int)r))
					continue;
				*out = grown(*out, &capacity, n + 1, sizeof **out);
				(*out)[n++] = (struct timed_crossing){brings(f, c, (int)r), f->arrives[at(f, c, q->routes[r].dst)], q->routes[r].busy,
								q->routes[r].delay, q->use[i]};
			}
	return n;
}

/* A has left the resource when B begins. */
static Z3_ast is_over_before(const struct timed_formula *f, const struct timed_crossing *a, const struct timed_crossing *b)
{
	return at_least_later(f, a->arrives, a->busy - a->delay + b->delay, b->arrives);
}

/* The two do not fit together. */
static void require_turns(const struct timed_formula *f, const struct timed_crossing *a, const struct timed_crossing *b)
{
	Z3_context c = f->z.context;
	Z3_ast any[] = {Z3_mk_not(c, a->sends), Z3_mk_not(c, b->sends), is_over_before(f, a, b), is_over_before(f, b, a)};

	require(f, Z3_mk_or(c, 4, any));
}

/* Does A occupy the resource when B begins? A Boolean that is true if it does. */
static Z3_ast meets(const struct timed_formula *f, const struct timed_crossing *a, const struct timed_crossing *b)
{
	Z3_context c = f->z.context;
	Z3_ast meet = Z3_mk_fresh_const(c, "meet", Z3_mk_bool_sort(c));
	Z3_ast later = Z3_mk_not(c, at_least_later(f, a->arrives, b->delay - a->delay, b->arrives)); /* it begins after B */
	Z3_ast any[] = {Z3_mk_not(c, a->sends), is_over_before(f, a, b), later, meet};

	require(f, Z3_mk_or(c, 4, any));
	return meet;
}

/* What occupies the resource when message I begins fits. */
static void require_room(const struct timed_formula *f, const struct timed_crossing *of, size_t n, size_t i, int capacity)
{
	Z3_context c = f->z.context;
	Z3_ast *meet = new_array(Z3_ast, n);
	int *use = new_array(int, n), all = 0;
	size_t others = 0;

	for (size_t k = 0; k < n; k++)
		if (k != i && of[i].use + of[k].use <= capacity) {
			all += of[k].use;
			use[others++] = of[k].use;
		}
	if (all > capacity - of[i].use) {
		others = 0;
		for (size_t k = 0; k < n; k++)
			if (k != i && of[i].use + of[k].use <= capacity)
				meet[others++] = meets(f, &of[k], &of[i]);
		require(f, Z3_mk_implies(c, of[i].sends, Z3_mk_pble(c, (unsigned)others, meet, use, capacity - of[i].use)));
	}
	free(meet);
	free(use);
}

static void require_resource(const struct timed_formula *f, int resource)
{
	struct timed_crossing *of;
	size_t n = crossings_of(f, resource, &of);
	int capacity = f->of->capacity[resource];

	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < i; k++)
			if (of[i].use + of[k].use > capacity)
				require_turns(f, &of[i], &of[k]);
		require_room(f, of, n, i, capacity);
	}
	free(of);
}

/* ---- the question ---- */

static struct timed_formula formula_new(const struct shortest_question *q)
{
	static const char *const tactics[] = {"simplify", "smt", NULL};
	struct timed_formula f = {q, z3_open_tactics(tactics), new_array(Z3_ast, (size_t)q->chunks * (size_t)q->nodes),
			    new_array(Z3_ast, (size_t)q->chunks * q->n_routes), csr_new(q->nodes)};

	for (size_t r = 0; r < q->n_routes; r++)
		csr_count(&f.into, q->routes[r].dst);
	csr_allocate(&f.into);
	for (size_t r = 0; r < q->n_routes; r++)
		csr_put(&f.into, q->routes[r].dst, (int)r);
	for (int c = 0; c < q->chunks; c++) {
		for (int v = 0; v < q->nodes; v++)
			f.arrives[at(&f, c, v)] = Z3_mk_fresh_const(f.z.context, "arrives", Z3_mk_int_sort(f.z.context));
		for (size_t r = 0; r < q->n_routes; r++)
			if (!q->has[at(&f, c, q->routes[r].dst)])
				f.brings[(size_t)c * q->n_routes + r] = Z3_mk_fresh_const(f.z.context, "brings", Z3_mk_bool_sort(f.z.context));
	}
	return f;
}

static void formula_free(struct timed_formula *f)
{
	z3_close(&f->z);
	csr_free(&f->into);
	free(f->arrives);
	free(f->brings);
}

static void read_arrivals(const struct timed_formula *f, struct shortest_arrival *arrivals)
{
	const struct shortest_question *q = f->of;

	for (int c = 0; c < q->chunks; c++)
		for (int v = 0; v < q->nodes; v++) {
			struct shortest_arrival *a = &arrivals[at(f, c, v)];
			*a = (struct shortest_arrival){-1, z3_integer(&f->z, f->arrives[at(f, c, v)])};
			for (int i = f->into.begin[v]; i < f->into.begin[v + 1]; i++)
				if (brings(f, c, f->into.of[i]) && z3_is_true(&f->z, brings(f, c, f->into.of[i])))
					a->route = f->into.of[i];
		}
}

enum answer shortest_schedule(const struct shortest_question *q, struct shortest_arrival *arrivals)
{
	struct timed_formula f = formula_new(q);

	if (q->conflicts)
		z3_limit_conflicts(&f.z, q->conflicts);
	for (int c = 0; c < q->chunks; c++)
		require_chunk(&f, c);
	for (size_t r = 0; r < q->n_resources; r++)
		require_resource(&f, (int)r);
	enum answer answer = z3_check(&f.z);
	if (answer == ANSWER_FOUND)
		read_arrivals(&f, arrivals);
	formula_free(&f);
	return answer;
}

#ifndef SCCL_PROVE_CNF_H
#define SCCL_PROVE_CNF_H

/*
 * The formula of a certificate: does an algorithm exist for an instance? Written from docs/reference/proofs.md, which defines it clause
 * by clause; it shares no code with encode/, so that a mistake would have to be made twice. The same bytes for the same
 * instance, everywhere.
 */

#include "core/schedule/instance.h"

#include <stddef.h>

struct error;
struct text;

/* A formula in conjunctive normal form. */
struct cnf {
	int variables;
	size_t n_clauses;
	size_t n_literals, capacity;
	int *literals; /* owned; each clause ends with 0 */
};

/*
 * Chunks that begin and end at the same nodes are interchangeable. Every schedule can be renumbered so that they come to one node in
 * the order of their numbers, those that come there together to a second one, and so on; and those of an allreduce so that
 * what they cross in the first step does not rise. One such class, and the nodes.
 */
struct chunk_order {
	size_t n_chunks, n_nodes;
	int *chunks; /* owned; ascending */
	int *nodes;  /* owned; none: of an allreduce */
};

struct orders {
	size_t n;
	struct chunk_order *all;
};

/* What helps to refute: every class of two or more, ordered at so many nodes, those first that its chunks reach last. The caller
 * frees. */
struct orders orders_of(const struct instance *i, size_t most_nodes);
void orders_free(struct orders *o);

/* Is it no loss to ask for all of these at once? Each class has chunks of one pre and one post, and shares none with
 * another. False with what is wrong as the error (ERROR_INPUT). */
bool orders_hold(const struct instance *i, const struct orders *o, struct error *e);

/* The plain formula, and behind it the clauses of the orders, which hold (orders_hold). False with *e set: too large. */
bool cnf_write(const struct instance *i, const struct orders *o, struct cnf *out, struct error *e);
/* The same with no more than so many sends in all. */
bool cnf_write_share(const struct instance *i, size_t most_sends, struct cnf *out, struct error *e);
void cnf_free(struct cnf *f);

/* In DIMACS: what a digest is of, and what other programs read. */
void cnf_dimacs(const struct cnf *f, struct text *into);
void cnf_digest(const struct cnf *f, char hex[65]);

enum { CNF_VERSION = 1, CNF_CELLS_MAX = 1 << 27, CNF_LITERALS_MAX = 1 << 27 };

#endif

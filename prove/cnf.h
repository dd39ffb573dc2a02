#ifndef SCCL_PROVE_CNF_H
#define SCCL_PROVE_CNF_H

/*
 * The formula of a certificate: is there an algorithm for an instance? It is written from docs/reference/proofs.md,
 * which defines it clause by clause, and shares no code with encode/, so that an error would have to be made twice. The
 * output is byte for byte the same for the same instance on every platform.
 */

#include "core/schedule/instance.h"

#include <stddef.h>
#include <stdint.h>

struct error;
struct text;

/* A formula in conjunctive normal form; released by cnf_free. */
struct cnf {
	int variables;
	size_t n_clauses;
	size_t n_literals, capacity;
	int *literals; /* owned; each clause ends with 0 */
};

/*
 * Symmetry breaking. Chunks with equal pre- and postconditions are interchangeable. Any schedule can be renumbered so
 * that they arrive at one node in the order of their numbers, those that arrive there together arrive at a second node
 * in order, and so on; for an allreduce, so that their sends in the first step do not increase lexicographically. This
 * is one class of such chunks, with the nodes.
 */
struct chunk_order {
	size_t n_chunks, n_nodes;
	int *chunks; /* owned; ascending */
	int *nodes;  /* owned; none for an allreduce */
};

/* The classes that are ordered; released by orders_free. */
struct orders {
	size_t n;
	struct chunk_order *all;
};

/*
 * Orders that help a refutation: every class of two or more chunks, ordered at up to MOST_NODES nodes, those farthest
 * from the chunks first. The caller frees the result.
 */
struct orders orders_of(const struct instance *i, size_t most_nodes);
void orders_free(struct orders *o);

/*
 * Are these orders all satisfiable at once without loss of generality? The chunks of each class must have the same pre-
 * and postcondition, and classes must be disjoint. False with the reason in *e (ERROR_INPUT).
 */
bool orders_hold(const struct instance *i, const struct orders *o, struct error *e);

/*
 * The plain formula, followed by the clauses of the orders O (NULL: none), for which orders_hold must be true. The
 * caller frees *OUT. False with *e set (ERROR_LIMIT): too large, or the work budget is exhausted.
 */
bool cnf_write(const struct instance *i, const struct orders *o, struct cnf *out, struct error *e);
/* The same without orders, with at most MOST_SENDS sends in total. */
bool cnf_write_share(const struct instance *i, size_t most_sends, struct cnf *out, struct error *e);

/*
 * A question about the pattern of one chunk of an allreduce: is there one whose sends pay at most MOST? MIRRORED and the
 * symmetries must keep the prices; docs/reference/proofs.md says why nothing is lost by asking for patterns that pay no more
 * in the first half of the steps than in the second, and whose first step is in none of its images lexicographically larger.
 */
struct pattern_question {
	const int64_t *price; /* [(step - 1) * edges + edge], at least 0 */
	int most;             /* 0 to PATTERN_PAY_MAX */
	bool gossip; /* contributions may arrive more than once: then a pattern pays no less */
	bool mirrored;
	size_t n_symmetries;
	const int *symmetries; /* [k * nodes + node]: permutations of the nodes */
};
enum { PATTERN_PAY_MAX = 4096 };
/* The formula of Q for I, an allreduce of one chunk. */
bool cnf_write_pattern(const struct instance *i, const struct pattern_question *q, struct cnf *out, struct error *e);
void cnf_free(struct cnf *f);

/* DIMACS text, for other programs, and its SHA-256 digest as 64 hexadecimal digits. */
void cnf_dimacs(const struct cnf *f, struct text *into);
void cnf_digest(const struct cnf *f, char hex[65]);

/* The version of the definition in docs/reference/proofs.md, and the limits on the size of a formula. */
enum { CNF_VERSION = 1, CNF_CELLS_MAX = 1 << 27, CNF_LITERALS_MAX = 1 << 27 };

#endif

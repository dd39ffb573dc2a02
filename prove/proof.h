#ifndef SCCL_PROVE_PROOF_H
#define SCCL_PROVE_PROOF_H

/*
 * Certificates: why candidates have no algorithm, and why points are optimal. The file format is "sccl-proof" in
 * docs/reference/formats.md.
 */

#include "core/schedule/algorithm.h"
#include "core/bounds/timed_cuts.h"
#include "core/machine/prices.h"
#include "core/base/rational.h"
#include "prove/cnf.h"

struct error;
struct json_document;
struct json_place;
struct text;

/* What refutes a candidate. */
enum refused_by {
	BY_STEPS,   /* S is below the distance that some chunk must travel */
	BY_CUT,     /* R/C is below what the cut forces */
	BY_TIMED,   /* R/C is below what timed cuts force in S steps */
	BY_PROGRAM, /* R/C is below what a program over timed trees shows for S steps or more */
	BY_TRACE,   /* an unsatisfiable formula, with a trace that is replayed */
	BY_IMPLIED, /* an algorithm would imply one for FROM, which is refuted */
	BY_SHARE,   /* allreduce: not even one chunk is possible with its share of all sends; a formula and a trace */
	BY_HALVES,  /* composed allreduce: one half is refuted for every split of S and R */
};
extern const char *const refused_by_names[];

/* How to rebuild a formula and verify its trace. */
struct recipe {
	int variables; /* of the plain formula, and its digest */
	size_t clauses;
	char formula[65];
	struct orders orders; /* symmetry breaking in addition to it */
	char *solver;
	size_t bytes;
	char trace[65]; /* its digest */
	char *file;     /* from the proof file: "proofs/16 digits.drat" or "../proofs/..."; NULL: not stored */
};

/* A refuted candidate. */
struct refusal {
	struct candidate candidate;
	enum refused_by by;
	struct candidate from; /* BY_IMPLIED */
	struct recipe *recipe; /* BY_TRACE, BY_SHARE; owned */
};

/* What proves a bound on R/C. */
enum cut_kind {
	CUT_NONE,  /* there is no bound */
	CUT_SIDES, /* chunks must get from some nodes to the others */
	CUT_PARTS, /* allreduce: each chunk crosses between K parts 2 (K - 1) times, one-way gossip */
	CUT_HOPS,  /* every chunk's hops, over all links together */
	CUT_PRICES, /* what every chunk pays on its path, over the most that can be paid in a round */
};

/* A bound on R/C and its witness. */
struct cut {
	struct rational at_least; /* R/C */
	enum cut_kind kind;
	int parts;
	int *part; /* [node]: CUT_SIDES: 1 on the receiving side, otherwise 0; CUT_PARTS: 0 to parts - 1. Owned. */
	size_t n_prices;
	struct price *prices; /* CUT_PRICES: on the network of the question; owned */
};

/*
 * A bound on R/C for one number of steps, and the weighted timed cuts that prove it (core/bounds/timed_cuts.h). They
 * refer to the question (prove/question.h): for a combining collective to its inverse on reversed links.
 */
struct timed {
	int steps;
	struct rational at_least;
	size_t n_cuts;
	struct timed_cut *cuts; /* owned */
	size_t n_prices;
	struct timed_price *prices; /* owned; limits of the network of the question */
	size_t n_symmetries;
	int *symmetries; /* of an allreduce: [k * nodes + node], automorphisms that cuts and prices are averaged over; owned */
};

/* The price of an edge or of a limit in one step, in the unit of its program. */
struct step_price {
	int step;      /* from 1 */
	int src, dst;  /* of the edge, if limit is -1 */
	int limit;     /* its index among the limits of the network of the question; -1: the price is of an edge */
	int64_t price; /* 1 to COST_MAX (prove/tree_table.h) */
};

/* What each of COUNT successive demands (prove/demand.h) must pay. */
struct step_pay {
	int64_t pay;
	size_t count;
};

/*
 * What shows that no pattern of an allreduce pays less than a program states (prove/patterns.h): a formula, what it makes use
 * of, and a trace.
 */
struct patterns {
	bool gossip;          /* it is about gossips, which pay no more: contributions may arrive more than once */
	bool mirrored;        /* links and prices are the same backwards */
	size_t n_symmetries;
	int *symmetries;      /* [k * nodes + node]; owned */
	struct recipe recipe; /* owned: patterns_free */
};

/*
 * A bound on R/C for all algorithms of so many steps, and the dual solution that proves it (prove/program.h). It refers
 * to the question, as struct timed does.
 */
struct step_program {
	int steps;
	int root; /* of the broadcast that it is about, where the side is an allreduce, and steps is above 1; else -1 */
	struct rational at_least;
	size_t n_prices, n_pays;
	struct step_price *prices; /* owned */
	struct step_pay *pays;     /* owned; runs in the order of the demands. Of patterns there is one. */
	struct patterns *patterns; /* owned; NULL: it is about timed trees */
};

/*
 * Bounds and refutations of one collective that a solver can be asked about: the collective itself (an allreduce
 * directly), or a half.
 */
struct side {
	struct collective collective;
	int steps; /* S is at least this */
	struct cut cut;
	size_t n_timed, timed_capacity;
	struct timed *timed; /* for some numbers of steps, each once */
	size_t n_programs, programs_capacity;
	struct step_program *programs; /* for some numbers of steps, each once */
	size_t n_refused, capacity;
	struct refusal *refused;
};

/* Indices of sides: the collective itself, then the halves of an allreduce. */
enum { WHOLE, SCATTERS, GATHERS, SIDES_MAX };

/* Why a point is optimal: it meets a bound, all better candidates are refuted, or programs over timed trees show it. */
enum { POINT_BY_STEPS = 1, POINT_BY_CUT = 2, POINT_BY_REFUSALS = 4, POINT_BY_PROGRAM = 8, POINT_BY_KINDS = 4 };
extern const char *const point_by_names[POINT_BY_KINDS];

/* A point of a frontier. */
struct point {
	struct candidate candidate;
	unsigned by; /* why nothing is better: POINT_BY_* bits; 0: nothing is claimed */
};

/* A certificate for one topology and collective; released by proof_free. */
struct proof {
	struct topology *topology;
	struct collective collective; /* unscaled */
	char *frontier; /* the frontier file next to it that it belongs to; NULL: none */
	int n_sides;    /* 1, or for an allreduce SIDES_MAX */
	struct side sides[SIDES_MAX];
	size_t n_refused, capacity; /* of compositions */
	struct refusal *refused;
	size_t n_points;
	struct point *points;
};

/* An empty proof with copies of T and K. */
struct proof *proof_new(const struct topology *t, const struct collective *k);
void proof_free(struct proof *p); /* NULL is allowed */
struct proof *proof_open(const char *path, struct error *e); /* structure only; see prove/check.h */
struct proof *proof_read(const struct json_document *d, struct error *e);
void proof_write(const struct proof *p, struct text *into);

/* The refutations of one class of algorithms: compositions, or all. */
const struct refusal *proof_refusals(const struct proof *p, enum optimality_within within, size_t *n);
/* NULL: not refuted there. */
const struct refusal *proof_refusal(const struct proof *p, enum optimality_within within, struct candidate c);

/* Appends R, whose recipe is owned by the list from then on. */
void refusal_add(struct refusal **list, size_t *n, size_t *capacity, struct refusal r);
void recipe_free(struct recipe *r);
void recipe_clear(struct recipe *r); /* frees what it owns */
/* Members "formula", "order" and "trace". What was read belongs to *R, even on failure. */
void recipe_write(struct text *into, const struct recipe *r);
bool recipe_read(const struct json_place *at, int nodes, struct recipe *r, struct error *e);

/*
 * Would an algorithm for C imply one for FROM? Each chunk is split into the fewest parts m that give enough chunks,
 * surplus chunks are dropped, idle steps of one round each are added, and rounds are added.
 */
bool candidate_gives(struct candidate c, struct candidate from);
bool candidate_same(struct candidate a, struct candidate b);

#endif

#ifndef SCCL_PROVE_PROOF_H
#define SCCL_PROVE_PROOF_H

/* Certificates: why candidates have no algorithm, and why points are the best. docs/reference/formats.md: the file "sccl-proof". */

#include "core/schedule/algorithm.h"
#include "core/bounds/timed_cuts.h"
#include "core/machine/prices.h"
#include "core/base/rational.h"
#include "prove/cnf.h"

struct error;
struct json_document;
struct text;

enum refused_by {
	BY_STEPS,   /* S is below the distance that some chunk must go */
	BY_CUT,     /* R/C is below what the cut forces */
	BY_TIMED,   /* R/C is below what timed cuts force in S steps */
	BY_TRACE,   /* a formula, refuted by a trace that is replayed */
	BY_IMPLIED, /* an algorithm would give one for FROM, which is refused */
	BY_SHARE,   /* of an allreduce: one chunk alone cannot do with its share of all sends; a formula of that, and a trace */
	BY_HALVES,  /* of a composed allreduce: however S and R are shared, one half is refused */
};
extern const char *const refused_by_names[];

/* How a formula comes about again, and its trace. */
struct recipe {
	int variables; /* of the plain formula, and its digest */
	size_t clauses;
	char formula[65];
	struct orders orders; /* what is asked beside it */
	char *solver;
	size_t bytes;
	char trace[65]; /* its digest */
	char *file;     /* beside the proof file: "proofs/16 digits.drat" or "../proofs/..."; NULL: to be made again */
};

struct refusal {
	struct candidate candidate;
	enum refused_by by;
	struct candidate from; /* BY_IMPLIED */
	struct recipe *recipe; /* BY_TRACE, BY_SHARE; owned */
};

enum cut_kind {
	CUT_NONE,  /* nothing shows a bound */
	CUT_SIDES, /* chunks must get from some nodes to the others */
	CUT_PARTS, /* of an allreduce: between K parts each chunk crosses 2 (K - 1) times, one-way gossip */
	CUT_HOPS,  /* every chunk's hops, over all links together */
	CUT_PRICES, /* what every chunk pays on its way, over what a round can pay */
};

struct cut {
	struct rational at_least; /* R/C */
	enum cut_kind kind;
	int parts;
	int *part; /* [node]: CUT_SIDES: 1 on the receiving side, else 0; CUT_PARTS: 0 up to parts - 1. Owned. */
	size_t n_prices;
	struct price *prices; /* CUT_PRICES: of what it is asked on; owned */
};

/* What R/C must be in so many steps, and the weighted cuts of expanded time that show it (core/bounds/timed_cuts.h). They are of the
 * collective as it is asked: of a combining one on reversed links. */
struct timed {
	int steps;
	struct rational at_least;
	size_t n_cuts;
	struct timed_cut *cuts; /* owned */
	size_t n_prices;
	struct timed_price *prices; /* owned; of limits of the network that it is asked on */
};

/* Of one collective that a solver can be asked for: the collective itself (an allreduce: directly), or a half. */
struct side {
	struct collective collective;
	int steps; /* S is at least this */
	struct cut cut;
	size_t n_timed, timed_capacity;
	struct timed *timed; /* of some step counts, each once */
	size_t n_refused, capacity;
	struct refusal *refused;
};

enum { WHOLE, SCATTERS, GATHERS, SIDES_MAX };

enum { POINT_BY_STEPS = 1, POINT_BY_CUT = 2, POINT_BY_REFUSALS = 4 };
extern const char *const point_by_names[3];

struct point {
	struct candidate candidate;
	unsigned by; /* why nothing is better: bits of the above; 0: nothing is claimed */
};

struct proof {
	struct topology *topology;
	struct collective collective; /* unscaled */
	char *frontier; /* the file beside it that it is for; NULL: none */
	int n_sides;    /* 1, or of an allreduce all */
	struct side sides[SIDES_MAX];
	size_t n_refused, capacity; /* within compositions */
	struct refusal *refused;
	size_t n_points;
	struct point *points;
};

struct proof *proof_new(const struct topology *t, const struct collective *k);
void proof_free(struct proof *p); /* NULL is fine */
struct proof *proof_open(const char *path, struct error *e); /* its shape; prove/check.h judges it */
struct proof *proof_read(const struct json_document *d, struct error *e);
void proof_write(const struct proof *p, struct text *into);

/* The refusals of a class: of compositions, or all. */
const struct refusal *proof_refusals(const struct proof *p, enum optimality_within within, size_t *n);
/* NULL: not there. */
const struct refusal *proof_refusal(const struct proof *p, enum optimality_within within, struct candidate c);

void refusal_add(struct refusal **list, size_t *n, size_t *capacity, struct refusal r); /* takes the recipe */
void recipe_free(struct recipe *r);

/*
 * Would an algorithm for C give one for FROM? Each chunk cut in m, the least that gives enough of them, what is too much left
 * out, idle steps of one round each, and rounds more.
 */
bool candidate_gives(struct candidate c, struct candidate from);
bool candidate_same(struct candidate a, struct candidate b);

#endif

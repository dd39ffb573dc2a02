#ifndef SCCL_PROVE_PROOF_H
#define SCCL_PROVE_PROOF_H

/* Certificates: why candidates have no algorithm, and why points are the best. docs/formats.md: the file "sccl-proof". */

#include "core/algorithm.h"
#include "core/rational.h"
#include "prove/cnf.h"

struct error;
struct json_document;
struct text;

enum refused_by {
	BY_STEPS,   /* S is below the distance that some chunk must go */
	BY_CUT,     /* R/C is below what the cut forces */
	BY_TRACE,   /* a formula, refuted by a trace that is replayed */
	BY_IMPLIED, /* an algorithm would give one for FROM, which is refused */
	BY_HALVES,  /* of an allreduce: however S and R are shared, one half is refused */
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
	struct recipe *recipe; /* BY_TRACE; owned */
};

/* Chunks must get from some nodes to the others. */
struct cut {
	struct rational at_least; /* R/C; 0: nothing shows a bound */
	bool hops;                /* not a cut: every chunk's hops, over all links together */
	int *to;                  /* [node] 1: on the receiving side. Owned; NULL where there is no cut */
};

/* Of one collective that a solver can be asked for: the collective itself, or a half of an allreduce. */
struct side {
	struct collective collective;
	int steps; /* S is at least this */
	struct cut cut;
	size_t n_refused, capacity;
	struct refusal *refused;
};

enum { SCATTERS, GATHERS, SIDES_MAX };

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
	int n_sides;    /* 1: the collective itself; 2: an allreduce composed of these */
	struct side sides[SIDES_MAX];
	size_t n_refused, capacity; /* of a composed one */
	struct refusal *refused;
	size_t n_points;
	struct point *points;
};

struct proof *proof_new(const struct topology *t, const struct collective *k);
void proof_free(struct proof *p); /* NULL is fine */
struct proof *proof_open(const char *path, struct error *e); /* its shape; prove/check.h judges it */
struct proof *proof_read(const struct json_document *d, struct error *e);
void proof_write(const struct proof *p, struct text *into);

/* The refusals that are asked for from outside: those of the one side, or of the composition. */
const struct refusal *proof_refusals(const struct proof *p, size_t *n);
const struct refusal *proof_refusal(const struct proof *p, struct candidate c); /* NULL: not there */

void refusal_add(struct refusal **list, size_t *n, size_t *capacity, struct refusal r); /* takes the recipe */
void recipe_free(struct recipe *r);

/*
 * Would an algorithm for C give one for FROM? Each chunk cut in m, the least that gives enough of them, what is too much left
 * out, idle steps of one round each, and rounds more.
 */
bool candidate_gives(struct candidate c, struct candidate from);
bool candidate_same(struct candidate a, struct candidate b);

#endif

#ifndef SCCL_EXPLORE_EXPLORE_H
#define SCCL_EXPLORE_EXPLORE_H

/*
 * Machines, collectives and methods side by side: of each machine and collective the bounds with their cuts, what each method
 * builds or why it cannot, and which of it is the fastest at which size; of machines with one link changed also the gain. What
 * is told is exact, and every algorithm was verified. docs/reference/commands.md, docs/reference/formats.md: exploration rows.
 */

#include "core/bounds/bounds.h"
#include "core/schedule/algorithm.h"
#include "core/symmetry/canonical.h"
#include "explore/links.h"
#include "synth/frontier/atlas.h"
#include "synth/problem/in_steps.h"
#include "synth/frontier/pareto.h"

struct explore_options {
	size_t n_sizes;
	const int64_t *sizes;         /* bytes of a node's input, ascending; borrowed */
	bool has_alpha, has_beta;
	struct rational alpha, beta;  /* µs a step, and a byte over one unit; else the machine's */
	bool *chosen;                 /* [explore_methods]; borrowed */
	bool keeps;                   /* rows have their algorithms, for rows of the same machine with a link changed */
	struct pareto_options search;   /* limits of the search where the catalog does not know */
	atlas_shown *shown;           /* checks the proofs of a file of the catalog; NULL: the catalog is not asked */
	void (*doubt)(const char *path, const char *why); /* of a file of the catalog that is not what it should be */
};

/* One algorithm that a method gave. */
struct entry {
	const char *method;
	int chunks, steps, rounds;
	struct rational bandwidth;    /* R/C */
	enum optimality_class class;
	enum optimality_proof proof;
	enum optimality_within within;
	bool kept;                    /* of the machine before its link was changed, and verified on this one */
	struct algorithm *algorithm;  /* owned; NULL unless changes are to keep it */
};

struct method_refusal {
	const char *method;
	char *why; /* owned */
	bool other_kind; /* it never does this collective */
};

/* What a size is served with. */
struct best {
	int entry;                    /* -1: none has a time */
	struct rational microseconds;
};

/* Where the frontier is from, how its walk ended, and how many candidates a limit left open. */
struct search_record {
	bool done, from_catalog;
	enum frontier_end ended;
	size_t n_open;
};

/* A machine and a collective. Texts are owned. */
struct row {
	char *spec, *name;            /* as -t takes it, and as it is called */
	int nodes, switches, root;    /* root -1: the collective has none */
	char *collective;
	char digest[CANONICAL_DIGEST + 1]; /* the same of machines that are alike; "" where they cannot be compared */
	char *why_not;                /* the machine cannot do it, and nothing below is known; NULL: it can */
	struct bounds bounds;
	struct in_steps in_steps;
	struct rational trees;        /* R/C of the best trees (ForestColl); not a number: not of this collective or machine */
	size_t n_entries, entries_capacity, n_refusals, refusals_capacity;
	struct entry *entries;        /* by method, a frontier's by steps */
	struct method_refusal *refusals;
	struct search_record searched;
	bool timed;                   /* α and β are known */
	struct rational alpha, beta;
	struct best *best;            /* [size] */
	int least;                    /* the entry of the least R/C, -1: none */
	/* Of a machine with a link changed: */
	int base;                     /* the row of the machine as it was; -1: this one is none */
	enum links_change change;
	size_t n_alike;
	struct edge_ends *alike;      /* links whose change comes to the same */
	int rank;                     /* from 1, among the changes of a machine for one collective; equal ones share it */
};

struct rows {
	size_t n, capacity;
	struct row *at;
};

/* "smt", "trees", and then all methods of the table. */
const char *const *explore_methods(size_t *n);
/* "ring,smt" or "all", as a set. False with *e set: there is no such method. The caller frees *chosen. */
bool explore_methods_read(const char *list, bool **chosen, struct error *e);

/* A new row at the end of ROWS; SPEC and CALLED are what -t and -c say. BEFORE: the row of the machine before a link was changed,
 * whose algorithms are tried too; NULL: none was. False with *e set: interrupted, or a fault of ours or the system; no row is added then. */
bool explore_row(const struct explore_options *o, const char *spec, const struct topology *t, const char *called,
		 const struct collective *k, const struct row *before, struct rows *rows, struct error *e);
void rows_free(struct rows *r);

/* For explore_row: fills entries, or refusals where a method cannot. */
bool explore_entries(const struct explore_options *o, const struct topology *t, const struct collective *k, const struct row *before,
		     struct row *row, struct error *e);

/* What ranks first; each is followed by the others. */
enum rank_by { BY_BANDWIDTH, BY_STEPS, BY_TIME, RANKINGS };
extern const char *const rank_by_names[RANKINGS]; /* "bandwidth", by the bounds; "time", at the largest size */

/* Puts rows in order: by collective as they first came, machines before the changes of each, these by rank. */
void rows_rank(struct rows *r, size_t n_sizes, enum rank_by by);

/* How many times as good as the machine as it was; not a number: not known. */
struct rational row_gain_bandwidth(const struct rows *r, const struct row *row);
struct rational row_gain_time(const struct rows *r, const struct row *row, size_t size);

#endif

#ifndef SCCL_EXPLORE_EXPLORE_H
#define SCCL_EXPLORE_EXPLORE_H

/*
 * Compares machines, collectives and methods: for each machine and collective the bounds with their cuts, what each
 * method builds or why it cannot, and which algorithm is the fastest at which size; for machines with one link changed
 * also the gain. All numbers are exact, and every algorithm has been verified. docs/reference/commands.md,
 * docs/reference/formats.md: exploration rows.
 */

#include "core/bounds/bounds.h"
#include "core/schedule/algorithm.h"
#include "core/symmetry/canonical.h"
#include "explore/links.h"
#include "synth/frontier/atlas.h"
#include "synth/problem/in_steps.h"
#include "synth/frontier/pareto.h"

/* What is explored, and how; the same for all rows. */
struct explore_options {
	size_t n_sizes;
	const int64_t *sizes;         /* bytes of a node's input, ascending; borrowed */
	bool has_alpha, has_beta;
	struct rational alpha, beta;  /* µs per step, and per byte over one unit; otherwise the machine's own */
	bool *chosen;                 /* [explore_methods]; borrowed */
	bool keeps;                   /* rows keep their algorithms, for rows of the same machine with a link changed */
	struct pareto_options search;   /* limits of the search if the catalog does not answer */
	atlas_shown *shown;           /* checks the proofs of a catalog file; NULL: the catalog is not used */
	void (*trying)(void *context, const char *method); /* before each method, with search.context; NULL: not called */
	void (*doubt)(const char *path, const char *why); /* reports a catalog file that is not valid */
};

/* One algorithm that a method gave. */
struct entry {
	const char *method;
	int chunks, steps, rounds;
	struct rational bandwidth;    /* R/C */
	enum optimality_class class;
	enum optimality_proof proof;
	enum optimality_within within;
	bool kept;                    /* from the machine before its link was changed, and verified on this one */
	struct algorithm *algorithm;  /* owned; NULL unless options->keeps and it is small */
};

/* A method that gave nothing, and why. */
struct method_refusal {
	const char *method;
	char *why; /* owned */
	bool other_kind; /* the method never does this collective */
};

/* The best algorithm at one size. */
struct best {
	int entry;                    /* -1: no time is known */
	struct rational microseconds;
};

/* Where the frontier comes from, how its search ended, and how many candidates a limit left open. */
struct search_record {
	bool done, from_catalog;
	enum frontier_end ended;
	size_t n_open;
};

/* A machine and a collective. Strings are owned. */
struct row {
	char *spec, *name;            /* as -t takes it, and the machine's name */
	int nodes, switches, root;    /* root -1: the collective has none */
	char *collective;
	char digest[CANONICAL_DIGEST + 1]; /* equal for isomorphic machines; "" if not computed */
	char *why_not;                /* why the machine cannot do it, and nothing below is known; NULL: it can */
	struct bounds bounds;
	struct in_steps in_steps;
	struct rational trees;        /* R/C of the best trees (ForestColl); not rational_ok: they do not apply */
	size_t n_entries, entries_capacity, n_refusals, refusals_capacity;
	struct entry *entries;        /* by method; those of a frontier by steps */
	struct method_refusal *refusals;
	struct search_record searched;
	bool timed;                   /* α and β are known */
	struct rational alpha, beta;
	struct best *best;            /* [size]; owned */
	int least;                    /* the entry with the least R/C, -1: none */
	/* For a machine with a link changed: */
	int base;                     /* the row of the machine before the change; -1: this machine is unchanged */
	enum links_change change;
	size_t n_isomorphic;
	struct edge_ends *isomorphic;      /* links whose change gives an isomorphic machine; owned */
	int rank;                     /* from 1, among the changes of one machine for one collective; ties are equal */
};

/* All rows of an exploration; owned, rows_free. */
struct rows {
	size_t n, capacity;
	struct row *at;
};

/* "smt", "trees", and then all methods of the table. Static. */
const char *const *explore_methods(size_t *n);
/*
 * Parses "ring,smt" or "all" as [explore_methods]. False with *e set: there is no such method. The caller frees *chosen
 * either way.
 */
bool explore_methods_read(const char *list, bool **chosen, struct error *e);

/*
 * Appends a row to ROWS; SPEC and CALLED are the texts of -t and -c. BEFORE: the row of the machine before a link was
 * changed, whose algorithms are tried too; NULL: there is none. False with *e set (ERROR_SYSTEM): interrupted, or a
 * failure of the system or of this program; then no row is added.
 */
bool explore_row(const struct explore_options *o, const char *spec, const struct topology *t, const char *called,
		 const struct collective *k, const struct row *before, struct rows *rows, struct error *e);
/* Frees all rows and clears the list. */
void rows_free(struct rows *r);

/* For explore_row: adds entries, and a refusal for each method that gives none. False with *e set as above. */
bool explore_entries(const struct explore_options *o, const struct topology *t, const struct collective *k, const struct row *before,
		     struct row *row, struct error *e);

/* What ranks first; ties are broken by the others. */
enum rank_by { BY_BANDWIDTH, BY_STEPS, BY_TIME, RANKINGS };
extern const char *const rank_by_names[RANKINGS]; /* "bandwidth" (bounds), "steps", "time" (largest size) */

/*
 * Sorts the rows: by collective and root in order of first appearance, unchanged machines before all changes, then by
 * machine, and the changes of each machine by rank. Assigns the ranks.
 */
void rows_rank(struct rows *r, size_t n_sizes, enum rank_by by);

/* The factor by which the row is better than its machine before the change; rational_ok is false if not known. */
struct rational row_gain_bandwidth(const struct rows *r, const struct row *row);
struct rational row_gain_time(const struct rows *r, const struct row *row, size_t size);

#endif

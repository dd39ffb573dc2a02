#ifndef SCCL_SYNTH_FRONTIER_FRONTIER_H
#define SCCL_SYNTH_FRONTIER_FRONTIER_H

/* A Pareto frontier: its points, the candidates that were refuted, and those that a limit left open. The file format
 * is in docs/reference/formats.md. */

#include "synth/problem/problem.h"

struct text;

/* ENDED_LIMIT: some candidates of a class are open; ENDED_TIME: without k, more step counts were wanted. */
enum frontier_end { ENDED_BOUND, ENDED_STEPS, ENDED_LIMIT, ENDED_TIME };
extern const char *const frontier_end_names[]; /* "bound", "steps", "limit", "time" */

/* The k of a frontier of all algorithms: of any R, and of any C. */
enum { WITHOUT_K = -1 };

/* The least R/C of all algorithms with at most so many steps, of any C and R (synth/frontier/program_search.h). */
struct step_value {
	int steps;
	struct rational at_least; /* proved */
	bool attained;            /* and some algorithm attains it, whatever its C */
	int root;                 /* of the broadcast whose program shows it for an allreduce of several steps; else -1 */
	bool patterns;            /* patterns of an allreduce show it, among algorithms with one value of a chunk at a node */
	/*
	 * The dual prices that show it, [(step - 1) * rows + row]: rows are the edges of the problem's network, then its
	 * limits. Owned; NULL: a bound shows it, or it was read from a file.
	 */
	struct rational *prices;
	size_t n_prices;
};

/* By ascending number of steps, without a gap; at_least does not increase. */
struct step_values {
	size_t n, capacity;
	struct step_value *of; /* owned */
};
void step_values_add(struct step_values *l, struct step_value v); /* takes its prices */
void step_values_free(struct step_values *l);
/* The value for STEPS steps; NULL: none. */
const struct step_value *step_values_at(const struct step_values *l, int steps);

struct frontier {
	struct topology *topology;    /* owned copy */
	struct collective collective; /* owned copy */
	enum optimality_within within; /* the class of algorithms that was searched */
	struct schedule_constraints constraints; /* that all algorithms of the class satisfy */
	int k;                        /* R - S <= k was searched; or WITHOUT_K */
	int unit;                     /* C is a multiple of this */
	int last_steps;               /* S was searched from the bound up to this */
	int max_chunks;               /* C up to this; 0: limited only by R over the bandwidth bound */
	int bound_steps;
	struct rational bound_bandwidth;
	enum frontier_end ended;
	size_t n_points, points_capacity, files_capacity;
	struct algorithm **points; /* owned; ascending S, descending R/C; verified, with class and proof */
	char **files;              /* owned; the path each point was written to, or NULL */
	size_t n_refuted, n_open;  /* candidates of the class that would beat the points, by ascending S, R/C, C */
	struct candidate *refuted, *open; /* owned */
	struct step_values values; /* WITHOUT_K: from the step bound up to last_steps; else empty */
	struct step_values halves[2]; /* of a composition that was searched WITHOUT_K: of reducescatter and allgather */
	bool lacked_memory; /* WITHOUT_K: a solver that was asked for fewer chunks did; not in files */
	char given_up[256]; /* why the last unanswered question was given up; "": all were answered */
	/*
	 * If compositions of an allreduce and all its algorithms were searched: the frontier of compositions alone,
	 * owned; the enclosing one is that of all algorithms, points that compositions give included. Else NULL.
	 */
	struct frontier *composed;
};

/* Empty, with the problem's machine, collective, class and bounds; the caller's. */
struct frontier *frontier_new(const struct problem *p, int k, int max_chunks);
void frontier_free(struct frontier *f); /* NULL is fine */
void frontier_add(struct frontier *f, struct algorithm *a); /* takes it */
bool frontier_expand(struct frontier *f, struct error *e);  /* lists every send of all points; false with *e set */

/* The value of the point's number of steps, in the class of its claims; NULL: there is none. */
const struct step_value *frontier_value_of(const struct frontier *f, const struct algorithm *point);
/* How far R/C is above that value at most, relative to it; 0: it is the least. Without a value: above the bandwidth bound. */
double frontier_gap(const struct frontier *f, const struct algorithm *point);

enum { CLASS_K_MAX = 4096 }; /* the largest k of a search */

/* Does the point come from compositions, so that its claims are about that class? */
bool frontier_is_composed(const struct frontier *f, const struct algorithm *point);

/* The first step count that is searched: the bound, and at least 1. */
int frontier_first_steps(const struct frontier *f);

/* How many candidates of the class with at most LAST_STEPS steps would beat the points. */
size_t frontier_class_size(const struct frontier *f, int last_steps);

/* The least R/C of the points with at most STEPS steps; not a number: there is none. */
struct rational frontier_best(const struct frontier *f, int steps);
/* The least C of the class for which R/C is below THAN (not a number: any); 0: none. */
int frontier_least_chunks(const struct frontier *f, int rounds, struct rational than);

/* Is the search complete: does the last point meet the bandwidth bound, or is there a point and nothing need cross a
 * link? */
bool frontier_at_bound(const struct frontier *f);

/*
 * Called after each S: classifies every candidate of the class with at most LAST_STEPS steps that would beat the points
 * as refuted, if REFUTED returns true for it, or open. A point that no open candidate could beat is marked as proved by
 * exhaustion.
 */
void frontier_settle(struct frontier *f, int last_steps, bool (*refuted)(const void *context, struct candidate c),
		     const void *context);

/*
 * WITHOUT_K: marks each point as proved by the program of its step count, if it attains the value, and the value of one
 * step less is larger; unless a bound proves it already.
 */
void frontier_claim_values(struct frontier *f);

void frontier_json(const struct frontier *f, struct text *into);  /* one line, as `pareto --json` prints */
void frontier_write(const struct frontier *f, struct text *into); /* the file: format "sccl-frontier" */

/* Reads a frontier file and the algorithms of its points, which are in the same folder; not yet judged
 * (frontier_judge). The caller's; NULL with *e set. */
struct frontier *frontier_open(const char *path, struct error *e);

/*
 * Is a frontier that was read correct, as far as that can be recomputed? Every point must verify, on the frontier's
 * machine and for its collective; the bounds must be those of the class; R/C of the points must descend and their
 * claims follow from the lists; and each candidate of the class (S from the bound to last_steps, R - S <= k, R/C from
 * the bound) that would beat the points must be listed as refuted or open. Refutations are not checked here: their
 * certificates are checked separately. False with WHY. Lists and claims are recomputed in place, with the same result
 * if they are correct.
 */
bool frontier_judge(struct frontier *f, char *why, size_t size);

#endif

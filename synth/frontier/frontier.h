#ifndef SCCL_SYNTH_FRONTIER_FRONTIER_H
#define SCCL_SYNTH_FRONTIER_FRONTIER_H

/* A Pareto frontier: its points, what was refuted beside it, and what a limit left open. docs/reference/formats.md: the file. */

#include "synth/problem/problem.h"

struct text;

enum frontier_end { ENDED_BOUND, ENDED_STEPS, ENDED_LIMIT };
extern const char *const frontier_end_names[]; /* "bound", "steps", "limit" */

struct frontier {
	struct topology *topology;    /* owned copy */
	struct collective collective; /* owned copy */
	enum optimality_within within; /* the class of algorithms that was searched */
	struct schedule_constraints constraints;           /* that all algorithms searched keep to */
	int k;                        /* R - S <= k was searched */
	int unit;                     /* C goes in steps of this */
	int last_steps;               /* S was walked from the bound up to this */
	int max_chunks;               /* C up to this; 0: R over the bandwidth bound alone */
	int bound_steps;
	struct rational bound_bandwidth;
	enum frontier_end ended;
	size_t n_points, points_capacity, files_capacity;
	struct algorithm **points; /* owned; ascending S, descending R/C; verified, with class and proof */
	char **files;              /* where each was written, or NULL */
	size_t n_refuted, n_open;  /* candidates of the class that would beat the points, by ascending S, R/C, C */
	struct candidate *refuted, *open;
	char given_up[256]; /* why the search gave up the last question that it did not answer; "": it answered all it asked */
	/*
	 * Of an allreduce, where compositions and all algorithms were searched: this is the frontier of all, with what
	 * compositions give, and here, owned, is that of compositions alone. NULL elsewhere.
	 */
	struct frontier *composed;
};

struct frontier *frontier_new(const struct problem *p, int k, int max_chunks);
void frontier_free(struct frontier *f); /* NULL is fine */
void frontier_add(struct frontier *f, struct algorithm *a); /* takes it */
bool frontier_expand(struct frontier *f, struct error *e);  /* all points in full */

enum { CLASS_K_MAX = 4096 }; /* the largest k of a search */

/* A point that another class gave: its claims are about that class. */
bool frontier_is_composed(const struct frontier *f, const struct algorithm *point);

/* How many candidates of the class up to there would beat the points. */
size_t frontier_class_size(const struct frontier *f, int last_steps);

/* The least R/C of the points up to S; not a number: there is none. */
struct rational frontier_best(const struct frontier *f, int steps);
/* The least C whose R/C beats THAN (not a number: any) and is in the class at (S, R); 0: none. */
int frontier_least_chunks(const struct frontier *f, int rounds, struct rational than);

/* The walk need not go on: the last point meets the bandwidth bound, or nothing need cross a link. */
bool frontier_at_bound(const struct frontier *f);

/*
 * After each S: every candidate of the class up to there that would beat the points is refuted, by what REFUTED says, or
 * open; a point that no open one could beat is proved by exhaustion, and says so.
 */
void frontier_settle(struct frontier *f, int last_steps, bool (*refuted)(const void *context, struct candidate c),
		     const void *context);

void frontier_json(const struct frontier *f, struct text *into);  /* one line, as `pareto --json` prints */
void frontier_write(const struct frontier *f, struct text *into); /* the file: format "sccl-frontier" */

/* A frontier file with the algorithms of its points, which lie beside it; not judged. NULL with *e set. */
struct frontier *frontier_open(const char *path, struct error *e);

/*
 * Does what was read hold, as far as it can be counted anew? Every point verifies, on the frontier's machine and for its collective;
 * the bounds are those of the class; the points descend and claim what follows from the lists; and each candidate of the class (S from
 * the bound to the last step count walked, R - S <= k, R/C from the bound) that would beat the points is refuted or open. A refusal is
 * taken at its word: its proof is checked apart. False with WHY. The lists and claims are made anew, the same where it holds.
 */
bool frontier_judge(struct frontier *f, char *why, size_t size);

#endif

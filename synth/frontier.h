#ifndef SCCL_SYNTH_FRONTIER_H
#define SCCL_SYNTH_FRONTIER_H

/* A Pareto frontier: its points, what was refuted beside it, and what a limit left open. docs/formats.md: the file. */

#include "synth/problem.h"

struct text;

enum frontier_end { ENDED_BOUND, ENDED_STEPS, ENDED_LIMIT };
extern const char *const frontier_end_names[]; /* "bound", "steps", "limit" */

struct frontier {
	struct topology *topology;    /* owned copy */
	struct collective collective; /* owned copy */
	int k;                        /* R - S <= k was searched */
	int max_steps, max_chunks;    /* S up to this; C up to this, 0: R over the bandwidth bound alone */
	bool least_steps;             /* the walk was told to stop at its first point */
	int bound_steps;
	struct rational bound_bandwidth;
	enum frontier_end ended;
	size_t n_points;
	struct algorithm **points; /* owned; ascending S, descending R/C; verified, with class and proof */
	char **files;              /* where each was written, or NULL */
	size_t n_refuted, n_open;  /* candidates of the class that would beat the points, by ascending S, R/C, C */
	struct candidate *refuted, *open;
};

void frontier_free(struct frontier *f); /* NULL is fine */
void frontier_json(const struct frontier *f, struct text *into);  /* one line, as `pareto --json` prints */
void frontier_write(const struct frontier *f, struct text *into); /* the file: format "sccl-frontier" */

/*
 * Judges a frontier file: every point's file is beside it and verifies and costs what is said; the points descend; and
 * each candidate of the class (S from the bound to the last step count walked, R - S <= k, R/C from the bound) that would
 * beat the points is refuted or open. False with WHY.
 */
bool frontier_verify(const char *path, char *why, size_t size, struct error *e);

#endif

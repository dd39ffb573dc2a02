#ifndef SCCL_SYNTH_PROBLEM_PROBLEM_H
#define SCCL_SYNTH_PROBLEM_PROBLEM_H

/*
 * What is to be synthesized, and how it is put to a solver. A combining collective is solved as its inverse on reversed
 * links (SCCL, section 3.5); allreduce as a reducescatter followed by an allgather (synth/frontier/compose.h), or
 * directly, as a single question in which values are reduced along the way (encode/cnf/direct.h).
 */

#include "core/schedule/algorithm.h"
#include "core/bounds/bounds.h"
#include "core/bounds/timed_cuts.h"
#include "core/schedule/instance.h"
#include "encode/solve.h"

#include <stdint.h>

struct topology;
struct network;
struct symmetry;
struct error;

struct problem {
	const struct topology *topology; /* borrowed */
	struct collective collective;    /* as requested; a custom one unscaled */
	struct schedule_constraints constraints; /* none, unless the caller sets them after opening */
	struct bounds bounds;            /* of the collective; for a composed allreduce, those of compositions */
	int unit;                        /* C must be a multiple of this: P or 1 (collective_unit) */
	bool composed;                   /* an allreduce made of two halves: the fields below are unused */
	bool direct;                     /* an allreduce solved as a single question, or a scan */
	bool inverted;                   /* solved on reversed links, and the answer inverted */
	struct collective asked;         /* what the solver sees: non-combining, an allreduce or a scan. Unscaled */
	struct network *network;         /* what the solver works on; reversed if `inverted` */
	int asked_unit;                  /* C of `collective` divided by C of `asked` */
};

/* Topology and collective must outlive the problem. False with *e set, and nothing to close: the machine cannot
 * perform the collective, or no method for it is known. */
bool problem_open(const struct topology *t, const struct collective *k, struct problem *out, struct error *e);
/* Like problem_open, with the bounds KNOWN already: they are copied. NULL computes them. For an allreduce KNOWN is
 * ignored, and the bounds of compositions are computed. */
bool problem_open_bounded(const struct topology *t, const struct collective *k, const struct bounds *known, struct problem *out,
			  struct error *e);
/* Like problem_open, but an allreduce is solved directly: within the class of all algorithms that keep one value per
 * node and chunk. */
bool problem_open_direct(const struct topology *t, const struct collective *k, struct problem *out, struct error *e);
void problem_close(struct problem *p);

/* problem_instance fills *out with the solver's instance for a candidate; problem_instance_done frees the collective
 * that it scaled. problem_algorithm turns the solver's answer into an algorithm: inverted if necessary, verified,
 * with bounds and the class that the bounds alone prove. It takes the steps. False or NULL with *e set
 * (ERROR_SYSTEM: the verifier rejected the answer). */
bool problem_instance(const struct problem *p, struct candidate c, struct instance *out, struct error *e);
void problem_instance_done(struct instance *i);
struct algorithm *problem_algorithm(const struct problem *p, struct candidate c, struct step *steps, size_t n_steps,
				    struct error *e);

/* Do these steps, from an untrusted source, make an algorithm that problem_algorithm accepts? Their rounds are taken
 * from the steps rather than from the candidate. Borrows the steps; false with *e set. */
bool problem_check_steps(const struct problem *p, struct candidate c, const struct step *steps, size_t n_steps, struct error *e);

/* Like problem_algorithm, but STEPS has one send for each orbit of SYMMETRY, a symmetry of the asked collective,
 * which is taken too. NULL: STEPS has every send. */
struct algorithm *problem_compact(const struct problem *p, struct candidate c, struct step *steps, size_t n_steps,
				  struct symmetry *symmetry, struct error *e);

/* Takes an algorithm for the problem and returns it classified and verified, or NULL with *e set. NULL stays NULL. */
struct algorithm *problem_judged(const struct problem *p, struct algorithm *a, struct error *e);

/* Is the candidate below a bound, and thus refuted without a solver? WHY gets the reason. */
bool problem_below_bounds(const struct problem *p, struct candidate c, char *why, size_t size);

/* A lower bound on R/C with exactly STEPS steps and any number of rounds (core/bounds/timed_cuts.h): often far above
 * the bandwidth bound, which holds for any number of steps. Of an allreduce, solved directly: core/bounds/switch_steps.h.
 * 0: nothing is known, as for scan and most allreduces. */
struct rational problem_bandwidth_in(const struct problem *p, int steps, enum timed_effort effort);

/* An upper bound on C with STEPS steps and R rounds, where every step has a whole number of rounds
 * (core/bounds/whole_rounds.h): MOST[R - FIRST] for each R from FIRST to LAST; -1 where nothing is known. */
void problem_most_chunks(const struct problem *p, int steps, int first, int last, enum timed_effort effort, int64_t *most);

/* Sets the algorithm's bounds, and the class and proof that follow from them alone. */
void problem_classify(const struct problem *p, struct algorithm *a);

struct rational candidate_bandwidth(struct candidate c); /* R/C */

/* C must be a multiple of this: P if the buffers have a block for each node, and for an allreduce; else 1. An allreduce
 * that is solved directly (problem_open_direct) has unit 1 instead. */
int collective_unit(const struct collective *k, int nodes);
/* False with *e set (ERROR_INPUT) if CHUNKS is not a valid C for the collective or not a multiple of the unit. */
bool problem_check_chunks(const struct problem *p, int chunks, struct error *e);

#endif

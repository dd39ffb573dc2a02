#ifndef SCCL_SYNTH_PROBLEM_PROBLEM_H
#define SCCL_SYNTH_PROBLEM_PROBLEM_H

/*
 * What is to be synthesized, and how a solver is asked for it. A combining collective is asked as its inverse on
 * reversed links (SCCL, section 3.5); allreduce as a reducescatter and an allgather (synth/frontier/compose.h), or directly, as
 * one question in which values are added on the way (encode/cnf/direct.h).
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
	struct collective collective;    /* as asked; a custom one unscaled */
	struct schedule_constraints constraints;              /* to be kept to; nothing, unless the caller says so after opening it */
	struct bounds bounds;            /* of that; for a composed allreduce those of compositions */
	int unit;                        /* C goes in steps of this: P where it must be a multiple, else 1 */
	bool composed;                   /* an allreduce of two halves: the fields below are not used */
	bool direct;                     /* an allreduce asked as one question, or a scan */
	bool inverted;                   /* asked on reversed links, the answer inverted */
	struct collective asked;         /* what the solver sees: a non-combining one, or an allreduce. Unscaled */
	struct network *network;         /* that it is asked on: reversed where inverted */
	int asked_unit;                  /* C of ours / C of the asked one */
};

/* Topology and collective must outlive the problem. False with *e set: the machine cannot do it, or no way is known. */
bool problem_open(const struct topology *t, const struct collective *k, struct problem *out, struct error *e);
/* The same where the bounds of all algorithms are known, which are copied. */
bool problem_open_bounded(const struct topology *t, const struct collective *k, const struct bounds *known, struct problem *out,
			  struct error *e);
/* The same, but an allreduce is to be asked directly: in the class of all algorithms with one value a node and chunk. */
bool problem_open_direct(const struct topology *t, const struct collective *k, struct problem *out, struct error *e);
void problem_close(struct problem *p);

/* The instance for a candidate, and the algorithm of its answer, inverted where it must be, verified, with bounds and the
 * class that the bounds alone prove. Takes the steps. False with *e set (ERROR_SYSTEM: the verifier found a fault in it).
 * instance_done frees what problem_instance scaled. */
bool problem_instance(const struct problem *p, struct candidate c, struct instance *out, struct error *e);
void problem_instance_done(struct instance *i);
struct algorithm *problem_algorithm(const struct problem *p, struct candidate c, struct step *steps, size_t n_steps,
				    struct error *e);

/* Would these steps, whoever wrote them, be such an algorithm? Borrows them; false with *e set. */
bool problem_check_steps(const struct problem *p, struct candidate c, const struct step *steps, size_t n_steps, struct error *e);

/* The same told by one send of each orbit of SYMMETRY, which is of the asked collective and is taken too. */
struct algorithm *problem_compact(const struct problem *p, struct candidate c, struct step *steps, size_t n_steps,
				  struct symmetry *symmetry, struct error *e);

/* Takes an algorithm for the problem: classified and verified it comes back, else NULL with *e set. NULL stays NULL. */
struct algorithm *problem_judged(const struct problem *p, struct algorithm *a, struct error *e);

/* Is the candidate below a bound, so that the answer is no without a solver? Says which in WHY. */
bool problem_below_bounds(const struct problem *p, struct candidate c, char *why, size_t size);

/* What R/C must be in so many steps, however many rounds there are (core/bounds/timed_cuts.h): often far more than the bound, which
 * counts any number of steps. 0: nothing is known, as of allreduce. */
struct rational problem_bandwidth_in(const struct problem *p, int steps, enum timed_effort effort);

/* The most chunks that S steps and so many rounds carry, each step a whole number of rounds (core/bounds/whole_rounds.h): for FIRST up to LAST
 * rounds in most [R - FIRST], -1 where nothing is known. */
void problem_most_chunks(const struct problem *p, int steps, int first, int last, enum timed_effort effort, int64_t *most);

/* Sets bounds and, from them alone, class and proof. */
void problem_classify(const struct problem *p, struct algorithm *a);

struct rational candidate_bandwidth(struct candidate c); /* R/C */

/* C goes in steps of this: P where the buffers have a block for each node, and where an allreduce is composed (not where it
 * is asked directly); else 1. */
int collective_unit(const struct collective *k, int nodes);
/* Bad input, exit 2, where it is not. */
bool problem_check_chunks(const struct problem *p, int chunks, struct error *e);

#endif

#ifndef SCCL_SYNTH_BUILDER_METHOD_H
#define SCCL_SYNTH_BUILDER_METHOD_H

/*
 * Methods that construct an algorithm without a search: one table row per method, one or a few files each. A row builds
 * schedules of the kinds it names; synth/methods/build.c derives the other kinds (combining collectives by inversion on
 * reversed links, an allreduce from its halves), verifies the result, classifies it against the bounds, and reports.
 * See docs/reference/methods.md and CONTRIBUTING.md.
 */

#include "core/schedule/algorithm.h"
#include "core/schedule/collective.h"
#include "core/base/rational.h"
#include "core/base/text.h"

struct bounds;
struct error;
struct network;
struct topology;

struct method_options {
	int chunks;       /* -C; 0: what suits the method */
	int steps;        /* -S: of timed-trees; 0: what suits the method */
	double epsilon;   /* --epsilon: relative gap to the optimum for multiplicative weights; 0: method's default */
	double threshold; /* --threshold: fraction of the optimum that may be lost for simple weights; 0: none */
	bool prefer_height; /* --prefer height: MultiTree grows trees with the most height left first */
	bool fewest;      /* --fewest: as few distinct trees as an integer program finds */
	double usage_penalty; /* MXNet: what a link's weight is multiplied by for each tree that has it; 0: 0.7 */
	bool backtrack;   /* MXNet: search for trees at once instead of clustering */
	int64_t array_bound; /* MXNet: with --bytes, elements of 4 bytes from which on all trees are taken; 0: the faster */
	int64_t bytes;    /* --bytes: size of a node's input to optimize for; 0: not given */
	struct rational alpha, beta; /* with --bytes: µs per step; µs per byte over one unit of bandwidth */
	bool alpha_given, beta_given; /* else they are those of the machine's slowest kind of link */
	const struct bounds *known; /* of the collective, unless it is an allreduce; borrowed. NULL: they are computed */
};

struct method_request {
	const struct topology *topology; /* reversed where the schedule is to be inverted */
	const struct network *network;   /* of that topology; routes are those of the machine as given */
	struct collective collective;    /* what to build: one of the kinds in the row's `constructs` */
	struct method_options options;   /* chunks: the C of the schedule to build */
	struct text *report;             /* readable lines on the construction: trees, weights, rate; each ends in \n */
};

enum { HEEDS_EPSILON = 1, HEEDS_HEIGHT = 2, HEEDS_BYTES = 4, HEEDS_THRESHOLD = 8, HEEDS_STEPS = 16, HEEDS_MXNET = 32, HEEDS_FEWEST = 64, NEEDS_BYTES = 128 };

/* What a method returns: the steps, owned by the caller, with their rounds counted. */
struct construction {
	int chunks; /* C */
	size_t n_steps;
	struct step *steps;
	bool as_fine; /* chunks have the size they should have: no refinement */
};

struct method {
	const char *name;
	const char *about; /* one line for the list of methods */
	const char *paper;
	unsigned constructs;    /* 1u << kind for each kind that `construct` accepts */
	unsigned heeds;    /* HEEDS_...: the options besides chunks that affect the result; others are refused */
	bool slow;         /* may take minutes on machines of a hundred nodes: tried last where all methods are */
	/*
	 * False with *e set; ERROR_INPUT states why the method cannot serve this machine or C. Never returns a wrong
	 * schedule.
	 */
	bool (*construct)(const struct method_request *r, struct construction *out, struct error *e);
};

/* The table of all methods and its length. */
const struct method *methods_all(size_t *n);
/* NULL with ERROR_INPUT: there is no method of that name. */
const struct method *method_find(const char *name, struct error *e);

/* Can it build this kind, directly or from the kinds it builds? */
bool method_serves(const struct method *m, enum collective_kind kind);

/*
 * A verified and classified algorithm, which the caller owns, or NULL with *e set. The method's own lines are added to
 * REPORT.
 */
struct algorithm *method_build(const struct method *m, const struct topology *t, const struct collective *k,
			       const struct method_options *o, struct text *report, struct error *e);

#endif

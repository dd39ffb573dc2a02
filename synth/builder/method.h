#ifndef SCCL_SYNTH_BUILDER_METHOD_H
#define SCCL_SYNTH_BUILDER_METHOD_H

/*
 * Ways to build an algorithm without a search: one row a method, one file (or a few) each. A row draws schedules of the kinds
 * that it names; synth/methods/build.c makes the rest of them (a combining collective by inversion on reversed links, an allreduce of
 * its halves), verifies, classifies against the bounds, and tells. docs/reference/methods.md, CONTRIBUTING.md.
 */

#include "core/schedule/algorithm.h"
#include "core/schedule/collective.h"
#include "core/base/rational.h"
#include "core/base/text.h"

struct error;
struct network;
struct topology;

struct method_options {
	int chunks;       /* -C; 0: what suits the method */
	double epsilon;   /* --epsilon: how near to the optimum multiplicative weights come; 0: the method's own */
	double threshold; /* --threshold: the share of the optimum that simple weights may fall short of it; 0: none */
	bool prefer_height; /* --prefer height: MultiTree grows the trees first that have most left to grow */
	int64_t bytes;    /* --bytes: of a node's input, which it is to serve best; 0: not given */
	struct rational alpha, beta; /* where bytes are given: µs a step, and a byte over one unit of bandwidth */
};

struct method_request {
	const struct topology *topology; /* reversed where the schedule is to be inverted */
	const struct network *network;   /* of it, with the routes of the machine as it is */
	struct collective collective;    /* what to draw: a kind of the row's `draws` */
	struct method_options options;   /* chunks in the C of what is drawn */
	struct text *report;             /* lines for people on how it came about: trees, weights, rate. Each ends in \n */
};

enum { HEEDS_EPSILON = 1, HEEDS_HEIGHT = 2, HEEDS_BYTES = 4, HEEDS_THRESHOLD = 8 };

/* What a method gives: the steps are the caller's, rounds counted. */
struct drawing {
	int chunks; /* C */
	size_t n_steps;
	struct step *steps;
	bool as_fine; /* chunks are as small as they should be: they are not cut to fill links */
};

struct method {
	const char *name;
	const char *about; /* one line for the list of methods */
	const char *paper;
	unsigned draws;    /* 1u << kind for each kind that `draw` takes */
	unsigned heeds;    /* HEEDS_...: the options, but for chunks, that change what it draws; others are refused */
	/* False with *e set: ERROR_INPUT says why the method cannot serve this machine or C; never a wrong schedule. */
	bool (*draw)(const struct method_request *r, struct drawing *out, struct error *e);
};

/* All of them; *n of them. */
const struct method *methods_all(size_t *n);
const struct method *method_find(const char *name, struct error *e);

/* Does it draw the kind, or can it be made of what it draws? */
bool method_serves(const struct method *m, enum collective_kind kind);

/* Verified and classified, or NULL with *e set. REPORT gets the method's own lines. */
struct algorithm *method_build(const struct method *m, const struct topology *t, const struct collective *k,
			       const struct method_options *o, struct text *report, struct error *e);

#endif

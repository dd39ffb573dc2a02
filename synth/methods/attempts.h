#ifndef SCCL_SYNTH_METHODS_ATTEMPTS_H
#define SCCL_SYNTH_METHODS_ATTEMPTS_H

/*
 * The ways to construct an algorithm without a search, each with the options worth trying: the rows of the table of
 * methods, trees at the full rate, the constructions for symmetric machines, and pairs of halves for an allreduce. For
 * synth/methods/constructions.c, which runs each in a process of its own.
 */

#include "synth/builder/method.h"

struct algorithm;
struct construction_measure;
struct error;
struct problem;
struct topology;

/* What is to be constructed. Everything is borrowed. */
struct attempt_subject {
	const struct topology *topology;
	const struct collective *collective;
	const struct problem *problem; /* both of them, opened */
	int max_steps, max_chunks;     /* 0: any number */
	bool timed;                    /* is there a measure, and are its values times of known sizes? */
	struct candidate exactly;      /* C not 0: only algorithms of this C, in at most this S and R */
	bool measured;                 /* is there a measure (synth/methods/constructions.h)? */
	/* For an allreduce: reducescatters, then allgathers, to be joined in pairs. */
	struct attempt_halves {
		size_t n;
		struct algorithm *const *of;
		const double *values; /* with a measure: [n * measure->n] */
	} halves[2];
};

/* Receives each algorithm as soon as it is there, verified and within the limits of the subject; owns it from then on. */
struct attempt_sink {
	void (*take)(void *context, struct algorithm *a);
	/* With a measure (synth/methods/constructions.h), else NULL: */
	const struct construction_measure *measure;
	bool (*is_wanted)(const void *context, const double *values); /* would an algorithm with these values be kept? */
	bool (*has_helped)(const void *context); /* was the last one taken better, for some value, than all before it of the same attempt? */
	/* Is no algorithm of that cost wanted? Asked before one is made where its cost is known in advance. */
	bool (*is_beaten)(const void *context, int steps, struct rational bandwidth);
	void *context;
	bool *is_cut; /* set by an attempt that ends before its time is over, but might find more with more time */
};

struct attempt;
/* *E: why nothing was built, or ERROR_SYSTEM in any case: an internal fault. */
typedef void attempt_run(const struct attempt *a, const struct attempt_subject *s, const struct attempt_sink *to, struct error *e);

struct attempt {
	const char *name;
	const struct method *method; /* NULL: not a row of the table */
	bool slow;                   /* may take minutes on machines of a hundred nodes */
	attempt_run *run;
	double part;                 /* of the time that is left, at least; 0: an equal share is enough */
	bool cheap;                  /* for what it may give: gets more time than others at first */
	bool ascends;                /* through numbers of chunks, until that no longer helps */
};

/* The attempts that may serve the subject, slow ones last. The caller frees the array. */
struct attempt *attempts_for(const struct attempt_subject *s, size_t *n);

#endif

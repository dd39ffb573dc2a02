#ifndef SCCL_EXPLORE_BEST_BEST_H
#define SCCL_EXPLORE_BEST_BEST_H

/*
 * Which algorithm is the fastest for which size, and how far it is from a bound: every algorithm that the methods, the
 * catalog and a search give within a time is simulated for all sizes, and the fastest for each is kept. The ring and the
 * double binary trees that NCCL uses are always among them where they apply.
 */

#include "core/base/text.h"
#include "core/schedule/algorithm.h"
#include "simulate/simulator.h"

#include <stdint.h>

struct best_entry;
struct best_news;
struct error;
struct topology;

/* What is asked. Everything is borrowed. */
struct best_question {
	const struct topology *topology;
	const struct collective *collective;
	size_t n_sizes;
	const int64_t *sizes;         /* bytes of one rank's input, ascending */
	struct simulation how;
	int64_t most_sends;           /* algorithms with more, in full, are left out; 0: none are */
	double within;                /* seconds for the whole study */
	const volatile int *interrupted; /* set by a signal handler: ends the study with what it has. May be NULL */
	/* Called when a construction or search begins, and for each algorithm that is the fastest so far for some size; NULL: not. */
	void (*progress)(void *context, const struct best_news *news);
	void *context;
};

/* What is known at some moment. Borrowed. */
struct best_news {
	const char *doing;           /* "ring", "the catalog": of the construction or the search that began; NULL: none did */
	const struct best_entry *is_new; /* NULL: none is */
	int64_t from, to;            /* the smallest and largest size for which it is the fastest */
	size_t n_simulated;
	double seconds_left;
};

/* An algorithm that is the fastest for some size. Everything is owned. */
struct best_entry {
	char *name, *method;   /* as in its file */
	struct candidate cost; /* (C, S, R) */
	double *microseconds;  /* [size] */
	struct text text;      /* its file */
};

/* NCCL's algorithms, each at every size with the number of chunks that is fastest there. */
enum best_baseline { BEST_RING, BEST_TREES, BEST_BASELINES };
extern const char *const best_baseline_names[BEST_BASELINES + 1]; /* of the methods; NULL-terminated */

/* Released with best_free. */
struct best_study {
	size_t n_sizes;
	size_t n;                   /* by the smallest size for which they are the fastest */
	struct best_entry *entries;
	int *fastest;               /* [size]: an index into entries; -1: nothing was found */
	double *bound;              /* [size]: µs, a lower bound on any schedule; 0: not known */
	struct text certificate;    /* of the bounds (simulate/time_bound.h); empty: they are not known. Owned. */
	double *baselines[BEST_BASELINES]; /* [size]: µs; INFINITY: it does not apply, or there was no time for it */
	size_t n_simulated;
	struct text late;             /* names of what the time was too short for, separated by commas; owned */
	bool is_late[BEST_BASELINES]; /* was there no time for some number of chunks of it, which might be faster? */
	struct text died;             /* "the search for a frontier died: Aborted"; empty: nothing did; owned */
	bool is_interrupted;          /* by the user */
};

/*
 * False with *e set, and nothing to free: the machine cannot perform the collective, or has no α and β (ERROR_INPUT); no
 * method has an algorithm (ERROR_INPUT), or none was found in time (ERROR_LIMIT); or a fault. Ends within the time, or
 * a fraction of a second later.
 */
bool best_find(const struct best_question *q, struct best_study *out, struct error *e);
void best_free(struct best_study *b);

/* False with *e set (ERROR_SYSTEM): the bound of one of the SIZES is above a time, so that one of them is wrong. */
bool best_check(const struct best_study *b, const int64_t *sizes, struct error *e);

/* µs of the fastest at size number S; INFINITY: none. */
double best_time(const struct best_study *b, size_t s);

#endif

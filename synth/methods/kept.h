#ifndef SCCL_SYNTH_METHODS_KEPT_H
#define SCCL_SYNTH_METHODS_KEPT_H

/* The algorithms that no other beats, as text: by S and R/C, or by the values of a measure. For constructions.c. */

#include "core/base/rational.h"
#include "core/base/text.h"
#include "core/schedule/algorithm.h"

struct kept_text {
	struct candidate cost;
	double *values;   /* [n_values]; owned, as is the text */
	struct text text; /* of its file */
};

/* Set n_values and zero the rest. Released by kept_free. */
struct kept {
	size_t n_values;      /* of the measure; 0: there is none */
	size_t n, room;
	struct kept_text *of; /* by ascending S */
};

extern const double kept_rounding; /* values that differ by less, relatively, are equal */

/* Is there one with at most so many steps and this R/C? */
bool kept_beats(const struct kept *k, int steps, struct rational bandwidth);
/* Would one of this cost or, with a measure, of these values be kept? */
bool kept_wants(const struct kept *k, struct candidate c, const double *values);
/* Which has the least value number V, the first of equals; k->n: none. */
size_t kept_least(const struct kept *k, size_t v);
double kept_seconds(const struct kept *k); /* that reading all of them takes, about */
/* Adds what is wanted, and drops what it beats. Takes ownership. */
void kept_take(struct kept *k, struct kept_text x);
void kept_free(struct kept *k);

#endif

#ifndef SCCL_SYNTH_PROGRAM_WHOLE_SHARES_H
#define SCCL_SYNTH_PROGRAM_WHOLE_SHARES_H

/* How many chunks each image (synth/program/images.h) carries in given whole rounds: linear programs, rounded. */

#include "synth/program/images.h"

#include "core/base/csr.h"

struct linear;

/* The linear program of some images; released by whole_shares_close. */
struct whole_shares {
	const struct timed_program *q; /* borrowed */
	const struct images *x;        /* the same */
	struct csr cells;              /* image: the capacities that it loads, in each step, each as often as it does */
	int n_rows, *row;              /* [step * capacities + capacity]: its row, after those of the commodities; -1: none */
	struct linear *l;
};

/* For at most MOST times the demands. False: the program is too large. */
bool whole_shares_open(const struct timed_program *q, const struct images *x, int most, struct whole_shares *out);
void whole_shares_close(struct whole_shares *s);

/*
 * TAKEN [image]: chunks for which there is room together in ROUNDS [step]; nearly as many as the program has in fractions.
 * Those of one commodity may be more than the demands allow for others. After the deadline (core/base/stop.h) fewer.
 */
void whole_shares_find(struct whole_shares *s, const int *rounds, int *taken);

#endif

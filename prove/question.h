#ifndef SCCL_PROVE_QUESTION_H
#define SCCL_PROVE_QUESTION_H

/* What a candidate of a collective asks of a machine, as an instance: combining ones as their inverses on reversed links. */

#include "core/schedule/algorithm.h"
#include "core/schedule/instance.h"

struct network;

struct question {
	const struct topology *topology; /* borrowed */
	struct collective asked;         /* not combining; a custom one unscaled. Owned. */
	struct network *network;         /* that it is asked on: reversed where backwards. Owned. */
	bool backwards;
	int unit;       /* C of the collective is a multiple of this */
	int asked_unit; /* C of the collective / C of the asked one */
};

/* An allreduce is asked directly. The topology must outlive it. */
bool question_open(const struct topology *t, const struct collective *k, struct question *out, struct error *e);
void question_close(struct question *q);

/* question_done frees what was scaled for it. */
bool question_instance(const struct question *q, struct candidate c, struct instance *out, struct error *e);
void question_done(struct instance *i);

#endif

#ifndef SCCL_PROVE_QUESTION_H
#define SCCL_PROVE_QUESTION_H

/*
 * The instance that decides a candidate of a collective on a machine; for combining collectives, of their inverse on
 * reversed links.
 */

#include "core/schedule/algorithm.h"
#include "core/schedule/instance.h"

struct network;

/* A collective as it is asked about; released by question_close. */
struct question {
	const struct topology *topology; /* borrowed */
	struct collective asked;         /* noncombining, or allreduce; a custom one is unscaled. Owned. */
	struct network *network;         /* the one asked about: reversed if backwards. Owned. */
	bool backwards;
	int unit;       /* C of the collective is a multiple of this */
	int asked_unit; /* C of the collective / C of the one asked about */
};

/*
 * An allreduce is asked about directly. T must outlive *OUT. False with *e set: a scan, which has no certificates, or a
 * topology that cannot be used.
 */
bool question_open(const struct topology *t, const struct collective *k, struct question *out, struct error *e);
/* The same, also where switches copy or add: for bounds that count each chunk once (core/machine/network.h), and nothing else. */
bool question_open_for_bounds(const struct topology *t, const struct collective *k, struct question *out, struct error *e);
void question_close(struct question *q);

/*
 * The instance of a candidate; the caller releases it with question_done. False with *e set: C is not a multiple of the
 * unit, or the instance is not valid.
 */
bool question_instance(const struct question *q, struct candidate c, struct instance *out, struct error *e);
void question_done(struct instance *i);

#endif

#ifndef SCCL_LOWER_LOWER_H
#define SCCL_LOWER_LOWER_H

/* A verified schedule as a program: the one door of this folder for cli/. */

#include "core/base/text.h"
#include "lower/program/kernels.h"

struct algorithm;
struct error;

/* One row a target. To add one: its emitter, and its row in lower/text/targets.c. */
struct target {
	const char *name;   /* "host" */
	const char *suffix; /* ".c" */
	const char *about;
};
const struct target *lower_targets(size_t *n);
const struct target *lower_target(const char *name, struct error *e);

/* About 700 bytes of memory a send. */
enum { LOWERED_SENDS_MAX = 1 << 20 };

/* False with *e set: A has more sends. */
bool lower_fits(const struct algorithm *a, struct error *e);

struct lowered {
	char *name;               /* an identifier: file name without suffix, and symbol of the sccl_program_t */
	struct text source, header;
};

/* Builds, schedules, checks (races, deadlock, coverage), emits; with the kernels of K, NULL: all. A must have passed algorithm_verify. False with *e set: it
 * has more than LOWERED_SENDS_MAX sends, it does not verify, or the check refused, with the place. */
bool lower(const struct algorithm *a, const struct target *t, const struct kernels *k, struct lowered *out,
	   struct error *e);
void lowered_free(struct lowered *l);

/* HEADER, which a file has, and OURS: do they say that they are of two schedules? */
bool header_is_of_another(const char *header, const char *ours);

/* What lower() will call its program. The caller frees. */
char *lower_name(const struct algorithm *a);

#endif

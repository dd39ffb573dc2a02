#ifndef SCCL_CORE_SCHEDULE_ALGORITHM_H
#define SCCL_CORE_SCHEDULE_ALGORITHM_H

/* A schedule: what moves where, step by step, and what is known of it. docs/reference/formats.md gives the file form. */

#include "core/schedule/collective.h"
#include "core/base/rational.h"
#include "core/schedule/constraints.h"

#include <stdbool.h>
#include <stddef.h>

struct error;
struct json_document;
struct json_place;
struct price;
struct symmetry;
struct text;
struct topology;

struct send {
	int chunk, src, dst;
};

struct step {
	int rounds;
	size_t n_sends;
	struct send *sends;   /* copies, sorted by (chunk, src, dst); all at once: they read the state before the step */
	size_t n_reduces;
	struct send *reduces; /* src's partial value is added into dst's; sorted */
};

enum optimality_class { CLASS_NONE, CLASS_LATENCY, CLASS_BANDWIDTH, CLASS_BOTH, CLASS_PARETO };
enum optimality_proof { PROOF_NONE, PROOF_BOUND, PROOF_EXHAUSTED };
enum optimality_within { WITHIN_ALL, WITHIN_COMPOSITION, WITHIN_ONE_VALUE };

struct candidate {
	int chunks, steps, rounds;
};

struct optimality {
	enum optimality_class class;
	enum optimality_proof proof;
	enum optimality_within within;
	int class_k;                /* PROOF_EXHAUSTED: R - S <= k was searched */
	size_t n_refuted;           /* PROOF_EXHAUSTED: every better candidate of the class, each refuted */
	struct candidate *refuted;
};

struct algorithm {
	char *name;
	struct topology *topology;    /* owned */
	struct collective collective; /* owned; a custom one is scaled: its lists cover all global chunks */
	int chunks, global_chunks;    /* C, G */
	struct schedule_constraints constraints;           /* what it keeps to besides; all zero: nothing */
	size_t n_steps;
	struct step *steps;           /* owned, with their sends */
	struct symmetry *symmetry;    /* owned. Not NULL: compact, the schedule is these sends and all their images */
	bool has_bounds;
	int bound_steps;
	struct rational bound_bandwidth; /* rounds per chunk */
	size_t n_bound_prices;
	struct price *bound_prices;      /* that show it, where no cut does (core/machine/prices.h); owned */
	struct optimality optimality;
	char *method, *version;       /* made_by; may be NULL when read from a file without it */
};

/* Takes the steps (and sorts their sends); copies the rest. The name is made: TOPOLOGY-COLLECTIVE-cC-sS-rR[-rootN]. */
struct algorithm *algorithm_new(const struct topology *t, const struct collective *k, int chunks, size_t n_steps,
				struct step *steps, const char *method);
/* The name that algorithm_new gives, after steps or rounds were changed. */
void algorithm_rename(struct algorithm *a);
/* Says that it keeps to these, in its name too. Whether it does is for core/verify/verify.h. */
void algorithm_set_constraints(struct algorithm *a, const struct schedule_constraints *t);
struct algorithm *algorithm_copy(const struct algorithm *a);
void algorithm_free(struct algorithm *a); /* NULL is fine */
void steps_free(struct step *steps, size_t n_steps);
int algorithm_rounds(const struct algorithm *a);              /* R */
struct rational algorithm_bandwidth(const struct algorithm *a); /* R/C */

/* Reads a file of format "sccl-algorithm", both the full and the compact ("symmetry") form, and checks its shape: ranges,
 * counts, its stated cost against its steps. It is not verified: core/verify/verify.h does that. The first gives it in full; the
 * others as it is written, and most that takes algorithms wants it in full. */
struct algorithm *algorithm_open(const char *path, struct error *e);
/* In full where that is at most MOST sends; more are an ERROR_LIMIT, found before they are listed. */
struct algorithm *algorithm_open_up_to(const char *path, size_t most, struct error *e);
struct algorithm *algorithm_open_compact(const char *path, struct error *e);
struct algorithm *algorithm_read(const struct json_document *d, struct error *e);

/* In full: every send. False with *e set (ERROR_LIMIT) and nothing changed: there are more than MOST, or than EXPANDED_MAX. */
bool algorithm_expand_up_to(struct algorithm *a, size_t most, struct error *e);
bool algorithm_expand(struct algorithm *a, struct error *e);
/* The same at once or not at all: false where there are more than MOST, or it would take longer. */
bool algorithm_expand_few(struct algorithm *a, size_t most);
/* How many sends it is in full, counted without listing them. False: the group is too large to count. */
bool algorithm_full_size(const struct algorithm *a, int64_t *size);
size_t algorithm_listed(const struct algorithm *a); /* the sends of its steps as they stand */
void algorithm_write(const struct algorithm *a, struct text *into); /* one step a line, the same bytes every time */
bool algorithm_save(const struct algorithm *a, const char *path, struct error *e);

/* "pipeline" and "extra_memory" of an object, where they are. */
bool constraints_read(const struct json_place *top, const struct collective *k, struct schedule_constraints *out, struct error *e);

/* A list of [C, S, R] in a file. Owned by the caller, also where it is at fault. */
bool candidates_read(const struct json_place *at, struct candidate **list, size_t *n, struct error *e);

extern const char *const optimality_class_names[], *const optimality_proof_names[], *const optimality_within_names[];

enum { STEPS_MAX = 1 << 20, ROUNDS_MAX = 1 << 24, EXPANDED_MAX = 1 << 24 };

#endif

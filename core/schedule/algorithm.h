#ifndef SCCL_CORE_SCHEDULE_ALGORITHM_H
#define SCCL_CORE_SCHEDULE_ALGORITHM_H

/*
 * An algorithm: a schedule of sends in steps, and what is known about its quality. The file format is in
 * docs/reference/formats.md.
 */

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

/* All sends of a step are simultaneous: they read the state before the step. */
struct step {
	int rounds;
	size_t n_sends;
	struct send *sends;   /* copies, sorted by (chunk, src, dst) */
	size_t n_reduces;
	struct send *reduces; /* src's partial value is added to dst's; sorted likewise */
};

/* What the algorithm is optimal in, how that was proved, and among which algorithms. */
enum optimality_class { CLASS_NONE, CLASS_LATENCY, CLASS_BANDWIDTH, CLASS_BOTH, CLASS_PARETO };
/*
 * PROOF_EXHAUSTED: every better candidate of a class was refuted. PROOF_PROGRAM: the linear program over timed trees has
 * no smaller R/C for so many steps, whatever C and R, and a larger one for fewer.
 */
enum optimality_proof { PROOF_NONE, PROOF_BOUND, PROOF_EXHAUSTED, PROOF_PROGRAM, PROOFS };
enum optimality_within { WITHIN_ALL, WITHIN_COMPOSITION, WITHIN_ONE_VALUE };

/* (C, S, R). */
struct candidate {
	int chunks, steps, rounds;
};

struct optimality {
	enum optimality_class class;
	enum optimality_proof proof;
	enum optimality_within within;
	int class_k;                /* PROOF_EXHAUSTED: all candidates with R - S <= class_k were considered */
	size_t n_refuted;           /* PROOF_EXHAUSTED: every better one of them, each refuted */
	struct candidate *refuted;
};

struct algorithm {
	char *name;
	struct topology *topology;    /* owned */
	struct collective collective; /* owned; a custom one is scaled: its lists cover all global chunks */
	int chunks, global_chunks;    /* C, G */
	struct schedule_constraints constraints; /* that it satisfies; all zero: none */
	size_t n_steps;
	struct step *steps;           /* owned, with their sends */
	struct symmetry *symmetry;    /* owned. Not NULL: compact form: these sends and all their images */
	bool has_bounds;
	int bound_steps;
	struct rational bound_bandwidth; /* rounds per chunk */
	size_t n_bound_prices;
	struct price *bound_prices;      /* that certify it, where no cut does (core/machine/prices.h); owned */
	struct optimality optimality;
	char *method, *version;       /* made_by; NULL if read from a file without it */
};

/*
 * Takes ownership of STEPS and sorts their sends; copies the rest. The name is derived: TOPOLOGY-COLLECTIVE-cC-sS-rR,
 * followed by -rootN, the constraints, and the method unless it is "smt". The caller frees the algorithm.
 */
struct algorithm *algorithm_new(const struct topology *t, const struct collective *k, int chunks, size_t n_steps,
				struct step *steps, const char *method);
/* Derives the name again, after steps or rounds were changed. */
void algorithm_rename(struct algorithm *a);
/* States that A satisfies these constraints, also in its name. Whether it does is for core/verify/verify.h to check. */
void algorithm_set_constraints(struct algorithm *a, const struct schedule_constraints *t);
struct algorithm *algorithm_copy(const struct algorithm *a); /* the caller frees it */
void algorithm_free(struct algorithm *a); /* NULL is fine */
void steps_free(struct step *steps, size_t n_steps);
int algorithm_rounds(const struct algorithm *a);              /* R */
struct rational algorithm_bandwidth(const struct algorithm *a); /* R/C */

/*
 * Read a file of format "sccl-algorithm", in full or compact ("symmetry") form, and check that it is well-formed:
 * ranges, counts, its stated cost against its steps. They do not verify it: core/verify/verify.h does that. NULL with
 * *e set; otherwise the caller frees the algorithm. algorithm_open returns the full form, which most functions on
 * algorithms require; algorithm_open_compact and algorithm_read return the form that is in the file.
 */
struct algorithm *algorithm_open(const char *path, struct error *e);
/* The full form if it has at most MOST sends; otherwise ERROR_LIMIT, without listing them. */
struct algorithm *algorithm_open_up_to(const char *path, size_t most, struct error *e);
struct algorithm *algorithm_open_compact(const char *path, struct error *e);
struct algorithm *algorithm_read(const struct json_document *d, struct error *e);

/*
 * Converts A to the full form, with every send listed. False with *e set (ERROR_LIMIT) and A unchanged: there would be
 * more than MOST sends (algorithm_expand: EXPANDED_MAX), or it would take too long.
 */
bool algorithm_expand_up_to(struct algorithm *a, size_t most, struct error *e);
bool algorithm_expand(struct algorithm *a, struct error *e);
/* The same if it is quick. False, and A unchanged: there would be more than MOST sends, or it would take longer. */
bool algorithm_expand_few(struct algorithm *a, size_t most);
/* Counts the sends of the full form without listing them. False: the group is too large. */
bool algorithm_full_size(const struct algorithm *a, int64_t *size);
size_t algorithm_listed(const struct algorithm *a); /* the number of sends that its steps list as they are */
void algorithm_write(const struct algorithm *a, struct text *into); /* appends JSON, one step per line; deterministic */
bool algorithm_save(const struct algorithm *a, const char *path, struct error *e); /* false with *e set */

/* Reads the optional "pipeline" and "extra_memory" of an object into *OUT. False with *e set. */
bool constraints_read(const struct json_place *top, const struct collective *k, struct schedule_constraints *out, struct error *e);

/* Reads an array of [C, S, R]. The caller frees *LIST, even after an error. */
bool candidates_read(const struct json_place *at, struct candidate **list, size_t *n, struct error *e);

extern const char *const optimality_class_names[], *const optimality_proof_names[], *const optimality_within_names[];

enum { STEPS_MAX = 1 << 20, ROUNDS_MAX = 1 << 24, EXPANDED_MAX = 1 << 24 };

#endif

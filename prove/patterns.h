#ifndef SCCL_PROVE_PATTERNS_H
#define SCCL_PROVE_PATTERNS_H

/*
 * Lower bounds on R/C of an allreduce, searched directly, in a number of steps: whatever the sends of one chunk are, they pay
 * at least so much at certain prices of links and limits (docs/reference/proofs.md, "Patterns"). That none pays less is a
 * formula that a trace refutes. Among algorithms with one value of a chunk at a node.
 */

#include "prove/program.h"
#include "prove/trace.h"

/*
 * The formula of a program with patterns: PROGRAM_HOLDS means that it states no more than follows if the formula is refuted.
 * Then *OUT is the caller's. PROGRAM_FALSE: WHY is one line.
 */
enum program_answer patterns_formula(const struct question *q, const struct step_program *p, struct cnf *out, char why[PROGRAM_WHY]);

/*
 * Adds the bound LEAST on R/C for STEPS steps to a side that is an allreduce, if PRICES (as for step_program_add) show it. Its
 * trace is made and replayed within LIMITS, but not kept. On false nothing was added, and *e is ERROR_LIMIT (too large, or not
 * refuted within the limits), ERROR_INPUT (some pattern pays less, or as for step_program_add), or a fault of the system.
 */
bool step_patterns_add(struct side *s, const struct question *q, int steps, const struct rational *prices, struct rational least,
		       const struct trace_limits *limits, struct error *e);

enum { PATTERN_SYMMETRIES_MOST = 100 };

void patterns_free(struct patterns *p); /* NULL is fine */

/* Member "patterns" of a program. What was read belongs to *P, even on failure. */
void patterns_write(struct text *into, const struct patterns *p, int nodes);
bool patterns_read(const struct json_place *at, int nodes, struct patterns *p, struct error *e);

#endif

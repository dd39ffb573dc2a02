#ifndef SCCL_PROVE_TIME_PROOF_H
#define SCCL_PROVE_TIME_PROOF_H

/*
 * Certificates of lower bounds on the time of any schedule of a collective, each of the form a + b L: files of format
 * "sccl-time-bound" (docs/reference/proofs.md, "Bounds on time").
 */

#include "core/base/rational.h"
#include "core/machine/topology.h"
#include "core/schedule/collective.h"
#include "prove/proof.h"
#include "prove/time_expanded_read.h"

struct check_report;
struct json_document;

/* What shows a line. */
enum time_by { TIME_BY_INTO, TIME_BY_OUT_OF, TIME_BY_CUT, TIME_BY_ROUNDS, TIME_BY_RELAYS_OUT_OF, TIME_BY_RELAYS_INTO, TIME_BY_DIRECT_OUT_OF,
	       TIME_BY_DIRECT_INTO, TIME_BY_EXPANDED_TIME, TIME_BY_KINDS };
extern const char *const time_by_names[TIME_BY_KINDS];

/* No schedule takes less than LATENCY + PER_MEGABYTE * L; by relays, than the smaller of that and the line of EARLY_... */
struct time_claim {
	enum time_by by;
	struct rational latency;      /* µs */
	struct rational per_megabyte; /* µs per 1e6 bytes of one rank's input */
	struct rational early_latency, early_per_megabyte; /* by relays and direct; likewise */
	int copies;                   /* by relays and direct: chunks that at least so many nodes want, or contribute to, are counted; else 0 */
	int node;                     /* of all but cut and rounds; -1: into any node of the set */
	struct rational away;         /* µs; by into, out_of, direct */
	bool *inside;                 /* by into: [node]: in the set, which is NODE alone if none is given; owned */
	struct cut cut;               /* by cut: the sides, or the parts of an allreduce; by rounds: of any kind. Owned. */
	bool at_end;                  /* each route is counted at the last of the resources that it crosses; false: at the first */
	struct time_expanded expanded; /* by expanded_time; else all zeros */
	size_t n_links, n_limits;
	int *links, *limits;          /* indices into those of the topology; owned */
};

/* Released with time_proof_free. */
struct time_proof {
	struct topology *topology;
	struct collective collective;
	struct rational alpha, beta;  /* of every link, µs and µs per byte of one unit; den 0: as its kind has it */
	struct rational step;         /* what every step costs; den 0: by kind */
	struct rational *step_of;     /* [kind]: µs, if step.den is 0; NULL: nothing */
	size_t n;
	struct time_claim *claims;
};

extern const char time_proof_format[];
struct time_proof *time_proof_read(const struct json_document *d, struct error *e); /* verifies nothing; NULL with *e set */
void time_proof_free(struct time_proof *p);                            /* NULL is allowed */

/*
 * Verifies every line in exact arithmetic. A line that does not hold is no error: true, with out->fault set, or
 * out->gave_up if BUDGET steps (core/base/work.h; 0: no limit) were not enough; out->lines counts them. False
 * with *e set: the machine cannot be used.
 */
bool time_proof_check(const struct time_proof *p, double budget, struct check_report *out, struct error *e);

#endif

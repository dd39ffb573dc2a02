#ifndef SCCL_CLI_COMMANDS_PROOFS_H
#define SCCL_CLI_COMMANDS_PROOFS_H

/* Certificates next to the files of a catalog: where they are, and whether they cover the claims of a file. */

#include "cli/arguments/options.h"

#include "prove/make.h"
#include "synth/frontier/frontier.h"

/* Limits on checking a proof: --timeout for each trace that is generated anew, --budget. */
struct replay_limits {
	double timeout, budget;
};
extern const struct option_row replay_limit_rows[2];

/* The path of a frontier's proofs: DIR/proofs-root0.json for DIR/frontier-root0.json, and proofs-NAME.json for any
 * other NAME.json. The caller frees it. */
char *proofs_path(const char *frontier_path);
/* The path of the proofs for an algorithm of a catalog: in its folder, named by its roots. The caller frees it. */
char *proofs_path_of(const char *algorithm_path, const struct algorithm *a);

/* How it is proved that nothing beats the point, according to its own claims. */
struct point proofs_point(const struct algorithm *a);

/* A proof, still empty, of the frontier at PATH: with its machine, collective, name and points. The caller frees it. */
struct proof *proofs_of_frontier(const struct frontier *f, const char *path);

/* The refuted candidates of a frontier, which need certificates: among all algorithms, and among compositions. Borrowed
 * from F. */
struct make_lists proofs_lists(const struct frontier *f);

/* Is the proof for the algorithm's machine and collective, and does it refute each candidate that the algorithm lists
 * as refuted, or show that its R/C is the least? If not, WHY is one line. */
bool proofs_cover(const struct proof *p, const struct algorithm *a, char *why, size_t size);
/* The same for a whole frontier, including its bounds and points. F was read from PATH and has passed
 * frontier_judge. */
bool proofs_cover_frontier(const struct proof *p, const struct frontier *f, const char *path, char *why, size_t size);
/*
 * After proof_check of the proof at PATH: is the frontier that it names in the same folder, does it hold, and does it
 * agree with the proof? Otherwise, REPORT gets the fault. False with *e set: the frontier cannot be read.
 */
bool proofs_check_frontier(const struct proof *p, const char *path, struct check_report *report, struct error *e);
/* Can certificates express refutations under these schedule constraints? If not, WHY is one line. */
bool proofs_serve(const struct schedule_constraints *constraints, char *why, size_t size);

/* Does a file say that it has bounds on time (prove/time_proof.h)? */
bool proofs_is_time(const struct json_document *d);
/* Verifies them within BUDGET steps. False with *e set: they cannot be read. */
bool proofs_check_time(const struct json_document *d, double budget, struct check_report *report, struct error *e);

/* Writes a summary such as "3 replayed, 371 follow from these, 2 below the bounds" to LINE. */
void proofs_summary(const struct check_report *r, char *line, size_t size);

/* A progress line on a terminal that overwrites itself, for check_options.progress and make_options.progress, with a struct
 * drawn as the context. The callback is NULL if standard error is not a terminal. */
struct proofs_line {
	const char *subject, *verb;
	bool drawn;
};
void (*proofs_progress(void))(void *context, const struct check_news *news);
void proofs_progress_clear(struct proofs_line *d);

#endif

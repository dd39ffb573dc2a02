#ifndef SCCL_CLI_COMMANDS_PROOFS_H
#define SCCL_CLI_COMMANDS_PROOFS_H

/* Certificates beside a catalog's files: where they lie, and whether they cover what a file claims. */

#include "prove/make.h"
#include "synth/frontier/frontier.h"

/* DIR/frontier-root0.json: DIR/proofs-root0.json; any other NAME.json: proofs-NAME.json. The caller frees. */
char *proofs_path(const char *frontier_path);
/* Those of an algorithm of a catalog: in its folder, by its root. The caller frees. */
char *proofs_path_of(const char *algorithm_path, const struct algorithm *a);

/* What shows that nothing beats the point, by its own claims. */
struct point proofs_point(const struct algorithm *a);

/* What of a frontier is to be proved: of all algorithms, and within compositions. Borrowed from it. */
struct make_lists proofs_lists(const struct frontier *f);

/* Is the proof for the algorithm's machine and collective, and has it a refusal for each candidate that it says was refuted? WHY is
 * one line. */
bool proofs_cover(const struct proof *p, const struct algorithm *a, char *why, size_t size);
/* And of a whole frontier, the file at PATH: its bounds and points too. It has been judged. */
bool proofs_cover_frontier(const struct proof *p, const struct frontier *f, const char *path, char *why, size_t size);
/*
 * After proof_check of the proof at PATH: does the frontier that it names lie beside it, hold, and say what the proof says of it? What is
 * wrong goes into REPORT. False with *e set: the frontier cannot be read.
 */
bool proofs_check_frontier(const struct proof *p, const char *path, struct check_report *report, struct error *e);
/* Are there certificates for refusals that keep to the terms? */
bool proofs_serve(const struct schedule_constraints *constraints, char *why, size_t size);

/* "3 traces replayed (12 kB), 371 follow, 2 below bounds" */
void proofs_summary(const struct check_report *r, char *line, size_t size);

/* A line on a terminal, drawn over itself, for check_options.tell and make_options.tell; the context is a struct drawn. */
struct drawn {
	const char *subject, *verb;
	bool drawn;
};
void (*proofs_teller(void))(void *context, const struct check_news *news);
void proofs_clear(struct drawn *d);

#endif

#ifndef SCCL_SYNTH_JOURNAL_H
#define SCCL_SYNTH_JOURNAL_H

/*
 * Every answer of a search, on disk the moment it is there, one JSON object a line: what a killed search had learnt is
 * not asked again by --resume. Candidates that a limit left open are not in it, so that a new limit gets its chance.
 */

#include "synth/problem.h"

struct journal;

struct journal_entry {
	struct candidate candidate;
	bool found;          /* else refuted */
	size_t n_steps;
	struct step *steps;  /* where found; of the asked collective, as the solver gave them */
};

/* With resume, the entries that are there are read (a torn last line is dropped); a journal of another problem is
 * ERROR_INPUT. Without, an old journal is begun anew. */
struct journal *journal_open(const char *path, const struct problem *p, bool resume, struct error *e);
const struct journal_entry *journal_find(const struct journal *j, struct candidate c); /* NULL: not there */
bool journal_add(struct journal *j, const struct journal_entry *entry, struct error *e); /* synced; not kept in memory */
void journal_close(struct journal *j, bool remove); /* remove: all is on disk elsewhere. NULL is fine */

#endif

#ifndef SCCL_SYNTH_FRONTIER_JOURNAL_H
#define SCCL_SYNTH_FRONTIER_JOURNAL_H

/*
 * Every answer of a search, on disk the moment it is there, one JSON object a line: what a killed search had learnt is
 * not asked again by --resume. Candidates that a limit left open are not in it, so that a new limit gets its chance.
 *
 * Nothing in it is taken on trust: a refusal counts if it bears the signature of this user's own walks (synth/frontier/signature.h),
 * and an algorithm once the caller has verified it. What is damaged or not believed is reported, and asked again.
 */

#include "synth/problem/problem.h"

struct journal;

struct journal_entry {
	struct candidate candidate;
	bool found;          /* else refuted */
	size_t n_steps;
	struct step *steps;  /* where found; of the asked collective, as the solver gave them */
	bool doubted;        /* see journal_doubt */
};

/* PATH and one line about what was found there. May be NULL. */
typedef void journal_note(const char *path, const char *line);

/*
 * With resume, the entries that are there are read (a torn last line is dropped); without, an old journal of the same
 * problem is begun anew. That of another problem, or a symbolic link to be resumed, is ERROR_INPUT. P must outlive it.
 */
struct journal *journal_open(const char *path, const struct problem *p, bool resume, journal_note *note, struct error *e);
struct journal_entry *journal_find(struct journal *j, struct candidate c); /* NULL: not there, or doubted */
void journal_doubt(struct journal *j, struct journal_entry *entry, const char *why); /* says so; it is not found again */
bool journal_add(struct journal *j, const struct journal_entry *entry, struct error *e); /* synced; not kept in memory */
/* Says how many of the entries that were read are not doubted. NULL is fine. */
void journal_close(struct journal *j);

#endif

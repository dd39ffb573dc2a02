#ifndef SCCL_SYNTH_FRONTIER_JOURNAL_H
#define SCCL_SYNTH_FRONTIER_JOURNAL_H

/*
 * Every answer of a search, written to disk as soon as it is known, one JSON object per line, so that --resume does not
 * repeat the questions that an interrupted search had answered. Candidates that a limit left open are not recorded, so
 * that they are asked again under a new limit.
 *
 * Nothing in it is trusted: a refutation counts only with a signature of this user's own searches
 * (synth/frontier/signature.h), and an algorithm only after the caller has verified it. Damaged or doubted entries are
 * reported and their questions asked again.
 */

#include "synth/problem/problem.h"

struct journal;

struct journal_entry {
	struct candidate candidate;
	bool found;          /* else refuted */
	size_t n_steps;
	struct step *steps;  /* if found: of the asked collective, as the solver returned them; the journal's */
	bool doubted;        /* see journal_doubt */
};

/* Called with PATH and one line about what was found there. May be NULL. */
typedef void journal_note(const char *path, const char *line);

/*
 * With RESUME, existing entries are read (an incomplete last line is dropped); without, an old journal of the same
 * problem is started over. The journal of another problem, or a symbolic link to be resumed, is ERROR_INPUT. P is used
 * during the call only. NULL with *e set.
 */
struct journal *journal_open(const char *path, const struct problem *p, bool resume, journal_note *note, struct error *e);
struct journal_entry *journal_find(struct journal *j, struct candidate c); /* NULL: none, or doubted */
void journal_doubt(struct journal *j, struct journal_entry *entry, const char *why); /* reports it; not found again */
bool journal_add(struct journal *j, const struct journal_entry *entry, struct error *e); /* synced to disk, not kept */
/* Reports how many of the entries that were read are not doubted. NULL is fine. */
void journal_close(struct journal *j);

#endif

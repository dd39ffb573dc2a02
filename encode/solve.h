#ifndef SCCL_ENCODE_SOLVE_H
#define SCCL_ENCODE_SOLVE_H

/*
 * One question to a solver: is there an algorithm for this instance? Every question is asked in a process of its own,
 * so that a limit, a crash or an out-of-memory ends one question and not the search.
 */

#include "core/schedule/algorithm.h"
#include "core/schedule/instance.h"

struct error;
struct text;

enum answer { ANSWER_FOUND, ANSWER_NONE, ANSWER_GAVE_UP };
extern const char *const answer_names[]; /* "found", "none", "gave-up" */

struct solve_options {
	const char *engine; /* a row of encode/engines.c, or "auto" */
	double timeout;     /* seconds of wall time; 0: no limit */
	size_t memory;      /* MiB of address space over the start; 0: no limit */
	double share_of;    /* the limit of a whole search that timeout is a share of, for messages; 0: none */
};

struct solution {
	enum answer answer;
	size_t n_steps;     /* ANSWER_FOUND; not yet verified. Owned: steps_free */
	struct step *steps; /* every node gets each chunk at most once (not of an allreduce), and only what some post needs */
	const char *engine; /* that answered */
	double seconds;     /* CPU time of the worker */
	size_t peak_kib;    /* its largest resident set */
	char why[160];      /* ANSWER_GAVE_UP: "time limit of 5 s", "memory limit of 500 MiB", "the solver died: ..." */
};

/* One row an engine. Adding one: its encoder, and its row in encode/engines.c. */
struct engine {
	const char *name;
	const char *about;
	bool direct; /* can be asked for an allreduce, where values are added on the way (encode/cnf/direct.h) */
	/* Runs in the worker. Fills the steps on ANSWER_FOUND. Rounds of the steps sum to R. */
	enum answer (*solve)(const struct instance *i, const struct solve_options *o, struct solution *out);
};
const struct engine *solve_engine(const char *name, struct error *e); /* "auto" gives the default row */

/* Asks and waits. False: a fault of ours or the system (fork, pipe), or an interrupt (ERROR_SYSTEM). */
bool solve(const struct instance *i, const struct solve_options *o, struct solution *out, struct error *e);

/* The same in parts, for many at once. The instance must live until the finish or the cancel. */
struct solve_job;
struct solve_job *solve_start(const struct instance *i, const struct solve_options *o, struct error *e);
/* The index of a job that is done, or -1 after MILLISECONDS or on a signal (EINTR). */
int solve_wait(struct solve_job *const *jobs, size_t n, int milliseconds);
bool solve_finish(struct solve_job *job, struct solution *out, struct error *e); /* frees the job */
void solve_cancel(struct solve_job *job);                                        /* kills, reaps, frees; NULL is fine */

/* The `lia` formula as SMT-LIB 2 with logic QF_LIA, (check-sat) and (get-model) at its end. */
void export_smt2(const struct instance *i, struct text *into);

const char *solve_version(void); /* "Z3 4.8.12.0, CaDiCaL 1.5.3" */

#endif

#ifndef SCCL_ENCODE_SOLVE_H
#define SCCL_ENCODE_SOLVE_H

/*
 * One question to a solver: is there an algorithm for this instance? Every question runs in its own process, so that a
 * limit, a crash or lack of memory ends that question and not the search.
 */

#include "core/schedule/algorithm.h"
#include "core/schedule/instance.h"

struct error;
struct pattern_limit;
struct text;

/* A schedule was found; there is none; or a limit or fault left the question open. */
enum answer { ANSWER_FOUND, ANSWER_NONE, ANSWER_GAVE_UP };
extern const char *const answer_names[]; /* "found", "none", "gave-up" */

/* How a question is asked; all zero means the default engine without limits. */
struct solve_options {
	const char *engine; /* a row of encode/engines.c, or "auto" */
	double timeout;     /* seconds of wall time; 0: no limit */
	double cpu;         /* seconds of CPU time of the worker; 0: no limit */
	double work;        /* steps (core/base/work.h) of an engine that counts them, as bits does; 0: no limit */
	size_t memory;      /* MiB of address space beyond that in use at the start; 0: no limit */
	/* Asks about patterns of one chunk instead (encode/cnf/pattern.h), of an allreduce, whatever the engine; NULL: no. */
	const struct pattern_limit *pattern;
	double share_of;    /* the limit of the whole search that timeout is a part of, for messages; 0: none */
};

/* The answer to a question. */
struct solution {
	enum answer answer;
	size_t n_steps;     /* ANSWER_FOUND; not yet verified. Owned by the caller: steps_free */
	struct step *steps; /* a node gets a chunk at most once (allreduces excepted), and only if some post needs it */
	const char *engine; /* the one that answered */
	double seconds;     /* CPU time of the worker */
	double work;        /* steps that it counted; where there are none, or it was killed, about as many as its seconds are worth */
	size_t peak_kib;    /* its largest resident set */
	bool lacked_memory; /* ANSWER_GAVE_UP for that reason */
	char why[160];      /* ANSWER_GAVE_UP: "time limit of 5 s", "memory limit of 500 MiB", "the solver died: ..." */
};

/* One row per engine. A new engine needs its encoder and a row in encode/engines.c. */
struct engine {
	const char *name;
	const char *about;
	bool direct; /* also answers allreduces and scans, where values are added on the way (encode/cnf/direct.h) */
	/* Runs in the worker. On ANSWER_FOUND fills the steps, whose rounds sum to R (at most R with a pipeline). */
	enum answer (*solve)(const struct instance *i, const struct solve_options *o, struct solution *out);
};
const struct engine *solve_engine(const char *name, struct error *e); /* NULL: "auto", the first row */

/*
 * Asks and waits. False with *e set: the engine does not exist or cannot answer this collective (ERROR_INPUT), or the
 * system failed (fork, pipe) or a signal interrupted the wait (ERROR_SYSTEM).
 */
bool solve(const struct instance *i, const struct solve_options *o, struct solution *out, struct error *e);

/*
 * The same in parts, for many questions at once. The instance must live until solve_finish or solve_cancel, one of
 * which must follow. NULL with *e set, as for solve.
 */
struct solve_job;
struct solve_job *solve_start(const struct instance *i, const struct solve_options *o, struct error *e);
/* The index of a job that is done, or -1 after MILLISECONDS (negative: no limit) or on a signal (EINTR). */
int solve_wait(struct solve_job *const *jobs, size_t n, int milliseconds);
bool solve_finish(struct solve_job *job, struct solution *out, struct error *e); /* fills *out and frees the job */
void solve_cancel(struct solve_job *job);                                        /* kills and frees; NULL is allowed */

/* Appends the formula of `lia-paper` as SMT-LIB 2 in logic QF_LIA, ending in (check-sat) and (get-model). */
void export_smt2(const struct instance *i, struct text *into);

const char *solve_version(void); /* the solvers: "Z3 4.8.12.0, CaDiCaL 1.5.3"; static */

#endif

/* The dual prices that the search kept become programs of a proof: for an allreduce of its halves, and of broadcasts. */

#include "cli/commands/value_proofs.h"

#include "cli/commands/proofs.h"
#include "cli/output/command.h"

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/memory.h"
#include "core/base/process.h"
#include "core/base/stop.h"
#include "core/base/text.h"
#include "core/machine/topology.h"
#include "prove/make.h"
#include "prove/patterns.h"
#include "prove/program.h"
#include "synth/frontier/catalog.h"
#include "synth/frontier/program_values.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/*
 * R/C of the side is at least this by its cut, or by timed cuts or a program for as many steps or more, from the root that is
 * named.
 */
static bool is_shown(const struct side *s, const struct step_value *v)
{
	if (rational_compare(s->cut.at_least, v->at_least) >= 0)
		return true;
	for (size_t i = 0; i < s->n_timed; i++)
		if (s->timed[i].steps >= v->steps && v->root < 0 && rational_compare(s->timed[i].at_least, v->at_least) >= 0)
			return true;
	for (size_t i = 0; i < s->n_programs; i++)
		if (s->programs[i].steps >= v->steps && (v->root < 0 || s->programs[i].root == v->root) && (v->patterns || !s->programs[i].patterns) &&
		    rational_compare(s->programs[i].at_least, v->at_least) >= 0)
			return true;
	return false;
}

static bool add_program(struct side *s, const struct question *q, const struct step_value *v, struct error *e)
{
	return step_program_add(s, q, v->steps, v->root, v->prices, e);
}

static bool add_patterns(struct side *s, const struct question *q, const struct step_value *v, struct error *e)
{
	enum { CONFLICTS = 4000000 }; /* the search has asked the same, in seconds */

	return step_patterns_add(s, q, v->steps, v->prices, v->at_least, &(struct trace_limits){.conflicts = CONFLICTS, .interrupted = &interrupted}, e);
}

/* Where the program shows less than the search had, timed cuts may show it. False with *e set: nothing does. */
static bool add_value(struct side *s, const struct question *q, const struct step_value *v, struct error *e)
{
	if (v->prices && !(v->patterns ? add_patterns : add_program)(s, q, v, e) && e->kind != ERROR_LIMIT)
		return false;
	if (v->root < 0 && !is_shown(s, v))
		side_add_timed(s, q, v->steps, s->cut.at_least);
	if (v->prices && !is_shown(s, v))
		return e->kind == ERROR_NONE ? error_set(e, ERROR_LIMIT, "programs", "too large to verify: what is shown is less than was found") : false;
	*e = (struct error){0};
	return true;
}

static bool add_values(struct proof *p, struct side *s, const struct step_values *values, struct error *e)
{
	struct question q;

	if (!question_open(p->topology, &s->collective, &q, e))
		return false;
	for (size_t i = values->n; i-- > 0 && e->kind == ERROR_NONE;) { /* a program of more steps may show those of fewer */
		const struct step_value *v = &values->of[i];
		if (is_shown(s, v) || step_program_of(s, v->steps, v->patterns))
			continue;
		add_value(s, &q, v, e);
	}
	question_close(&q);
	return e->kind == ERROR_NONE;
}

bool value_proofs_add(struct proof *p, const struct frontier *f, struct error *e)
{
	const struct frontier *composed = f->within == WITHIN_COMPOSITION ? f : f->composed;

	return (composed == f || add_values(p, &p->sides[WHOLE], &f->values, e)) &&
	       (!composed || (add_values(p, &p->sides[SCATTERS], &composed->halves[0], e) &&
			      add_values(p, &p->sides[GATHERS], &composed->halves[1], e)));
}

static bool write_proof(const struct proof *p, const char *frontier, size_t *bytes, struct error *e)
{
	char *path = proofs_path(frontier);
	struct text s = {0};

	proof_write(p, &s);
	*bytes = s.length;
	bool ok = file_write(path, s.bytes, s.length, e);
	text_free(&s);
	free(path);
	return ok;
}

bool value_proofs_save(const struct frontier *f, const char *path, size_t *n, size_t *bytes, struct error *e)
{
	struct proof *p = proofs_of_frontier(f, path);
	*bytes = 0;
	bool ok = proof_bounds(p, e) && value_proofs_add(p, f, e) && write_proof(p, path, bytes, e);

	*n = 0;
	for (int i = 0; i < p->n_sides; i++)
		*n += p->sides[i].n_programs;
	proof_free(p);
	return ok;
}

/* ---- after a search ---- */

static bool any_prices(const struct step_values *l)
{
	for (size_t i = 0; i < l->n; i++)
		if (l->of[i].prices)
			return true;
	return false;
}

/* Did the search keep the prices of its programs? A frontier that was taken from the catalog has none. */
static bool has_prices(const struct frontier *f)
{
	const struct frontier *composed = f->composed ? f->composed : f;

	return any_prices(&f->values) || any_prices(&composed->halves[0]) || any_prices(&composed->halves[1]);
}

/* Reads the frontier that was written to PATH, and solves its programs again. BYTES as by value_proofs_save. */
static bool save_solved(const char *path, size_t *bytes, struct error *e)
{
	size_t n;
	struct frontier *f = frontier_open(path, e);
	bool ok = f && frontier_solve_values(f, e) && value_proofs_save(f, path, &n, bytes, e);

	frontier_free(f);
	return ok;
}

struct storing {
	const struct frontier *frontier;
	const char *path; /* of its file */
};

/* What the worker sends. */
struct stored {
	struct error why;
	size_t bytes; /* 0: none were made */
};

/* In a worker, whose time its parent limits. */
static int store(const void *what, int file)
{
	const struct storing *s = what;
	struct stored answer = {0};
	size_t n;

	stop_restore(INFINITY);
	if (has_prices(s->frontier) || s->frontier->ended == ENDED_TIME)
		value_proofs_save(s->frontier, s->path, &n, &answer.bytes, &answer.why);
	else
		save_solved(s->path, &answer.bytes, &answer.why);
	process_send(file, &answer, sizeof answer);
	return 0;
}

/* Runs the worker. Sets to->why to why there are no certificates. */
static void store_in_time(const struct storing *s, double seconds, struct stored *to)
{
	struct error *e = &to->why;
	struct process_limits limits = {.seconds = isinf(seconds) ? 0 : fmax(seconds, 1e-3)};
	struct worker p, *one = &p;

	if (!process_start(&p, store, s, limits, e))
		return;
	if (process_wait(&one, 1, -1) < 0) {
		process_kill(&p);
		error_set(e, ERROR_SYSTEM, s->path, "interrupted");
		return;
	}
	process_finish(&p);
	if (p.bytes.length == sizeof *to)
		memcpy(to, p.bytes.bytes, sizeof *to);
	else
		error_set(e, ERROR_LIMIT, s->path, p.late ? "there was no time to make them" : "the process that made them died");
	text_free(&p.bytes);
}

bool value_proofs_store(const struct frontier *f, const char *dir, double seconds, struct error *e)
{
	char *path = catalog_frontier_path(dir, f->topology, &f->collective), *proofs = proofs_path(path);
	char *folder = catalog_folder(dir, f->topology, &f->collective);
	struct stored made = {0};
	const struct error *why = &made.why;

	unlink(proofs); /* of an earlier search, whose points may be other ones */
	if (!topology_has_abilities(f->topology)) /* there the bounds prove all that is proved, and verify counts them */
		store_in_time(&(struct storing){f, path}, seconds, &made);
	bool unwritten = made.bytes && why->kind != ERROR_NONE;
	if (why->kind == ERROR_LIMIT)
		folder_sweep(folder); /* what a killed worker left half written */
	if (unwritten)
		*e = *why;
	else if (why->kind != ERROR_NONE && !interrupted)
		fprintf(stderr, "sccl-synth: %s: its values have no certificates: %s%s\n", printable(path), printable(why->what),
			why->kind == ERROR_LIMIT ? "; `sccl-synth prove` with this file makes them" : "");
	free(folder);
	free(proofs);
	free(path);
	return !unwritten;
}

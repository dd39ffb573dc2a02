/* `prove`: makes certificates for the refuted candidates of a frontier, or for one candidate (prove/make.h). */

#include "cli/output/command.h"
#include "cli/arguments/shared.h"
#include "cli/commands/proofs.h"
#include "cli/commands/prove_steps.h"
#include "cli/commands/value_proofs.h"

#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/machine/topology.h"
#include "prove/make.h"
#include "synth/frontier/program_values.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct prove_options {
	struct subject_options subject;
	struct candidate candidate;
	enum options_within within;
	double timeout;
	int keep; /* KiB of the longest trace that is kept */
	bool traces, json;
	const char *out;
	struct operands frontiers;
};

static const struct option_row own_rows[] = {
	{"timeout", 0, "SEC", "time limit for each certificate, in seconds",
	 OPTION(option_seconds, prove_options, timeout)},
	{"traces", 0, NULL, "use traces even where cuts in single steps would suffice",
	 OPTION(option_flag, prove_options, traces)},
	{"keep", 0, "KIB", "store traces of up to KIB KiB (2048); longer traces are generated again when checked",
	 OPTION_WHOLE(prove_options, keep, 0, 1 << 20)},
};

static const struct option_group groups[] = {
	SUBJECT_GROUPS(prove_options, subject),
	OPTION_GROUP(candidate_rows, prove_options, candidate),
	OPTION_GROUP(within_rows, prove_options, within),
	OPTION_GROUP_OWN(own_rows),
	OPTION_GROUP(output_rows, prove_options, out),
	OPTION_GROUP(json_rows, prove_options, json),
	OPTION_GROUP_OWN(directory_rows),
};

static const struct usage usage = {
	"Makes certificates for the candidates that a frontier file lists as refuted, and writes them to a file next to the "
	"frontier. A solver refutes each candidate again, from a formula written by a second generator; the trace is trimmed, "
	"replayed and stored. Existing certificates that are valid are kept, so an interrupted command continues where it "
	"stopped.\n\n"
	"For a frontier without k, solves the programs of its step counts again, which show that no algorithm has a smaller R/C.\n\n"
	"Without FRONTIER, refutes a single candidate (-t, -c, -C, -S, -R) and writes its certificate to the file given by -o. Without -C and "
	"-R, certifies the least R/C of any algorithm with at most S steps.\n\n"
	"Example: sccl-synth prove algorithms/dgx1/allgather/frontier.json\v"
	"Exit status: 0 done; 1 the frontier does not verify, or a candidate listed as refuted has an algorithm; 2 bad input; 3 "
	"some certificates were not made within --timeout.",
	USAGE_GROUPS(groups), .operands = "FRONTIER...", .operands_at = offsetof(struct prove_options, frontiers),
};

/* A proof to make. */
struct proof_job {
	const char *name, *path, *folder; /* the frontier or machine; the proof file; the folder of its traces */
	struct make_lists lists;
};

static void print_json(const struct proof_job *j, const struct make_report *r)
{
	struct text line = {0};

	text_add(&line, "{\"file\": ");
	text_add_json_string(&line, j->path);
	text_add(&line, ", \"traced\": %zu, \"kept\": %zu, \"implied\": %zu, \"bounds\": %zu, \"halves\": %zu, \"bytes\": %zu, "
			"\"recipes\": %zu, \"open\": %zu}",
		 r->traced, r->kept, r->implied, r->below, r->halves, r->bytes, r->recipes, r->n_open);
	puts(line.bytes);
	text_free(&line);
}

static int print_result(const struct proof_job *j, const struct make_report *r, bool json)
{
	if (r->found.chunks) {
		printf("%s: there is an algorithm for (%d,%d,%d), which is listed as refuted\n", printable(j->name), r->found.chunks, r->found.steps,
		       r->found.rounds);
		return STATUS_NO;
	}
	if (json)
		print_json(j, r);
	else
		printf("%s: %zu trace%s made, %zu kept, %zu byte%s (%zu too long to keep); %zu follow%s, %zu below the bounds, %zu by %s "
		       "halves\n", printable(j->path), r->traced, plural((int64_t)r->traced), r->kept, r->bytes, plural((int64_t)r->bytes), r->recipes,
		       r->implied, plural_verb(r->implied), r->below, r->halves, r->halves == 1 ? "its" : "their");
	if (!r->n_open)
		return STATUS_DONE;
	fprintf(stderr, "sccl-synth: %s: gave up on %zu certificate%s (%s), the last for (%d,%d,%d)\n", printable(j->path), r->n_open,
		plural((int64_t)r->n_open), r->why,
		r->open.chunks, r->open.steps, r->open.rounds);
	return STATUS_GAVE_UP;
}

/* Are OLD the proofs of another frontier? frontier-NAME.json and NAME.json have the same name for their proofs. */
static bool is_of_another(const struct proof *old, const struct proof *p, const char *path, struct error *e)
{
	if (!old->frontier || !p->frontier || strcmp(old->frontier, p->frontier) == 0)
		return false;
	error_set(e, ERROR_INPUT, path, "has the proofs of %.100s and cannot take those of %.100s", old->frontier, p->frontier);
	return true;
}

/* Makes the proof and reports the result. Takes ownership of P. */
static int make(struct proof *p, const struct proof_job *j, const struct prove_options *o)
{
	struct error e = {0}, ignored = {0};
	struct proofs_line drawn = {.subject = j->name, .verb = "proving"};
	struct make_report report = {0};
	struct proof *old = access(j->path, F_OK) == 0 ? proof_open(j->path, &ignored) : NULL;
	const struct make_options options = {.timeout = o->timeout, .longest = (size_t)o->keep << 10, .traces = o->traces, .path = j->path,
					     .folder = j->folder, .old = old, .interrupted = &interrupted,
					     .progress = proofs_progress(), .context = &drawn};

	bool ok = !(old && is_of_another(old, p, j->path, &e)) && proof_make(p, &j->lists, &options, &report, &e);
	proofs_progress_clear(&drawn);
	proof_free(p);
	proof_free(old);
	return ok ? print_result(j, &report, o->json) : fail(&e);
}

/* Solves the programs of a frontier without k again. */
static int prove_values(struct frontier *f, const char *path, bool json)
{
	struct error e = {0};
	size_t n, bytes;

	if (!frontier_solve_values(f, &e) || !value_proofs_save(f, path, &n, &bytes, &e))
		return fail(&e);
	char *proofs = proofs_path(path);
	struct text line = {0};
	text_add(&line, "{\"file\": ");
	text_add_json_string(&line, proofs);
	text_add(&line, ", \"programs\": %zu, \"bytes\": %zu}", n, bytes);
	if (json)
		puts(line.bytes);
	else
		printf("%s: %zu program%s over timed trees, %zu byte%s\n", printable(proofs), n, plural((int64_t)n), bytes, plural((int64_t)bytes));
	text_free(&line);
	free(proofs);
	return STATUS_DONE;
}

static int prove_frontier(void *context, const char *path)
{
	const struct prove_options *o = context;
	struct error e = {0};
	struct frontier *f = frontier_open(path, &e);
	char why[256];

	if (f && !proofs_serve(&f->constraints, why, sizeof why)) {
		error_set(&e, ERROR_INPUT, path, "%s", why);
		frontier_free(f);
		f = NULL;
	}
	if (!f)
		return fail(&e);
	if (!frontier_judge(f, why, sizeof why)) {
		printf("%s: frontier: %s\n", printable(path), why);
		frontier_free(f);
		return STATUS_NO;
	}
	if (f->k == WITHOUT_K) {
		int status = prove_values(f, path, o->json);
		frontier_free(f);
		return status;
	}
	struct proof *p = proofs_of_frontier(f, path);
	char *proofs = proofs_path(path);
	int status = make(p, &(struct proof_job){path, proofs, "../proofs", proofs_lists(f)}, o);
	free(proofs);
	frontier_free(f);
	return status;
}

/* For an allreduce, --within selects all algorithms, or those composed of two halves. */
static bool check_class(const struct prove_options *o, const struct topology *t, const struct collective *k, struct error *e)
{
	if (!options_class_applies(o->within, k, e))
		return false;
	return o->within != WITHIN_COMPOSED || o->candidate.chunks % t->nodes == 0 ||
	       error_set(e, ERROR_INPUT, "-C", "must be a multiple of the %d nodes for a composition, not %d", t->nodes, o->candidate.chunks);
}

static int prove_one(const struct prove_options *o)
{
	struct error e = {0};
	struct topology *t;
	struct collective k;
	const struct candidate c = o->candidate;
	struct make_lists lists = {.all = &c, .n_all = 1};

	if (o->within == WITHIN_COMPOSED)
		lists = (struct make_lists){.composed = &c, .n_composed = 1};
	if (!o->subject.topology && !o->subject.collective && !o->out)
		error_set(&e, ERROR_INPUT, "prove", "no frontier files are given, nor a candidate with -t, -c, -C, -S and -R");
	else if (!o->out)
		error_set(&e, ERROR_INPUT, "-o", "missing; give the file for the proof");
	else if (!c.steps || !c.chunks != !c.rounds)
		error_set(&e, ERROR_INPUT, "-C, -S, -R", "missing; give a candidate, as in -C 24 -S 2 -R 7, or a frontier file");
	else if (c.rounds && c.rounds < c.steps)
		error_set(&e, ERROR_INPUT, "-R", "must be at least %d, one round per step, not %d", c.steps, c.rounds);
	if (e.kind != ERROR_NONE || !options_one_root(&o->subject.root, &e) || !options_subject(&o->subject, &t, &k, &e))
		return fail(&e);
	options_report_root(&o->subject.root, &k);
	bool right = !c.chunks || (collective_check(&k, t->nodes, c.chunks, &e) && check_class(o, t, &k, &e));
	int status = !c.chunks ? prove_steps(t, &k, c.steps, o->out) : right ? make(proof_new(t, &k), &(struct proof_job){t->name, o->out, "proofs", lists}, o) : fail(&e);
	collective_free(&k);
	topology_free(t);
	return status;
}

int cmd_prove(int argc, char **argv)
{
	struct error e = {0};
	struct prove_options o = {.keep = 2048};

	if (!options_read(argc, argv, &usage, &o, &e))
		return fail(&e);
	catch_interrupts();
	if (!o.frontiers.n)
		return prove_one(&o);
	return options_only_files(&o.subject, &o.candidate, &e) ? operands_each(&o.frontiers, prove_frontier, &o) : fail(&e);
}

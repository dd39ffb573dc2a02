/* `verify`: judges algorithm, frontier and proof files, and folders of them; with --proofs, also their certificates. */

#include "cli/output/command.h"
#include "cli/output/colour.h"
#include "cli/arguments/shared.h"
#include "cli/commands/proofs.h"

#include "core/base/json.h"
#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/verify/verify.h"
#include "lower/lower.h"
#include "synth/frontier/frontier.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct verify_options {
	bool proofs, json, same_order;
	struct replay_limits limits;
	struct operands files;
};

static const struct option_row own_rows[] = {
	{"same-order", 0, NULL, "lower each algorithm and require that it adds every element in the same order, the same for all files",
	 OPTION(option_flag, verify_options, same_order)},
	{"proofs", 0, NULL, "check the certificates of all refutations and programs", OPTION(option_flag, verify_options, proofs)},
};

static const struct option_group groups[] = {
	OPTION_GROUP_OWN(own_rows),
	OPTION_GROUP(replay_limit_rows, verify_options, limits),
	OPTION_GROUP(json_rows, verify_options, json),
	OPTION_GROUP_OWN(directory_rows),
};

static const struct usage usage = {
	"Verifies algorithm files: executes each schedule step by step, and checks that every chunk is present at the node that "
	"sends it, that no link is overloaded, that every chunk arrives where it is required (and every sum is complete), that the "
	"stated cost and bounds are correct, and that claims of optimality by a bound are justified. For a frontier file, the points "
	"are verified, and every better candidate of the class must be listed as refuted or open; without k, the claims must follow from the values. The verifier shares no code with "
	"the search. If a folder is given, every .json file in it is verified; symbolic links in it are not followed.\n\n"
	"With --proofs, every refutation and value must be proved by the proof file in the same folder, which is checked too (see `sccl-synth "
	"check-proof`).\n\n"
	"With --same-order, each algorithm is lowered, and all of them must add every element of a sum in one order, which is printed: "
	"then results do not depend, to the last bit, on the size of a call, on how it is cut into chunks and blocks, on the protocol, or on "
	"which of the algorithms served it.\n\n"
	"Example: sccl-synth verify algorithms/dgx1/allgather/*.json\v"
	"Exit status: 0 all files are correct; 1 some are not; 2 some cannot be read; 3 a trace was not generated within --timeout, "
	"a check exceeded --budget, or an algorithm is too large to be verified.",
	USAGE_GROUPS(groups), USAGE_FILES(verify_options, files),
};

/* A proof file that was judged. Several files may depend on one. */
struct judged {
	char *path;
	struct proof *proof;
	int status;
	struct check_report report;
	bool fits; /* the frontier that it names has been judged, and what it claims is shown */
};

struct judging {
	const struct verify_options *options;
	size_t n_files; /* seen so far */
	size_t n_judged, capacity;
	struct judged *judged;
	char *order, *order_of; /* of the first algorithm that reduces, with --same-order, and its file */
};

/* The line of a file: its fault, or NULL and that it is right. */
static void print_line(const char *path, const char *fault, const char *what)
{
	printf("%s: %s%s%s%s%s\n", printable(path), colour_begin(stdout, fault ? COLOUR_BAD : COLOUR_GOOD), fault ? fault : "ok", colour_end(stdout),
	       fault ? ": " : ", ", what);
}

static void print_json(const char *path, const struct verdict *v, const char *fault)
{
	struct text line = {0};

	text_add(&line, "{\"file\": ");
	text_add_json_string(&line, path);
	if (!fault)
		text_add(&line, ", \"ok\": true, \"fault\": null, \"step\": null, \"chunk\": null, \"src\": null, \"dst\": null}");
	else {
		const int places[] = {v->step, v->chunk, v->src, v->dst};
		static const char *const keys[] = {"step", "chunk", "src", "dst"};
		text_add(&line, ", \"ok\": false, \"fault\": \"%s\"", fault);
		for (size_t i = 0; i < 4; i++)
			if (places[i] < 0)
				text_add(&line, ", \"%s\": null", keys[i]);
			else
				text_add(&line, ", \"%s\": %d", keys[i], places[i]);
		text_add(&line, "}");
	}
	puts(line.bytes);
	text_free(&line);
}

/* ---- proofs ---- */

static struct judged *judge_proof(struct judging *j, const char *path)
{
	struct error e = {0};
	struct judged new_one = {.path = copy_string(path), .status = STATUS_DONE};
	struct proofs_line drawn = {.subject = path, .verb = "checking"};
	struct check_options options = {.solve_again = j->options->proofs, .timeout = j->options->limits.timeout, .budget = j->options->limits.budget,
					.interrupted = &interrupted,
					.progress = proofs_progress(), .context = &drawn};

	for (size_t i = 0; i < j->n_judged; i++)
		if (strcmp(j->judged[i].path, path) == 0) {
			free(new_one.path);
			return &j->judged[i];
		}
	new_one.proof = proof_open(path, &e);
	bool ok = new_one.proof && proof_check(new_one.proof, path, &options, &new_one.report, &e);
	proofs_progress_clear(&drawn);
	if (!ok)
		new_one.status = fail(&e);
	else if (new_one.report.fault[0])
		new_one.status = STATUS_NO;
	else if (!new_one.report.holds && (new_one.report.gave_up || j->options->proofs))
		new_one.status = STATUS_GAVE_UP; /* without --proofs, refutations without a stored trace are skipped */
	j->judged = grown(j->judged, &j->capacity, j->n_judged + 1, sizeof new_one);
	j->judged[j->n_judged++] = new_one;
	return &j->judged[j->n_judged - 1];
}

/* The judged proof at PATH, for claims under CONSTRAINTS. NULL: there is none that holds, for the reason in WHY. */
static struct judged *require_proof(struct judging *j, const char *path, const struct schedule_constraints *constraints, char *why,
				    size_t size)
{
	if (!proofs_serve(constraints, why, size))
		return NULL;
	if (access(path, F_OK) != 0) {
		snprintf(why, size, "there are no proofs: %.200s does not exist", path);
		return NULL;
	}
	struct judged *proof = judge_proof(j, path);
	if (proof->status != STATUS_DONE)
		snprintf(why, size, "its proofs %s: %.200s", proof->status == STATUS_GAVE_UP ? "were not all checked" : "do not hold", path);
	return proof->status == STATUS_DONE ? proof : NULL;
}

static bool frontier_is_proved(struct judging *j, const char *path, const struct frontier *f, char *why, size_t size)
{
	char *proofs = proofs_path(path);
	struct judged *proof = require_proof(j, proofs, &f->constraints, why, size);
	bool ok = proof && proofs_cover_frontier(proof->proof, f, path, why, size);

	if (ok)
		proof->fits = true;
	free(proofs);
	return ok;
}

/* Only claims of an exhaustive search or of a program need more than the verifier of algorithms. */
static bool algorithm_is_proved(struct judging *j, const char *path, const struct algorithm *a, char *why, size_t size)
{
	const struct optimality *o = &a->optimality;

	if (o->proof != PROOF_PROGRAM && (o->proof != PROOF_EXHAUSTED || !o->n_refuted))
		return true;
	char *proofs = proofs_path_of(path, a);
	const struct judged *proof = require_proof(j, proofs, &a->constraints, why, size);
	bool ok = proof && proofs_cover(proof->proof, a, why, size);
	free(proofs);
	return ok;
}

/* Whether A adds in one order, and in that of the files before it. ORDER gets the order, or what is wrong. */
static bool order_is_same(struct judging *j, const char *path, const struct algorithm *a, struct text *order)
{
	struct error e = {0};
	bool same = false;

	if (!lower_order(a, false, &same, order, &e)) {
		text_add(order, "%s", e.what);
		return false;
	}
	if (!same || order->length == 0) /* nothing is reduced */
		return same;
	if (j->order && strcmp(j->order, order->bytes) != 0) {
		text_add(order, ", but in %s %s", printable(j->order_of), j->order);
		return false;
	}
	if (!j->order) {
		j->order = copy_string(order->bytes);
		j->order_of = copy_string(path);
	}
	return true;
}

/* ---- files ---- */

static int judge_algorithm(struct judging *j, const char *path, const struct json_document *d)
{
	bool json = j->options->json;
	struct error e = {0};
	struct algorithm *a = algorithm_read(d, &e);
	char ratio[RATIONAL_TEXT];

	if (!a)
		return fail(&e);
	struct verdict v = algorithm_verify(a);
	bool proved = v.fault != FAULT_NONE || !j->options->proofs || algorithm_is_proved(j, path, a, v.why, sizeof v.why);
	struct text order = {0}, cost = {0};
	bool same = v.fault != FAULT_NONE || !proved || !j->options->same_order || order_is_same(j, path, a, &order);
	if (json)
		print_json(path, &v, !proved ? "proof" : !same ? "order" : v.fault == FAULT_NONE ? NULL : fault_names[v.fault]);
	else if (!proved)
		print_line(path, "proof", v.why);
	else if (!same)
		print_line(path, "order", order.bytes);
	else if (v.fault == FAULT_NONE) {
		text_add(&cost, "%zu step%s, %d round%s, R/C = %s", a->n_steps, plural((int64_t)a->n_steps), algorithm_rounds(a),
			 plural(algorithm_rounds(a)), rational_text(algorithm_bandwidth(a), ratio));
		text_add(&cost, order.length ? ", adds %s" : "%s", order.length ? order.bytes : "");
		print_line(path, NULL, cost.bytes);
	} else
		print_line(path, fault_names[v.fault], v.why);
	text_free(&order);
	text_free(&cost);
	algorithm_free(a);
	return v.fault == FAULT_LIMIT ? STATUS_GAVE_UP : v.fault == FAULT_NONE && proved && same ? STATUS_DONE : STATUS_NO;
}

static int judge_frontier(struct judging *j, const char *path)
{
	bool json = j->options->json;
	struct error e = {0};
	struct verdict v = {FAULT_COST, -1, -1, -1, -1, ""};
	struct frontier *f = frontier_open(path, &e);

	if (!f)
		return fail(&e);
	bool ok = frontier_judge(f, v.why, sizeof v.why);
	bool proved = !ok || !j->options->proofs || frontier_is_proved(j, path, f, v.why, sizeof v.why);
	frontier_free(f);
	if (json)
		print_json(path, &v, !ok ? "frontier" : !proved ? "proof" : NULL);
	else
		print_line(path, !ok ? "frontier" : !proved ? "proof" : NULL,
			   !ok || !proved ? v.why : j->options->proofs ? "the frontier is complete, and proved" : "the frontier is complete");
	return ok && proved ? STATUS_DONE : STATUS_NO;
}

static int judge_proof_file(struct judging *j, const char *path)
{
	const struct judged *proof = judge_proof(j, path);
	struct verdict v = {FAULT_COST, -1, -1, -1, -1, ""};
	struct error e = {0};
	struct check_report r = proof->report;
	char summary[200];

	if (proof->status != STATUS_DONE && proof->status != STATUS_NO && proof->status != STATUS_GAVE_UP)
		return proof->status;
	if (!proof->fits && !proofs_check_frontier(proof->proof, path, &r, &e))
		return fail(&e);
	int status = r.fault[0] ? STATUS_NO : proof->status;
	proofs_summary(&r, summary, sizeof summary);
	if (j->options->json)
		print_json(path, &v, status == STATUS_DONE ? NULL : "proof");
	else
		printf("%s: %s: %s\n", printable(path), status == STATUS_DONE ? "ok" : "proof", r.fault[0] ? r.fault : summary);
	return status;
}

static int judge_time(struct judging *j, const char *path, const struct json_document *d)
{
	struct verdict v = {FAULT_COST, -1, -1, -1, -1, ""};
	struct error e = {0};
	struct check_report r;
	char summary[200];

	if (!proofs_check_time(d, j->options->limits.budget, &r, &e))
		return fail(&e);
	proofs_summary(&r, summary, sizeof summary);
	snprintf(v.why, sizeof v.why, "%.250s", r.fault);
	if (j->options->json)
		print_json(path, &v, r.holds ? NULL : "proof");
	else
		printf("%s: %s: %s\n", printable(path), r.holds ? "ok" : "proof", r.fault[0] ? r.fault : summary);
	return r.holds ? STATUS_DONE : r.gave_up ? STATUS_GAVE_UP : STATUS_NO;
}

static int judge_file(struct judging *j, const char *path)
{
	struct error e = {0};
	struct json_document *d = json_document_open(path, &e);

	j->n_files++;
	if (!d)
		return fail(&e);
	const char *format = json_string_value(json_object_get(d->root, "format"));
	int status;
	if (format && strcmp(format, "sccl-frontier") == 0)
		status = judge_frontier(j, path);
	else if (format && strcmp(format, "sccl-proof") == 0)
		status = judge_proof_file(j, path);
	else if (proofs_is_time(d))
		status = judge_time(j, path, d);
	else
		status = judge_algorithm(j, path, d);
	json_document_close(d);
	return status;
}

static int is_seen(const struct dirent *d)
{
	return d->d_name[0] != '.';
}

static bool is_json(const char *path)
{
	size_t n = strlen(path);
	return n > 5 && strcmp(path + n - 5, ".json") == 0;
}

static bool is_folder(const char *path)
{
	struct stat s;
	return stat(path, &s) == 0 && S_ISDIR(s.st_mode);
}

static bool is_link(const char *path)
{
	struct stat s;
	return lstat(path, &s) == 0 && S_ISLNK(s.st_mode);
}

static int judge(struct judging *j, const char *path);

/* Symbolic links may lead out of the folder or back into it, so they are judged only if they are named directly. */
static int judge_entry(struct judging *j, const char *path)
{
	struct error e = {0};

	if (!is_json(path) && !is_folder(path))
		return STATUS_DONE;
	if (!is_link(path))
		return judge(j, path);
	error_set(&e, ERROR_INPUT, path, "is a symbolic link, which is not followed inside a folder");
	return fail(&e);
}

/* Judges the .json files and subfolders of a folder, in the order of names. */
static int judge_folder(struct judging *j, const char *path)
{
	struct error e = {0};
	struct dirent **entries;
	int n = scandir(path, &entries, is_seen, alphasort), worst = STATUS_DONE;

	if (n < 0) {
		error_set(&e, ERROR_INPUT, path, "%s", strerror(errno));
		return fail(&e);
	}
	for (int i = 0; i < n; i++) {
		struct text below = {0};
		text_add(&below, "%s%s%s", path, path[strlen(path) - 1] == '/' ? "" : "/", entries[i]->d_name);
		int status = interrupted ? STATUS_DONE : judge_entry(j, below.bytes);
		worst = status > worst ? status : worst;
		text_free(&below);
		free(entries[i]);
	}
	free(entries);
	return worst;
}

static int judge(struct judging *j, const char *path)
{
	return is_folder(path) ? judge_folder(j, path) : judge_file(j, path);
}

/* A path given by the user must contain at least one file. */
static int judge_named(void *context, const char *path)
{
	struct judging *j = context;
	struct error e = {0};
	size_t before = j->n_files;
	int status = judge(j, path);

	if (status != STATUS_DONE || j->n_files > before || interrupted)
		return status;
	error_set(&e, ERROR_INPUT, path, "is a folder without .json files");
	return fail(&e);
}

static void judging_free(struct judging *j)
{
	for (size_t i = 0; i < j->n_judged; i++) {
		proof_free(j->judged[i].proof);
		free(j->judged[i].path);
	}
	free(j->judged);
	free(j->order);
	free(j->order_of);
}

int cmd_verify(int argc, char **argv)
{
	struct error e = {0};
	struct verify_options o = {.limits.budget = check_budget};
	struct judging j = {.options = &o};

	if (!options_read(argc, argv, &usage, &o, &e))
		return fail(&e);
	catch_interrupts();
	int status = operands_each(&o.files, judge_named, &j);
	judging_free(&j);
	return status;
}

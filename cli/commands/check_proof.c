/* `check-proof`: replays proof files, and checks the frontiers that they name. */

#include "cli/output/command.h"
#include "cli/arguments/shared.h"
#include "cli/commands/proofs.h"

#include "core/base/json.h"
#include "core/base/text.h"

#include <stdio.h>

struct check_proof_options {
	struct replay_limits limits;
	struct operands files;
	bool json;
};

static const struct option_group groups[] = {
	OPTION_GROUP(replay_limit_rows, check_proof_options, limits),
	OPTION_GROUP(json_rows, check_proof_options, json),
};

static const struct usage usage = {
	"Checks proof files. Every bound is recomputed from its cut. Every formula is written again by a generator that shares no "
	"code with the encodings, and its digest is compared; its trace is replayed by reverse unit propagation. Every implication "
	"is verified. If the trace of a refutation is not stored, the candidate is first solved again. Bounds on time (time-bound.json "
	"of `best`, or the file of `bounds --certificate`) are recomputed in exact arithmetic. The frontier that a proof names must be "
	"in the same folder and must verify, and its points, bounds and refutations must be those of the proof.\n\n"
	"Example: sccl-synth check-proof algorithms/dgx1/allgather/proofs.json\v"
	"Exit status: 0 all proofs are correct; 1 some are not; 2 some cannot be read; 3 a trace was not generated within "
	"--timeout, or a check exceeded --budget.",
	USAGE_GROUPS(groups), USAGE_FILES(check_proof_options, files),
};

static void print_json(const char *path, const struct check_report *r)
{
	struct text line = {0};

	text_add(&line, "{\"file\": ");
	text_add_json_string(&line, path);
	text_add(&line, ", \"ok\": %s, \"fault\": ", r->holds ? "true" : "false");
	if (r->fault[0])
		text_add_json_string(&line, r->fault);
	else
		text_add(&line, "null");
	text_add(&line, ", \"replayed\": %zu, \"solved\": %zu, \"implied\": %zu, \"bounds\": %zu, \"halves\": %zu, \"left_out\": %zu, "
		 "\"time_bounds\": %zu}", r->replayed, r->solved, r->implied, r->below, r->halves, r->left_out, r->lines);
	puts(line.bytes);
	text_free(&line);
}

static int print(const char *path, const struct check_report *r, bool json)
{
	char summary[200];

	proofs_summary(r, summary, sizeof summary);
	if (json)
		print_json(path, r);
	else
		printf("%s: %s: %s\n", printable(path), r->holds ? "ok" : r->fault[0] ? "proof" : "not completely checked", r->fault[0] ? r->fault : summary);
	return r->holds ? STATUS_DONE : r->fault[0] ? STATUS_NO : STATUS_GAVE_UP;
}

static int check(void *context, const char *path)
{
	const struct check_proof_options *o = context;
	struct error e = {0};
	struct proofs_line drawn = {.subject = path, .verb = "checking"};
	struct check_options options = {.solve_again = true, .timeout = o->limits.timeout, .budget = o->limits.budget, .interrupted = &interrupted,
					.progress = proofs_progress(), .context = &drawn};
	struct check_report report;
	struct json_document *d = json_document_open(path, &e);

	if (!d)
		return fail(&e);
	bool ok;
	if (proofs_is_time(d)) {
		ok = proofs_check_time(d, o->limits.budget, &report, &e);
	} else {
		struct proof *p = proof_read(d, &e);
		ok = p && proof_check(p, path, &options, &report, &e) && (report.gave_up || proofs_check_frontier(p, path, &report, &e));
		proofs_progress_clear(&drawn);
		proof_free(p);
	}
	json_document_close(d);
	return ok ? print(path, &report, o->json) : fail(&e);
}

int cmd_check_proof(int argc, char **argv)
{
	struct error e = {0};
	struct check_proof_options o = {.limits.budget = check_budget};

	if (!options_read(argc, argv, &usage, &o, &e))
		return fail(&e);
	catch_interrupts();
	return operands_each(&o.files, check, &o);
}

#include "cli/command.h"
#include "cli/options.h"

#include "core/json.h"
#include "core/text.h"
#include "core/verify.h"
#include "synth/frontier.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct usage usage = {
	"Jd", "FILE...",
	"Judges algorithm files: plays each schedule step by step, and checks that nothing is sent that is not there, that no link is "
	"overloaded, that everything arrives (and every sum is whole), that the stated cost and bounds are right, and that claims of "
	"optimality by a bound hold. Frontier files are judged too: their points, and that every better candidate of the class is "
	"listed as refuted or open. The judge shares no code with what finds algorithms.\n\n"
	"Example: sccl-synth verify algorithms/dgx1/allgather/*.json\v"
	"Exit status: 0 all are right; 1 some is not; 2 some cannot be read."};

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

static int judge_algorithm(const char *path, const struct json_document *d, bool json)
{
	struct error e = {0};
	struct algorithm *a = algorithm_read(d, &e);
	char ratio[RATIONAL_TEXT];

	if (!a)
		return fail(&e);
	struct verdict v = algorithm_verify(a);
	if (json)
		print_json(path, &v, v.fault == FAULT_NONE ? NULL : fault_names[v.fault]);
	else if (v.fault == FAULT_NONE)
		printf("%s: ok, %zu steps, %d rounds, R/C = %s\n", path, a->n_steps, algorithm_rounds(a),
		       rational_text(algorithm_bandwidth(a), ratio));
	else
		printf("%s: %s: %s\n", path, fault_names[v.fault], v.why);
	algorithm_free(a);
	return v.fault == FAULT_NONE ? STATUS_DONE : STATUS_NO;
}

static int judge_frontier(const char *path, bool json)
{
	struct error e = {0};
	struct verdict v = {FAULT_COST, -1, -1, -1, -1, ""};
	bool ok = frontier_verify(path, v.why, sizeof v.why, &e);

	if (e.kind != ERROR_NONE)
		return fail(&e);
	if (json)
		print_json(path, &v, ok ? NULL : "frontier");
	else
		printf("%s: %s%s\n", path, ok ? "ok, the frontier is whole" : "frontier: ", v.why);
	return ok ? STATUS_DONE : STATUS_NO;
}

static int judge(const char *path, bool json)
{
	struct error e = {0};
	struct json_document *d = json_document_open(path, &e);

	if (!d)
		return fail(&e);
	const char *format = json_string_value(json_object_get(d->root, "format"));
	bool frontier = format && strcmp(format, "sccl-frontier") == 0;
	int status = frontier ? judge_frontier(path, json) : judge_algorithm(path, d, json);
	json_document_close(d);
	return status;
}

int cmd_verify(int argc, char **argv)
{
	struct error e = {0};
	struct options o;
	int worst = STATUS_DONE;

	if (!options_read(argc, argv, &usage, &o, &e))
		return fail(&e);
	if (!o.n_files) {
		error_set(&e, ERROR_INPUT, argv[0], "say which files");
		return fail(&e);
	}
	for (size_t i = 0; i < o.n_files; i++) {
		int status = judge(o.files[i], o.json);
		worst = status > worst ? status : worst;
	}
	free(o.files);
	return worst;
}

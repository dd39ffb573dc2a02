/* `lint`: is a plan of another library right, and would its consumer load and select it? */

#include "cli/output/command.h"
#include "cli/arguments/shared.h"

#include "core/base/file.h"
#include "core/base/text.h"
#include "interop/plans/lint.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct lint_options {
	int consumer; /* index of plan_consumer_names, -1: any */
	bool json;
	struct operands files;
};

static const struct option_row own_rows[] = {
	{"for", 0, "CONSUMER", "also check the limits of mscclpp, msccl, rccl or azure",
	 .read = option_choice, .field = offsetof(struct lint_options, consumer), .choices = plan_consumer_names},
};

static const struct option_group groups[] = {
	OPTION_GROUP_OWN(own_rows),
	OPTION_GROUP(json_rows, lint_options, json),
	OPTION_GROUP_OWN(directory_rows),
};

static const struct usage usage = {
	"Checks plans of other libraries: MSCCL XML (of msccl, RCCL, Azure's executor) and MSCCL++ JSON. A plan is executed over sets of "
	"contributions. Reported are races, reads of what is not there, contributions that are missing or added twice, accesses outside "
	"buffers, thread blocks that wait forever, and with --for limits of the library that is to load it; each with rank, thread "
	"block and op. Then follow the sizes and counts for which the library would select it.\n\n"
	"Example: sccl-synth lint plan.json --for mscclpp\v"
	"Exit status: 0 nothing is wrong; 1 something is; 2 bad input; 3 a plan is too large to be executed.",
	USAGE_GROUPS(groups), USAGE_FILES(lint_options, files),
};

static void add_json_lines(const char *key, const struct text *lines, struct text *into)
{
	text_add(into, ", \"%s\": [", key);
	for (const char *at = lines->bytes; at && *at;) {
		size_t n = strcspn(at, "\n");
		struct text one = {0};
		text_add_bytes(&one, at, n);
		text_add(into, at == lines->bytes ? "" : ", ");
		text_add_json_string(into, one.bytes);
		text_free(&one);
		at += n + (at[n] == '\n');
	}
	text_add(into, "]");
}

static void print_json(const struct foreign_plan *p, const struct plan_faults *f, const struct text *notes)
{
	struct text line = {0};

	text_add(&line, "{\"file\": ");
	text_add_json_string(&line, p->path);
	text_add(&line, ", \"format\": \"%s\", \"collective\": \"%s\", \"ranks\": %d, \"ok\": %s", plan_format_names[p->format], plan_kind_names[p->kind],
		 p->ranks, f->n ? "false" : "true");
	add_json_lines("faults", f->lines, &line);
	add_json_lines("notes", notes, &line);
	printf("%s}\n", line.bytes);
	text_free(&line);
}

static void print_text(const struct foreign_plan *p, const struct plan_faults *f, const struct text *notes)
{
	struct text sizes = {0};

	if (f->lines->length)
		fputs(f->lines->bytes, stdout);
	if (f->n > PLAN_FAULTS_MAX)
		printf("%s: and %d more\n", printable(p->path), f->n - PLAN_FAULTS_MAX);
	if (notes->length)
		fputs(notes->bytes, stderr);
	printf("%s: %s, %s on %d rank%s: %s\n", printable(p->path), plan_format_names[p->format], plan_kind_names[p->kind], p->ranks, plural(p->ranks),
	       f->n ? "wrong" : "right");
	plan_sizes(p, &sizes);
	fputs(sizes.bytes, stdout);
	text_free(&sizes);
}

static int lint_one(void *context, const char *path)
{
	const struct lint_options *o = context;
	struct error e = {0};
	struct text bytes = {0}, lines = {0}, notes = {0};
	struct plan_faults f = {.lines = &lines};
	struct foreign_plan *p = file_read(path, &bytes, &e) ? plan_parse(path, bytes.bytes ? bytes.bytes : "", bytes.length, &e) : NULL;
	bool ok = p && plan_lint(p, (enum plan_consumer)o->consumer, bytes.bytes, &f, &notes, &e);

	if (ok && o->json)
		print_json(p, &f, &notes);
	else if (ok)
		print_text(p, &f, &notes);
	foreign_plan_free(p);
	text_free(&bytes);
	text_free(&lines);
	text_free(&notes);
	return ok ? (f.n ? STATUS_NO : STATUS_DONE) : fail(&e);
}

int cmd_lint(int argc, char **argv)
{
	struct error e = {0};
	struct lint_options o = {.consumer = -1};

	return options_read(argc, argv, &usage, &o, &e) ? operands_each(&o.files, lint_one, &o) : fail(&e);
}

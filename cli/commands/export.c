/* `export`: selects the format and writes its text to a file or standard output. */

#include "cli/output/command.h"
#include "cli/commands/exporting.h"
#include "cli/arguments/options.h"

#include "core/base/file.h"
#include "core/base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct usage usage = {
	"ftcrCSRod", "[FILE]",
	"Writes for other programs.\n\n"
	"--format smt2: a question for other solvers: is there an algorithm of C chunks, S steps and R rounds? It is the SCCL "
	"paper's encoding (C1 to C6) in SMT-LIB 2, logic QF_LIA. The question is given as for `solve`, or is that of an "
	"algorithm FILE's own machine, collective, C, S and R. A combining collective is asked as its inverse on reversed "
	"links.\n\n"
	"--format dimacs: the same question as clauses for SAT solvers, with a comment for each variable that says what it means. "
	"It is the formula that certificates are of; an allreduce is asked directly.\n\n"
	"--format msccl-xml: an algorithm FILE as a plan that RCCL runs, MSCCL XML, for calls out of place. It is played and "
	"checked against RCCL's limits before it is written.\n\n"
	"Example: sccl-synth export -t dgx1 -c allgather -C 1 -S 2 -R 2 --format smt2 | z3 -in\v"
	"Exit status: 0 done; 2 bad input, or more than the other program takes; 3 a machine or question too large."};

/* The table of formats. */
static const struct format {
	const char *name;
	bool (*write)(const struct options *o, struct text *into, struct error *e);
} formats[] = {
	{"smt2", export_question},
	{"dimacs", export_dimacs},
	{"msccl-xml", export_msccl},
};

static const struct format *format_named(const char *name, struct error *e)
{
	struct text names = {0};
	size_t n = sizeof formats / sizeof *formats;

	for (size_t i = 0; i < n; i++) {
		if (name && strcmp(name, formats[i].name) == 0) {
			text_free(&names);
			return &formats[i];
		}
		text_add(&names, "%s%s", i == 0 ? "" : i + 1 < n ? ", " : " or ", formats[i].name);
	}
	error_set(e, ERROR_INPUT, "--format", "must be %s, not \"%.64s\"", names.bytes, name ? name : "");
	text_free(&names);
	return NULL;
}

static bool write_out(const struct options *o, const struct text *text, struct error *e)
{
	if (o->out)
		return file_write(o->out, text->bytes, text->length, e);
	fwrite(text->bytes, 1, text->length, stdout);
	return true;
}

int cmd_export(int argc, char **argv)
{
	struct error e = {0};
	struct options o;
	struct text text = {0};

	if (!options_read(argc, argv, &usage, &o, &e))
		return fail(&e);
	const struct format *format = format_named(o.format, &e);
	if (o.n_files > 1)
		error_set(&e, ERROR_INPUT, argv[0], "one file at a time");
	bool ok = e.kind == ERROR_NONE && options_one_root(&o, &e) && format->write(&o, &text, &e) && write_out(&o, &text, &e);
	text_free(&text);
	free(o.files);
	return ok ? STATUS_DONE : fail(&e);
}

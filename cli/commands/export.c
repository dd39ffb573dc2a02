/* `export`: selects the format and writes its text to a file or standard output. */

#include "cli/output/command.h"
#include "cli/arguments/sizes.h"
#include "cli/commands/exporting.h"

#include "core/base/file.h"
#include "core/base/text.h"

#include <stdio.h>

static const char *const format_names[] = {"smt2", "dimacs", "msccl-xml", "mscclpp", "nccl-graph", "csv", "te-ccl", "chakra", NULL};
enum { MSCCLPP = 3, CHAKRA = 7 }; /* of these */
static const char *const proto_names[] = {"Simple", "LL", "LL128", NULL};
static const struct option_row own_rows[] = {
	{"format", 0, "F", "output format: smt2, dimacs, msccl-xml, mscclpp, nccl-graph, csv, te-ccl or chakra",
	 OPTION_CHOICE(export_options, format, format_names)},
	{"in-place", 0, NULL, "msccl-xml, mscclpp: for calls whose input and output are one buffer", OPTION(option_flag, export_options, in_place)},
	{"proto", 0, "P", "msccl-xml: Simple, LL or LL128; mscclpp: Simple, or LL for packets (Simple)",
	 OPTION_CHOICE(export_options, proto, proto_names)},
	{"min-bytes", 0, "N", "msccl-xml, mscclpp: the least size that it is for", OPTION(option_text, export_options, least)},
	{"max-bytes", 0, "N", "msccl-xml, mscclpp: the largest size", OPTION(option_text, export_options, most)},
	{"bytes", 0, "N", "te-ccl, chakra: bytes of one rank's input (1M)", OPTION(option_bytes, export_options, bytes)},
	{"register", 0, "FILE", "mscclpp: also write FILE, in Python, which registers the plan", OPTION(option_path, export_options, registers)},
};

static const struct option_group groups[] = {
	OPTION_GROUP_OWN(own_rows),
	SUBJECT_GROUPS(export_options, subject),
	OPTION_GROUP(candidate_rows, export_options, candidate),
	OPTION_GROUP(output_rows, export_options, out),
	OPTION_GROUP_OWN(directory_rows),
};

static const struct usage usage = {
	"Exports candidates and algorithms to other programs.\n\n"
	"--format smt2: a formula for other solvers that is satisfiable if and only if there is an algorithm with C chunks, S steps "
	"and R rounds: the encoding of the SCCL paper (C1 to C6) in SMT-LIB 2, logic QF_LIA. The candidate is given as for "
	"`sccl-synth solve`, or is that of an algorithm FILE. A combining collective is exported as its inverse on reversed "
	"links.\n\n"
	"--format dimacs: the same candidate as clauses for SAT solvers, with comments on the meaning of each variable. This is the "
	"formula that certificates refute; an allreduce is encoded directly.\n\n"
	"--format mscclpp: an algorithm FILE as a plan for MSCCL++ 0.9. --proto LL makes one of packets, for small sizes.\n\n"
	"--format msccl-xml: an algorithm FILE as a plan for msccl, Azure's executor and RCCL up to 2.27 (later versions load no plans), in "
	"MSCCL XML. --proto is only stated in it.\n\n"
	"--format nccl-graph: an algorithm FILE of rings or chains within a box as NCCL_GRAPH_FILE. NCCL takes its links from it, and "
	"cuts data and orders steps itself.\n\n"
	"--format csv: one send a row. --format te-ccl: an allgather as JSON of TE-CCL. --format chakra: execution traces for ASTRA-sim's "
	"custom collectives, in the encoding of Protocol Buffers; -o is a PREFIX, and each rank gets PREFIX.RANK.et.\n\n"
	"What is written can be imported with `sccl-synth import -t T`. A schedule is read back before it is written; a plan is executed and "
	"checked against the limits of its consumer (as by `sccl-synth lint`), and with -o, the sizes and counts follow that the consumer takes it for.\n\n"
	"Example: sccl-synth export -t dgx1 -c allgather -C 1 -S 2 -R 2 --format smt2 | z3 -in\v"
	"Exit status: 0 done; 2 bad input, or the limits of the other program are exceeded; 3 a machine or candidate is too large.",
	USAGE_GROUPS(groups), .operands = "[FILE]", .operands_at = offsetof(struct export_options, file), .most = 1,
	.operands_wrong = "takes at most one file",
};

/* By --format. */
static bool (*const formats[])(const struct export_options *o, struct text *into, struct error *e) = {
	export_question, export_dimacs, export_msccl, export_mscclpp, export_nccl_graph, export_csv, export_te_ccl, export_chakra,
};

static bool write_out(const struct export_options *o, const struct text *text, struct error *e)
{
	if (o->format == CHAKRA || o->registers)
		return true; /* written already */
	if (o->out)
		return file_write(o->out, text->bytes, text->length, e);
	fwrite(text->bytes, 1, text->length, stdout);
	return true;
}

int cmd_export(int argc, char **argv)
{
	struct error e = {0};
	struct export_options o = {.format = -1, .bytes = 1 << 20};
	struct text text = {0};

	if (options_read(argc, argv, &usage, &o, &e) && o.format < 0)
		option_choice(own_rows, "", &o.format, &e);
	if (e.kind == ERROR_NONE && o.registers && o.format != MSCCLPP)
		error_set(&e, ERROR_INPUT, "--register", "is for --format mscclpp");
	bool ok = e.kind == ERROR_NONE && options_one_root(&o.subject.root, &e) && formats[o.format](&o, &text, &e) && write_out(&o, &text, &e);
	text_free(&text);
	return ok ? STATUS_DONE : fail(&e);
}

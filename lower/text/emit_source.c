/* Assembles a source file from its parts. */

#include "lower/text/emit.h"

static const char plain_comment[] =
	"/*\n"
	" * What each rank does, with flags: SCCL_COPY(step, chunk, targets) from, to...; SCCL_REDUCE(step, chunk, sources,\n"
	" * targets) from..., to..., or SCCL_TOTAL if the result is that of all ranks; SCCL_SIGNAL and SCCL_WAIT(step, peer, number).\n"
	" */\n";

static const char packets_comment[] = "/* What each rank does, with packets: reading SCCL_PACKET(sender, i) waits for it. */\n";

static const char shared_comment[] = "/* What each rank does, with flags and inputs that others read: SCCL_INPUT_OF(rank, i). */\n";

static const char pull_comment[] = "/* What each rank does, with flags and loads from peers: SCCL_SCRATCH(rank, i) may be another rank's. */\n";

static const char multimem_comment[] =
	"/* What each rank does, with switches that copy and add: SCCL_INPUT_OF_ALL(i) is the sum of every rank's input, and\n"
	" * SCCL_OUTPUT_OF_ALL(i) every rank's output. */\n";

void emit_source(const struct programs *p, const char *name, const struct target *t, const struct kernels *k,
		 struct text *into)
{
	text_title(p, name, t->name, into);
	text_include_device(p->multimem != NULL, into);
	text_add(into, "#include <sccl/program.h>\n\n");
	text_cuts(p->plain, into);
	text_words(p->plain, "plain", plain_comment, into);
	text_words(p->packets, "packets", packets_comment, into);
	if (p->shared)
		text_words(p->shared, "shared", shared_comment, into);
	if (p->multimem)
		text_words(p->multimem, "multimem", multimem_comment, into);
	text_words(p->pull, "pull", pull_comment, into);
	text_program(p, name, t->name, k, into);
}

/* `import`: reads a machine from files of other tools, found by content, and says what it had to assume. */

#include "cli/output/command.h"
#include "cli/arguments/shared.h"
#include "cli/commands/topologies.h"

#include "core/base/file.h"
#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/machine/topology.h"
#include "core/schedule/algorithm.h"
#include "interop/machines/import.h"
#include "interop/schedules/schedules.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct import_options {
	int collective;       /* -c: index of collective_names, -1: not given */
	const char *topology; /* -t: the files are plans for this machine; NULL: they are machines */
	enum import_rates rates;
	const char *out;
	bool json;
	struct operands files;
};

static const char *const rate_names[] = {"nominal", "planned", NULL};
static const char *const collective_names[] = {"allgather", "reducescatter", "allreduce", NULL};
static const enum collective_kind asked[] = {ALLGATHER, REDUCESCATTER, ALLREDUCE};
static const struct option_row own_rows[] = {
	{"topology", 't', "T", "FILE is a plan or schedule for the machine T", OPTION(option_text, import_options, topology)},
	{"collective", 'c', "C", "with -t, of NCCL's graphs and ForestColl's trees: allgather, reducescatter or allreduce",
	 .read = option_choice, .field = offsetof(struct import_options, collective), .choices = collective_names},
	{"rates", 0, "WHICH", "nominal: what vendors state (default); planned: what NCCL or RCCL assume", OPTION_CHOICE(import_options, rates, rate_names)},
};

static const struct option_group groups[] = {
	OPTION_GROUP_OWN(own_rows),
	OPTION_GROUP(output_rows, import_options, out),
	OPTION_GROUP(json_rows, import_options, json),
	OPTION_GROUP_OWN(directory_rows),
};

static const struct usage usage = {
	"Reads a machine from files of other tools and writes it as a topology, to standard output or to the file of -o. The format is "
	"found by content:\n\n"
	"  topology XML of NCCL and RCCL (NCCL_TOPO_DUMP_FILE), hwloc XML of versions 2 and 3,\n"
	"  `nvidia-smi topo -m`, `rocm-smi --showtopo`, `amd-smi topology`,\n"
	"  a matrix of GB/s with commas, semicolons, tabs or blanks, p2pBandwidthLatencyTest,\n"
	"  inputs of TE-CCL, topologies of TACCL and msccl-tools, tables of TACOS, graphs in node-link form (ForestColl),\n"
	"  ASTRA-sim's network YAML.\n\n"
	"Several files describe one machine: the most detailed is taken, and what the others say otherwise is listed. What a file does "
	"not tell is assumed, and said on standard error.\n\n"
	"With -t, FILE is a plan or schedule of another tool for the machine T, and becomes an algorithm: MSCCL XML, MSCCL++ JSON, "
	"algorithms of msccl-tools, an allgather of TE-CCL, graphs of NCCL and trees of ForestColl (-c says for which collective), CSV, and "
	"Chakra traces, a FILE for each rank. It must be a schedule in steps in which a rank holds one value of a chunk; `sccl-synth lint` "
	"checks other plans.\n\n"
	"Example: sccl-synth import topo.txt -o mine.json && sccl-synth best -t ./mine.json -c allreduce\v"
	"Exit status: 0 done; 2 bad input, or a format that is not known.",
	USAGE_GROUPS(groups), USAGE_FILES(import_options, files),
};

static char *line_of(const char *at, size_t n)
{
	struct text line = {0};

	text_add_bytes(&line, at, n);
	return text_take(&line);
}

static void print_notes(const struct text *notes)
{
	for (const char *at = notes->bytes; at && *at;) {
		size_t n = strcspn(at, "\n");
		char *line = line_of(at, n);
		fprintf(stderr, "sccl-synth: %s\n", printable(line));
		free(line);
		at += n + (at[n] == '\n');
	}
}

static void print_json(const struct topology *t, const struct import_report *r, const char *out)
{
	struct text line = {0};

	text_add(&line, "{\"format\": \"%s\", \"name\": ", r->format);
	text_add_json_string(&line, t->name);
	text_add(&line, ", \"nodes\": %d, \"switches\": %d, \"links\": %zu, \"file\": ", t->nodes, t->switches, t->n_links);
	if (out)
		text_add_json_string(&line, out);
	else
		text_add(&line, "null");
	text_add(&line, ", \"notes\": [");
	for (const char *at = r->notes->bytes; at && *at;) {
		size_t n = strcspn(at, "\n");
		char *one = line_of(at, n);
		text_add(&line, at == r->notes->bytes ? "" : ", ");
		text_add_json_string(&line, one);
		free(one);
		at += n + (at[n] == '\n');
	}
	printf("%s]}\n", line.bytes);
	text_free(&line);
}

/* An algorithm from the plan or schedule in the files. NULL with *e set. */
static struct algorithm *read_schedule(const struct import_options *o, const struct topology *t, struct error *e)
{
	struct text *bytes = new_array(struct text, o->files.n);
	struct schedule_source *of = new_array(struct schedule_source, o->files.n);
	struct schedule_request r = {of, o->files.n, t, o->collective < 0 ? COLLECTIVE_KINDS : asked[o->collective]};
	struct algorithm *a = NULL;
	bool ok = true;

	for (size_t i = 0; ok && i < o->files.n; i++) {
		ok = file_read(o->files.at[i], &bytes[i], e);
		of[i] = (struct schedule_source){o->files.at[i], bytes[i].bytes ? bytes[i].bytes : "", bytes[i].length};
	}
	if (ok)
		a = schedule_read(&r, e);
	for (size_t i = 0; i < o->files.n; i++)
		text_free(&bytes[i]);
	free(bytes);
	free(of);
	return a;
}

static void print_algorithm(const struct import_options *o, const struct algorithm *a)
{
	struct text line = {0};

	if (o->json) {
		text_add(&line, "{\"collective\": \"%s\", \"chunks\": %d, \"steps\": %zu, \"rounds\": %d, \"file\": ", collective_name(&a->collective),
			 a->chunks, a->n_steps, algorithm_rounds(a));
		if (o->out)
			text_add_json_string(&line, o->out);
		else
			text_add(&line, "null");
		printf("%s}\n", line.bytes);
	} else if (o->out)
		printf("%s on %s, (%d,%zu,%d): %s\n", collective_name(&a->collective), printable(a->topology->name), a->chunks, a->n_steps,
		       algorithm_rounds(a), printable(o->out));
	else {
		algorithm_write(a, &line);
		fwrite(line.bytes, 1, line.length, stdout);
	}
	text_free(&line);
}

static int import_plan(const struct import_options *o)
{
	struct error e = {0};
	struct topology *t = NULL;
	struct algorithm *a = NULL;

	if ((t = topology_open(o->topology, &e)))
		a = read_schedule(o, t, &e);
	bool ok = a && (!o->out || algorithm_save(a, o->out, &e));
	if (ok)
		print_algorithm(o, a);
	algorithm_free(a);
	topology_free(t);
	return ok ? STATUS_DONE : fail(&e);
}

int cmd_import(int argc, char **argv)
{
	struct error e = {0};
	struct import_options o = {.collective = -1};
	struct text notes = {0};
	struct import_report report = {.notes = &notes};

	if (!options_read(argc, argv, &usage, &o, &e))
		return fail(&e);
	if (o.topology)
		return import_plan(&o);
	if (o.collective >= 0) {
		error_set(&e, ERROR_INPUT, "-c", "is for plans and schedules, which need -t");
		return fail(&e);
	}
	char *name = o.out ? topology_name_for(o.out, ".json", "imported") : topology_name_for(o.files.at[0], NULL, "imported");
	struct topology *t = import_machine((const char *const *)o.files.at, o.files.n, name, o.rates, &report, &e);
	bool ok = t != NULL;
	if (ok) {
		if (!o.json)
			print_notes(&notes);
		ok = (o.json && !o.out) || topology_write_to(o.out, t, &e);
	}
	if (ok && o.json)
		print_json(t, &report, o.out);
	else if (ok && o.out)
		printf("%s: %d GPU%s, %d switch%s: %s\n", report.format, t->nodes, plural(t->nodes), t->switches, t->switches == 1 ? "" : "es",
		       printable(o.out));
	topology_free(t);
	text_free(&notes);
	free(name);
	return ok ? STATUS_DONE : fail(&e);
}

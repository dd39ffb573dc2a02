/* All options of all commands: a function that reads each, and the table of them. */

#include "cli/arguments/option_rows.h"

#include "cli/output/command.h"

#include "core/base/file.h"
#include "core/base/text.h"
#include "core/machine/topology.h"
#include "synth/frontier/frontier.h"

#include <stdlib.h>
#include <string.h>

bool option_whole(const char *name, const char *s, int64_t low, int64_t high, int *out, struct error *e)
{
	int64_t n;
	if (!parse_integer(s, low, high, &n))
		return error_set(e, ERROR_INPUT, name, "must be an integer from %lld to %lld, not \"%.64s\"", (long long)low,
				 (long long)high, s);
	*out = (int)n;
	return true;
}

#define TEXT_OPTION(function, field)                                                                                          \
	static bool function(struct options *o, const char *s, struct error *e)                                               \
	{                                                                                                                     \
		(void)e;                                                                                                      \
		o->field = s;                                                                                                 \
		return true;                                                                                                  \
	}
#define FLAG_OPTION(function, field)                                                                                          \
	static bool function(struct options *o, const char *s, struct error *e)                                               \
	{                                                                                                                     \
		(void)e, (void)s;                                                                                             \
		o->field = true;                                                                                              \
		return true;                                                                                                  \
	}
#define NUMBER_OPTION(function, field, name, low, high)                                                                       \
	static bool function(struct options *o, const char *s, struct error *e)                                               \
	{                                                                                                                     \
		return option_whole(name, s, low, high, &o->field, e);                                                          \
	}

const char options_lists[] = "T...";

bool option_word(struct options *o, struct words *list, const char *s, struct error *e)
{
	o->list = list;
	if (list->n == WORDS_MOST)
		return error_set(e, ERROR_INPUT, list == &o->topologies ? "-t" : "-c", "is given more than %d times", WORDS_MOST);
	list->at[list->n++] = s;
	return true;
}

static bool read_topology(struct options *o, const char *s, struct error *e)
{
	o->topology = s;
	return option_word(o, &o->topologies, s, e);
}

static bool read_collective(struct options *o, const char *s, struct error *e)
{
	o->collective = s;
	return option_word(o, &o->collectives, s, e);
}

TEXT_OPTION(read_out, out)
TEXT_OPTION(read_from, from)
TEXT_OPTION(read_format, format)
TEXT_OPTION(read_target, target)
TEXT_OPTION(read_sizes, sizes)
TEXT_OPTION(read_counts, counts)
TEXT_OPTION(read_types, types)
TEXT_OPTION(read_ops, ops)
TEXT_OPTION(read_calls, calls)
TEXT_OPTION(read_mode, mode)
TEXT_OPTION(read_blocks, blocks)
TEXT_OPTION(read_run_timeout, run_timeout)
TEXT_OPTION(read_protocol, protocol)
TEXT_OPTION(read_kernels, kernels)
TEXT_OPTION(read_alpha, alpha)
TEXT_OPTION(read_beta, beta)
FLAG_OPTION(read_measure, measure)
TEXT_OPTION(read_links, links)
TEXT_OPTION(read_by, by)
NUMBER_OPTION(read_runs, runs, "--runs", 1, CHUNKS_MAX)
NUMBER_OPTION(read_every, every, "--every", 1, STEPS_MAX)
TEXT_OPTION(read_method, method.name)
TEXT_OPTION(read_tables, method.tables)
TEXT_OPTION(read_bytes, method.bytes)
TEXT_OPTION(read_beside, beside.topology)
TEXT_OPTION(read_beside_out, beside.out)
TEXT_OPTION(read_switching, beside.switching)
TEXT_OPTION(read_start, simulation.start)
TEXT_OPTION(read_sharing, simulation.sharing)
TEXT_OPTION(read_packet, simulation.packet)
TEXT_OPTION(read_head, simulation.head)
TEXT_OPTION(read_buffer, simulation.buffer)
TEXT_OPTION(read_svg, simulation.svg)
NUMBER_OPTION(read_busiest, simulation.busiest, "--busiest", 1, LINKS_MAX)
TEXT_OPTION(read_workloads, training.workloads)
TEXT_OPTION(read_bucket, training.bucket)
TEXT_OPTION(read_teraflops, training.teraflops)
NUMBER_OPTION(read_batch, training.batch, "--batch", 1, 1 << 20)
FLAG_OPTION(read_proofs, proofs)
FLAG_OPTION(read_traces, traces)
NUMBER_OPTION(read_keep, keep, "--keep", 0, 1 << 20)
FLAG_OPTION(read_overlap, overlap)
FLAG_OPTION(read_staged, staged)
FLAG_OPTION(read_registered, registered)
FLAG_OPTION(read_graph, graph)
FLAG_OPTION(read_check, check)
FLAG_OPTION(read_no_check, no_check)
FLAG_OPTION(read_in_place, in_place)
FLAG_OPTION(read_resume, resume)
FLAG_OPTION(read_least_steps, least_steps)
FLAG_OPTION(read_fresh, fresh)
FLAG_OPTION(read_expand, expand)
FLAG_OPTION(read_json, json)
FLAG_OPTION(read_help, help)
NUMBER_OPTION(read_chunks, chunks, "-C", 1, CHUNKS_MAX)
NUMBER_OPTION(read_steps, steps, "-S", 1, STEPS_MAX)
NUMBER_OPTION(read_rounds, rounds, "-R", 1, ROUNDS_MAX)
NUMBER_OPTION(read_k, k, "-k", 0, CLASS_K_MAX)
NUMBER_OPTION(read_max_steps, max_steps, "--max-steps", 1, CLASS_K_MAX)
NUMBER_OPTION(read_max_chunks, max_chunks, "--max-chunks", 1, CHUNKS_MAX)
NUMBER_OPTION(read_pipeline, constraints.pipeline, "--pipeline", 1, STEPS_MAX)
NUMBER_OPTION(read_jobs, jobs, "-j", 1, 1024)

static bool read_root(struct options *o, const char *s, struct error *e)
{
	o->root_given = true;
	o->root_all = strcmp(s, "all") == 0;
	o->roots = strchr(s, ',') ? s : NULL;
	return o->root_all || o->roots || option_whole("--root", s, 0, NODES_MAX - 1, &o->root, e);
}

static bool read_extra_memory(struct options *o, const char *s, struct error *e)
{
	o->constraints.is_short = true;
	return option_whole("--extra-memory", s, 0, CHUNKS_MAX, &o->constraints.extra_memory, e);
}

static bool read_engine(struct options *o, const char *s, struct error *e)
{
	o->solve.engine = s;
	return solve_engine(s, e) != NULL;
}

static bool read_within(struct options *o, const char *s, struct error *e)
{
	static const char *const names[] = {"all", "composition", "direct"};

	for (int i = 0; i < 3; i++)
		if (strcmp(names[i], s) == 0) {
			o->within = (enum options_within)i;
			return true;
		}
	return error_set(e, ERROR_INPUT, "--within", "must be all, composition or direct, not \"%.64s\"", s);
}

static bool read_timeout(struct options *o, const char *s, struct error *e)
{
	char *end;
	o->solve.timeout = strtod(s, &end);
	if (end == s || *end || !(o->solve.timeout > 0) || o->solve.timeout > 1e8)
		return error_set(e, ERROR_INPUT, "--timeout", "must be seconds, more than 0 and at most 1e8, not \"%.64s\"", s);
	return true;
}

static bool read_budget(struct options *o, const char *s, struct error *e)
{
	char *end;
	o->budget = strtod(s, &end);
	if (end == s || *end || !(o->budget >= 1) || o->budget > 1e15)
		return error_set(e, ERROR_INPUT, "--budget", "must be steps, from 1 to 1e15, not \"%.64s\"", s);
	return true;
}

static bool read_epsilon(struct options *o, const char *s, struct error *e)
{
	char *end;
	double x = strtod(s, &end);
	if (end == s || *end || !(x >= 0.001 && x <= 0.5))
		return error_set(e, ERROR_INPUT, "--epsilon", "must be from 0.001 to 0.5, not \"%.64s\"", s);
	o->method.options.epsilon = x;
	return true;
}

static bool read_threshold(struct options *o, const char *s, struct error *e)
{
	char *end;
	double x = strtod(s, &end);
	if (end == s || *end || !(x >= 0 && x <= 50))
		return error_set(e, ERROR_INPUT, "--threshold", "must be percent from 0 to 50, not \"%.64s\"", s);
	o->method.options.threshold = x / 100;
	return true;
}

static bool read_prefer(struct options *o, const char *s, struct error *e)
{
	o->method.options.prefer_height = true;
	return strcmp(s, "height") == 0 || error_set(e, ERROR_INPUT, "--prefer", "must be height, not \"%.64s\"", s);
}

static bool read_memory(struct options *o, const char *s, struct error *e)
{
	int n = 0;
	if (!option_whole("--memory", s, 1, 1 << 30, &n, e))
		return false;
	o->solve.memory = (size_t)n;
	return true;
}

static bool read_dir(struct options *o, const char *s, struct error *e)
{
	(void)o, (void)e;
	search_path_first(s);
	return true;
}

static const struct option_row rows[] = {
	{'t', true, "topology", "T", "the machine: a name of `sccl-synth topology list`, a file, or a shape such as torus:4x4; "
				     "dgx1*4 is four boxes on one switch; edits may follow: dgx1@gpus=0,1,4,5, dgx1@drop=2-3, dgx1@add=0-4x2, dgx1@widen=0-1, dgx1@narrow=0-1", read_topology},
	{'c', true, "collective", "KIND", "allgather, broadcast, gather, scatter, alltoall, reduce, reducescatter, allreduce, scan, or a "
					  "file of one's own", read_collective},
	{'r', false, "root", "N", "the root of broadcast, gather, scatter and reduce (0); several as in 0,3", read_root},
	{'C', true, "chunks", "C", "into how many chunks the input of a node is cut", read_chunks},
	{'S', true, "steps", "S", "how many steps: each costs one latency α", read_steps},
	{'R', true, "rounds", "R", "how many rounds in all, one or more a step: in a round a link of bandwidth b carries b chunks",
	 read_rounds},
	{'k', true, NULL, "K", "look at algorithms with R - S <= K (4)", read_k},
	{'m', false, "max-steps", "N", "go up to N steps (the bound + 4)", read_max_steps},
	{'n', false, "max-chunks", "N", "use at most N chunks; then nothing is claimed optimal by exhaustion", read_max_chunks},
	{'j', true, "jobs", "N", "ask N questions at once (1); the result is the same", read_jobs},
	{'u', false, "resume", NULL, "go on from the journal that an interrupted walk left in DIR", read_resume},
	{'l', false, "least-steps", NULL, "stop at the first algorithm: the fewest steps", read_least_steps},
	{'q', false, "fresh", NULL, "search, even where the catalog has the answer", read_fresh},
	{'5', false, "expand", NULL, "write every send, also where one of each orbit of a symmetry would tell all", read_expand},
	{'J', false, "json", NULL, "print for a machine to read, one object a line", read_json},
	{'I', false, "within", "CLASS", "allreduce: composition (of a reducescatter and an allgather), direct (values are added on any "
					"way), or all (all)", read_within},
	{'1', false, "pipeline", "N", "let a run begin every N steps: those that then fall together share the links", read_pipeline},
	{'2', false, "extra-memory", "N", "let a node hold at most N chunks at a time that it only passes on", read_extra_memory},
	{'e', false, "engine", "E", "auto, bits, bits-z3 or lia (auto)", read_engine},
	{'?', false, "budget", "STEPS", "give a proof up after so many steps of checking (4e9)", read_budget},
	{'T', false, "timeout", "SEC", "give up after so many seconds: all of a search, or one proof", read_timeout},
	{'M', false, "memory", "MIB", "give a question up beyond so many MiB", read_memory},
	{'o', true, "output", "FILE", "write to this file or folder", read_out},
	{'F', false, "from", "FILE", "read this file in place of the machine", read_from},
	{'f', false, "format", "F", "how to print; see above", read_format},
	{'g', false, "target", "TARGET", "what the program is for; see above", read_target},
	{'d', true, "directory", "DIR", "look here first for what is named: machines, catalogs, workloads", read_dir},
	{'s', false, "sizes", "A:B", "the powers of two from A to B bytes, as in 1K:16M", read_sizes},
	{'z', false, "counts", "N,...", "these numbers of elements instead of sizes", read_counts},
	{'y', false, "types", "T,...", "of f32 f64 f16 bf16 i32 i64 u8, or all (run: f32; lower: all)", read_types},
	{'p', false, "ops", "O,...", "of sum prod min max, or all (run: sum; lower: all)", read_ops},
	{'N', false, "calls", "N", "so many calls in a row of each", read_calls},
	{'D', false, "mode", "MODE", "ranks as processes or threads (processes); multikernel and memcpy are --kernels step and none", read_mode},
	{'P', false, "protocol", "NAME", "plain (flags behind the data) or packets (each 8 bytes carry their own)", read_protocol},
	{'K', false, "kernels", "HOW", "one: a call is one launch; step: a launch a step; none: copy engines", read_kernels},
	{'V', false, "overlap", NULL, "blocks go through the steps in turns", read_overlap},
	{'Q', false, "staged", NULL, "results are copied once more, as the output is no memory that the ranks share", read_staged},
	{'W', false, "registered", NULL, "the output is memory that the ranks show each other (GPUs, threads)", read_registered},
	{'G', false, "graph", NULL, "GPUs: record a call once and replay it", read_graph},
	{'E', false, "measure", NULL, "run the programs and take what is fastest, not what should be", read_measure},
	{'O', false, "method", "METHOD", "how to build; see above", read_method},
	{'0', false, "epsilon", "E", "blink: how near to the optimum the weights come, from 0.001 to 0.5", read_epsilon},
	{'$', false, "threshold", "PERCENT", "blink: so far below the optimum trees of weight 1, or of simple fractions, will do (0)", read_threshold},
	{'{', false, "beside", "T", "a second machine, another network between the same nodes, that takes a share of the buffer", read_beside},
	{'}', false, "beside-output", "FILE", "write its algorithm to this file", read_beside_out},
	{'~', false, "switching", "US", "microseconds before the second network can begin (0)", read_switching},
	{'3', false, "prefer", "height", "multitree: trees with the most height left to grow take their turns first", read_prefer},
	{'6', false, "bytes", "SIZE", "what suits calls of this size best by S α + R/C L β, as in 64K: kernighan-lin's one tree, or one per node", read_bytes},
	{'4', false, "tables", "FILE", "write what each node does in each step, as tables in JSON, to this file", read_tables},
	{'H', false, "proofs", NULL, "check the certificates of all that is said to be refuted", read_proofs},
	{'!', false, "traces", NULL, "show by traces what cuts of single steps would show too", read_traces},
	{'L', false, "keep", "KIB", "keep traces of up to so many KiB (2048); longer ones are made again by who checks", read_keep},
	{'@', false, "links", "CHANGE,...", "also each machine with one link changed: add, remove, widen, degrade, or all", read_links},
	{'^', false, "by", "WHAT", "rank changes by bandwidth (bounds), steps (bounds) or time (at the largest size) (bandwidth)", read_by},
	{'<', false, "runs", "N", "into how many parts the input is cut, each of which is a run", read_runs},
	{'>', false, "every", "N", "a run begins so many steps after the one before (1, or as the pipeline of FILE has it)", read_every},
	{'A', false, "alpha", "US", "microseconds that a step, or in a simulation a link, takes (its kind's; the slowest kind's for a step)", read_alpha},
	{'B', false, "beta", "US", "microseconds a byte over one unit of bandwidth (likewise)", read_beta},
	{'a', false, "start", "WHEN", "a message starts: steps (with its step) or dataflow (with its chunk)", read_start},
	{'U', false, "sharing", "HOW", "links are shared: fair or fifo (fair)", read_sharing},
	{'Y', false, "packet", "BYTES", "a message is cut into packets of so many bytes of payload", read_packet},
	{'Z', false, "head", "BYTES", "each packet, or each message, carries so many bytes beside", read_head},
	{'+', false, "buffer", "BYTES", "the far end of a link holds so many bytes that are not acknowledged (enough)", read_buffer},
	{'*', false, "busiest", "N", "name the N busiest links", read_busiest},
	{'v', false, "svg", "FILE", "draw times and busbw over sizes", read_svg},
	{'%', false, "workload", "NAME,...", "which networks; see below, or files", read_workloads},
	{'&', false, "bucket", "BYTES", "beside the backward pass, layers go together until they have so many bytes", read_bucket},
	{'=', false, "batch", "N", "samples of a rank in one iteration (the workload's)", read_batch},
	{'#', false, "teraflops", "X", "what a rank sustains (the workload's)", read_teraflops},
	{'b', false, "blocks", "N", "blocks that each rank's work is cut into", read_blocks},
	{'w', false, "timeout", "SEC", "give a call up after so many seconds", read_run_timeout},
	{'x', false, "check", NULL, "compare every result with a reference (this is so unless --no-check is given)", read_check},
	{'X', false, "no-check", NULL, "do not compare", read_no_check},
	{'i', false, "in-place", NULL, "let input and output be one buffer where the collective allows it", read_in_place},
	{'h', true, "help", NULL, "print this", read_help},
};

const struct option_row *option_rows(size_t *n)
{
	*n = sizeof rows / sizeof *rows;
	return rows;
}

/* The rows of options that several commands take. */

#include "cli/arguments/shared.h"

#include "core/base/file.h"
#include "core/machine/topology.h"
#include "synth/frontier/pareto.h"

#include <string.h>

static bool read_directory(const struct option_row *r, const char *s, void *field, struct error *e)
{
	(void)r, (void)field, (void)e;
	search_path_first(s);
	return true;
}

const struct option_row directory_rows[1] = {
	{"directory", 'd', "DIR", "search DIR first for machines, catalogs and workloads given by name",
	 read_directory, .field = 0},
};
const struct option_row json_rows[1] = {
	{"json", 0, NULL, "print as JSON, one object per line", option_flag, .field = 0},
};
const struct option_row output_rows[1] = {
	{"output", 'o', "FILE", "write the result to FILE", option_path, .field = 0},
};
const struct option_row folder_rows[1] = {
	{"output", 'o', "DIR", "write the files to folder DIR", option_path, .field = 0},
};
const struct option_row sizes_rows[1] = {
	{"sizes", 0, "A:B", "input sizes in bytes: the powers of two from A to B, as in 1K:16M", option_text, .field = 0},
};
const struct option_row seconds_rows[1] = {
	{"within", 0, "SEC", "end within this many seconds, with the best so far", option_seconds, .field = 0},
};
const struct option_row expand_rows[1] = {
	{"expand", 0, NULL, "list every send, even if one send per orbit of a symmetry would determine the others",
	 option_flag, .field = 0},
};

static bool read_root(const struct option_row *r, const char *s, void *field, struct error *e)
{
	struct root_options *o = field;

	o->is_given = true;
	o->is_all = strcmp(s, "all") == 0;
	o->several = strchr(s, ',') ? s : NULL;
	return o->is_all || o->several || option_integer(r, s, &o->node, e);
}

const struct option_row root_rows[1] = {
	{"root", 0, "N", "root of broadcast, gather, scatter or reduce (0); several roots as in 0,3",
	 read_root, .high = NODES_MAX - 1},
};

const struct option_row subject_rows[2] = {
	{"topology", 't', "T",
	 "machine: a name from `sccl-synth topology list`, a file, or a shape such as torus:4x4; dgx1*4 is four copies joined by a "
	 "switch, dgx-h100*4:ib400 four joined by a network of that list; edits as in dgx1@gpus=0,1,4,5, dgx1@drop=2-3, dgx1@add=0-4x2, "
	 "dgx1@widen=0-1, dgx1@narrow=0-1",
	 OPTION(option_text, subject_options, topology)},
	{"collective", 'c', "KIND",
	 "collective: allgather, broadcast, gather, scatter, alltoall, reduce, reducescatter, allreduce, scan, or a file with a custom one",
	 OPTION(option_text, subject_options, collective)},
};

const struct option_row candidate_rows[3] = {
	{"chunks", 'C', "C", "number of chunks into which each node's input is divided",
	 OPTION_WHOLE(candidate, chunks, 1, CHUNKS_MAX)},
	{"steps", 'S', "S", "number of steps, each of which costs one latency α",
	 OPTION_WHOLE(candidate, steps, 1, STEPS_MAX)},
	{"rounds", 'R', "R", "total number of rounds, at least one per step; in a round, a link of bandwidth b carries b chunks",
	 OPTION_WHOLE(candidate, rounds, 1, ROUNDS_MAX)},
};

static const char *const within_names[] = {"all", "composition", "direct", NULL};

const struct option_row within_rows[1] = {
	{"within", 0, "CLASS",
	 "allreduce: class of algorithms: composition (of a reducescatter and an allgather), direct (partial sums along any path), or all (all)",
	 option_choice, .choices = within_names},
};

static bool read_class_or_seconds(const struct option_row *r, const char *s, void *field, struct error *e)
{
	struct class_or_seconds *to = field;
	bool is_time = (*s >= '0' && *s <= '9') || *s == '.' || *s == '-' || *s == '+';

	if (is_time && to->seconds > 0)
		return option_refuse(r, e, "has two times; give one");
	if (is_time)
		return option_seconds(r, s, &to->seconds, e);
	if (to->has_class)
		return option_refuse(r, e, "has two classes; give one");
	to->has_class = true;
	return option_choice(r, s, &to->class, e);
}

const struct option_row class_or_seconds_rows[1] = {
	{"within", 0, "SEC|CLASS",
	 "end within so many seconds, with the best so far; for an allreduce also the class of algorithms: composition (of a reducescatter and "
	 "an allgather), direct (partial sums along any path), or all (all)",
	 read_class_or_seconds, .choices = within_names, .unit = "seconds"},
};

static bool read_engine(const struct option_row *r, const char *s, void *field, struct error *e)
{
	return option_text(r, s, field, e) && solve_engine(s, e);
}

const struct option_row engine_rows[1] = {
	{"engine", 0, "E", "solver engine: auto, bits, bits-z3, lia, lia-paper or naive (auto)",
	 OPTION(read_engine, solve_options, engine)},
};

static bool read_memory(const struct option_row *r, const char *s, void *field, struct error *e)
{
	int n = 0;
	bool ok = option_integer(r, s, &n, e);

	*(size_t *)field = (size_t)n;
	return ok;
}

const struct option_row timeout_rows[1] = {
	{"timeout", 0, "SEC", "time limit for the whole command, in seconds",
	 OPTION(option_seconds, solve_options, timeout)},
};
const struct option_row memory_rows[1] = {
	{"memory", 0, "MIB", "memory limit for each candidate, in MiB",
	 read_memory, .field = offsetof(struct solve_options, memory), .low = 1, .high = 1 << 30},
};

static bool read_extra_memory(const struct option_row *r, const char *s, void *field, struct error *e)
{
	struct schedule_constraints *o = field;

	o->is_short = true;
	return option_integer(r, s, &o->extra_memory, e);
}

const struct option_row constraint_rows[2] = {
	{"pipeline", 0, "N", "require that a run can start every N steps; steps of different runs that coincide share the links",
	 OPTION_WHOLE(schedule_constraints, pipeline, 1, STEPS_MAX)},
	{"extra-memory", 0, "N", "let each node hold at most N chunks in transit at a time",
	 read_extra_memory, .high = CHUNKS_MAX},
};

const struct option_row frontier_rows[3] = {
	{NULL, 'k', "K", "search for algorithms with R - S <= K (any R)", OPTION_WHOLE(pareto_options, k, 0, CLASS_K_MAX)},
	{"max-steps", 0, "N", "search for algorithms with up to N steps (the step bound + 4)",
	 OPTION_WHOLE(pareto_options, max_steps, 1, CLASS_K_MAX)},
	{"jobs", 'j', "N", "with -k: solve N candidates in parallel (1); the result does not depend on N",
	 OPTION_WHOLE(pareto_options, jobs, 1, 1024)},
};

const struct option_row cost_rows[2] = {
	{"alpha", 0, "US", "latency α per step, in microseconds (that of the machine's slowest kind of link)",
	 OPTION(option_cost, cost_options, alpha)},
	{"beta", 0, "US", "time β per byte over one unit of bandwidth, in microseconds (that of the machine's slowest kind of link)",
	 OPTION(option_cost, cost_options, beta)},
};

const struct option_row step_cost_rows[1] = {
	{"step-cost", 0, "US", "what a step costs apart from its links, in microseconds, or the default of a target: cuda or hip (0)",
	 option_step_cost, .field = 0},
};

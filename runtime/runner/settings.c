/*
 * The command line of sccl-run, parsed with argp.
 */
#define _GNU_SOURCE /* argp */
#include "runtime/runner/run.h"

#include "runtime/core/utf8.h"

#include <argp.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { AMOUNTS_MAX = 4096, KEY_JSON = 256, KEY_CHECK, KEY_NO_CHECK, KEY_IN_PLACE, KEY_OUT_OF_PLACE, KEY_BLOCKS, KEY_STAGED, KEY_REGISTERED, KEY_GRAPH, KEY_SYMBOL, KEY_LABEL, KEY_PROTOCOL, KEY_TRANSFER, KEY_KERNELS,
       KEY_OVERLAP, KEY_PIN };

static const struct argp_option options[] = {
	{"sizes", 's', "A:B", 0, "Sizes of one rank's input, L, in bytes: the powers of two from A to B, one size, or a list A,B,...; "
	                         "K, M and G are powers of 1024 (default: 1K:1M)", 0},
	{"counts", 'c', "N,...", 0, "Sizes of L as numbers of elements instead of bytes", 0},
	{"minbytes", 'b', "A", 0, "Smallest size in bytes, as in nccl-tests; with -e and -f: A, A*F, A*F*F, ... up to B (default: 1K)", 0},
	{"maxbytes", 'e', "B", 0, "Largest size in bytes (default: 1M, or A if that is more)", 0},
	{"stepfactor", 'f', "F", 0, "Factor between sizes (default: 2)", 0},
	{"types", 't', "TYPE,...", 0, "Types among f32, f64, f16, bf16, f8e4m3, f8e5m2, i8, i32, i64, u8, u32 and u64, or all (default: f32); NCCL's names such as half mean the same", 0},
	{"datatype", 'd', NULL, OPTION_ALIAS, NULL, 0},
	{"ops", 'o', "OP,...", 0, "Operations among sum, prod, min, max, avg and premulsum (mulsum), or all (default: sum); ignored by collectives that do not reduce", 0},
	{"calls", 'n', "N", 0, "Number of consecutive calls, each with different data (default: 20)", 0},
	{"iters", 0, NULL, OPTION_ALIAS, NULL, 0},
	{"warmup_iters", 'w', "N", 0, "Number of calls before the time is taken (default: 1)", 0},
	{"mode", 'm', "MODE", 0, "Run ranks as processes or threads (default: processes); multikernel means --kernels step, and memcpy --kernels none", 0},
	{"in-place", KEY_IN_PLACE, NULL, 0, "Call in place, with the input in the output buffer (default: both ways; with --json out of place)", 0},
	{"out-of-place", KEY_OUT_OF_PLACE, NULL, 0, "Call with separate buffers", 0},
	{"staged", KEY_STAGED, NULL, 0, "Use an output buffer outside symmetric memory, to which results are copied", 0},
	{"registered", KEY_REGISTERED, NULL, 0, "Use the caller's own memory for the output, registered with the other ranks (on GPUs, or with threads)", 0},
	{"graph", KEY_GRAPH, NULL, 0, "GPUs: capture a call as a graph once, then replay it", 0},
	{"blocks", KEY_BLOCKS, "N", 0, "Number of blocks into which each chunk is divided (default: chosen by the runtime)", 0},
	{"transfer", KEY_TRANSFER, "push|pull", 0, "Do senders store into their receivers' memory (push), or do receivers load (pull: the protocol of that name) (default: push)", 0},
	{"protocol", KEY_PROTOCOL, "NAME", 0, "Protocol: plain (flags follow the data), packets (each 8 bytes carry their own flag), shared (plain, with inputs that others read), multimem (sums and copies by switches), pull (receivers load) or lines (packets of 128 bytes) (default: plain)", 0},
	{"kernels", KEY_KERNELS, "HOW", 0, "Kernel launches: one (per call), step (one per step) or none (copy engines) (default: one)", 0},
	{"overlap", KEY_OVERLAP, NULL, 0, "Interleave the steps of several blocks instead of finishing one block after another", 0},
	{"pin", KEY_PIN, NULL, 0, "Host: bind each rank to one CPU", 0},
	{"check", KEY_CHECK, NULL, 0, "Compare results with a reference (the default)", 0},
	{"no-check", KEY_NO_CHECK, NULL, 0, "Measure only, without comparing", 0},
	{"timeout", 'T', "SEC", 0, "Longest time that a rank waits for another, in seconds (default: 60); 0: no limit", 0},
	{"json", KEY_JSON, NULL, 0, "Print one JSON object per row", 0},
	{"symbol", KEY_SYMBOL, "NAME", 0, "Name of the program in FILE (default: the name of FILE without folder and suffix)", 0},
	{"label", KEY_LABEL, "TEXT", 0, "Name for FILE in the output and in errors (default: FILE)", 0},
	{NULL, 0, NULL, 0, NULL, 0},
};

/* Parses a number, with an optional K, M or G if SUFFIXES is set. False if it is malformed or too large. */
static bool read_number(const char *text, size_t length, bool suffixes, uint64_t *out)
{
	static const char letters[] = "KMG";
	uint64_t value = 0;
	size_t i = 0;

	for (; i < length && text[i] >= '0' && text[i] <= '9'; i++) {
		if (value > (UINT64_MAX - 9) / 10)
			return false;
		value = value * 10 + (uint64_t)(text[i] - '0');
	}
	const char *letter = suffixes && i > 0 && i + 1 == length ? strchr(letters, text[i]) : NULL;
	if (letter) {
		unsigned shift = 10 * (unsigned)(letter - letters + 1);
		if (value > UINT64_MAX >> shift)
			return false;
		value <<= shift;
		i++;
	}
	*out = value;
	return length > 0 && i == length && value <= (uint64_t)1 << 40;
}

/* Sizes as nccl-tests asks for them; 0: not given. */
struct grown_sizes {
	uint64_t least, most, factor;
};

/* What the parser fills in. */
struct reading {
	struct settings *settings;
	struct grown_sizes grown;
	bool has_list; /* --sizes or --counts */
	bool pulls;    /* --transfer pull */
};

/* Exits with a one-line error message. */
static void wrong(struct argp_state *state, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void wrong(struct argp_state *state, const char *format, ...)
{
	char line[512];
	va_list ap;

	va_start(ap, format);
	vsnprintf(line, sizeof line, format, ap);
	va_end(ap);
	sccli_letters_plain(line);
	argp_failure(state, EXIT_INPUT, 0, "%s", line);
}

static void add_amount(struct argp_state *state, struct settings *s, uint64_t amount)
{
	if (s->n_amounts == AMOUNTS_MAX)
		wrong(state, "more than %d sizes", AMOUNTS_MAX);
	s->amounts[s->n_amounts++] = amount;
}

static void read_range(struct argp_state *state, struct settings *s, const char *text, const char *colon)
{
	uint64_t from = 0, to = 0, power = 1;

	if (!read_number(text, (size_t)(colon - text), true, &from) || !read_number(colon + 1, strlen(colon + 1), true, &to) ||
	    from > to)
		wrong(state, "--sizes %.64s: write a range of bytes as in 1K:1M", text);
	while (power < from)
		power *= 2;
	if (power > to)
		wrong(state, "--sizes %.64s: there is no power of two in it", text);
	for (; power <= to; power *= 2)
		add_amount(state, s, power);
}

static void read_size(struct argp_state *state, char letter, const char *text, uint64_t *out)
{
	if (!read_number(text, strlen(text), true, out) || !*out)
		wrong(state, "-%c %.64s: write bytes, at least 1, as in 8, 64K or 1G", letter, text);
}

/* A, A*F, A*F*F, ... up to B. */
static void grow_sizes(struct argp_state *state, struct settings *s, const struct grown_sizes *g)
{
	enum { LEAST = 1 << 10, MOST = 1 << 20 };
	uint64_t least = g->least ? g->least : g->most && g->most < LEAST ? g->most : LEAST;
	uint64_t most = g->most ? g->most : least > MOST ? least : MOST;

	if (least > most)
		wrong(state, "-b %llu is more than -e %llu", (unsigned long long)least, (unsigned long long)most);
	s->n_amounts = 0;
	for (uint64_t size = least; size <= most; size *= g->factor ? g->factor : 2)
		add_amount(state, s, size);
}

static void read_amounts(struct argp_state *state, struct settings *s, const char *text, bool by_count)
{
	const char *colon = strchr(text, ':');

	s->n_amounts = 0;
	s->by_count = by_count;
	if (colon && !by_count) {
		read_range(state, s, text, colon);
		return;
	}
	for (const char *at = text; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
		uint64_t amount = 0;
		if (!read_number(at, strcspn(at, ","), true, &amount))
			wrong(state, by_count ? "--counts %.64s: write numbers of elements as in 0,1,1000"
			                           : "--sizes %.64s: write bytes as in 1K:1M or 1K,64K", text);
		add_amount(state, s, amount);
	}
}

/* What others call types and operations: NCCL, nccl-tests, PyTorch. */
static const struct {
	const char *theirs, *ours;
} aliases[] = {
	{"fp32", "f32"}, {"float", "f32"}, {"float32", "f32"}, {"fp64", "f64"}, {"double", "f64"}, {"float64", "f64"},
	{"fp16", "f16"}, {"half", "f16"}, {"float16", "f16"}, {"bfloat16", "bf16"}, {"int32", "i32"}, {"int", "i32"},
	{"int64", "i64"}, {"uint8", "u8"}, {"char", "u8"}, {"int8", "i8"}, {"uint32", "u32"}, {"uint64", "u64"},
	{"fp8_e4m3", "f8e4m3"}, {"float8_e4m3fn", "f8e4m3"}, {"e4m3", "f8e4m3"},
	{"fp8_e5m2", "f8e5m2"}, {"float8_e5m2", "f8e5m2"}, {"e5m2", "f8e5m2"}, {"mulsum", "premulsum"},
};

/* Our name for the LENGTH bytes at NAME, which may be another's; NULL: none is known. */
static const char *our_name(const char *name, size_t length)
{
	for (size_t i = 0; i < sizeof aliases / sizeof *aliases; i++)
		if (strlen(aliases[i].theirs) == length && strncmp(aliases[i].theirs, name, length) == 0)
			return aliases[i].ours;
	return NULL;
}

static const char *type_name(int i)
{
	return sccl_dtype_name((sccl_dtype_t)i);
}

static const char *op_name(int i)
{
	return sccl_op_name((sccl_op_t)i);
}

static void read_names(struct argp_state *state, const char *option, const char *text, const char *(*name)(int), int n,
                       bool *chosen)
{
	memset(chosen, 0, (size_t)n * sizeof *chosen);
	for (const char *at = text; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
		size_t length = strcspn(at, ",");
		bool all = length == 3 && strncmp(at, "all", 3) == 0, found = all;
		const char *ours = our_name(at, length);
		for (int i = 0; i < n; i++)
			if (all || (ours && strcmp(name(i), ours) == 0) || (strlen(name(i)) == length && strncmp(at, name(i), length) == 0))
				found = chosen[i] = true;
		if (!found)
			wrong(state, "--%s: there is no \"%.*s\"", option, length < 64 ? (int)length : 64, at);
	}
}

static uint64_t read_limited(struct argp_state *state, const char *option, const char *text, uint64_t least, uint64_t most)
{
	uint64_t value = 0;
	if (!read_number(text, strlen(text), false, &value) || value < least || value > most)
		wrong(state, "--%s %.64s: write a number from %llu to %llu", option, text, (unsigned long long)least,
		           (unsigned long long)most);
	return value;
}

static double read_seconds(struct argp_state *state, const char *text)
{
	char *end;
	errno = 0;
	double value = strtod(text, &end);
	if (end == text || *end || errno || !(value >= 0 && value <= 1e9))
		wrong(state, "--timeout %.64s: write seconds, 0 or more", text);
	return value;
}

/* Returns whether TEXT is YES; it must be NO or YES. */
static bool read_either(struct argp_state *state, const char *option, const char *text, const char *no, const char *yes)
{
	if (strcmp(text, no) != 0 && strcmp(text, yes) != 0)
		wrong(state, "--%s %.64s: write %s or %s", option, text, no, yes);
	return strcmp(text, yes) == 0;
}

/* Whether ranks are processes or threads; also accepts the SCCL paper's names for ways to lower a program. */
static void read_mode(struct argp_state *state, struct settings *s, const char *text)
{
	if (strcmp(text, "multikernel") == 0)
		s->mode = SCCL_KERNEL_A_STEP;
	else if (strcmp(text, "memcpy") == 0)
		s->mode = SCCL_COPY_ENGINES;
	else
		s->threads = read_either(state, "mode", text, "processes", "threads");
}

static sccl_protocol_t read_protocol(struct argp_state *state, const char *text)
{
	for (int i = 0; i < SCCL_PROTOCOLS; i++)
		if (strcmp(text, sccl_protocol_name((sccl_protocol_t)i)) == 0)
			return (sccl_protocol_t)i;
	wrong(state, "--protocol %.64s: write plain, packets, shared, multimem, pull or lines", text);
	return SCCL_PLAIN;
}

static sccl_mode_t read_kernels(struct argp_state *state, const char *text)
{
	for (int i = 0; i < SCCL_MODES; i++)
		if (strcmp(text, sccl_mode_name((sccl_mode_t)i)) == 0)
			return (sccl_mode_t)i;
	wrong(state, "--kernels %.64s: write one, step or none", text);
	return SCCL_ONE_KERNEL;
}

/* What options mean together. */
static void finish(struct argp_state *state, const struct reading *r)
{
	struct settings *s = r->settings;
	bool is_grown = r->grown.least || r->grown.most || r->grown.factor;

	if (!s->file)
		wrong(state, "FILE is missing; give a program compiled with cc -shared -fPIC");
	if (s->staged && s->registered)
		wrong(state, "--staged and --registered exclude each other");
	if (r->pulls && s->protocol != SCCL_PLAIN && s->protocol != SCCL_PULL)
		wrong(state, "--transfer pull and --protocol %s exclude each other", sccl_protocol_name(s->protocol));
	if (r->pulls)
		s->protocol = SCCL_PULL;
	if (s->places[IN_PLACE] && settings_share_inputs(s))
		wrong(state, "--in-place and --protocol %s exclude each other", sccl_protocol_name(s->protocol));
	if (s->graph && s->mode == SCCL_COPY_ENGINES)
		wrong(state, "--graph needs kernels");
	if (is_grown && r->has_list)
		wrong(state, "-b, -e and -f exclude --sizes and --counts");
	if (is_grown)
		grow_sizes(state, s, &r->grown);
	if (!s->places[OUT_OF_PLACE] && !s->places[IN_PLACE]) {
		s->places[OUT_OF_PLACE] = true;
		s->places[IN_PLACE] = !s->json && !settings_share_inputs(s);
	}
	s->label = s->label ? s->label : s->file;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct reading *r = state->input;
	struct settings *s = r->settings;

	switch (key) {
	case 's': read_amounts(state, s, arg, false); r->has_list = true; break;
	case 'c': read_amounts(state, s, arg, true); r->has_list = true; break;
	case 'b': read_size(state, 'b', arg, &r->grown.least); break;
	case 'e': read_size(state, 'e', arg, &r->grown.most); break;
	case 'f': r->grown.factor = read_limited(state, "stepfactor", arg, 2, 1 << 20); break;
	case 'w': s->warmups = read_limited(state, "warmup_iters", arg, 0, 1000000000); break;
	case 'd':
	case 't': read_names(state, "types", arg, type_name, SCCL_DTYPES, s->types); break;
	case 'o':
		read_names(state, "ops", arg, op_name, SCCL_OPS, s->ops);
		s->every_op = strcmp(arg, "all") == 0;
		break;
	case 'n': s->calls = read_limited(state, "calls", arg, 1, 1000000000); break;
	case 'm': read_mode(state, s, arg); break;
	case KEY_BLOCKS: s->blocks = (uint32_t)read_limited(state, "blocks", arg, 1, 1024); break;
	case 'T': s->timeout = read_seconds(state, arg); break;
	case KEY_IN_PLACE: s->places[IN_PLACE] = true; break;
	case KEY_OUT_OF_PLACE: s->places[OUT_OF_PLACE] = true; break;
	case KEY_STAGED: s->staged = true; break;
	case KEY_REGISTERED: s->registered = true; break;
	case KEY_GRAPH: s->graph = true; break;
	case KEY_PROTOCOL: s->protocol = read_protocol(state, arg); break;
	case KEY_TRANSFER: r->pulls = read_either(state, "transfer", arg, "push", "pull"); break;
	case KEY_KERNELS: s->mode = read_kernels(state, arg); break;
	case KEY_OVERLAP: s->overlap = true; break;
	case KEY_PIN: s->pin = true; break;
	case KEY_CHECK: s->check = true; break;
	case KEY_NO_CHECK: s->check = false; break;
	case KEY_JSON: s->json = true; break;
	case KEY_SYMBOL: s->symbol = arg; break;
	case KEY_LABEL: s->label = arg; break;
	case ARGP_KEY_ARG:
		if (s->file)
			wrong(state, "\"%.64s\" is a second FILE; give one", arg);
		s->file = arg;
		break;
	case ARGP_KEY_END: finish(state, r); break;
	default: return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

/* getopt prints the program's name and unknown options verbatim. All valid options are plain, so sanitizing them is
 * safe. */
static void make_options_plain(int argc, char **argv)
{
	static char name[] = "sccl-run";

	for (int i = 1; i < argc; i++) {
		char *equals = strchr(argv[i], '=');
		if (*argv[i] != '-')
			continue;
		if (equals)
			*equals = 0;
		sccli_letters_plain(argv[i]);
		if (equals)
			*equals = '=';
	}
	if (argc > 0)
		argv[0] = name;
}

void read_settings(int argc, char **argv, struct settings *s)
{
	static const struct argp argp = {
		options, parse, "FILE.so",
		"Runs a generated program, compiled for this computer's CPUs or GPUs, with one process or thread per rank, "
		"and compares each result with a reference that is computed separately. GPUs are assigned to the ranks in turn.\v"
		"The columns are those of nccl-tests: time is the median of seven measurements; algbw is L divided by it; busbw is the rate that this "
		"requires of each rank's links, and is comparable between collectives. "
		"With --nccl first, it runs another program over generated ones in place of NCCL: "
		"sccl-run --nccl -t MACHINE [--gpus LIST] [--method METHOD] [--target TARGET] -- PROGRAM...\n\n"
		"Exit status: 0 all results are exact; 1 a result differs; 2 bad usage or file; 4 a rank failed or timed out, or there is no such device.",
		NULL, NULL, NULL};

	struct reading r = {.settings = s};
	argp_err_exit_status = EXIT_INPUT;
	*s = (struct settings){.calls = 20, .warmups = 1, .check = true, .timeout = 60};
	s->types[SCCL_F32] = s->ops[SCCL_SUM] = true;
	s->amounts = calloc(AMOUNTS_MAX, sizeof *s->amounts);
	if (!s->amounts) {
		complain("memory", "there is none");
		exit(EXIT_BROKEN);
	}
	for (uint64_t size = 1024; size <= 1 << 20; size *= 2)
		s->amounts[s->n_amounts++] = size;
	make_options_plain(argc, argv);
	argp_parse(&argp, argc, argv, 0, NULL, &r);
}

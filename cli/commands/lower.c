/* `lower`: verifies algorithms and writes them as programs; lower_file also serves `run` and `tune`. */

#include "cli/output/command.h"
#include "cli/arguments/folders.h"
#include "cli/commands/lowering.h"
#include "cli/arguments/shared.h"

#include "core/schedule/algorithm.h"
#include "core/base/file.h"
#include "core/base/memory.h"
#include "core/verify/verify.h"

#include <stdio.h>
#include <unistd.h>

const struct option_row target_rows[1] = {
	{"target", 0, "TARGET", "target of the program: host, cuda or hip (run and tune: host)", option_text, .field = 0},
};
const struct option_row kernel_rows[3] = {
	{"types", 0, "T,...",
	 "types among f32, f64, f16, bf16, f8e4m3, f8e5m2, i8, i32, i64, u8, u32 and u64, or all (run: f32; lower: f32,f16,bf16,i32, or all if nothing is reduced)",
	 OPTION(option_text, kernel_options, types)},
	{"ops", 0, "O,...", "operations among sum, prod, min, max, avg and premulsum, or all (run: sum; lower: sum,min,max)",
	 OPTION(option_text, kernel_options, ops)},
	{"accumulate", 0, "TYPE", "the type in which f16 and bf16 are added and multiplied: own, or f32, rounded once a reduction (default: own)",
	 OPTION(option_text, kernel_options, accumulate)},
};

struct lower_options {
	const char *target, *out;
	struct kernel_options kernels;
	bool split, json, same_order;
	struct operands files;
};

static const struct option_row own_rows[] = {
	{"same-order", 0, NULL, "refuse a program that does not add every element in the same order", OPTION(option_flag, lower_options, same_order)},
	{"split", 0, NULL, "write each kernel to its own file", OPTION(option_flag, lower_options, split)},
};

static const struct option_group groups[] = {
	OPTION_GROUP(target_rows, lower_options, target),
	OPTION_GROUP(kernel_rows, lower_options, kernels),
	OPTION_GROUP_OWN(own_rows),
	OPTION_GROUP(folder_rows, lower_options, out),
	OPTION_GROUP(json_rows, lower_options, json),
	OPTION_GROUP_OWN(directory_rows),
};

static const struct usage usage = {
	"Turns each algorithm into a program in the folder given by -o: NAME.h and NAME.c (cuda: NAME.cu; hip: NAME.hip). The "
	"program includes only headers of the runtime (runtime/include/sccl) and is linked with its library. An algorithm that does "
	"not verify is refused, and so is a program in which a check finds a race, a deadlock or an output that is never "
	"written.\n\n"
	"With --target host, each rank runs as a process or thread on CPUs; with cuda or hip, the program has GPU kernels, to be "
	"compiled with nvcc or hipcc. A program has one kernel for each type and operation selected by --types and --ops or, if "
	"nothing is reduced, one for each element size. --split writes each kernel to its own file, NAME.f32_sum.c and so on, so "
	"that the kernels can be compiled in parallel.\n\n"
	"With --same-order, a program is refused unless it adds every element in the same order, so that its results are the same, "
	"to the last bit, whatever the size of a call, the protocol and the number of blocks (see `sccl-synth verify --same-order`).\n\n"
	"Example: sccl-synth lower algorithms/dgx1/allgather/c6-s3-r7.json --target host -o generated\v"
	"Exit status: 0 done; 1 an algorithm does not verify, or not with --same-order; 2 bad input, or the folder contains a program of the same name from "
	"another schedule; 3 an algorithm is too large.",
	USAGE_GROUPS(groups), USAGE_FILES(lower_options, files),
};

/* Writes DIR/NAME with SUFFIX. */
static bool write_part(const char *dir, const char *name, const char *suffix, const struct text *part, struct error *e)
{
	struct text path = {0};
	text_add(&path, "%s/%s%s", dir, name, suffix);
	bool ok = file_write(path.bytes, part->bytes, part->length, e);
	text_free(&path);
	return ok;
}

static bool write_program(const struct lower_request *to, const struct lowered *l, struct error *e)
{
	bool ok = folder_make(to->dir, e) && write_part(to->dir, l->name, ".h", &l->header, e) &&
		  write_part(to->dir, l->name, to->target->suffix, &l->source, e);

	for (size_t i = 0; i < l->n_units && ok; i++)
		ok = write_part(to->dir, l->units[i].file, "", &l->units[i].source, e);
	return ok;
}

/* Two schedules with the same machine, collective and cost have the same name. The second must not overwrite the
 * first. */
static bool is_free(const struct lower_request *to, const struct lowered *l, struct error *e)
{
	struct text path = {0}, there = {0};
	bool other;

	if (to->scratch)
		return true;
	text_add(&path, "%s/%s.h", to->dir, l->name);
	other = access(path.bytes, F_OK) == 0 && file_read(path.bytes, &there, e) && header_is_of_another(there.bytes, l->header.bytes);
	if (other)
		error_set(e, ERROR_INPUT, path.bytes, "belongs to another schedule with the same name; choose another folder");
	text_free(&path);
	text_free(&there);
	return e->kind == ERROR_NONE;
}

/* Prints why not, unless the algorithm cannot be lowered at all. */
static bool order_is_same(const struct algorithm *a, const struct kernels *k, struct error *e)
{
	struct text order = {0};
	struct error why = {0};
	bool same;

	if (!lower_order(a, kernels_round(k), &same, &order, e))
		return false;
	if (!same) {
		error_set(&why, ERROR_INPUT, a->name, "does not add every element in the same order: %.300s", order.bytes);
		fail(&why);
	}
	text_free(&order);
	return same;
}

static int lower_verified(const struct algorithm *a, const struct lower_request *to, struct lowered *out)
{
	struct error e = {0};

	if (to->same_order && !order_is_same(a, to->kernels, &e))
		return e.kind == ERROR_NONE ? STATUS_NO : fail(&e);
	if (lower(a, to->target, to->kernels, out, &e) && is_free(to, out, &e) && write_program(to, out, &e))
		return STATUS_DONE;
	lowered_free(out);
	return fail(&e);
}

int lower_file(const char *path, const struct lower_request *to, struct lowered *out)
{
	struct error e = {0};
	struct algorithm *a = algorithm_open_up_to(path, LOWERED_SENDS_MAX, &e);
	int status = STATUS_NO;

	*out = (struct lowered){0};
	if (!a)
		return fail(&e);
	struct verdict v = algorithm_verify(a);
	if (v.fault != FAULT_NONE) {
		error_set(&e, ERROR_INPUT, path, "does not verify: %s", v.why);
		fail(&e);
	} else
		status = lower_verified(a, to, out);
	algorithm_free(a);
	return status;
}

struct lower_session {
	const struct lower_options *options;
	struct lower_request to;
};

static void print_json(const struct lower_session *s, const char *path, const struct lowered *l)
{
	struct text line = {0};

	text_add(&line, "{\"file\": ");
	text_add_json_string(&line, path);
	text_add(&line, ", \"program\": \"%s\", \"target\": \"%s\", \"folder\": ", l->name, s->options->target);
	text_add_json_string(&line, s->to.dir);
	text_add(&line, ", \"written\": [\"%s.h\", \"%s%s\"", l->name, l->name, s->to.target->suffix);
	for (size_t i = 0; i < l->n_units; i++)
		text_add(&line, ", \"%s\"", l->units[i].file);
	text_add(&line, "]}");
	puts(line.bytes);
	text_free(&line);
}

static int lower_operand(void *context, const char *path)
{
	const struct lower_session *s = context;
	struct lowered l;
	int status = lower_file(path, &s->to, &l);

	if (status == STATUS_DONE && s->options->json)
		print_json(s, path, &l);
	lowered_free(&l);
	return status;
}

int cmd_lower(int argc, char **argv)
{
	struct error e = {0};
	struct lower_options o = {0};
	struct kernels k = {0};

	if (!options_read(argc, argv, &usage, &o, &e) || !operands_open_folders(&o.files, &e))
		return fail(&e);
	if (!o.out)
		error_set(&e, ERROR_INPUT, "-o", "missing; give the folder for the programs");
	else if (!o.target)
		error_set(&e, ERROR_INPUT, "--target", "missing; give a target, as in --target host");
	const struct target *t = e.kind == ERROR_NONE ? lower_target(o.target, &e) : NULL;
	if (!t || !kernels_read(o.kernels.types, o.kernels.ops, o.kernels.accumulate, &k, &e))
		return fail(&e);
	k.split = o.split;
	k.ordered = o.same_order;
	struct lower_session s = {&o, {.target = t, .kernels = &k, .dir = o.out, .same_order = o.same_order}};
	return operands_each(&o.files, lower_operand, &s);
}

/*
 * An algorithm as a plan for MSCCL's consumers (lower/plans/msccl.h) or MSCCL++ (lower/plans/mscclpp.h). What is written
 * was executed by interop/plans, which shares nothing with the writers.
 */

#include "cli/arguments/sizes.h"
#include "cli/commands/exporting.h"
#include "cli/output/command.h"

#include "core/base/file.h"
#include "core/base/text.h"
#include "core/schedule/algorithm.h"
#include "interop/plans/lint.h"
#include "lower/lower.h"
#include "lower/plans/msccl.h"
#include "lower/plans/mscclpp.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { PROTO_LL = 1, PROTO_LL128 };
static const char *const protos[] = {"Simple", "LL", "LL128"};

static bool read_size(const char *option, const char *text, int64_t *out, struct error *e)
{
	int64_t *sizes = NULL;
	size_t n = 0;

	*out = 0;
	if (!text || strcmp(text, "0") == 0)
		return true;
	bool ok = sizes_read(text, &sizes, &n, e) && (n == 1 || error_set(e, ERROR_INPUT, option, "must be one size, as in 64K"));
	if (ok)
		*out = sizes[0];
	free(sizes);
	return ok;
}

/* Reads the plan as its consumer would, and executes it. False with *e set to the first fault. */
static bool check(const char *name, const struct text *plan, enum plan_consumer consumer, struct text *sizes, struct error *e)
{
	struct text lines = {0}, notes = {0};
	struct plan_faults f = {.lines = &lines};
	struct foreign_plan *p = consumer == FOR_MSCCLPP ? plan_read_mscclpp(name, plan->bytes, plan->length, e)
							   : plan_read_msccl(name, plan->bytes, plan->length, e);
	bool ok = p && plan_lint(p, consumer, plan->bytes, &f, &notes, e);

	if (ok && f.n) {
		size_t skip = strlen(name) + 2;
		lines.bytes[strcspn(lines.bytes, "\n")] = '\0';
		ok = error_set(e, ERROR_INPUT, name, "would be wrong as such a plan: %s", strlen(lines.bytes) > skip ? lines.bytes + skip : lines.bytes);
	}
	if (ok)
		plan_sizes(p, sizes);
	foreign_plan_free(p);
	text_free(&lines);
	text_free(&notes);
	return ok;
}

struct algorithm *export_algorithm(const struct export_options *o, const char *format, struct error *e)
{
	if (!o->file.n) {
		error_set(e, ERROR_INPUT, "FILE", "missing; --format %s needs an algorithm file", format);
		return NULL;
	}
	return algorithm_open_up_to(o->file.at[0], LOWERED_SENDS_MAX, e);
}

static bool finish(const struct export_options *o, const struct algorithm *a, struct text *plan, enum plan_consumer consumer, struct text *into,
		   struct error *e)
{
	struct text sizes = {0};
	bool ok = check(a->name, plan, consumer, &sizes, e);

	if (ok) {
		text_add_bytes(into, plan->bytes, plan->length);
		if (o->out)
			printf("%s: taken for\n%s", printable(o->out), sizes.bytes);
	}
	text_free(&sizes);
	return ok;
}

bool export_msccl(const struct export_options *o, struct text *into, struct error *e)
{
	struct msccl_options how = {.in_place = o->in_place, .proto = protos[o->proto]};
	struct algorithm *a = export_algorithm(o, "msccl-xml", e);
	struct text plan = {0};
	bool good = a && read_size("--min-bytes", o->least, &how.least_bytes, e) && read_size("--max-bytes", o->most, &how.most_bytes, e) &&
		    msccl_export(a, &how, &plan, e) && finish(o, a, &plan, FOR_RCCL, into, e);

	if (good && collective_row(&a->collective)->rooted)
		fprintf(stderr,
			"sccl-synth: %s: RCCL ignores the root of a call: load this plan only if rank %d is the root of every %s\n",
			printable(a->name), a->collective.root, collective_name(&a->collective));
	algorithm_free(a);
	text_free(&plan);
	return good;
}

/* Two names of one file, also where a link or a folder's name hides it. */
static bool is_same_file(const char *a, const char *b)
{
	struct stat x, y;
	return strcmp(a, b) == 0 || (stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino);
}

static bool check_register(const struct export_options *o, struct error *e)
{
	if (!o->registers)
		return true;
	if (!o->out)
		return error_set(e, ERROR_INPUT, "--register", "needs -o, the file of the plan");
	return !is_same_file(o->registers, o->out) || error_set(e, ERROR_INPUT, "--register", "names the file of -o, which is the plan's");
}

static bool write_register(const struct export_options *o, const struct algorithm *a, struct error *e)
{
	struct text python = {0};
	const char *slash = strrchr(o->out, '/');

	mscclpp_register(a, slash ? slash + 1 : o->out, &python);
	bool ok = file_write(o->registers, python.bytes, python.length, e);
	text_free(&python);
	return ok;
}

/* Data lands where it belongs at once; if that is out of order somewhere, through scratch. */
static bool make_mscclpp(const struct export_options *o, const struct algorithm *a, struct mscclpp_options *how, struct text *into, struct error *e)
{
	struct error first = {0};
	bool ok = false;

	for (how->staged = false;; how->staged = true) {
		struct text plan = {0};
		struct error why = {0};
		ok = mscclpp_export(a, how, &plan, &why) && finish(o, a, &plan, FOR_MSCCLPP, into, &why);
		text_free(&plan);
		if (!how->staged)
			first = why;
		if (ok || how->staged || !strstr(why.what, "would be wrong"))
			break;
	}
	if (!ok)
		*e = first;
	return ok;
}

bool export_mscclpp(const struct export_options *o, struct text *into, struct error *e)
{
	struct mscclpp_options how = {.in_place = o->in_place, .packets = o->proto == PROTO_LL};

	if (o->proto == PROTO_LL128)
		return error_set(e, ERROR_INPUT, "--proto", "MSCCL++ has plans of Simple and LL");
	struct algorithm *a = export_algorithm(o, "mscclpp", e);
	bool good = a && check_register(o, e) && read_size("--min-bytes", o->least, &how.least_bytes, e) &&
		    read_size("--max-bytes", o->most, &how.most_bytes, e) && make_mscclpp(o, a, &how, into, e);
	/* The plan first: a file that registers one is of no use without it. */
	if (good && o->registers)
		good = file_write(o->out, into->bytes, into->length, e) && write_register(o, a, e);
	algorithm_free(a);
	return good;
}

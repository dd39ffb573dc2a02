/* The kernels of a program as text: their definitions, in the file of the program or in files of their own, and the rows
 * by type and operation that refer to them. */

#include "lower/program/kernels.h"

#include "core/base/error.h"
#include "build_config.h"

#include <string.h>

/* In the order of sccl_dtype_t and sccl_op_t in sccl/program.h. */
static const struct {
	const char *name;
	int bytes;
	bool real, narrow; /* floating-point numbers; summed in f32 if kernels are wide */
	const char *added; /* the type whose kernels add and multiply these integers */
} types[] = {
	{"f32", 4, true, false, NULL}, {"f64", 8, true, false, NULL}, {"f16", 2, true, true, NULL}, {"bf16", 2, true, true, NULL},
	{"i32", 4, false, false, "i32"}, {"i64", 8, false, false, "i64"}, {"u8", 1, false, false, "u8"},
	{"f8e4m3", 1, true, false, NULL}, {"f8e5m2", 1, true, false, NULL},
	{"i8", 1, false, false, "u8"}, {"u32", 4, false, false, "i32"}, {"u64", 8, false, false, "i64"},
};
/* What NCCL, nccl-tests and PyTorch call them. */
static const struct {
	const char *theirs, *ours;
} aliases[] = {
	{"fp32", "f32"}, {"float", "f32"}, {"float32", "f32"}, {"fp64", "f64"}, {"double", "f64"}, {"float64", "f64"},
	{"fp16", "f16"}, {"half", "f16"}, {"float16", "f16"}, {"bfloat16", "bf16"}, {"int32", "i32"}, {"int", "i32"},
	{"int64", "i64"}, {"uint8", "u8"}, {"char", "u8"}, {"int8", "i8"}, {"uint32", "u32"}, {"uint64", "u64"},
	{"fp8_e4m3", "f8e4m3"}, {"float8_e4m3fn", "f8e4m3"}, {"e4m3", "f8e4m3"},
	{"fp8_e5m2", "f8e5m2"}, {"float8_e5m2", "f8e5m2"}, {"e5m2", "f8e5m2"}, {"mulsum", "premulsum"},
};
static const char *const ops[] = {"sum", "prod", "min", "max", "avg", "premulsum"};
enum { TYPES = sizeof types / sizeof *types, OPS = sizeof ops / sizeof *ops };

static const char *type_name(size_t i)
{
	return types[i].name;
}

static const char *op_name(size_t i)
{
	return ops[i];
}

struct kernels kernels_all(void)
{
	const unsigned all = (1u << TYPES) - 1;

	return (struct kernels){.types = all, .ops = (1u << OPS) - 1, .moved = all};
}

static bool is_word(const char *word, const char *text, size_t length)
{
	return strlen(word) == length && strncmp(word, text, length) == 0;
}

/* Is TEXT another's name for OURS? */
static bool is_alias(const char *ours, const char *text, size_t length)
{
	for (size_t i = 0; i < sizeof aliases / sizeof *aliases; i++)
		if (strcmp(aliases[i].ours, ours) == 0 && is_word(aliases[i].theirs, text, length))
			return true;
	return false;
}

static bool read_list(const char *option, const char *text, const char *(*name)(size_t), size_t n, unsigned *out,
		      struct error *e)
{
	*out = 0;
	for (const char *at = text; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
		size_t length = strcspn(at, ",");
		bool all = is_word("all", at, length), found = all;

		for (size_t i = 0; i < n; i++)
			if (all || is_word(name(i), at, length) || is_alias(name(i), at, length)) {
				*out |= 1u << i;
				found = true;
			}
		if (!found)
			return error_set(e, ERROR_INPUT, option, "there is no \"%.*s\"", length < 64 ? (int)length : 64, at);
	}
	return true;
}

bool kernels_read(const char *type_list, const char *op_list, const char *accumulate, struct kernels *out, struct error *e)
{
	*out = kernels_all();
	if (accumulate && strcmp(accumulate, "f32") != 0 && strcmp(accumulate, "own") != 0)
		return error_set(e, ERROR_INPUT, "--accumulate", "must be own or f32, not \"%.64s\"", accumulate);
	out->wide = accumulate && strcmp(accumulate, "f32") == 0;
	if (!read_list("--types", type_list ? type_list : "f32,f16,bf16,i32", type_name, TYPES, &out->types, e))
		return false;
	if (type_list)
		out->moved = out->types;
	return read_list("--ops", op_list ? op_list : "sum,min,max", op_name, OPS, &out->ops, e);
}

static bool is_all(const struct kernels *k, bool combining)
{
	struct kernels all = kernels_all();

	return combining ? k->types == all.types && k->ops == all.ops && !k->wide : k->moved == all.moved;
}

bool kernels_round(const struct kernels *k)
{
	for (size_t t = 0; t < TYPES; t++)
		if (k->types >> t & 1 && ((types[t].real && types[t].bytes == 1) || (k->wide && types[t].narrow)))
			return true;
	return false;
}

/* Does K select this type and operation? */
static bool selects(const struct kernels *k, bool combining, size_t type, size_t op)
{
	return combining ? k->types >> type & 1 && k->ops >> op & 1 : k->moved >> type & 1;
}

/* The first of the types called NAME. */
static size_t type_called(const char *name)
{
	size_t t = 0;

	while (strcmp(types[t].name, name) != 0)
		t++;
	return t;
}

enum { SUM, PROD, MIN, MAX, AVG, PREMULSUM };

/* The kernel that serves this type and operation. */
static struct kernel kernel_of(const struct kernels *k, bool combining, size_t type, size_t op)
{
	bool orders = op == MIN || op == MAX;

	if (!combining)
		return (struct kernel){types[type].name, NULL, types[type].bytes, false};
	if (types[type].real && op == AVG)
		op = PREMULSUM;
	if (!types[type].real && !orders && op != AVG)
		type = type_called(types[type].added);
	return (struct kernel){types[type].name, ops[op], types[type].bytes, k->wide && types[type].narrow && !orders};
}

static bool is_listed(const struct kernel *list, size_t n, const struct kernel *x)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(list[i].type, x->type) == 0 && strcmp(list[i].op, x->op) == 0)
			return true;
	return false;
}

size_t kernels_list(const struct kernels *k, bool combining, struct kernel list[KERNELS_MAX])
{
	size_t n = 0;

	for (size_t t = 0; t < TYPES && combining; t++)
		for (size_t o = 0; o < OPS; o++) {
			struct kernel x = kernel_of(k, true, t, o);
			if (selects(k, combining, t, o) && !is_listed(list, n, &x))
				list[n++] = x;
		}
	for (int bytes = 1; bytes <= 8 && !combining; bytes *= 2) {
		size_t t = 0;
		while (t < TYPES && !(types[t].bytes == bytes && selects(k, combining, t, 0)))
			t++;
		if (t < TYPES)
			list[n++] = kernel_of(k, combining, t, 0);
	}
	return n;
}

void text_kernel_name(const struct kernel *x, struct text *into)
{
	if (x->op)
		text_add(into, "%s_%s", x->type, x->op);
	else
		text_add(into, "%d", x->bytes);
}

static void text_definition(const struct kernel *x, struct text *into)
{
	if (x->op)
		text_add(into, "SCCL_%s_KERNEL(kernel, %s, %s)\n", x->wide ? "WIDE" : "REDUCING", x->type, x->op);
	else
		text_add(into, "SCCL_KERNEL(kernel_%d, %du, SCCL_NO_FOLD)\n", x->bytes, x->bytes);
}

static void text_declaration(const struct kernel *x, const char *name, struct text *into)
{
	text_add(into, "SCCL_DECLARE_KERNEL(%s_kernel_", name);
	text_kernel_name(x, into);
	text_add(into, ")\n");
}

void text_kernels(const struct kernels *k, bool combining, const char *name, struct text *into)
{
	struct kernel list[KERNELS_MAX];
	size_t n = kernels_list(k, combining, list);

	if (k->split)
		text_add(into, "/* Each is in a file of its own. */\n");
	else if (is_all(k, combining)) {
		text_add(into, "SCCL_%s_KERNELS(kernel)\n", combining ? "REDUCING" : "COPYING");
		n = 0;
	}
	for (size_t i = 0; i < n; i++)
		if (k->split)
			text_declaration(&list[i], name, into);
		else
			text_definition(&list[i], into);
	text_add(into, "\n");
}

/* PREFIX comes before the names of the kernels. */
static void text_row(const struct kernels *k, size_t t, bool combining, const char *prefix, struct text *into)
{
	text_add(into, "\t\t{");
	for (size_t o = 0; o < OPS; o++) {
		text_add(into, o ? ", " : "");
		if (!selects(k, combining, t, o)) {
			text_add(into, "0");
			continue;
		}
		struct kernel x = kernel_of(k, combining, t, o);
		text_add(into, "%s_", prefix);
		text_kernel_name(&x, into);
	}
	text_add(into, "},\n");
}

void text_kernel_rows(const struct kernels *k, bool combining, const char *name, struct text *into)
{
	struct text prefix = {0};

	text_add(&prefix, "%s%skernel", k->split ? name : "", k->split ? "_" : "");
	if (is_all(k, combining))
		text_add(into, "\tSCCL_%s_ROWS(%s),\n", combining ? "REDUCING" : "COPYING", prefix.bytes);
	else {
		text_add(into, "\t{\n");
		for (size_t t = 0; t < TYPES; t++)
			text_row(k, t, combining, prefix.bytes, into);
		text_add(into, "\t},\n");
	}
	text_free(&prefix);
}

void text_include_device(bool multimem, struct text *into)
{
	text_add(into, "%s#include <sccl/device.h>\n", multimem ? "#define SCCL_WITH_MULTIMEM 1\n" : "");
}

void text_kernel_file(const struct kernel *x, bool multimem, const char *name, const char *target, struct text *into)
{
	text_add(into, "/* The kernel ");
	text_kernel_name(x, into);
	text_add(into, " of %s for %s, written by sccl-synth %s. */\n\n", name, target, SCCL_VERSION);
	text_include_device(multimem, into);
	text_add(into, "\n");
	text_definition(x, into);
	text_add(into, "SCCL_EXPORT_KERNEL(%s_kernel_", name);
	text_kernel_name(x, into);
	text_add(into, ", kernel_");
	text_kernel_name(x, into);
	text_add(into, ")\n");
}

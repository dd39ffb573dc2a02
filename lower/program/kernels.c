/* The kernels of a program as text: their definitions, and the rows by type and operation that refer to them. */

#include "lower/program/kernels.h"

#include "core/base/error.h"

#include <string.h>

/* In the order of sccl_dtype_t and sccl_op_t in sccl/program.h. */
static const struct {
	const char *name;
	int bytes;
} types[] = {{"f32", 4}, {"f64", 8}, {"f16", 2}, {"bf16", 2}, {"i32", 4}, {"i64", 8}, {"u8", 1}};
static const char *const ops[] = {"sum", "prod", "min", "max"};
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
	return (struct kernels){(1u << TYPES) - 1, (1u << OPS) - 1};
}

static bool is_all(const struct kernels *k)
{
	return k->types == kernels_all().types && k->ops == kernels_all().ops;
}

static bool read_list(const char *option, const char *text, const char *(*name)(size_t), size_t n, unsigned *out,
		      struct error *e)
{
	*out = 0;
	for (const char *at = text; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
		size_t length = strcspn(at, ",");
		bool all = length == 3 && strncmp(at, "all", 3) == 0, found = all;

		for (size_t i = 0; i < n; i++)
			if (all || (strlen(name(i)) == length && strncmp(at, name(i), length) == 0)) {
				*out |= 1u << i;
				found = true;
			}
		if (!found)
			return error_set(e, ERROR_INPUT, option, "there is no \"%.*s\"", length < 64 ? (int)length : 64, at);
	}
	return true;
}

bool kernels_read(const char *type_list, const char *op_list, struct kernels *out, struct error *e)
{
	return read_list("--types", type_list ? type_list : "all", type_name, TYPES, &out->types, e) &&
	       read_list("--ops", op_list ? op_list : "all", op_name, OPS, &out->ops, e);
}

/* Is a type of this size selected? */
static bool has_size(const struct kernels *k, int bytes)
{
	for (size_t t = 0; t < TYPES; t++)
		if (k->types >> t & 1 && types[t].bytes == bytes)
			return true;
	return false;
}

void text_kernels(const struct kernels *k, bool combining, struct text *into)
{
	if (is_all(k)) {
		text_add(into, "SCCL_%s_KERNELS(kernel)\n\n", combining ? "REDUCING" : "COPYING");
		return;
	}
	for (size_t t = 0; t < TYPES && combining; t++)
		for (size_t o = 0; o < OPS; o++)
			if (k->types >> t & 1 && k->ops >> o & 1)
				text_add(into, "SCCL_REDUCING_KERNEL(kernel, %s, %s)\n", types[t].name, ops[o]);
	for (int bytes = 1; bytes <= 8 && !combining; bytes *= 2)
		if (has_size(k, bytes))
			text_add(into, "SCCL_KERNEL(kernel_%d, %du, SCCL_NO_FOLD)\n", bytes, bytes);
	text_add(into, "\n");
}

static void text_row(const struct kernels *k, size_t t, bool combining, struct text *into)
{
	text_add(into, "\t\t{");
	for (size_t o = 0; o < OPS; o++) {
		text_add(into, o ? ", " : "");
		if (!(k->types >> t & 1) || (combining && !(k->ops >> o & 1)))
			text_add(into, "0");
		else if (combining)
			text_add(into, "kernel_%s_%s", types[t].name, ops[o]);
		else
			text_add(into, "kernel_%d", types[t].bytes);
	}
	text_add(into, "},\n");
}

void text_kernel_rows(const struct kernels *k, bool combining, struct text *into)
{
	if (is_all(k)) {
		text_add(into, "\tSCCL_%s_ROWS(kernel),\n", combining ? "REDUCING" : "COPYING");
		return;
	}
	text_add(into, "\t{\n");
	for (size_t t = 0; t < TYPES; t++)
		text_row(k, t, combining, into);
	text_add(into, "\t},\n");
}

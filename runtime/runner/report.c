/*
 * Prints the results: as a table with the columns of nccl-tests, so that its readers and scripts find theirs, or with one
 * JSON object per measurement.
 */
#include "runtime/runner/report.h"

#include "runtime/core/utf8.h"
#include "runtime/runner/reference.h"

#include <stdio.h>

void report_head(const struct settings *s, const sccl_program_t *p)
{
	char name[256];

	if (s->json)
		return;
	snprintf(name, sizeof name, "%s: %s", p->name, p->collective);
	sccli_letters_plain(name);
	printf("# %s on %u ranks (%s), %llu calls in a row\n#\n", name, p->ranks,
	       s->threads ? "threads" : "processes", (unsigned long long)s->calls);
	printf("# %10s  %12s  %8s  %6s  %6s           out-of-place                       in-place\n", "", "", "", "", "");
	printf("# %10s  %12s  %8s  %6s  %6s", "size", "count", "type", "redop", "root");
	for (int i = 0; i < PLACES; i++)
		printf("  %7s  %6s  %6s  %6s", "time", "algbw", "busbw", "#wrong");
	printf("\n# %10s  %12s  %8s  %6s  %6s", "(B)", "(elements)", "", "", "");
	printf("  %7s  %6s  %6s  %6s  %7s  %6s  %6s\n", "(us)", "(GB/s)", "(GB/s)", "", "(us)", "(GB/s)", "(GB/s)");
	fflush(stdout);
}

/* Prints a file's name as a JSON string. It may contain any bytes; invalid UTF-8 becomes U+FFFD. */
static void print_quoted(const char *text)
{
	const char *c = text;

	putchar('"');
	for (int n; *c; c += n ? n : 1) {
		n = sccli_letter_bytes(c);
		if (*c == '"' || *c == '\\')
			printf("\\%c", *c);
		else if ((unsigned char)*c < 0x20 || *c == 0x7f)
			printf("\\u%04x", (unsigned char)*c);
		else if (n)
			printf("%.*s", n, c);
		else
			printf("\\ufffd");
	}
	putchar('"');
}

/* What NCCL calls a type; nccl-tests prints these. */
static const char *const nccl_names[SCCL_DTYPES] = {
	[SCCL_F32] = "float", [SCCL_F64] = "double", [SCCL_F16] = "half", [SCCL_BF16] = "bfloat16",
	[SCCL_I32] = "int32", [SCCL_I64] = "int64", [SCCL_U8] = "uint8",
	[SCCL_F8E4M3] = "f8e4m3", [SCCL_F8E5M2] = "f8e5m2", [SCCL_I8] = "int8", [SCCL_U32] = "uint32", [SCCL_U64] = "uint64",
};

static double algbw(const struct timing_row *r, const struct placed_calls *at)
{
	return at->median > 0 ? (double)r->bytes / at->median / 1e3 : 0;
}

static void print_object(const struct settings *s, const sccl_program_t *p, const struct timing_row *r, enum call_place place)
{
	const struct placed_calls *at = &r->places[place];

	printf("{\"file\": ");
	print_quoted(s->label);
	printf(", \"bytes\": %llu, \"count\": %llu, \"microseconds\": %.3f, \"least_microseconds\": %.3f, "
	       "\"gigabytes_per_second\": %.4f, \"busbw\": %.4f, \"type\": \"%s\", \"op\": ",
	       (unsigned long long)r->bytes, (unsigned long long)r->count, at->median, at->least, algbw(r, at),
	       algbw(r, at) * reference_bus_factor(p), sccl_dtype_name(r->type));
	printf(p->combining ? "\"%s\"" : "null", sccl_op_name(r->op));
	printf(", \"root\": ");
	printf(p->root >= 0 ? "%d" : "null", p->root);
	printf(", \"in_place\": %s, \"calls\": %llu, \"wrong\": ", place == IN_PLACE ? "true" : "false", (unsigned long long)s->calls);
	printf(at->checked ? "%llu" : "null", (unsigned long long)at->wrong);
	printf(", \"check\": %s}\n", !at->checked ? "null" : at->wrong ? "\"differs\"" : "\"exact\"");
}

/* Four columns; the digits of a time as nccl-tests has them, of a rate three where it is small. */
static void print_place(const struct timing_row *r, const struct placed_calls *at, double factor)
{
	double fast = algbw(r, at), bus = fast * factor;

	if (!at->measured) {
		printf("  %7s  %6s  %6s  %6s", "N/A", "N/A", "N/A", "N/A");
		return;
	}
	printf("  %7.*f  %6.*f  %6.*f", at->median < 100 ? 2 : at->median < 10000 ? 1 : 0, at->median, fast < 10 ? 3 : 2, fast,
	       bus < 10 ? 3 : 2, bus);
	if (at->checked)
		printf("  %6llu", (unsigned long long)at->wrong);
	else
		printf("  %6s", "N/A");
}

static void print_line(const sccl_program_t *p, const struct timing_row *r)
{
	const char *op = r->op == SCCL_PREMUL_SUM ? "mulsum" : sccl_op_name(r->op); /* as nccl-tests has it */
	printf("%12llu  %12llu  %8s  %6s  %6d", (unsigned long long)r->bytes, (unsigned long long)r->count, nccl_names[r->type],
	       p->combining ? op : "none", p->root);
	for (int i = 0; i < PLACES; i++)
		print_place(r, &r->places[i], reference_bus_factor(p));
	putchar('\n');
}

void report_row(const struct settings *s, const sccl_program_t *p, const struct timing_row *r, struct report_total *total)
{
	for (int i = 0; i < PLACES; i++) {
		const struct placed_calls *at = &r->places[i];
		if (!at->measured)
			continue;
		if (s->json)
			print_object(s, p, r, i);
		total->wrong += at->wrong;
		total->bus += algbw(r, at) * reference_bus_factor(p);
		total->n++;
	}
	if (!s->json)
		print_line(p, r);
	fflush(stdout);
}

void report_end(const struct settings *s, const struct report_total *total)
{
	if (s->json || !total->n)
		return;
	if (s->check)
		printf("# Out of bounds values : %llu %s\n", (unsigned long long)total->wrong, total->wrong ? "FAILED" : "OK");
	printf("# Avg bus bandwidth    : %.4g\n", total->bus / (double)total->n);
	fflush(stdout);
}

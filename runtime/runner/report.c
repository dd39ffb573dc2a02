/*
 * Prints the results, as a table or with one JSON object per row.
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
	printf("%s on %u ranks (%s), %llu calls in a row\n", name, p->ranks,
	       s->threads ? "threads" : "processes", (unsigned long long)s->calls);
	printf("%12s %12s  %-5s %-5s %11s %11s %9s %9s  %s\n", "bytes", "count", "type", "op", "least us", "median us", "GB/s",
	       "busbw", s->check ? "result" : "");
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

static const char *verdict(const struct timing_row *r)
{
	return !r->checked ? "" : r->exact ? "exact" : "differs";
}

void report_row(const struct settings *s, const sccl_program_t *p, const struct timing_row *r)
{
	double speed = r->median > 0 ? (double)r->bytes / r->median / 1e3 : 0, bus = speed * reference_bus_factor(p);
	const char *op = p->combining ? sccl_op_name(r->op) : "-";

	if (s->json) {
		printf("{\"file\": ");
		print_quoted(s->label);
		printf(", \"bytes\": %llu, \"count\": %llu, \"microseconds\": %.3f, \"least_microseconds\": %.3f, "
		       "\"gigabytes_per_second\": %.4f, \"busbw\": %.4f, \"type\": \"%s\", \"op\": ",
		       (unsigned long long)r->bytes, (unsigned long long)r->count, r->median, r->least, speed, bus,
		       sccl_dtype_name(r->type));
		printf(p->combining ? "\"%s\"" : "null", op);
		printf(", \"calls\": %llu, \"check\": ", (unsigned long long)s->calls);
		printf(r->checked ? "\"%s\"}\n" : "null}\n", verdict(r));
	} else {
		printf("%12llu %12llu  %-5s %-5s %11.2f %11.2f %9.3f %9.3f  %s\n", (unsigned long long)r->bytes,
		       (unsigned long long)r->count, sccl_dtype_name(r->type), op, r->least, r->median, speed, bus, verdict(r));
	}
	fflush(stdout);
}

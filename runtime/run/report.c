#include "runtime/run/report.h"

#include "runtime/run/reference.h"

#include <stdio.h>

void report_head(const struct settings *s, const sccl_program_t *p)
{
	if (s->json)
		return;
	printf("%s: %s on %u ranks (%s), %llu calls in a row\n", p->name, p->collective, p->ranks,
	       s->threads ? "threads" : "processes", (unsigned long long)s->calls);
	printf("%12s %12s  %-5s %-5s %11s %11s %9s %9s  %s\n", "bytes", "count", "type", "op", "least us", "median us", "GB/s",
	       "busbw", s->check ? "result" : "");
	fflush(stdout);
}

/* Bytes of the letter of UTF-8 that C begins with; 0: it is none. */
static int letter_bytes(const unsigned char *c)
{
	static const unsigned least[] = {0, 0x80, 0x800, 0x10000};
	int more = *c < 0x80 ? 0 : *c < 0xc0 ? -1 : *c < 0xe0 ? 1 : *c < 0xf0 ? 2 : *c < 0xf8 ? 3 : -1;
	unsigned letter = more > 0 ? *c & (0x3fu >> more) : *c;

	for (int i = 1; i <= more; i++) {
		if ((c[i] & 0xc0) != 0x80)
			return 0;
		letter = letter << 6 | (c[i] & 0x3f);
	}
	return more < 0 || letter < least[more] || letter > 0x10ffff || (letter >= 0xd800 && letter < 0xe000) ? 0 : more + 1;
}

/* A file's name as a JSON string; it may be any bytes, and what is no letter becomes U+FFFD. */
static void print_quoted(const char *text)
{
	const unsigned char *c = (const unsigned char *)text;

	putchar('"');
	for (int n; *c; c += n ? n : 1) {
		n = letter_bytes(c);
		if (*c == '"' || *c == '\\')
			printf("\\%c", *c);
		else if (*c < 0x20 || *c == 0x7f)
			printf("\\u%04x", *c);
		else if (n)
			printf("%.*s", n, (const char *)c);
		else
			printf("\\ufffd");
	}
	putchar('"');
}

static const char *verdict(const struct row *r)
{
	return !r->checked ? "" : r->exact ? "exact" : "differs";
}

void report_row(const struct settings *s, const sccl_program_t *p, const struct row *r)
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

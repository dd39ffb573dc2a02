/*
 * Readers before mutated files: bytes flipped, cut, doubled and swapped for words that hurt, by a seed. Whatever comes, a reader
 * returns; what it accepts the judge judges, and what it refuses has a message of one line.
 * usage: mutate CASES SEED FILE...
 */
#include "core/algorithm.h"
#include "core/collective.h"
#include "core/error.h"
#include "core/file.h"
#include "core/json.h"
#include "core/memory.h"
#include "core/text.h"
#include "core/topology.h"
#include "core/verify.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t state;

static size_t below(size_t n)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return n ? (size_t)(state % n) : 0;
}

static const char *const words[] = {
	"-1", "0", "1e9", "2147483648", "9223372036854775808", "1.5", "null", "true", "[]", "{}", "\"\"", "\"7/0\"", "[[[[",
	"\"x\":", "\\u0000", "\xff", "\"kind\"", "\"custom\"", "\"symmetry\"", "\"limits\"", ",", "]", "}", "16777216", "4096",
};

static void mutate(struct text *t)
{
	struct text out = {0};
	size_t at = below(t->length + 1), n = below(12) < 9 ? below(4) : below(t->length - at + 1);

	if (n > t->length - at)
		n = t->length - at;
	text_add_bytes(&out, t->bytes, at);
	switch (below(4)) {
	case 0: /* left out */
		break;
	case 1: /* a byte changed */
		text_add_bytes(&out, t->bytes + at, n);
		if (out.length)
			out.bytes[out.length - 1] = (char)(below(95) + 32);
		break;
	case 2: /* twice */
		text_add_bytes(&out, t->bytes + at, n);
		text_add_bytes(&out, t->bytes + at, n);
		break;
	default: {
		const char *word = words[below(sizeof words / sizeof *words)];
		text_add_bytes(&out, word, strlen(word));
	}
	}
	text_add_bytes(&out, t->bytes + at + n, t->length - at - n);
	text_free(t);
	*t = out;
}

static void need(bool ok, const char *what)
{
	if (ok)
		return;
	printf("FAULT %s, state %" PRIu64 "\n", what, state);
	exit(1);
}

static void judge_message(const struct error *e)
{
	need(e->kind != ERROR_NONE, "refused without a message");
	need(!strpbrk(e->what, "\r\n") && !strpbrk(e->where, "\r\n") && *e->what && *e->where, "not a message of one line");
}

static bool read_as_topology(const struct json_place *top, struct error *e)
{
	struct topology *t = topology_read(top, e);
	bool ok = t != NULL;
	if (ok) {
		struct text out = {0};
		topology_write(t, &out, 0);
		text_free(&out);
	}
	topology_free(t);
	return ok;
}

static bool read_as_algorithm(const struct json_document *d, struct error *e)
{
	struct algorithm *a = algorithm_read(d, e);
	bool ok = a != NULL;
	if (ok && (size_t)a->global_chunks * (size_t)a->topology->nodes < 1 << 22)
		algorithm_verify(a);
	algorithm_free(a);
	return ok;
}

int main(int argc, char **argv)
{
	if (argc < 4) {
		fputs("usage: mutate CASES SEED FILE...\n", stderr);
		return 2;
	}
	long cases = atol(argv[1]), accepted = 0;
	state = (uint64_t)atol(argv[2]) * UINT64_C(0x9e3779b97f4a7c15) + 1;
	for (long i = 0; i < cases; i++) {
		struct error e = {0};
		struct text t = {0};
		need(file_read(argv[3 + i % (argc - 3)], &t, &e), "a file to begin with cannot be read");
		for (size_t k = 1 + below(3); k > 0; k--)
			mutate(&t);
		text_add_bytes(&t, "", 0);
		struct json_document *d = json_document_parse(t.bytes, "mutated", &e);
		if (d) {
			const char *format = json_string_value(json_object_get(d->root, "format"));
			struct json_place top = json_top(d);
			bool ok = format && strcmp(format, "sccl-topology") == 0 ? read_as_topology(&top, &e)
										    : read_as_algorithm(d, &e);
			accepted += ok;
			if (!ok)
				judge_message(&e);
		} else
			judge_message(&e);
		json_document_close(d);
		text_free(&t);
	}
	printf("%ld cases, %ld accepted\n", cases, accepted);
	need(accepted > 0 && accepted < cases, "the mutations are all of one kind");
	return 0;
}

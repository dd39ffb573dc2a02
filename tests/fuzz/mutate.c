/*
 * Readers before changed files and names. Whatever comes, a reader returns; what it accepts is judged and written again, and
 * what it refuses has a message of one line.
 * usage: mutate CASES SEED FILE...
 */
#include "mutation.h"

#include "core/schedule/algorithm.h"
#include "core/schedule/collective.h"
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/json.h"
#include "core/base/text.h"
#include "core/machine/topology.h"
#include "core/verify/verify.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void need(bool ok, const char *what)
{
	if (ok)
		return;
	printf("FAULT %s, state %" PRIu64 "\n", what, mutation_state());
	exit(1);
}

static bool one_line(const char *s)
{
	for (const char *c = s; *c; c++)
		if ((unsigned char)*c < ' ')
			return false;
	return *s != '\0';
}

static void need_message(bool ok, const struct error *e)
{
	if (ok == (e->kind == ERROR_NONE) && (ok || (one_line(e->where) && one_line(e->what))))
		return;
	printf("\"%s\": \"%s\"\n", e->where, e->what);
	need(false, "refused without a message of one line, or accepted with one");
}

static bool accept_topology(struct topology *t)
{
	struct text out = {0};

	if (!t)
		return false;
	topology_write(t, &out, 0);
	text_free(&out);
	topology_free(t);
	return true;
}

static bool read_topology(const struct json_document *d, const char *path, struct error *e)
{
	struct json_place top = json_top(d);
	(void)path;
	return accept_topology(topology_read(&top, e));
}

static bool read_collective(const struct json_document *d, const char *path, struct error *e)
{
	struct collective k;
	(void)d;
	if (!collective_open(path, 4, 0, &k, e))
		return false;
	if (collective_check(&k, 4, 3, e)) {
		struct collective cut = collective_scaled(&k, 3);
		collective_free(&cut);
	}
	collective_free(&k);
	return e->kind == ERROR_NONE;
}

static bool read_algorithm(const struct json_document *d, const char *path, struct error *e)
{
	struct algorithm *a = algorithm_read(d, e);
	struct text out = {0};

	(void)path;
	if (!a)
		return false;
	if ((size_t)a->global_chunks * (size_t)a->topology->nodes < 1 << 22) {
		struct verdict v = algorithm_verify(a);
		need(v.fault == FAULT_NONE || one_line(v.why), "a verdict that is not one line");
	}
	algorithm_write(a, &out);
	text_free(&out);
	algorithm_free(a);
	return true;
}

/* By what the file was before: its format may be gone. */
static const struct reader {
	const char *format;
	bool (*read)(const struct json_document *d, const char *path, struct error *e);
} readers[] = {
	{"sccl-topology", read_topology},
	{"sccl-collective", read_collective},
	{"sccl-algorithm", read_algorithm},
};

static const struct reader *reader_of(const struct text *t)
{
	size_t best = 0;
	const char *first = NULL;

	for (size_t i = 0; i < sizeof readers / sizeof *readers; i++) {
		const char *at = strstr(t->bytes, readers[i].format);
		if (at && (!first || at < first)) {
			first = at;
			best = i;
		}
	}
	need(first, "a file to begin with is of no format that is read here");
	return &readers[best];
}

static void save(const struct text *t, const char *path)
{
	FILE *f = fopen(path, "wb");
	need(f && fwrite(t->bytes, 1, t->length, f) == t->length && fclose(f) == 0, "a changed file cannot be written");
}

static bool try_file(const char *path, const char *changed)
{
	struct error e = {0};
	struct text t = {0};

	need(file_read(path, &t, &e), "a file to begin with cannot be read");
	const struct reader *reader = reader_of(&t);
	mutate(&t);
	save(&t, changed);
	struct json_document *d = json_document_open(changed, &e);
	bool ok = d && reader->read(d, changed, &e);
	need_message(ok, &e);
	json_document_close(d);
	text_free(&t);
	return ok;
}

static const char *const names[] = {
	"ring:8", "torus:4x4x2", "hypercube:3", "switch:6", "mesh:3x3@drop=0-1", "dgx1@gpus=1,4,5,6", "dgx1@add=0-4x2,0-1@drop=2-3",
};

static bool try_name(void)
{
	struct error e = {0};
	struct text t = {0};

	text_add(&t, "%s", names[mutation_below(sizeof names / sizeof *names)]);
	mutate(&t);
	bool ok = accept_topology(topology_open(t.bytes, &e));
	need_message(ok, &e);
	text_free(&t);
	return ok;
}

int main(int argc, char **argv)
{
	if (argc < 4) {
		fputs("usage: mutate CASES SEED FILE...\n", stderr);
		return 2;
	}
	char changed[] = "/tmp/mutated-XXXXXX";
	int file = mkstemp(changed), n_files = argc - 3;
	long cases = atol(argv[1]), accepted = 0, accepted_names = 0;

	need(file >= 0 && close(file) == 0, "no temporary file");
	mutation_seed((uint64_t)atol(argv[2]));
	for (long i = 0; i < cases; i++) {
		if (i % (n_files + 1) < n_files)
			accepted += try_file(argv[3 + i % (n_files + 1)], changed);
		else
			accepted_names += try_name();
	}
	unlink(changed);
	printf("%ld cases, %ld files and %ld names accepted\n", cases, accepted, accepted_names);
	need(accepted > 0 && accepted < cases, "the changes are all of one kind");
	return 0;
}

/*
 * Readers of other tools' machines before changed files. Whatever comes, a reader returns; what it accepts is a topology
 * that is written and read again as the same; what it refuses has a message of one line.
 * usage: mutate_import CASES SEED FILE...
 */
#include "mutation.h"

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/json.h"
#include "core/base/text.h"
#include "core/machine/topology.h"
#include "interop/machines/import.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool one_line(const char *s)
{
	for (const char *c = s; *c; c++)
		if ((unsigned char)*c < ' ')
			return false;
	return *s != '\0';
}

static void need(bool ok, const char *what, const struct error *e)
{
	if (ok)
		return;
	printf("FAULT %s, state %" PRIu64 ", \"%s\": \"%s\"\n", what, mutation_state(), e->where, e->what);
	exit(1);
}

static bool survives(const char *path)
{
	struct text notes = {0}, out = {0};
	struct import_report report = {.notes = &notes};
	struct error e = {0};
	struct topology *t = import_machine(&path, 1, "changed", RATES_NOMINAL, &report, &e), *again;

	need((t != NULL) == (e.kind == ERROR_NONE), "neither a machine nor an error, or both", &e);
	need(t || (one_line(e.where) && one_line(e.what)), "a message that is not one line", &e);
	if (t) {
		topology_write(t, &out, 0);
		again = topology_read_document(json_document_parse(out.bytes, "again", &e), &e);
		need(again && topology_same(t, again), "a machine that is not read again", &e);
		topology_free(again);
	}
	bool accepted = t != NULL;
	topology_free(t);
	text_free(&notes);
	text_free(&out);
	return accepted;
}

int main(int argc, char **argv)
{
	int64_t cases = argc > 3 ? strtoll(argv[1], NULL, 10) : 0, accepted = 0;
	char path[] = "/tmp/sccl-import-XXXXXX";
	int file = mkstemp(path);

	if (file < 0 || cases < 1)
		return 99;
	mutation_seed((uint64_t)strtoull(argv[2], NULL, 10));
	for (int64_t i = 0; i < cases; i++) {
		struct text t = {0};
		struct error e = {0};
		need(file_read(argv[3 + i % (argc - 3)], &t, &e), "a seed cannot be read", &e);
		mutate(&t);
		need(ftruncate(file, 0) == 0 && pwrite(file, t.bytes ? t.bytes : "", t.length, 0) == (ssize_t)t.length, "cannot write", &e);
		accepted += survives(path);
		text_free(&t);
	}
	close(file);
	unlink(path);
	printf("%" PRId64 " of %" PRId64 " accepted\n", accepted, cases);
	return accepted == 0;
}

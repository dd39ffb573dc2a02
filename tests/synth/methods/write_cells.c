/*
 * What the matrix serves on a machine, as programs for the host: write_cells MACHINE FOLDER [METHOD | EVERY FROM].
 * With EVERY and FROM only a sample of its cells (see cells.h).
 * A line a cell: "METHOD KIND ROOT served PROGRAM STEPS SENDS" or "METHOD KIND ROOT refused WHY", FOLDER/PROGRAM.c for the first.
 * Ends with 1 where a cell is not well: it does not verify, beats a bound, is refused for no reason, or cannot be lowered.
 */

#include "tests/synth/methods/cells.h"

#include "core/base/file.h"
#include "core/base/text.h"
#include "core/verify/verify.h"
#include "lower/lower.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct folder {
	const char *path, *method; /* method NULL: all */
	int n_faults;
};

/* One type and one operation, whose result each contribution changes. */
static bool write_program(const char *folder, const struct algorithm *a, struct error *e)
{
	struct kernels k;
	struct lowered l = {0};
	struct text path = {0};

	bool ok = kernels_read("i32", "sum", NULL, &k, e) && lower(a, lower_target("host", e), &k, &l, e);
	text_add(&path, "%s/%s.c", folder, ok ? l.name : "");
	ok = ok && file_write(path.bytes, l.source.bytes, l.source.length, e);
	if (ok)
		printf("served %s", l.name);
	text_free(&path);
	lowered_free(&l);
	return ok;
}

static void write_cell(void *context, const struct cell *c)
{
	struct folder *f = context;
	struct error e = {0};
	char fault[CELL_FAULT];

	if (f->method && strcmp(f->method, c->method->name) != 0)
		return;
	printf("%s %s %d ", c->method->name, collective_name(&c->collective), c->collective.root);
	bool well = cell_is_well(c, fault);
	if (!well)
		printf("fault: %s", fault);
	else if (!c->algorithm)
		printf("refused %s", c->refusal.what);
	else if (!(well = write_program(f->path, c->algorithm, &e)))
		printf("fault: is not lowered: %s", e.what);
	f->n_faults += !well;
	putchar('\n');
}

int main(int argc, char **argv)
{
	struct error e = {0};

	struct sample sample = argc == 5 ? (struct sample){atoi(argv[3]), atoi(argv[4])} : (struct sample){1, 0};
	if (argc < 3 || argc > 5 || sample.every < 1 || sample.from < 0 || sample.from >= sample.every) {
		fprintf(stderr, "usage: write_cells MACHINE FOLDER [METHOD | EVERY FROM]\n");
		return 2;
	}
	struct folder f = {argv[2], argc == 4 ? argv[3] : NULL, 0};
	if (!cells_visit(argv[1], sample, write_cell, &f, &e)) {
		fprintf(stderr, "write_cells: %s: %s\n", e.where, e.what);
		return 2;
	}
	return f.n_faults > 0;
}

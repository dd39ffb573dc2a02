/*
 * A target on files as they are and changed by chance, with any compiler: the quick form of scripts/fuzz, and what runs
 * again each input that was ever found to fail (tests/fuzz/found).
 * usage: replay TARGET CASES SEED FILE...
 */
#include "tests/fuzz/mutation.h"
#include "tests/fuzz/targets.h"

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static bool run(const struct fuzz_target *target, const struct text *t)
{
	return t->length <= target->most && target->run(t->bytes, t->length);
}

/* Where a fault happened: standard output is unbuffered, so this is its last line. */
static void show(const char *path, long number)
{
	printf("# %s, case %ld, state %" PRIu64 "\n", path, number, mutation_state());
}

int main(int argc, char **argv)
{
	const struct fuzz_target *target = argc > 4 ? fuzz_target_named(argv[1]) : NULL;
	long cases = argc > 4 ? atol(argv[2]) : 0, accepted = 0, whole = 0;
	int n_files = argc - 4;

	if (!target) {
		fputs("usage: replay TARGET CASES SEED FILE...\n", stderr);
		return 2;
	}
	setvbuf(stdout, NULL, _IONBF, 0);
	mutation_seed((uint64_t)atol(argv[3]));
	for (long i = 0; i < n_files + cases; i++) {
		const char *path = argv[4 + i % n_files];
		struct error e = {0};
		struct text t = {0};
		if (!file_read(path, &t, &e)) {
			printf("%s: %s\n", e.where, e.what);
			return 1;
		}
		if (i >= n_files)
			mutate(&t);
		if (i < n_files || i % 1000 == 0)
			show(path, i);
		bool good = run(target, &t);
		accepted += good;
		whole += good && i < n_files;
		text_free(&t);
	}
	printf("%s: %ld of %d files accepted, %ld of %ld cases\n", target->name, whole, n_files, accepted - whole, cases);
	return accepted > 0 ? 0 : 1; /* else nothing was tried beyond the first check */
}

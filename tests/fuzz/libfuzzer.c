/* The target that SCCL_FUZZ_TARGET names, for clang's libFuzzer (scripts/fuzz). */
#include "tests/fuzz/targets.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

static const struct fuzz_target *target;

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	const char *name = getenv("SCCL_FUZZ_TARGET");

	(void)argc;
	(void)argv;
	target = name ? fuzz_target_named(name) : NULL;
	if (target)
		return 0;
	fputs("SCCL_FUZZ_TARGET names no target\n", stderr);
	exit(2);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	char *text = malloc(n + 1);

	if (!text || n > target->most) {
		free(text);
		return -1; /* not kept */
	}
	memcpy(text, bytes, n);
	text[n] = '\0';
	target->run(text, n);
	free(text);
	return 0;
}

/*
 * sccl-run: reads the options, loads the program and runs its ranks; or, with --nccl, another program.
 */
#include "runtime/runner/preload.h"
#include "runtime/runner/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
	struct settings s;
	if (argc > 1 && strcmp(argv[1], "--nccl") == 0)
		return run_preloaded(argc, argv);
	read_settings(argc, argv, &s);
	const sccl_program_t *program = load_program(&s);
	int status = program ? run_ranks(&s, program) : EXIT_INPUT;
	free(s.amounts);
	if (fflush(stdout) != 0 || ferror(stdout)) {
		complain("standard output", "cannot be written");
		status = EXIT_BROKEN;
	}
	return status;
}

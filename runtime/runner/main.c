/*
 * sccl-run: reads the options, loads the program and runs its ranks.
 */
#include "runtime/runner/run.h"

#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	struct settings s;
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

/*
 * sccl-run: reads the options, loads the program and runs its ranks; or, with --nccl, another program.
 */
#include "runtime/runner/preload.h"
#include "runtime/runner/run.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A segment or a socket must not get the number of a stream that is closed: words would be written into it. */
static void hold_streams(void)
{
	for (int file = STDIN_FILENO; file <= STDERR_FILENO; file++)
		if (fcntl(file, F_GETFD) < 0 && open("/dev/null", file == STDIN_FILENO ? O_WRONLY : O_RDONLY) != file)
			_exit(EXIT_BROKEN);
}

int main(int argc, char **argv)
{
	struct settings s;

	hold_streams();
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

/* Runs generated programs with sccl-run. */

#include "cli/commands/programs.h"

#include "cli/commands/children.h"
#include "cli/output/command.h"

#include "core/base/memory.h"
#include "core/base/install_paths.h"
#include "build_config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const struct option_row run_setting_rows[4] = {
	{"calls", 'n', "N", "number of consecutive calls of each program (run: 20; tune: 3)", OPTION(option_text, run_settings, calls)},
	{"mode", 0, "MODE", "run ranks as processes or threads (processes); multikernel means --kernels step, and memcpy --kernels none",
	 OPTION(option_text, run_settings, mode)},
	{"timeout", 0, "SEC", "longest time that a rank waits for another, in seconds (60); 0: no limit", OPTION(option_text, run_settings, timeout)},
	{"jobs", 'j', "N", "GPUs: compile N kernels in parallel (as many as there are processors)",
	 OPTION_WHOLE(run_settings, jobs, 1, 1024)},
};

/* The path of sccl-run, in the build tree or installed. The caller frees it. */
static char *runner(void)
{
	return install_is_build_tree() ? copy_string(SCCL_BUILD_ROOT "/runtime/sccl-run")
				     : install_path(SCCL_LIBEXECDIR "/sccl-synth/sccl-run");
}

void arguments_flag(struct arguments *a, const char *name, bool given)
{
	if (given && a->n < ARGUMENTS_MAX)
		a->list[a->n++] = name;
}

void arguments_add(struct arguments *a, const char *name, const char *value)
{
	if (!value || a->n + 2 > ARGUMENTS_MAX)
		return;
	a->list[a->n++] = name;
	a->list[a->n++] = value;
}

/* What the child becomes. */
struct runner_call {
	const char *const *argv;
	const char *out;
};

static int become_runner(const void *what)
{
	const struct runner_call *r = what;
	int file = r->out ? open(r->out, O_WRONLY | O_CREAT | O_TRUNC, 0600) : STDOUT_FILENO;

	if (file >= 0 && (file == STDOUT_FILENO || dup2(file, STDOUT_FILENO) >= 0))
		return child_become(r->argv);
	fprintf(stderr, "sccl-synth: %s: %s\n", printable(r->out), strerror(errno));
	return STATUS_FAILED;
}

int program_run(const struct scratch *s, const char *so, const char *name, const struct arguments *a, const char *out)
{
	char *program = runner();
	const char *argv[ARGUMENTS_MAX + 5] = {program, so, "--symbol", name};

	memcpy(argv + 4, a->list, (size_t)a->n * sizeof *a->list);
	int status = child_call(s, become_runner, &(struct runner_call){argv, out});
	free(program);
	return status;
}

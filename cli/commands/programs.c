/*
 * Compiles and runs generated programs in child processes, without a shell. Each child leads a process group of its
 * own, which the keeper of the temporary folder (scratch.h) ends if this process dies.
 */

#include "cli/commands/programs.h"

#include "cli/output/command.h"

#include "core/base/memory.h"
#include "core/base/install_paths.h"
#include "core/base/text.h"
#include "house.h"
#include "lower/lower.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* The path of sccl-run, in the build tree or installed. The caller frees it. */
static char *runner(void)
{
	return install_is_build_tree() ? copy_string(SCCL_BUILD_ROOT "/runtime/sccl-run")
				     : install_path(SCCL_LIBEXECDIR "/sccl-synth/sccl-run");
}

/* The folder of the headers that generated programs include, likewise. */
static char *headers(void)
{
	return install_is_build_tree() ? copy_string(SCCL_SOURCE_ROOT "/runtime/include") : install_path(SCCL_INCLUDEDIR);
}

/* Waits for a child, and kills its whole process group if we are interrupted. Returns its exit status, or STATUS_FAILED
 * if a signal killed it. */
static int wait_for(const struct scratch *s, pid_t child)
{
	siginfo_t ending;
	int status;

	while (waitid(P_PID, (id_t)child, &ending, WEXITED | WNOWAIT) < 0) {
		if (errno != EINTR)
			return STATUS_FAILED;
		if (interrupted)
			kill(-child, SIGTERM);
	}
	if (interrupted)
		kill(-child, SIGKILL); /* processes that the child has left behind */
	scratch_left(s);
	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return STATUS_FAILED;
	if (interrupted)
		return STATUS_INTERRUPTED;
	return WIFEXITED(status) ? WEXITSTATUS(status) : STATUS_FAILED;
}

/* In the child, which dies with its parent: redirects standard output to OUT, unless NULL, and executes ARGV. */
static _Noreturn void become(const struct scratch *s, char *const *argv, const char *out, pid_t parent)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(STATUS_FAILED);
	signal(SIGTTOU, SIG_IGN); /* a background process group must be able to write to the terminal */
	int file = out ? open(out, O_WRONLY | O_CREAT | O_TRUNC, 0600) : STDOUT_FILENO;

	/* Compilers that are killed leave temporary files behind, so these must be in our folder. */
	if (!scratch_enter(s) || setenv("TMPDIR", s->dir, 1) != 0)
		fprintf(stderr, "sccl-synth: %s: %s\n", shown(argv[0]), strerror(errno));
	else if (file < 0 || (file != STDOUT_FILENO && dup2(file, STDOUT_FILENO) < 0))
		fprintf(stderr, "sccl-synth: %s: %s\n", shown(out), strerror(errno));
	else if (execvp(argv[0], argv) < 0)
		fprintf(stderr, "sccl-synth: %s: %s\n", shown(argv[0]), strerror(errno));
	_exit(STATUS_FAILED);
}

static int spawn(const struct scratch *s, char *const *argv, const char *out)
{
	fflush(stdout);
	pid_t parent = getpid(), child = fork();
	if (child == 0)
		become(s, argv, out, parent);
	if (child > 0) {
		setpgid(child, child); /* the child does the same, whichever comes first */
		return wait_for(s, child);
	}
	fprintf(stderr, "sccl-synth: fork: %s\n", strerror(errno));
	return STATUS_FAILED;
}

/* For each target: the variable that names its compiler, the default compiler, and its options for a shared object. */
static const struct compiler {
	const char *target, *variable, *command;
	const char *options[8];
} compilers[] = {
	{"host", "CC", "cc", {"-O3", "-std=c11", "-shared", "-fPIC"}},
	{"cuda", "NVCC", "nvcc", {"-O3", "-std=c++17", "-arch=native", "-shared", "-Xcompiler", "-fPIC"}},
	{"hip", "HIPCC", "hipcc", {"-O3", "-std=c++17", "-shared", "-fPIC"}},
};

static const struct compiler *compiler_of(const struct target *t)
{
	size_t i = 0;
	while (strcmp(compilers[i].target, t->name) != 0)
		i++;
	return &compilers[i];
}

int program_compile(const struct target *t, const struct scratch *s, const char *name, char **so)
{
	const struct compiler *c = compiler_of(t);
	const char *chosen = getenv(c->variable);
	struct text source = {0}, object = {0};
	char *include = headers(), *argv[16];
	int n = 0;

	text_add(&source, "%s/%s%s", s->dir, name, t->suffix);
	text_add(&object, "%s/%s.so", s->dir, name);
	argv[n++] = (char *)(uintptr_t)(chosen && *chosen ? chosen : c->command);
	for (int i = 0; i < 8 && c->options[i]; i++)
		argv[n++] = (char *)(uintptr_t)c->options[i];
	argv[n++] = "-I";
	argv[n++] = include;
	argv[n++] = source.bytes;
	argv[n++] = "-o";
	argv[n++] = object.bytes;
	argv[n] = NULL;
	int status = spawn(s, argv, NULL);
	if (status != STATUS_DONE && status != STATUS_INTERRUPTED) {
		fprintf(stderr, "sccl-synth: %s: could not compile %s%s\n", shown(argv[0]), name, t->suffix);
		status = STATUS_FAILED;
	}
	free(include);
	text_free(&source);
	*so = text_take(&object);
	return status;
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

int program_run(const struct scratch *s, const char *so, const char *name, const struct arguments *a, const char *out)
{
	char *program = runner();
	const char *argv[ARGUMENTS_MAX + 5] = {program, so, "--symbol", name};

	memcpy(argv + 4, a->list, (size_t)a->n * sizeof *a->list);
	int status = spawn(s, (char *const *)(uintptr_t)argv, out);
	free(program);
	return status;
}

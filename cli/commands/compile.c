/*
 * Compiles generated programs. A child leads a process group and runs the compilers in workers: one for each file of
 * the program, as many at a time as there are processors, and then one that links. A worker's output is what its
 * compiler printed; it ends with its compiler, though that may leave a server behind, which keeps the file open. The compilers of one program mostly print the same, so only the first file's warnings and the first
 * failure are shown.
 */

#define _GNU_SOURCE /* memfd_create */
#include "cli/commands/programs.h"

#include "cli/commands/children.h"
#include "cli/output/command.h"
#include "cli/output/progress.h"

#include "core/base/error.h"
#include "core/base/install_paths.h"
#include "core/base/memory.h"
#include "core/base/process.h"
#include "core/base/text.h"
#include "build_config.h"
#include "lower/lower.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* For each target: the variable that names its compiler, the default compiler, its options for code in a shared object,
 * and whether each kernel takes it so long that files of their own are worth it. */
static const struct compiler {
	const char *target, *variable, *command;
	const char *options[6];
	bool splits;
} compilers[] = {
	{"host", "CC", "cc", {"-O3", "-std=c11", "-fPIC"}, false},
	{"cuda", "NVCC", "nvcc", {"-O3", "-std=c++17", "-arch=native", "-Xcompiler", "-fPIC"}, true},
	{"hip", "HIPCC", "hipcc", {"-O3", "-std=c++17", "-fPIC"}, true},
};

static const struct compiler *compiler_of(const struct target *t)
{
	size_t i = 0;
	while (strcmp(compilers[i].target, t->name) != 0)
		i++;
	return &compilers[i];
}

bool program_splits(const struct target *t)
{
	return compiler_of(t)->splits;
}

/* A program to compile, of N_SOURCES files. With a single file there are no objects. Paths are owned. */
struct compilation {
	const struct compiler *compiler;
	const struct lowered *program;
	const char *suffix;
	char *include, *so;
	size_t n_sources;
	char **sources, **objects;
	size_t jobs;
};

/* A command: compiles source INDEX, or links the objects if INDEX is n_sources. */
struct task {
	const struct compilation *of;
	size_t index;
};

/* The folder of the headers that generated programs include, in the source tree or installed. The caller frees it. */
static char *headers(void)
{
	return install_is_build_tree() ? copy_string(SCCL_SOURCE_ROOT "/runtime/include") : install_path(SCCL_INCLUDEDIR);
}

static char *path_in(const char *dir, const char *name, const char *suffix)
{
	struct text path = {0};

	text_add(&path, "%s/%s%s", dir, name, suffix);
	return text_take(&path);
}

static const char *command_of(const struct compiler *c)
{
	const char *chosen = getenv(c->variable);

	return chosen && *chosen ? chosen : c->command;
}

/* In a child of a worker. */
static _Noreturn void become_compiler(const struct task *t, int printed, pid_t parent)
{
	const struct compilation *c = t->of;
	bool links = t->index == c->n_sources, whole = c->n_sources == 1;
	struct arguments a = {.n = 0};

	arguments_flag(&a, command_of(c->compiler), true);
	for (int i = 0; c->compiler->options[i]; i++)
		arguments_flag(&a, c->compiler->options[i], true);
	arguments_flag(&a, "-shared", links || whole);
	arguments_flag(&a, "-c", !links && !whole);
	arguments_add(&a, "-I", c->include);
	for (size_t i = 0; i < c->n_sources; i++)
		arguments_flag(&a, links ? c->objects[i] : c->sources[i], links || i == t->index);
	arguments_add(&a, "-o", links || whole ? c->so : c->objects[t->index]);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent || dup2(printed, STDOUT_FILENO) < 0 || dup2(printed, STDERR_FILENO) < 0)
		_exit(STATUS_FAILED);
	_exit(child_become(a.list));
}

static void send_printed(int printed, int file)
{
	char block[4096];
	off_t at = 0;

	for (ssize_t n; (n = pread(printed, block, sizeof block, at)) > 0; at += n)
		process_send(file, block, (size_t)n);
}

/* In a worker, whose output goes to FILE. */
static int run_compiler(const void *what, int file)
{
	pid_t self = getpid();
	int printed = memfd_create("compiler", MFD_CLOEXEC), status = -1;

	fcntl(file, F_SETFD, FD_CLOEXEC);
	pid_t compiler = printed < 0 ? -1 : fork();
	if (compiler == 0)
		become_compiler(what, printed, self);
	if (compiler < 0) {
		dprintf(file, "sccl-synth: %s: %s\n", printed < 0 ? "memfd_create" : "fork", strerror(errno));
		return STATUS_FAILED;
	}
	while (waitpid(compiler, &status, 0) < 0 && errno == EINTR)
		;
	send_printed(printed, file);
	return status == 0 ? STATUS_DONE : STATUS_FAILED;
}

static void show_progress(struct progress *p, const struct compilation *c, size_t done)
{
	struct text line = {0};

	text_add(&line, "compiling %s", c->program->name);
	if (c->n_sources > 1)
		text_add(&line, ": %zu of %zu files", done, c->n_sources);
	progress_show(p, line.bytes);
	text_free(&line);
}

/* Takes leave of a worker that has ended. Returns whether it compiled its file. What goes wrong is reported unless
 * something FAILED before. */
static bool finish(struct worker *w, const struct task *t, bool failed)
{
	const struct compilation *c = t->of;
	bool ok = process_finish(w).status == 0, links = t->index == c->n_sources;

	if (w->bytes.length && !failed && (!ok || t->index == 0 || links))
		fwrite(w->bytes.bytes, 1, w->bytes.length, stderr);
	text_free(&w->bytes);
	if (ok || failed)
		return ok;
	fprintf(stderr, "sccl-synth: %s: could not %s ", printable(command_of(c->compiler)), links ? "link" : "compile");
	if (t->index > 0 && !links)
		fprintf(stderr, "%s\n", c->program->units[t->index - 1].file);
	else
		fprintf(stderr, "%s%s\n", c->program->name, c->suffix);
	return false;
}

/* The state of running tasks FIRST to LAST - 1. */
struct compile_pool {
	struct task *tasks;
	struct worker *workers, **running; /* of the tasks; those that have not ended */
	size_t begun, n_running;
	bool ok;
};

/* Starts tasks until there are enough; none after a failure. */
static void begin_tasks(struct compile_pool *p, const struct compilation *c, size_t last)
{
	struct error e = {0};

	for (; p->ok && p->begun < last && p->n_running < c->jobs; p->begun++) {
		p->tasks[p->begun] = (struct task){c, p->begun};
		p->ok = process_start(&p->workers[p->begun], run_compiler, &p->tasks[p->begun], (struct process_limits){0}, &e);
		if (p->ok)
			p->running[p->n_running++] = &p->workers[p->begun];
		else
			fail(&e);
	}
}

static bool run_tasks(const struct compilation *c, size_t first, size_t last)
{
	struct compile_pool p = {new_array(struct task, last), new_array(struct worker, last), new_array(struct worker *, last), first, 0, true};
	struct progress progress = {0};
	size_t done = first;

	for (begin_tasks(&p, c, last); p.n_running > 0; begin_tasks(&p, c, last)) {
		show_progress(&progress, c, done);
		int i = process_wait(p.running, p.n_running, -1);
		if (i < 0)
			continue;
		progress_clear(&progress);
		struct worker *w = p.running[i];
		bool ok = finish(w, &p.tasks[w - p.workers], !p.ok);
		p.ok = p.ok && ok;
		p.running[i] = p.running[--p.n_running];
		done++;
	}
	free(p.tasks);
	free(p.workers);
	free(p.running);
	return p.ok;
}

/* In the child. */
static int compile(const void *what)
{
	const struct compilation *c = what;
	size_t n = c->n_sources;

	return run_tasks(c, 0, n) && (n == 1 || run_tasks(c, n, n + 1)) ? STATUS_DONE : STATUS_FAILED;
}

int program_compile(const struct target *t, const struct scratch *s, const struct lowered *l, int jobs, char **so)
{
	size_t n = 1 + l->n_units;
	struct compilation c = {.compiler = compiler_of(t), .program = l, .suffix = t->suffix, .include = headers(), .n_sources = n,
				.sources = new_array(char *, n), .objects = new_array(char *, n),
				.jobs = jobs > 0 ? (size_t)jobs : (size_t)process_processors()};
	struct progress erased = {.drawn = isatty(STDERR_FILENO)}; /* by the child, if it was killed */

	*so = c.so = path_in(s->dir, l->name, ".so");
	for (size_t i = 0; i < n; i++) {
		c.sources[i] = i ? path_in(s->dir, l->units[i - 1].file, "") : path_in(s->dir, l->name, t->suffix);
		c.objects[i] = path_in(s->dir, i ? l->units[i - 1].file : l->name, ".o");
	}
	int status = child_call(s, compile, &c);
	progress_clear(&erased);
	for (size_t i = 0; i < n; i++) {
		free(c.sources[i]);
		free(c.objects[i]);
	}
	free(c.sources);
	free(c.objects);
	free(c.include);
	return status;
}

#include "cli/command.h"
#include "cli/lowering.h"
#include "cli/options.h"

#include "core/file.h"
#include "core/memory.h"
#include "core/place.h"
#include "core/text.h"
#include "house.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct usage usage = {
	"szypNDbwixXJd", "FILE...",
	"Runs algorithms on this machine: lowers each to a C program, compiles it with $CC (cc), starts a process a rank, and compares "
	"every result with a plain reference, bit by bit. Prints time, algbw (bytes of one input over the time) and busbw for "
	"each size.\n\n"
	"Sizes are those of one rank's input. --counts 0,1,7 takes numbers of elements instead.\n\n"
	"Example: sccl-synth run algorithms/dgx1/allgather/c6-s3-r7.json --sizes 1K:1M\v"
	"Exit status: 0 all results were right; 1 some differed, or a file does not verify; 2 bad input; 4 it could not be run."};

/* A tool of ours and what generated programs include: of the build tree, or installed. The caller frees. */
static char *runner(void)
{
	return place_in_build_tree() ? copy_string(SCCL_BUILD_ROOT "/runtime/sccl-run")
				     : place_installed(SCCL_LIBEXECDIR "/sccl-synth/sccl-run");
}

static char *headers(void)
{
	return place_in_build_tree() ? copy_string(SCCL_SOURCE_ROOT "/runtime/include") : place_installed(SCCL_INCLUDEDIR);
}

/* Waits for a child, and takes it along when a signal ends us. Its exit status; a death is STATUS_FAILED. */
static int wait_for(pid_t child)
{
	int status;

	while (waitpid(child, &status, 0) < 0) {
		if (errno != EINTR)
			return STATUS_FAILED;
		if (interrupted)
			kill(child, SIGTERM);
	}
	if (interrupted)
		return STATUS_INTERRUPTED;
	return WIFEXITED(status) ? WEXITSTATUS(status) : STATUS_FAILED;
}

/* Never through a shell: names from files are arguments and nothing else. */
static int spawn(char *const *argv)
{
	fflush(stdout);
	pid_t child = fork();
	if (child == 0) {
		execvp(argv[0], argv);
		fprintf(stderr, "sccl-synth: %s: %s\n", argv[0], strerror(errno));
		_exit(STATUS_FAILED);
	}
	if (child > 0)
		return wait_for(child);
	fprintf(stderr, "sccl-synth: fork: %s\n", strerror(errno));
	return STATUS_FAILED;
}

static int compile(const char *dir, const char *name, char **so)
{
	struct text source = {0}, object = {0};
	const char *cc = getenv("CC");

	text_add(&source, "%s/%s.c", dir, name);
	text_add(&object, "%s/%s.so", dir, name);
	char *include = headers();
	char *const argv[] = {(char *)(cc && *cc ? cc : "cc"), "-O3", "-std=c11", "-shared", "-fPIC", "-I", include,
			      source.bytes, "-o", object.bytes, NULL};
	int status = spawn(argv);
	free(include);
	text_free(&source);
	*so = text_take(&object);
	if (status != STATUS_DONE && status != STATUS_INTERRUPTED) {
		fprintf(stderr, "sccl-synth: %s: could not compile %s.c\n", argv[0], name);
		status = STATUS_FAILED;
	}
	return status;
}

static void add(char **argv, int *n, const char *name, const char *value)
{
	if (!value)
		return;
	argv[(*n)++] = (char *)name;
	argv[(*n)++] = (char *)value;
}

static int run_program(const struct options *o, const char *path, const char *so, const char *name)
{
	char *program = runner();
	char *argv[32] = {program, (char *)so, "--symbol", (char *)name};
	int n = 4;

	add(argv, &n, "--label", path);
	add(argv, &n, "--sizes", o->sizes);
	add(argv, &n, "--counts", o->counts);
	add(argv, &n, "--types", o->types);
	add(argv, &n, "--ops", o->ops);
	add(argv, &n, "--calls", o->calls);
	add(argv, &n, "--mode", o->mode);
	add(argv, &n, "--blocks", o->blocks);
	add(argv, &n, "--timeout", o->run_timeout);
	if (o->in_place)
		argv[n++] = "--in-place";
	if (o->no_check)
		argv[n++] = "--no-check";
	if (o->json)
		argv[n++] = "--json";
	int status = spawn(argv);
	free(program);
	return status;
}

static void remove_folder(const char *dir)
{
	DIR *d = opendir(dir);
	for (struct dirent *entry; d && (entry = readdir(d));) {
		struct text path = {0};
		text_add(&path, "%s/%s", dir, entry->d_name);
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			unlink(path.bytes);
		text_free(&path);
	}
	if (d)
		closedir(d);
	rmdir(dir);
}

static int run_file(const struct options *o, const struct target *t, const char *path, const char *dir)
{
	char *name = NULL, *so = NULL;
	int status = lower_file(path, t, NULL, dir, &name);

	if (status == STATUS_DONE)
		status = compile(dir, name, &so);
	if (status == STATUS_DONE)
		status = run_program(o, path, so, name);
	free(name);
	free(so);
	return status;
}

static int run_all(const struct options *o, const struct target *t)
{
	struct text dir = {0};
	const char *tmp = getenv("TMPDIR");
	int worst = STATUS_DONE;

	text_add(&dir, "%s/sccl-run-XXXXXX", tmp && *tmp ? tmp : "/tmp");
	if (!mkdtemp(dir.bytes)) {
		fprintf(stderr, "sccl-synth: %s: %s\n", dir.bytes, strerror(errno));
		text_free(&dir);
		return STATUS_FAILED;
	}
	for (size_t i = 0; i < o->n_files && !interrupted; i++) {
		int status = run_file(o, t, o->files[i], dir.bytes);
		worst = status > worst ? status : worst;
	}
	remove_folder(dir.bytes);
	text_free(&dir);
	return worst;
}

int cmd_run(int argc, char **argv)
{
	struct error e = {0};
	struct options o;

	if (!options_read(argc, argv, &usage, &o, &e))
		return fail(&e);
	const struct target *t = lower_target("host", &e);
	if (!o.n_files)
		error_set(&e, ERROR_INPUT, argv[0], "say which files");
	if (e.kind != ERROR_NONE)
		return fail(&e);
	catch_interrupts();
	int status = run_all(&o, t);
	free(o.files);
	return status;
}

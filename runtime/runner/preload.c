/*
 * sccl-run --nccl: from a machine to a program that runs over it. sccl-synth builds and lowers an algorithm for each
 * collective, the target's compiler makes libraries of them, and the program starts with libsccl-nccl.so before NCCL. What
 * cannot be built is left to NCCL.
 */
#define _GNU_SOURCE /* nftw */
#include "runtime/runner/preload.h"

#include "runtime/runner/run.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *const kinds[] = {"allreduce", "allgather", "reducescatter", "broadcast", "reduce"};

/* For each target: its compiler, the variable that names another, and its options. */
static const struct {
	const char *target, *variable, *command, *options[5];
} compilers[] = {
	{"host", "CC", "cc", {"-O3", "-std=c11", "-fPIC", "-shared", NULL}},
	{"cuda", "NVCC", "nvcc", {"-O3", "-arch=native", "-Xcompiler", "-fPIC", "-shared"}},
	{"hip", "HIPCC", "hipcc", {"-O3", "-fPIC", "-shared", NULL}},
};

struct preload {
	const char *machine, *gpus, *method, *target;
	char **program; /* and its arguments */
	size_t compiler;
	char folder[256], synth[4096], library[4096], include[4096];
};

/* Runs ARGUMENTS, with both outputs in the file LOG. */
static int run_quietly(const char *log, const char *const arguments[])
{
	int status = 0;
	pid_t child = fork();

	if (child == 0) {
		int file = open(log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
		if (file >= 0 && dup2(file, 1) == 1 && dup2(file, 2) == 2)
			execvp(arguments[0], (char *const *)(uintptr_t)arguments);
		_exit(127);
	}
	while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	return child > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_BROKEN;
}

/* The first of the files that is there; PLACES are beside this program's folder. */
static bool find(const char *variable, const char *const places[], char *path, size_t size)
{
	char own[2048];
	const char *given = getenv(variable);
	ssize_t n = readlink("/proc/self/exe", own, sizeof own - 1);

	own[n > 0 ? n : 0] = 0;
	if (strrchr(own, '/'))
		*strrchr(own, '/') = 0;
	if (given) {
		snprintf(path, size, "%s", given);
		return access(path, F_OK) == 0;
	}
	for (; *places; places++) {
		snprintf(path, size, "%s/%s", own, *places);
		if (access(path, F_OK) == 0)
			return true;
	}
	return false;
}

static bool find_all(struct preload *p)
{
	static const char *const synth[] = {"../sccl-synth", "../../bin/sccl-synth", NULL};
	static const char *const library[] = {"libsccl-nccl.so", "../../lib/libsccl-nccl.so", "../../lib/x86_64-linux-gnu/libsccl-nccl.so",
	                                      "../../lib/aarch64-linux-gnu/libsccl-nccl.so", "../../lib64/libsccl-nccl.so", NULL};
	static const char *const include[] = {"../../runtime/include", "../../include", NULL};

	if (!find("SCCL_SYNTH", synth, p->synth, sizeof p->synth))
		complain("--nccl", "sccl-synth is not found: name it with SCCL_SYNTH");
	else if (!find("SCCL_NCCL_LIBRARY", library, p->library, sizeof p->library))
		complain("--nccl", "libsccl-nccl.so is not found: name it with SCCL_NCCL_LIBRARY");
	else if (!find("SCCL_INCLUDE", include, p->include, sizeof p->include))
		complain("--nccl", "the headers in sccl/ are not found: name their folder with SCCL_INCLUDE");
	else
		return true;
	return false;
}

/* Compiles the only source file in FOLDER to a library of its name. */
static bool compile(const struct preload *p, const char *folder, const char *log)
{
	const char *const *options = compilers[p->compiler].options, *given = getenv(compilers[p->compiler].variable);
	char source[1024] = "", out[1024] = "", include[4200];
	DIR *files = opendir(folder);

	for (struct dirent *f; files && (f = readdir(files)) != NULL;) {
		size_t n = strcspn(f->d_name, ".");
		if (n == 0 || strcmp(f->d_name + n, ".h") == 0)
			continue;
		snprintf(source, sizeof source, "%s/%s", folder, f->d_name);
		snprintf(out, sizeof out, "%s/%.*s.so", p->folder, (int)n, f->d_name);
	}
	if (files)
		closedir(files);
	snprintf(include, sizeof include, "-I%s", p->include);
	const char *arguments[12] = {given && *given ? given : compilers[p->compiler].command};
	size_t n = 1;
	for (size_t i = 0; i < 5 && options[i]; i++)
		arguments[n++] = options[i];
	const char *const rest[] = {include, source, "-o", out, NULL};
	memcpy(arguments + n, rest, sizeof rest);
	return *source && run_quietly(log, arguments) == 0;
}

static void print_last_line(const char *log, const char *kind)
{
	char line[512] = "", last[512] = "";
	FILE *f = fopen(log, "r");

	while (f && fgets(line, sizeof line, f))
		if (*line != '\n')
			memcpy(last, line, sizeof last);
	if (f)
		fclose(f);
	last[strcspn(last, "\n")] = 0;
	complain(kind, "NCCL serves it: %s", last);
}

static bool make_one(const struct preload *p, const char *kind)
{
	char machine[512], algorithm[512], folder[512], log[512];
	const char *build[] = {p->synth, "build", "-t", machine, "-c", kind, "-o", algorithm, p->method ? "--method" : NULL, p->method, NULL};
	bool quick = strcmp(p->target, "host") == 0; /* a GPU's compiler takes seconds for each kernel */
	const char *lower[] = {p->synth, "lower", algorithm, "--target", p->target, "--types", quick ? "all" : "f32,f16,bf16,i32",
	                       "--ops", quick ? "all" : "sum,min,max,avg", "-o", folder, NULL};

	snprintf(machine, sizeof machine, "%s%s%s", p->machine, p->gpus ? "@gpus=" : "", p->gpus ? p->gpus : "");
	snprintf(algorithm, sizeof algorithm, "%s/%s.json", p->folder, kind);
	snprintf(folder, sizeof folder, "%s/%s", p->folder, kind);
	snprintf(log, sizeof log, "%s/log", p->folder);
	if (run_quietly(log, build) == 0 && run_quietly(log, lower) == 0 && compile(p, folder, log))
		return true;
	print_last_line(log, kind);
	return false;
}

static int run_program(const struct preload *p)
{
	const char *before = getenv("LD_PRELOAD");
	char preload[8400];
	int status = 0;

	snprintf(preload, sizeof preload, "%s%s%s", p->library, before ? " " : "", before ? before : "");
	fflush(NULL);
	pid_t child = fork();
	if (child == 0) {
		setenv("LD_PRELOAD", preload, 1);
		setenv("SCCL_NCCL_PROGRAMS", p->folder, 1);
		setenv("SCCL_NCCL_TARGET", p->target, 1);
		execvp(p->program[0], p->program);
		complain(p->program[0], "%s", strerror(errno));
		_exit(127);
	}
	signal(SIGINT, SIG_IGN); /* the program decides; the folder is removed after it */
	signal(SIGTERM, SIG_IGN);
	while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	return child < 0 ? EXIT_BROKEN : WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *f)
{
	(void)st;
	(void)kind;
	(void)f;
	return remove(path);
}

static bool read_options(int argc, char **argv, struct preload *p)
{
	static const char *const names[] = {"-t", "--gpus", "--method", "--target"};
	const char **const places[] = {&p->machine, &p->gpus, &p->method, &p->target};
	int i = 2;

	for (; i < argc && strcmp(argv[i], "--") != 0; i += 2) {
		size_t k = 0;
		while (k < 4 && strcmp(argv[i], names[k]) != 0)
			k++;
		if (k == 4 || i + 1 >= argc) {
			complain("--nccl", "%s is no option, or lacks its value", argv[i]);
			return false;
		}
		*places[k] = argv[i + 1];
	}
	p->program = argv + (i < argc ? i + 1 : argc);
	while (p->compiler < 3 && strcmp(compilers[p->compiler].target, p->target) != 0)
		p->compiler++;
	if (!p->machine || !*p->program)
		complain("--nccl", "usage: sccl-run --nccl -t MACHINE [--gpus LIST] [--method METHOD] [--target TARGET] -- PROGRAM...");
	else if (p->compiler == 3)
		complain("--nccl", "there is no target \"%s\"", p->target);
	else
		return true;
	return false;
}

int run_preloaded(int argc, char **argv)
{
	struct preload p = {.target = "cuda"};
	const char *tmp = getenv("TMPDIR");
	size_t made = 0;

	if (!read_options(argc, argv, &p) || !find_all(&p))
		return EXIT_INPUT;
	snprintf(p.folder, sizeof p.folder, "%.200s/sccl-nccl-XXXXXX", tmp && *tmp ? tmp : "/tmp");
	if (!mkdtemp(p.folder)) {
		complain(p.folder, "%s", strerror(errno));
		return EXIT_BROKEN;
	}
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		made += make_one(&p, kinds[i]);
	int status = made > 0 ? run_program(&p) : EXIT_INPUT;
	nftw(p.folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	return status;
}

/*
 * Loads a compiled program with dlopen and checks that it can be run.
 */
#include "runtime/runner/run.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { NAME_SIZE = 512, RANKS_MAX = 1024 };

/* FILE's name without folder and suffix. */
static void base_name(const char *file, char out[NAME_SIZE])
{
	const char *slash = strrchr(file, '/');
	snprintf(out, NAME_SIZE, "%s", slash ? slash + 1 : file);
	char *dot = strchr(out, '.');
	if (dot)
		*dot = 0;
}

/* dlopen searches the system's folders for names without a slash, so "./" is prepended. */
static void *open_file(const char *file)
{
	size_t n = strlen(file) + 3;
	char *path = malloc(n);
	if (!path)
		return NULL;
	snprintf(path, n, "%s%s", strchr(file, '/') ? "" : "./", file);
	void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	free(path);
	return library;
}

static bool is_runnable(const struct settings *s, const sccl_program_t *p)
{
	if (p->abi != SCCL_ABI)
		complain(s->label, "was generated for abi %u; this is abi %u: generate it again", p->abi, SCCL_ABI);
	else if (p->ranks < 1 || p->ranks > RANKS_MAX)
		complain(s->label, "has %u ranks; from 1 to %d can be run", p->ranks, RANKS_MAX);
	else
		return true;
	return false;
}

const sccl_program_t *load_program(const struct settings *s)
{
	char name[NAME_SIZE];
	struct stat st;
	if (stat(s->file, &st) == 0 && !S_ISREG(st.st_mode)) { /* dlopen would block until a pipe is written to */
		complain(s->label, "is not a regular file");
		return NULL;
	}
	void *library = open_file(s->file);
	if (!library) {
		const char *why = dlerror();
		complain(s->label, "cannot be loaded: %s", why ? why : "no memory");
		return NULL;
	}
	base_name(s->file, name);
	const char *symbol = s->symbol ? s->symbol : name;
	const sccl_program_t *p = dlsym(library, symbol);
	if (!p) {
		complain(s->label, "has no program named \"%.128s\" (--symbol NAME selects another)", symbol);
		return NULL;
	}
	return is_runnable(s, p) ? p : NULL;
}

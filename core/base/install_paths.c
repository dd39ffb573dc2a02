/* The actual prefix is the folder of /proc/self/exe without the configured path from prefix to programs (/bin). */

#define _XOPEN_SOURCE 700 /* realpath */
#include "core/base/install_paths.h"

#include "core/base/memory.h"
#include "core/base/text.h"
#include "build_config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PROGRAM_SIZE = 4096 };

/* What follows FOLDER in PATH: "" or a string that starts with a slash; NULL: PATH is not in FOLDER. */
static const char *within(const char *path, const char *folder)
{
	size_t n = strlen(folder);
	const char *rest = strncmp(path, folder, n) == 0 ? path + n : NULL;
	return rest && (*rest == 0 || *rest == '/') ? rest : NULL;
}

/* The folder of the running program, with symbolic links resolved; "" if unknown. */
static void program_folder(char out[PROGRAM_SIZE])
{
	ssize_t n = readlink("/proc/self/exe", out, PROGRAM_SIZE);

	out[n > 0 && n < PROGRAM_SIZE ? n : 0] = 0;
	char *slash = strrchr(out, '/');
	if (slash)
		*slash = 0;
}

bool install_is_build_tree(void)
{
	char folder[PROGRAM_SIZE], *root = realpath(SCCL_BUILD_ROOT, NULL);

	if (!root && errno == ENOMEM)
		memory_out();
	program_folder(folder);
	bool in = root && within(folder, root);
	free(root);
	return in;
}

char *install_path(const char *path)
{
	char folder[PROGRAM_SIZE];
	const char *rest = within(path, SCCL_PREFIX), *programs = within(SCCL_BINDIR, SCCL_PREFIX);
	size_t n, tail = programs ? strlen(programs) : 0;

	program_folder(folder);
	n = strlen(folder);
	if (!rest || tail == 0 || n < tail || strcmp(folder + n - tail, programs) != 0)
		return copy_string(path);

	struct text moved = {0};
	text_add_bytes(&moved, folder, n - tail);
	text_add(&moved, "%s", rest);
	return text_take(&moved);
}

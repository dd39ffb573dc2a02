#ifndef SCCL_CORE_BASE_INSTALL_PATHS_H
#define SCCL_CORE_BASE_INSTALL_PATHS_H

/*
 * Paths relative to the running program. A program in the build tree uses the source tree; any other uses the files
 * that were installed with it, even if a staging folder, a package or an image has moved the prefix that was
 * configured.
 */

#include <stdbool.h>

/* Is the running program in the build tree? */
bool install_is_build_tree(void);

/*
 * Relocates PATH, one of the configured absolute paths (build_config.h), from the configured prefix to the one in whose folder
 * of programs the running program is. If PATH is not under the configured prefix, or the program is not in such a
 * folder, PATH is unchanged. The caller frees the result.
 */
char *install_path(const char *path);

#endif

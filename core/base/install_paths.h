#ifndef SCCL_CORE_BASE_INSTALL_PATHS_H
#define SCCL_CORE_BASE_INSTALL_PATHS_H

/*
 * Where the running program lies. Programs of a build tree use its source tree; others what was installed with them,
 * also where a staging folder, a package or an image holds the prefix elsewhere than it was configured.
 */

#include <stdbool.h>

bool install_is_build_tree(void);

/* PATH, an absolute one of those configured (house.h), under the prefix that holds the running program in its folder of
 * programs; PATH itself where it or the program lies in no such place. The caller frees. */
char *install_path(const char *path);

#endif

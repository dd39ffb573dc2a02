#ifndef SCCL_CORE_BASE_NAMES_H
#define SCCL_CORE_BASE_NAMES_H

/* Lists the files that can be given by name: NAME.json in FOLDER of every directory of the search path. */

#include <stddef.h>

/* Names without ".json", sorted and without duplicates. Owned: names_free. */
struct names {
	char **all;
	size_t n, capacity;
};

/* The names in the subfolder FOLDER ("topologies") of the search path. The caller releases them with names_free. */
struct names names_of(const char *folder);
void names_free(struct names *l);

#endif

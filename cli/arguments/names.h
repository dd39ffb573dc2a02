#ifndef SCCL_CLI_ARGUMENTS_NAMES_H
#define SCCL_CLI_ARGUMENTS_NAMES_H

/* The files of a kind that there are by name: NAME.json in FOLDER of all places where names are sought, sorted, each once. */

#include <stddef.h>

struct names {
	char **all;
	size_t n, capacity;
};

struct names names_of(const char *folder);
void names_free(struct names *l);

#endif

#include "methods/rows.h"

#include "core/error.h"

#include <string.h>

#define OF(kind) (1u << (kind))

enum {
	COPYING = OF(ALLGATHER) | OF(BROADCAST) | OF(GATHER) | OF(SCATTER) | OF(ALLTOALL),
};

static const struct method methods[] = {
	{"direct", "each chunk to all who need it at once, on shortest ways", "-", COPYING, direct_draw},
};
enum { METHODS = sizeof methods / sizeof *methods };

const struct method *methods_all(size_t *n)
{
	*n = METHODS;
	return methods;
}

const struct method *method_find(const char *name, struct error *e)
{
	for (size_t i = 0; i < METHODS; i++)
		if (strcmp(methods[i].name, name) == 0)
			return &methods[i];
	error_set(e, ERROR_INPUT, "--method", "there is no \"%.64s\"; sccl-synth build --help lists them", name);
	return NULL;
}

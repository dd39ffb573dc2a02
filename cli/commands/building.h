#ifndef SCCL_CLI_COMMANDS_BUILDING_H
#define SCCL_CLI_COMMANDS_BUILDING_H

/* What `build` makes, for one machine or for two beside each other. */

#include "core/base/text.h"

#include <stdbool.h>

struct algorithm;
struct collective;
struct error;
struct options;
struct topology;

struct built {
	const char *path;            /* where it goes; NULL: nowhere. Borrowed */
	struct algorithm *algorithm; /* owned */
	struct text report;          /* owned: the method's own lines */
};

/* By the method of O. Free it either way. */
bool built_make(const struct options *o, const struct topology *t, const struct collective *k, struct built *b, struct error *e);
bool built_save(const struct built *b, struct error *e);
void built_print(const struct options *o, const struct built *b);
void built_free(struct built *b);

/* beside.c. The options that are for --beside alone, and what goes with it. */
bool beside_check(const struct options *o, struct error *e);
/* Both algorithms, and how a buffer is split between them; an exit status, having complained. */
int beside_build(const struct options *o, const struct topology *t, const struct collective *k);

#endif

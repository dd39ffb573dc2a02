#ifndef SCCL_INTEROP_INPUT_YAML_H
#define SCCL_INTEROP_INPUT_YAML_H

/*
 * YAML of others, as far as descriptions of machines use it: one mapping from keys to scalars or to lists of scalars.
 * libyaml parses; a build without it reports so. Aliases and deeper nesting are refused.
 */

#include <stdbool.h>
#include <stddef.h>

struct error;

struct yaml_row {
	char *key;
	int line;
	size_t n, capacity;
	char **values;
};

struct yaml_table {
	size_t n, capacity;
	struct yaml_row *rows;
};

/* Zero *OUT first, and yaml_table_free it afterwards, also after an error. False with *e set. */
bool yaml_table_read(const char *path, const char *bytes, size_t n, struct yaml_table *out, struct error *e);
void yaml_table_free(struct yaml_table *t);
const struct yaml_row *yaml_table_get(const struct yaml_table *t, const char *key); /* borrowed; NULL: absent */

#endif

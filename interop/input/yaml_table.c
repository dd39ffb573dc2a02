/* What readers ask of a table of YAML, however it was parsed. */

#include "interop/input/yaml.h"

#include <stdlib.h>
#include <string.h>

void yaml_table_free(struct yaml_table *t)
{
	for (size_t i = 0; i < t->n; i++) {
		for (size_t k = 0; k < t->rows[i].n; k++)
			free(t->rows[i].values[k]);
		free(t->rows[i].values);
		free(t->rows[i].key);
	}
	free(t->rows);
	*t = (struct yaml_table){0};
}

const struct yaml_row *yaml_table_get(const struct yaml_table *t, const char *key)
{
	for (size_t i = 0; i < t->n; i++)
		if (strcmp(t->rows[i].key, key) == 0)
			return &t->rows[i];
	return NULL;
}

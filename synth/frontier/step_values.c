/* A list of values, and what is known about a number of steps. */

#include "synth/frontier/frontier.h"

#include "core/base/memory.h"

#include <stdlib.h>

void step_values_add(struct step_values *l, struct step_value v)
{
	/* A bound for more steps holds for fewer too, and may be the better one where a program was not solved. */
	for (size_t i = l->n; i > 0 && rational_compare(l->of[i - 1].at_least, v.at_least) < 0; i--) {
		l->of[i - 1].at_least = v.at_least;
		l->of[i - 1].root = v.root;
		l->of[i - 1].patterns = v.patterns;
	}
	l->of = grown(l->of, &l->capacity, l->n + 1, sizeof *l->of);
	l->of[l->n++] = v;
}

void step_values_free(struct step_values *l)
{
	for (size_t i = 0; i < l->n; i++)
		free(l->of[i].prices);
	free(l->of);
	*l = (struct step_values){0};
}

const struct step_value *step_values_at(const struct step_values *l, int steps)
{
	for (size_t i = 0; i < l->n; i++)
		if (l->of[i].steps == steps)
			return &l->of[i];
	return NULL;
}

/* Patterns of a program as JSON. */

#include "prove/patterns.h"

#include "core/base/error.h"
#include "core/base/json.h"
#include "core/base/memory.h"
#include "core/base/text.h"

#include <stdlib.h>

void patterns_free(struct patterns *p)
{
	if (!p)
		return;
	free(p->symmetries);
	recipe_clear(&p->recipe);
	free(p);
}

void patterns_write(struct text *into, const struct patterns *p, int nodes)
{
	text_add(into, ", \"patterns\": {%s\"mirrored\": %s, \"symmetries\": [", p->gossip ? "\"gossip\": true, " : "", p->mirrored ? "true" : "false");
	for (size_t k = 0; k < p->n_symmetries; k++)
		for (int n = 0; n < nodes; n++)
			text_add(into, "%s%d%s", n ? ", " : k ? ", [" : "[", p->symmetries[k * (size_t)nodes + (size_t)n], n + 1 < nodes ? "" : "]");
	text_add(into, "]");
	recipe_write(into, &p->recipe);
	text_add(into, "}");
}

static bool read_symmetries(const struct json_place *at, int nodes, struct patterns *p, struct error *e)
{
	size_t n, length;

	if (!json_array_length(at, &n, e))
		return false;
	if (n > PATTERN_SYMMETRIES_MOST)
		return json_fault(at, e, "must be at most %d", PATTERN_SYMMETRIES_MOST);
	p->symmetries = new_array(int, n * (size_t)nodes);
	for (; p->n_symmetries < n; p->n_symmetries++) {
		struct json_place one = json_element(at, p->n_symmetries);
		if (!json_array_length(&one, &length, e))
			return false;
		if (length != (size_t)nodes)
			return json_fault(&one, e, "must be a permutation of the %d nodes", nodes);
		for (size_t v = 0; v < length; v++) {
			struct json_place number = json_element(&one, v);
			if (!json_get_int(&number, 0, nodes - 1, &p->symmetries[p->n_symmetries * length + v], e))
				return false;
		}
	}
	return true;
}

bool patterns_read(const struct json_place *at, int nodes, struct patterns *p, struct error *e)
{
	static const char *const keys[] = {"gossip", "mirrored", "symmetries", "formula", "order", "trace", NULL};
	struct json_place mirrored, symmetries, gossip = json_member(at, "gossip");

	return json_object_with(at, keys, e) && (!gossip.value || json_get_bool(&gossip, &p->gossip, e)) && json_member_needed(at, "mirrored", &mirrored, e) &&
	       json_get_bool(&mirrored, &p->mirrored, e) && json_member_needed(at, "symmetries", &symmetries, e) &&
	       read_symmetries(&symmetries, nodes, p, e) && recipe_read(at, nodes, &p->recipe, e);
}

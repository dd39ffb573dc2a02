/*
 * Regular topologies that need no file: a name and side lengths. To add a shape, write a build_ function and its row
 * below.
 */

#include "core/machine/topology.h"

#include "core/base/error.h"
#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/machine/topology_rows.h"

#include <stdlib.h>
#include <string.h>

enum { SIDES_MAX = 8 };

static void join(struct topology *t, size_t *capacity, int a, int b)
{
	topology_add_link(t, capacity, a, b, 1);
	topology_add_link(t, capacity, b, a, 1);
}

static bool build_line(struct topology *t, const int *sides, size_t n_sides, struct error *e)
{
	size_t capacity = 0;
	(void)n_sides, (void)e;
	for (int i = 0; i + 1 < sides[0]; i++)
		join(t, &capacity, i, i + 1);
	return true;
}

static bool build_ring(struct topology *t, const int *sides, size_t n_sides, struct error *e)
{
	size_t capacity = 0;
	(void)n_sides;
	if (sides[0] < 3)
		return error_set(e, ERROR_INPUT, t->name, "a ring needs 3 nodes or more, not %d", sides[0]);
	for (int i = 0; i < sides[0]; i++)
		join(t, &capacity, i, (i + 1) % sides[0]);
	return true;
}

static bool build_star(struct topology *t, const int *sides, size_t n_sides, struct error *e)
{
	size_t capacity = 0;
	(void)n_sides, (void)e;
	for (int i = 1; i < sides[0]; i++)
		join(t, &capacity, 0, i);
	return true;
}

static bool build_complete(struct topology *t, const int *sides, size_t n_sides, struct error *e)
{
	size_t capacity = 0;
	(void)n_sides;
	if ((int64_t)sides[0] * (sides[0] - 1) > LINKS_MAX)
		return error_set(e, ERROR_INPUT, t->name, "has more than %d links", LINKS_MAX);
	for (int a = 0; a < sides[0]; a++)
		for (int b = a + 1; b < sides[0]; b++)
			join(t, &capacity, a, b);
	return true;
}

static bool build_hypercube(struct topology *t, const int *sides, size_t n_sides, struct error *e)
{
	size_t capacity = 0;
	(void)n_sides;
	if (sides[0] > 12)
		return error_set(e, ERROR_INPUT, t->name, "has more than %d nodes", NODES_MAX);
	t->nodes = 1 << sides[0];
	for (int a = 0; a < t->nodes; a++)
		for (int bit = 1; bit < t->nodes; bit <<= 1)
			if (a < (a ^ bit))
				join(t, &capacity, a, a ^ bit);
	return true;
}

/* Nodes are numbered with the first dimension varying fastest. */
static void build_grid(struct topology *t, const int *sides, size_t n_sides, bool wraps)
{
	size_t capacity = 0;
	for (int a = 0; a < t->nodes; a++) {
		int stride = 1;
		for (size_t d = 0; d < n_sides; stride *= sides[d++]) {
			int at = a / stride % sides[d];
			if (at + 1 < sides[d])
				join(t, &capacity, a, a + stride);
			else if (wraps && sides[d] > 2) /* a side of 2 gives one link, not two */
				join(t, &capacity, a, a - at * stride);
		}
	}
}

static bool build_mesh(struct topology *t, const int *sides, size_t n_sides, struct error *e)
{
	(void)e;
	build_grid(t, sides, n_sides, false);
	return true;
}

static bool build_torus(struct topology *t, const int *sides, size_t n_sides, struct error *e)
{
	(void)e;
	build_grid(t, sides, n_sides, true);
	return true;
}

/* One switch; each node sends and receives one chunk per round. */
static bool build_switch(struct topology *t, const int *sides, size_t n_sides, struct error *e)
{
	size_t capacity = 0;
	(void)n_sides, (void)e;
	t->switches = 1;
	for (int a = 0; a < sides[0]; a++)
		join(t, &capacity, a, sides[0]);
	return true;
}

/* Links each node to one switch, EACH consecutive nodes to the same one. */
static bool hang_nodes(struct topology *t, size_t *capacity, int each, int switches, struct error *e)
{
	if (switches > SWITCHES_MAX)
		return error_set(e, ERROR_INPUT, t->name, "has more than %d switches", SWITCHES_MAX);
	t->switches = switches;
	for (int a = 0; a < t->nodes; a++)
		join(t, capacity, a, t->nodes + a / each);
	return true;
}

static bool build_bigraph(struct topology *t, const int *sides, size_t n_sides, struct error *e)
{
	size_t capacity = 0;
	int row = sides[1] / 2;
	(void)n_sides;
	if (sides[1] % 2)
		return error_set(e, ERROR_INPUT, t->name, "its switches form two rows of equal length, but %d is odd", sides[1]);
	if (!hang_nodes(t, &capacity, sides[0], sides[1], e))
		return false;
	if ((int64_t)row * row * 2 + 2 * (int64_t)t->nodes > LINKS_MAX)
		return error_set(e, ERROR_INPUT, t->name, "has more than %d links", LINKS_MAX);
	for (int a = 0; a < row; a++)
		for (int b = row; b < sides[1]; b++)
			join(t, &capacity, t->nodes + a, t->nodes + b);
	return true;
}

/* Two levels with full bisection bandwidth: as many upper switches as each lower switch has nodes. */
static bool build_fat_tree(struct topology *t, const int *sides, size_t n_sides, struct error *e)
{
	size_t capacity = 0;
	(void)n_sides;
	if (!hang_nodes(t, &capacity, sides[0], sides[0] + sides[1], e))
		return false;
	for (int a = 0; a < sides[1]; a++)
		for (int b = 0; b < sides[0]; b++)
			join(t, &capacity, t->nodes + a, t->nodes + sides[1] + b);
	return true;
}

/*
 * Kim, Dally, Scott, Abts, Technology-driven, highly-scalable dragonfly topology (ISCA 2008), at its maximum size: with
 * A switches per group and H global links per switch, a group has A H global links, one to each of the A H other
 * groups. They follow the palm tree arrangement (Camarero, Vallejo, Beivide 2014): link k of group g goes to group g +
 * k + 1 (modulo the number of groups), where it is link A H - 1 - k.
 */
static bool build_dragonfly(struct topology *t, const int *sides, size_t n_sides, struct error *e)
{
	int64_t each = sides[0], group = sides[1], out = group * sides[2], groups = out + 1, nodes = each * group * groups;
	size_t capacity = 0;
	(void)n_sides;
	if (nodes > NODES_MAX)
		return error_set(e, ERROR_INPUT, t->name, "has more than %d nodes", NODES_MAX);
	t->nodes = (int)nodes;
	if (!hang_nodes(t, &capacity, (int)each, (int)(group * groups), e))
		return false;
	for (int64_t s = 0; s < group * groups; s++)
		for (int64_t other = s + 1; other < s / group * group + group; other++)
			join(t, &capacity, t->nodes + (int)s, t->nodes + (int)other);
	for (int64_t g = 0; g < groups; g++)
		for (int64_t k = 0; k < out; k++) {
			int64_t there = (g + k + 1) % groups, back = out - 1 - k;
			if (g < there)
				join(t, &capacity, t->nodes + (int)(g * group + k / sides[2]), t->nodes + (int)(there * group + back / sides[2]));
		}
	return true;
}

static const struct shape shapes[] = {
	{"ring", "ring:8", "N nodes in a cycle", build_ring, 1, 1},
	{"line", "line:8", "N nodes in a path", build_line, 1, 1},
	{"star", "star:8", "node 0 joined to each of the others", build_star, 1, 1},
	{"complete", "complete:8", "every node joined to every other", build_complete, 1, 1},
	{"hypercube", "hypercube:3", "2^N nodes, joined where one bit of the number differs", build_hypercube, 1, 1},
	{"torus", "torus:4x4", "a grid that wraps around in every dimension", build_torus, 1, SIDES_MAX},
	{"mesh", "mesh:4x4", "a grid that does not wrap", build_mesh, 1, SIDES_MAX},
	{"switch", "switch:16", "N nodes on one switch, each with one link to it", build_switch, 1, 1},
	{"bigraph", "bigraph:4x8", "4 nodes on each of 8 switches, which form two rows, each joined to all of the other row", build_bigraph, 2, 2},
	{"fat-tree", "fat-tree:8x8", "8 nodes on each of 8 switches, each joined to all of 8 switches above", build_fat_tree, 2, 2},
	{"dragonfly", "dragonfly:2x4x2", "groups of 4 switches that are all joined, each with 2 nodes and 2 links to other groups; one link joins any two groups", build_dragonfly, 3, 3},
};

const struct shape *topology_shapes(size_t *n)
{
	*n = sizeof shapes / sizeof *shapes;
	return shapes;
}

/* Alternative spellings. */
static const struct {
	const char *written, *name;
} others[] = {
	{"fattree", "fat-tree"},
};

static bool is_word(const char *name, const char *word, size_t length)
{
	return strlen(name) == length && strncmp(name, word, length) == 0;
}

/* The shape named by the first LENGTH bytes of WORD, or NULL. */
static const struct shape *find_shape(const char *word, size_t length)
{
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		if (is_word(others[i].written, word, length))
			return find_shape(others[i].name, strlen(others[i].name));
	for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
		if (is_word(shapes[i].name, word, length))
			return &shapes[i];
	return NULL;
}

/* A positive number of digits only, clamped to INT32_MAX, which is too large for any machine. */
static bool read_side(const char *digits, size_t n, int *side)
{
	int64_t value = 0;

	for (size_t i = 0; i < n; i++) {
		if (digits[i] < '0' || digits[i] > '9')
			return false;
		value = value * 10 + (digits[i] - '0');
		if (value > INT32_MAX)
			value = INT32_MAX;
	}
	*side = (int)value;
	return value > 0;
}

/* Parses "4x4x2" into sides. Returns their number; 0: a syntax error. */
static size_t read_sides(const char *s, size_t length, int *sides)
{
	const char *end = s + length;

	for (size_t n = 0; n < SIDES_MAX; n++) {
		const char *x = memchr(s, 'x', (size_t)(end - s));
		if (!read_side(s, (size_t)((x ? x : end) - s), &sides[n]))
			return 0;
		if (!x)
			return n + 1;
		s = x + 1;
	}
	return 0;
}

static bool count_nodes(struct topology *t, const int *sides, size_t n, struct error *e)
{
	int64_t nodes = 1;
	for (size_t i = 0; i < n; i++) {
		nodes *= sides[i];
		if (nodes > NODES_MAX)
			return error_set(e, ERROR_INPUT, t->name, "has more than %d nodes", NODES_MAX);
	}
	t->nodes = (int)nodes;
	return true;
}

struct topology *topology_from_shape(const char *name, size_t length, struct error *e)
{
	const char *colon = memchr(name, ':', length);
	size_t word = colon ? (size_t)(colon - name) : length;
	const struct shape *shape = find_shape(name, word);
	int sides[SIDES_MAX];

	if (!shape) {
		if (colon)
			error_set(e, ERROR_INPUT, name, "there is no shape \"%.*s\"", (int)(word < 64 ? word : 64), name);
		return NULL;
	}
	size_t n = colon ? read_sides(colon + 1, length - word - 1, sides) : 0;
	if (n < shape->least_sides || n > shape->most_sides) {
		error_set(e, ERROR_INPUT, name, "write the size as in %s", shape->example);
		return NULL;
	}
	struct text plain = {0};
	text_add_bytes(&plain, name, length);
	struct topology *t = new(struct topology);
	t->name = text_take(&plain);
	t->duplex = true;
	if (count_nodes(t, sides, n, e) && shape->build(t, sides, n, e)) {
		topology_sort_links(t);
		return t;
	}
	topology_free(t);
	return NULL;
}

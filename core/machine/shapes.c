/*
 * Regular topologies that need no file: a name and side lengths. To add a shape, write a build_ function and its row
 * below.
 */

#include "core/machine/topology.h"

#include "core/base/error.h"
#include "core/base/memory.h"
#include "core/base/spelling.h"
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

/* Are all sides K or 2K, and both occur? Then *K is set, which is 2 or more. */
static bool read_twist(const int *sides, size_t n_sides, int *k)
{
	int least = sides[0], most = sides[0];

	for (size_t d = 1; d < n_sides; d++) {
		least = sides[d] < least ? sides[d] : least;
		most = sides[d] > most ? sides[d] : most;
	}
	*k = least;
	for (size_t d = 0; d < n_sides; d++)
		if (sides[d] != least && sides[d] != most)
			return false;
	return least >= 2 && most == 2 * least;
}

/* Node A, moved by k along every side of 2k. */
static int twisted(int a, const int *sides, size_t n_sides, int k)
{
	int to = a, stride = 1;

	for (size_t d = 0; d < n_sides; stride *= sides[d++])
		if (sides[d] != k)
			to += a / stride % sides[d] < k ? k * stride : -k * stride;
	return to;
}

/*
 * A twisted torus has sides of k and of 2k, as in 4x4x8 and 4x8x8: the link that closes a side of k ends k further along
 * every side of 2k. Its links are all alike, and its diameter and mean distance are less than the plain torus's: in
 * two dimensions the rectangular twisted torus of Cámara et al., Twisted torus topologies for enhanced interconnection
 * networks, TPDS 2010; in three FCC(k) and BCC(k) of Camarero, Martínez and Beivide, Lattice graphs for high-scale
 * interconnection topologies, TPDS 2015. Slices of TPU v4 can be wired like this: Jouppi et al., TPU v4, ISCA 2023.
 */
static bool build_twisted_torus(struct topology *t, const int *sides, size_t n_sides, struct error *e)
{
	size_t capacity = 0;
	int k;

	if (!read_twist(sides, n_sides, &k))
		return error_set(e, ERROR_INPUT, t->name, "a twisted torus has sides of K and of 2K, K at least 2, as in torus:4x4x8+twist");
	for (int a = 0; a < t->nodes; a++) {
		int stride = 1, around = twisted(a, sides, n_sides, k);
		for (size_t d = 0; d < n_sides; stride *= sides[d++]) {
			int at = a / stride % sides[d];
			if (at + 1 < sides[d])
				join(t, &capacity, a, a + stride);
			else
				join(t, &capacity, a, (sides[d] == k ? around : a) - at * stride);
		}
	}
	return true;
}

/* A slice of whole cubes of 4x4x4 chips, whose links wrap around; smaller slices are meshes. */
static bool check_cubes(const struct topology *t, const int *sides, struct error *e)
{
	return (sides[0] % 4 == 0 && sides[1] % 4 == 0 && sides[2] % 4 == 0) ||
	       error_set(e, ERROR_INPUT, t->name, "consists of cubes of 4x4x4 chips: its sides are multiples of 4");
}

static bool build_slice(struct topology *t, const int *sides, size_t n_sides, struct error *e)
{
	return check_cubes(t, sides, e) && build_torus(t, sides, n_sides, e);
}

static bool build_twisted_slice(struct topology *t, const int *sides, size_t n_sides, struct error *e)
{
	return check_cubes(t, sides, e) && build_twisted_torus(t, sides, n_sides, e);
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

/* The links of TPUs. Speeds as the vendor gives them, latency as Austin et al. take it: How to scale your model, 2025. */
static const struct link_kind ici_v4 = {"ici", {1, 1}, {50, 1}}, ici_v5p = {"ici", {1, 1}, {100, 1}};

static const struct shape shapes[] = {
	{"ring", "ring:8", "N nodes in a cycle", build_ring, 1, 1, NULL, NULL},
	{"line", "line:8", "N nodes in a path", build_line, 1, 1, NULL, NULL},
	{"star", "star:8", "node 0 joined to each of the others", build_star, 1, 1, NULL, NULL},
	{"complete", "complete:8", "every node joined to every other", build_complete, 1, 1, NULL, NULL},
	{"hypercube", "hypercube:3", "2^N nodes, joined where one bit of the number differs", build_hypercube, 1, 1, NULL, NULL},
	{"torus", "torus:4x4", "a grid that wraps around in every dimension; torus:4x4x8+twist: links that close sides of K end K further along those of 2K",
	 build_torus, 1, SIDES_MAX, build_twisted_torus, NULL},
	{"mesh", "mesh:4x4", "a grid that does not wrap", build_mesh, 1, SIDES_MAX, NULL, NULL},
	{"switch", "switch:16", "N nodes on one switch, each with one link to it", build_switch, 1, 1, NULL, NULL},
	{"bigraph", "bigraph:4x8", "4 nodes on each of 8 switches, which form two rows, each joined to all of the other row",
	 build_bigraph, 2, 2, NULL, NULL},
	{"fat-tree", "fat-tree:8x8", "8 nodes on each of 8 switches, each joined to all of 8 switches above", build_fat_tree, 2, 2, NULL, NULL},
	{"dragonfly", "dragonfly:2x4x2",
	 "groups of 4 switches that are all joined, each with 2 nodes and 2 links to other groups; one link joins any two groups",
	 build_dragonfly, 3, 3, NULL, NULL},
	{"tpu-v4", "tpu-v4:4x4x8", "a torus of TPU v4 chips, 50 GB/s per link and direction, 1 us; tpu-v4:4x4x8+twist",
	 build_slice, 3, 3, build_twisted_slice, &ici_v4},
	{"tpu-v5p", "tpu-v5p:4x4x8", "a torus of TPU v5p chips, 100 GB/s per link and direction, 1 us; tpu-v5p:4x4x8+twist",
	 build_slice, 3, 3, build_twisted_slice, &ici_v5p},
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

/* Gives every link of T the kind K. */
static void set_kind(struct topology *t, const struct link_kind *k)
{
	t->kinds = new(struct link_kind);
	t->kinds[0] = *k;
	t->kinds[0].name = copy_string(k->name);
	t->n_kinds = 1;
	for (size_t i = 0; i < t->n_links; i++)
		t->links[i].kind = 0;
}

/* Builds SHAPE, twisted or not, under the name NAME. NULL with *e set. */
static struct topology *build(const struct shape *shape, const int *sides, size_t n, bool twist, const char *name, struct error *e)
{
	struct topology *t = new(struct topology);

	t->name = copy_string(name);
	t->duplex = true;
	if (count_nodes(t, sides, n, e) && (twist ? shape->build_twisted : shape->build)(t, sides, n, e)) {
		topology_sort_links(t);
		if (shape->kind)
			set_kind(t, shape->kind);
		return t;
	}
	topology_free(t);
	return NULL;
}

/* Sets the error that no shape has the first LENGTH bytes of NAME as its name. */
static void refuse_shape(const char *name, size_t length, struct error *e)
{
	struct text word = {0};

	text_add_bytes(&word, name, length);
	struct spelling s = spelling_new(word.bytes);
	for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
		spelling_try(&s, shapes[i].name);
	const char *hint = spelling_hint(&s);
	error_set(e, ERROR_INPUT, name, "there is no shape \"%.64s\"%s%s", word.bytes, *hint ? "; " : "", hint);
	spelling_free(&s);
	text_free(&word);
}

struct topology *topology_from_shape(const char *name, struct error *e)
{
	static const char twist[] = "+twist";
	const char *colon = strchr(name, ':');
	size_t length = strlen(name), word = colon ? (size_t)(colon - name) : length, tail = strlen(twist);
	const struct shape *shape = find_shape(name, word);
	int sides[SIDES_MAX];

	if (!shape) {
		if (colon)
			refuse_shape(name, word, e);
		return NULL;
	}
	bool twists = colon && shape->build_twisted && length - word > tail && strcmp(name + length - tail, twist) == 0;
	size_t n = colon ? read_sides(colon + 1, length - word - 1 - (twists ? tail : 0), sides) : 0;
	if (n < shape->least_sides || n > shape->most_sides) {
		error_set(e, ERROR_INPUT, name, "write the size as in %s", shape->example);
		return NULL;
	}
	return build(shape, sides, n, twists, name, e);
}

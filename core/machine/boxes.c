/*
 * dgx1*4: four copies of a box (a server), every node of each linked to one common switch. dgx1*4x2: by links of
 * bandwidth 2. dgx1*4:ib100: by the network of that name (networks.c), with one NIC per node, so that the links have
 * kinds, and the unit of bandwidth follows from their speeds. dgx1*4:4xib100+rails: four NICs per box, each shared by
 * neighbouring nodes; the NICs with the same number in all boxes are on a switch of their own, a rail.
 *
 * dgx1*4:ib100+spine2:1: a fat tree of two levels. The NICs of a box, or those of a rail, are on a leaf switch of their own,
 * and all leaves on a spine, by links that carry half of what the NICs of a leaf carry together.
 *
 * A NIC that several nodes share is a switch: its nodes are linked to it, and it to the common switch or its rail. The
 * links of nodes to the network have half of its latency each, so that any message between boxes has all of it.
 */

#include "core/machine/topology.h"

#include "core/base/error.h"
#include "core/base/memory.h"
#include "core/base/spelling.h"
#include "core/base/text.h"
#include "core/machine/networks.h"
#include "core/machine/topology_rows.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* How many boxes, and what joins them. */
struct cluster {
	int n;
	int width;                         /* of the links to the switch, without a network */
	const struct box_network *network; /* NULL: none is named */
	int nics;                          /* of a box */
	bool counted;                      /* was their number given? */
	bool rails;
	struct rational spine;             /* what the NICs of a leaf carry over what its link to the spine carries; num 0: no spine */
};

/* The number that node or switch END of ONE has in box B of N: first the nodes of all boxes, then their switches. */
static int end_in(const struct topology *one, int n, int b, int end)
{
	return end < one->nodes ? b * one->nodes + end : n * one->nodes + b * one->switches + end - one->nodes;
}

/*
 * A limit out of or into a node becomes a limit on its links within the box: the link to the common switch is not
 * counted.
 */
static struct limit limit_in(const struct topology *one, int n, int b, const struct limit *was)
{
	struct limit l = {copy_string(was->name), LIMIT_EDGES, 0, 0, NULL, was->bandwidth};
	size_t capacity = 0;

	for (size_t i = 0; was->of != LIMIT_EDGES && i < one->n_links; i++) {
		const struct link *k = &one->links[i];
		if ((was->of == LIMIT_OUT_OF ? k->src : k->dst) != was->node)
			continue;
		l.edges = grown(l.edges, &capacity, l.n_edges + 1, sizeof *l.edges);
		l.edges[l.n_edges++] = (struct edge_ends){end_in(one, n, b, k->src), end_in(one, n, b, k->dst)};
	}
	for (size_t i = 0; i < was->n_edges; i++) {
		l.edges = grown(l.edges, &capacity, l.n_edges + 1, sizeof *l.edges);
		l.edges[l.n_edges++] = (struct edge_ends){end_in(one, n, b, was->edges[i].src), end_in(one, n, b, was->edges[i].dst)};
	}
	return l;
}

/* The links and limits of box B of N. */
static void add_box(struct topology *t, size_t *capacity, const struct topology *one, int n, int b)
{
	for (size_t i = 0; i < one->n_links; i++) {
		const struct link *k = &one->links[i];
		topology_add_link(t, capacity, end_in(one, n, b, k->src), end_in(one, n, b, k->dst), k->bandwidth);
		t->links[t->n_links - 1].kind = k->kind;
	}
	for (size_t i = 0; i < one->n_limits; i++) {
		struct limit l = limit_in(one, n, b, &one->limits[i]);
		if (l.n_edges)
			t->limits[t->n_limits++] = l;
		else
			free(l.name);
	}
}

static void join(struct topology *t, size_t *capacity, int a, int b, int width, int kind)
{
	topology_add_link(t, capacity, a, b, width);
	t->links[t->n_links - 1].kind = kind;
	topology_add_link(t, capacity, b, a, width);
	t->links[t->n_links - 1].kind = kind;
}

/* Do several nodes of a box share a NIC? */
static bool is_shared(const struct topology *one, const struct cluster *c)
{
	return c->network && c->nics < one->nodes;
}

/* The number of rails; without rails that of leaves, or 1, the common switch. */
static int fabrics(const struct topology *one, const struct cluster *c)
{
	if (!c->rails)
		return c->spine.num ? c->n : 1;
	return c->nics < one->nodes ? c->nics : one->nodes;
}

/* All switches of the network, without NICs. */
static int network_switches(const struct topology *one, const struct cluster *c)
{
	return fabrics(one, c) + (c->spine.num ? 1 : 0);
}

/* Appends a kind, named NAME or, if the boxes have such links already, NAME with a number. Returns its index. */
static int add_kind(struct topology *t, const char *name, struct rational latency_us, struct rational gigabytes_per_second)
{
	struct text own = {0};
	size_t capacity = t->n_kinds;

	text_add(&own, "%s", name);
	for (size_t i = 0, number = 2; i < t->n_kinds; i++)
		if (strcmp(t->kinds[i].name, own.bytes) == 0) {
			own.length = 0;
			text_add(&own, "%s (%zu)", name, number++);
			i = (size_t)-1; /* compare with all again */
		}
	t->kinds = grown(t->kinds, &capacity, t->n_kinds + 1, sizeof *t->kinds);
	t->kinds[t->n_kinds] = (struct link_kind){text_take(&own), latency_us, gigabytes_per_second};
	return (int)t->n_kinds++;
}

/* Links every node to the common switch, by WIDTH units of no kind. */
static void join_plainly(struct topology *t, size_t *capacity, const struct topology *one, int n, int width)
{
	for (int node = 0; node < n * one->nodes; node++)
		join(t, capacity, node, n * (one->nodes + one->switches), width, -1);
}

/* The switch of RAIL, or that of BOX, or the common one. FIRST: the first of them. */
static int fabric_of(const struct topology *one, const struct cluster *c, int first, int box, int rail)
{
	return first + (c->rails || fabrics(one, c) == 1 ? rail : box);
}

/* Links every leaf to the spine, by what the NICs of a leaf carry together over the ratio. */
static void join_spine(struct topology *t, size_t *capacity, const struct topology *one, const struct cluster *c, int leaf)
{
	int leaves = fabrics(one, c);
	struct rational nics = rational((int64_t)c->n * c->nics, leaves);
	struct text name = {0};

	text_add(&name, "%s spine", c->network->name);
	int kind = add_kind(t, name.bytes, rational(0, 1), rational_div(rational_mul(c->network->gigabytes_per_second, nics), c->spine));
	for (int i = 0; i < leaves; i++)
		join(t, capacity, leaf + i, leaf + leaves, 0, kind);
	text_free(&name);
}

/* Links every node to its NIC or rail, and NICs to theirs. The links have no bandwidth yet, and their kinds their speed. */
static void join_by_network(struct topology *t, size_t *capacity, const struct topology *one, const struct cluster *c)
{
	int nics = c->n * (one->nodes + one->switches); /* the switches that NICs are, if they are shared */
	int fabric = nics + (is_shared(one, c) ? c->n * c->nics : 0), rails = c->rails ? fabrics(one, c) : 1;
	int each = c->nics > one->nodes ? c->nics / one->nodes : 1;
	struct rational nic = c->network->gigabytes_per_second;
	int kind = add_kind(t, c->network->name, rational_div(c->network->latency_us, rational(2, 1)), rational_mul(nic, rational(each, 1)));
	struct text name = {0};

	for (int b = 0; b < c->n; b++)
		for (int node = 0; node < one->nodes; node++)
			join(t, capacity, b * one->nodes + node, is_shared(one, c) ? nics + b * c->nics + node * c->nics / one->nodes
			     : fabric_of(one, c, fabric, b, node * rails / one->nodes), 0, kind);
	if (c->spine.num)
		join_spine(t, capacity, one, c, fabric);
	if (!is_shared(one, c))
		return;
	text_add(&name, "%s uplink", c->network->name);
	kind = add_kind(t, name.bytes, rational(0, 1), nic);
	for (int i = 0; i < c->n * c->nics; i++)
		join(t, capacity, nics + i, fabric_of(one, c, fabric, i / c->nics, c->rails ? i % c->nics : 0), 0, kind);
	text_free(&name);
}

/* The speed of limit L, with the unit of its slowest link; den 0: it has no links. */
static struct rational limit_speed(const struct topology *t, const struct limit *l)
{
	struct rational least = rational(1, 0);

	for (size_t i = 0; i < l->n_edges; i++) {
		const struct link *link = topology_link(t, l->edges[i].src, l->edges[i].dst);
		struct rational unit = t->kinds[link->kind].gigabytes_per_second;
		if (least.den == 0 || rational_compare(unit, least) < 0)
			least = unit;
	}
	return rational_mul(least, rational(l->bandwidth, 1));
}

/* Gives all links and limits bandwidths in a unit that boxes and network share. False: there is none. */
static bool set_units(struct topology *t)
{
	struct rational *links = new_array(struct rational, t->n_links), *limits = new_array(struct rational, t->n_limits);

	for (size_t i = 0; i < t->n_links; i++)
		links[i] = topology_link_speed(t, &t->links[i]);
	for (size_t i = 0; i < t->n_limits; i++)
		limits[i] = limit_speed(t, &t->limits[i]);
	bool ok = topology_set_speeds(t, links, limits);
	free(links);
	free(limits);
	return ok;
}

/* States the network in the name, description and source of T. */
static void describe(struct topology *t, const struct topology *one, const struct cluster *c)
{
	struct text name = {0}, description = {0}, source = {0};

	text_add(&name, "%s*%d", one->name, c->n);
	if (c->width > 1)
		text_add(&name, "x%d", c->width);
	if (c->network) {
		text_add(&name, c->nics == one->nodes ? ":" : ":%dx", c->nics);
		text_add(&name, "%s%s", c->network->name, c->rails ? "+rails" : "");
		if (c->spine.num)
			text_add(&name, "+spine%" PRId64 ":%" PRId64, c->spine.num, c->spine.den);
		text_add(&description, "%d boxes, each with %d NIC%s of %s on %s; a box: %s", c->n, c->nics, plural(c->nics), c->network->name,
			 c->rails ? c->spine.num ? "rails that a spine joins" : "rails"
			 : c->spine.num ? "a leaf, and leaves on a spine" : "one switch",
			 one->description ? one->description : one->name);
		text_add(&source, "%s%s%s: %s", one->source ? one->source : "", one->source ? "; " : "", c->network->name, c->network->source);
		free(t->description);
		free(t->source);
		t->description = text_take(&description);
		t->source = text_take(&source);
	}
	free(t->name);
	t->name = text_take(&name);
}

/* Names, kinds and switches of ONE, without its links and limits. What joins the boxes only forwards. */
static struct topology *empty_copy(const struct topology *one, const struct cluster *c)
{
	struct topology *t = topology_copy(one);

	for (size_t i = 0; i < t->n_limits; i++) {
		free(t->limits[i].name);
		free(t->limits[i].edges);
	}
	free(t->limits);
	free(t->links);
	t->nodes = c->n * one->nodes;
	t->switches = c->n * one->switches + (is_shared(one, c) ? c->n * c->nics : 0) + network_switches(one, c);
	if (one->abilities) {
		free(t->abilities);
		t->abilities = new_array(unsigned char, (size_t)t->switches);
		for (int s = 0; s < c->n * one->switches; s++)
			t->abilities[s] = one->abilities[s % one->switches];
	}
	t->n_links = t->n_limits = 0;
	t->links = NULL;
	t->limits = new_array(struct limit, (size_t)c->n * one->n_limits);
	return t;
}

static struct topology *boxes(const struct topology *one, const struct cluster *c, struct error *e)
{
	struct topology *t = empty_copy(one, c);
	size_t capacity = 0;
	bool ok = true;

	for (int b = 0; b < c->n; b++)
		add_box(t, &capacity, one, c->n, b);
	describe(t, one, c);
	if (c->network)
		join_by_network(t, &capacity, one, c);
	else
		join_plainly(t, &capacity, one, c->n, c->width);
	topology_sort_links(t);
	if (c->network) {
		topology_sort_kinds(t);
		ok = set_units(t) || error_set(e, ERROR_INPUT, t->name, "the speeds of the links of a box and of %s have no common unit of "
					       "which the fastest link has at most %d", c->network->name, BANDWIDTH_MAX);
	}
	if (ok)
		return t;
	topology_free(t);
	return NULL;
}

/* ---- the text after the "*" ---- */

/* Is S a word of a network, such as "4xib400", "rails" or "spine2:1"? */
static bool is_word(const char *s, size_t n)
{
	return n > 0 && strspn(s, "abcdefghijklmnopqrstuvwxyz0123456789:") >= n;
}

bool topology_is_network(const char *s)
{
	const char *colon = strchr(s, ':');

	if (!colon || colon == s || strspn(s, "0123456789x") < (size_t)(colon - s))
		return false;
	for (s = colon + 1;; s++) {
		size_t n = strcspn(s, "+/");
		if (!is_word(s, n))
			return false;
		s += n;
		if (!*s)
			return true;
	}
}

/* Parses the first N bytes of TIMES: "4" or "4x2". */
static bool read_number(const char *times, size_t n, struct cluster *c)
{
	struct text all = {0};
	int64_t many = 0, wide = 1;

	text_add_bytes(&all, times, n);
	char *x = strchr(all.bytes, 'x');
	if (x)
		*x = '\0';
	bool ok = parse_integer(all.bytes, 2, NODES_MAX, &many) && (!x || parse_integer(x + 1, 1, BANDWIDTH_MAX, &wide));
	text_free(&all);
	c->n = (int)many;
	c->width = (int)wide;
	return ok;
}

static bool refuse_network(const char *name, const char *where, struct error *e)
{
	size_t n;
	const struct box_network *all = box_networks(&n);
	struct spelling s = spelling_new(name);

	for (size_t i = 0; i < n; i++)
		spelling_try(&s, all[i].name);
	const char *hint = spelling_hint(&s);
	error_set(e, ERROR_INPUT, where, "there is no network \"%.64s\"; %s%s`sccl-synth topology list` lists them", name, hint, *hint ? " " : "");
	spelling_free(&s);
	return false;
}

/* "spine2:1", at least 1:1, or "spine2". */
static bool read_spine(const char *word, struct rational *out)
{
	static const char spine[] = "spine";
	struct text number = {0};
	int64_t over, under = 1;

	if (strncmp(word, spine, sizeof spine - 1) != 0)
		return false;
	word += sizeof spine - 1;
	const char *colon = strchr(word, ':');
	text_add_bytes(&number, word, colon ? (size_t)(colon - word) : strlen(word));
	bool ok = parse_integer(number.bytes, 1, BANDWIDTH_MAX, &over) && (!colon || parse_integer(colon + 1, 1, BANDWIDTH_MAX, &under)) &&
		  over >= under;
	text_free(&number);
	if (ok)
		*out = rational(over, under);
	return ok;
}

/* One word behind a network: "rails", "spine2:1", or the number of NICs of a box. */
static bool read_network_word(const char *s, size_t n, struct cluster *c)
{
	struct text word = {0};
	int64_t nics = 0;

	text_add_bytes(&word, s, n);
	bool rails = strcmp(word.bytes, "rails") == 0;
	bool ok = rails || (!c->spine.num && read_spine(word.bytes, &c->spine)) ||
		  (!c->counted && parse_integer(word.bytes, 1, NODES_MAX, &nics));
	text_free(&word);
	c->rails = c->rails || rails;
	c->counted = c->counted || nics;
	if (nics)
		c->nics = (int)nics;
	return ok;
}

/* Parses what follows the colon: "ib400", "4xib400", "ib400+rails"; "/" is "+". Both "4xib400" and "ib400/4" have 4 NICs. */
static bool read_network(const char *s, const char *where, struct cluster *c, struct error *e)
{
	size_t n = strcspn(s, "+/"), digits = strspn(s, "0123456789");
	struct text name = {0};
	bool ok = true;

	if (digits && s[digits] == 'x') {
		ok = read_network_word(s, digits, c);
		s += digits + 1;
		n -= digits + 1;
	}
	text_add_bytes(&name, s, n);
	c->network = box_network_named(name.bytes);
	if (!c->network)
		refuse_network(name.bytes, where, e);
	text_free(&name);
	for (s += n; *s && ok; s += n) {
		n = strcspn(++s, "+/");
		ok = read_network_word(s, n, c);
	}
	return c->network &&
	       (ok || error_set(e, ERROR_INPUT, where, "\"%.64s\" is neither \"rails\", \"spine2:1\" nor the number of NICs, each given "
				"once: write a network as in dgx-h100*4:ib400, or dgx-h100*4:4xib400+rails", s - n));
}

static bool read_cluster(const struct topology *one, const char *times, const char *where, struct cluster *c, struct error *e)
{
	const char *colon = strchr(times, ':');
	size_t digits = colon ? (size_t)(colon - times) : strlen(times);

	*c = (struct cluster){.nics = one->nodes};
	if (!read_number(times, digits, c))
		return error_set(e, ERROR_INPUT, where, "\"*%.64s\" is not a number of boxes from 2 to %d; write it as in *4, or *4x2 for wider links to "
				 "their switch", times, NODES_MAX);
	if (!colon)
		return true;
	if (memchr(times, 'x', digits))
		return error_set(e, ERROR_INPUT, where, "links to a network have its speed: leave out \"x%d\"", c->width);
	return read_network(colon + 1, where, c, e);
}

/* Can the boxes be built, and joined by the network? */
static bool check_cluster(const struct topology *one, const struct cluster *c, const char *where, struct error *e)
{
	int64_t nics = is_shared(one, c) ? (int64_t)c->n * c->nics : 0;

	if ((int64_t)c->n * one->nodes > NODES_MAX || (int64_t)c->n * one->switches + nics + network_switches(one, c) > SWITCHES_MAX ||
	    (int64_t)c->n * ((int64_t)one->n_links + 2 * one->nodes) + 2 * nics + 2 * fabrics(one, c) > LINKS_MAX ||
	    (int64_t)c->n * (int64_t)one->n_limits > LIMITS_MAX)
		return error_set(e, ERROR_INPUT, where, "%d boxes of %d nodes are too large a machine: at most %d nodes are supported", c->n, one->nodes,
				 NODES_MAX);
	if (!c->network)
		return true;
	if (c->nics < one->nodes ? one->nodes % c->nics : c->nics % one->nodes)
		return error_set(e, ERROR_INPUT, where, "%d nodes of a box cannot share %d NICs equally", one->nodes, c->nics);
	for (size_t i = 0; i < one->n_links; i++)
		if (one->links[i].kind < 0)
			return error_set(e, ERROR_INPUT, where, "link %d-%d of a box has no speed that could be compared with that of %s: give it a kind, "
					 "or leave the network out", one->links[i].src, one->links[i].dst, c->network->name);
	return true;
}

struct topology *topology_boxes(struct topology *one, const char *times, struct error *e)
{
	struct topology *t = NULL;
	struct cluster c;
	struct text where = {0};

	text_add(&where, "%s*%s", one->name, times);
	if (read_cluster(one, times, where.bytes, &c, e) && check_cluster(one, &c, where.bytes, e))
		t = boxes(one, &c, e);
	text_free(&where);
	topology_free(one);
	return t;
}

/* Reads and validates the topology object of a topology file or of an algorithm file. */

#include "core/machine/topology.h"

#include "core/base/error.h"
#include "core/base/json.h"
#include "core/base/memory.h"
#include "core/machine/topology_rows.h"

#include <stdlib.h>
#include <string.h>

static bool read_text(const struct json_place *at, const char *key, char **out, struct error *e)
{
	struct json_place member = json_member(at, key);
	const char *s;

	if (!member.value)
		return true;
	if (!json_get_string(&member, &s, e))
		return false;
	*out = copy_string(s);
	return true;
}

static bool read_counts(const struct json_place *at, struct topology *t, struct error *e)
{
	struct json_place nodes, switches = json_member(at, "switches"), duplex = json_member(at, "duplex");

	return json_member_needed(at, "nodes", &nodes, e) && json_get_int(&nodes, 1, NODES_MAX, &t->nodes, e) &&
	       (!switches.value || json_get_int(&switches, 0, SWITCHES_MAX, &t->switches, e)) &&
	       (!duplex.value || json_get_bool(&duplex, &t->duplex, e));
}

/* A speed or latency; with ZERO it may be 0. *OUT is left as it is if it is absent and not NEEDED. */
static bool read_quantity(const struct json_place *at, const char *key, bool needed, bool zero, struct rational *out, struct error *e)
{
	struct json_place member = json_member(at, key);

	if (!member.value && !needed)
		return true;
	if (!json_member_needed(at, key, &member, e) || !json_get_decimal(&member, out, e))
		return false;
	if (out->num < 0 || (out->num == 0 && !zero))
		return json_fault(&member, e, zero ? "must not be negative" : "must be more than 0");
	return true;
}

static bool read_latency(const struct json_place *at, bool needed, struct rational *out, struct error *e)
{
	return read_quantity(at, "latency_us", needed, true, out, e);
}

static bool read_speed(const struct json_place *at, bool needed, struct rational *out, struct error *e)
{
	return read_quantity(at, "gigabytes_per_second", needed, false, out, e);
}

static bool read_kinds(const struct json_place *at, struct topology *t, struct error *e)
{
	static const char *const keys[] = {"latency_us", "gigabytes_per_second", NULL};
	struct json_place kinds = json_member(at, "kinds");
	const char *name;
	json_t *value;

	if (!kinds.value)
		return true;
	if (!json_is_object(kinds.value))
		return json_fault(&kinds, e, "must be an object");
	t->kinds = new_array(struct link_kind, json_object_size(kinds.value));
	json_object_foreach(kinds.value, name, value) {
		struct json_place kind = json_member(&kinds, name);
		struct link_kind *k = &t->kinds[t->n_kinds++];
		k->name = copy_string(name);
		if (!json_object_with(&kind, keys, e) || !read_latency(&kind, true, &k->latency_us, e) ||
		    !read_speed(&kind, true, &k->gigabytes_per_second, e))
			return false;
	}
	return true;
}

static bool read_kind(const struct json_place *at, const struct topology *t, int *out, struct error *e)
{
	const char *name;

	*out = -1;
	if (!at->value)
		return true;
	if (!json_get_string(at, &name, e))
		return false;
	for (size_t i = 0; i < t->n_kinds; i++)
		if (strcmp(t->kinds[i].name, name) == 0)
			*out = (int)i;
	return *out >= 0 || json_fault(at, e, "\"%.64s\" is not in \"kinds\"", name);
}

/*
 * A link with a speed or latency of its own gets a kind of its own, which takes the rest from the kind that it names.
 * Without a latency it is 0.
 */
static bool read_own_kind(const struct json_place *at, struct topology *t, size_t *capacity, struct link *l, struct error *e)
{
	struct rational speed = rational(1, 0), latency = rational(0, 1);
	const struct link_kind *k = l->kind >= 0 ? &t->kinds[l->kind] : NULL;

	if (k) {
		speed = k->gigabytes_per_second;
		latency = k->latency_us;
	}
	if (!json_member(at, "gigabytes_per_second").value && !json_member(at, "latency_us").value)
		return true;
	if (!read_speed(at, !k, &speed, e) || !read_latency(at, false, &latency, e))
		return false;
	/* The speed of a kind is that of one unit. */
	if (json_member(at, "gigabytes_per_second").value && l->bandwidth)
		speed = rational_div(speed, rational(l->bandwidth, 1));
	if (!rational_ok(speed))
		return json_fault(at, e, "is too slow for its bandwidth: no 64-bit ratio is the speed of one unit");
	l->kind = topology_own_kind(t, capacity, speed, latency);
	return l->kind >= 0 || json_fault(at, e, "has yet another speed or latency: there are too many different ones");
}

/* The bandwidth is 0 if the link has a speed instead: topology_derive_units. */
static bool read_link(const struct json_place *at, struct topology *t, size_t *kinds_capacity, struct link *l, struct error *e)
{
	static const char *const keys[] = {"src", "dst", "bandwidth", "kind", "gigabytes_per_second", "latency_us", NULL};
	struct json_place src, dst, bandwidth = json_member(at, "bandwidth"), kind = json_member(at, "kind");
	bool fast = kind.value || json_member(at, "gigabytes_per_second").value;
	int last = t->nodes + t->switches - 1;

	l->bandwidth = 0;
	if (!json_object_with(at, keys, e) || !json_member_needed(at, "src", &src, e) ||
	    !json_member_needed(at, "dst", &dst, e) || (!fast && !json_member_needed(at, "bandwidth", &bandwidth, e)) ||
	    !json_get_int(&src, 0, last, &l->src, e) || !json_get_int(&dst, 0, last, &l->dst, e) ||
	    (bandwidth.value && !json_get_int(&bandwidth, 1, BANDWIDTH_MAX, &l->bandwidth, e)) ||
	    !read_kind(&kind, t, &l->kind, e) || !read_own_kind(at, t, kinds_capacity, l, e))
		return false;
	return l->src != l->dst || json_fault(at, e, "joins %d to itself", l->src);
}

/* Rejects a pair that is listed twice; the error names the position of the second link in the file. */
static bool check_pairs(const struct json_place *links, const struct topology *t, size_t listed, struct error *e)
{
	struct link *sorted = copy_bytes(t->links, t->n_links * sizeof *sorted);
	bool ok = true;

	if (t->n_links)
		qsort(sorted, t->n_links, sizeof *sorted, link_order);
	for (size_t i = 1; i < t->n_links && ok; i++) {
		if (link_order(&sorted[i - 1], &sorted[i]) != 0)
			continue;
		size_t seen = 0, place = 0;
		for (size_t k = 0; k < t->n_links && seen < 2; k++)
			if (link_order(&t->links[k], &sorted[i]) == 0)
				seen++, place = k;
		struct json_place link = json_element(links, place / (t->n_links / listed));
		ok = json_fault(&link, e, "there is already a link from %d to %d", sorted[i].src, sorted[i].dst);
	}
	free(sorted);
	return ok;
}

static bool read_links(const struct json_place *at, struct topology *t, struct error *e)
{
	size_t n, kinds_capacity = t->n_kinds;
	struct json_place links;

	if (!json_member_needed(at, "links", &links, e) || !json_array_length(&links, &n, e))
		return false;
	if (n > LINKS_MAX / (t->duplex ? 2 : 1))
		return json_fault(&links, e, "has %zu links; at most %d are allowed", n, LINKS_MAX / (t->duplex ? 2 : 1));
	t->links = new_array(struct link, 2 * n);
	for (size_t i = 0; i < n; i++) {
		struct json_place place = json_element(&links, i);
		struct link l;
		if (!read_link(&place, t, &kinds_capacity, &l, e))
			return false;
		t->links[t->n_links++] = l;
		if (t->duplex)
			t->links[t->n_links++] = (struct link){l.dst, l.src, l.bandwidth, l.kind};
	}
	if (!check_pairs(&links, t, n, e))
		return false;
	topology_sort_links(t);
	topology_sort_kinds(t);
	return true;
}

static bool read_limit_edge(const struct json_place *at, const struct topology *t, struct edge_ends *out, struct error *e)
{
	size_t n;

	if (!json_array_length(at, &n, e))
		return false;
	if (n != 2)
		return json_fault(at, e, "must be [src, dst]");
	struct json_place src = json_element(at, 0), dst = json_element(at, 1);
	int last = t->nodes + t->switches - 1;
	if (!json_get_int(&src, 0, last, &out->src, e) || !json_get_int(&dst, 0, last, &out->dst, e))
		return false;
	return topology_link(t, out->src, out->dst) || json_fault(at, e, "there is no link from %d to %d", out->src, out->dst);
}

static bool read_limit_edges(const struct json_place *at, const struct topology *t, struct limit *l, struct error *e)
{
	size_t n;

	if (!json_array_length(at, &n, e))
		return false;
	if (n == 0)
		return json_fault(at, e, "must name an edge");
	l->edges = new_array(struct edge_ends, n);
	l->n_edges = n;
	for (size_t i = 0; i < n; i++) {
		struct json_place edge = json_element(at, i);
		if (!read_limit_edge(&edge, t, &l->edges[i], e))
			return false;
	}
	qsort(l->edges, n, sizeof *l->edges, edge_ends_order);
	for (size_t i = 1; i < n; i++)
		if (edge_ends_order(&l->edges[i - 1], &l->edges[i]) == 0)
			return json_fault(at, e, "names [%d, %d] twice", l->edges[i].src, l->edges[i].dst);
	return true;
}

/* Exactly one of "edges", "out_of" and "into" states what the limit applies to. */
static bool read_limit(const struct json_place *at, const struct topology *t, struct limit *l, struct rational *speed, struct error *e)
{
	static const char *const keys[] = {"name", "edges", "out_of", "into", "bandwidth", "gigabytes_per_second", NULL};
	struct json_place edges = json_member(at, "edges"), out_of = json_member(at, "out_of");
	struct json_place into = json_member(at, "into"), bandwidth = json_member(at, "bandwidth");
	bool fast = json_member(at, "gigabytes_per_second").value;

	*speed = rational(1, 0);
	if (!json_object_with(at, keys, e) || !read_text(at, "name", &l->name, e) ||
	    (!fast && !json_member_needed(at, "bandwidth", &bandwidth, e)) || !read_speed(at, false, speed, e) ||
	    (bandwidth.value && !json_get_int(&bandwidth, 1, BANDWIDTH_MAX, &l->bandwidth, e)))
		return false;
	if (fast && bandwidth.value)
		return json_fault(&bandwidth, e, "is given along with \"gigabytes_per_second\": leave one of them out");
	if (!!edges.value + !!out_of.value + !!into.value != 1)
		return json_fault(at, e, "must have exactly one of \"edges\", \"out_of\" and \"into\"");
	if (edges.value)
		return read_limit_edges(&edges, t, l, e);
	l->of = out_of.value ? LIMIT_OUT_OF : LIMIT_INTO;
	return json_get_int(out_of.value ? &out_of : &into, 0, t->nodes + t->switches - 1, &l->node, e);
}

/* SPEEDS [limit] is the caller's; den 0 where the file gives none. */
static bool read_limits(const struct json_place *at, struct topology *t, struct rational **speeds, struct error *e)
{
	struct json_place limits = json_member(at, "limits");
	size_t n;

	if (!limits.value)
		return true;
	if (!json_array_length(&limits, &n, e))
		return false;
	if (n > LIMITS_MAX)
		return json_fault(&limits, e, "has %zu limits; at most %d are allowed", n, LIMITS_MAX);
	t->limits = new_array(struct limit, n);
	*speeds = new_array(struct rational, n);
	for (size_t i = 0; i < n; i++) {
		struct json_place limit = json_element(&limits, i);
		t->n_limits++;
		if (!read_limit(&limit, t, &t->limits[i], &(*speeds)[i], e))
			return false;
	}
	return true;
}

/* Marks the switches that are listed under KEY, or all of them for true, with ABILITY. */
static bool read_ability(const struct json_place *at, const char *key, enum switch_ability ability, struct topology *t, struct error *e)
{
	struct json_place list = json_member(at, key);
	bool all = json_is_true(list.value);
	size_t n = (size_t)t->switches;
	int s;

	if (!list.value || (!all && !json_array_length(&list, &n, e)))
		return !list.value;
	if (t->switches == 0)
		return json_fault(&list, e, "there are no switches");
	if (!t->abilities)
		t->abilities = new_array(unsigned char, (size_t)t->switches);
	for (size_t i = 0; i < n; i++) {
		struct json_place element = all ? list : json_element(&list, i);
		if (all)
			s = t->nodes + (int)i;
		else if (!json_get_int(&element, t->nodes, t->nodes + t->switches - 1, &s, e))
			return false;
		if (t->abilities[s - t->nodes] & ability)
			return json_fault(&element, e, "switch %d is listed twice", s);
		t->abilities[s - t->nodes] |= (unsigned char)ability;
	}
	return true;
}

static bool read_abilities(const struct json_place *at, struct topology *t, struct error *e)
{
	return read_ability(at, "multicast", MULTICASTS, t, e) && read_ability(at, "reduce", REDUCES, t, e);
}

/* The links and limits, and the units of both. */
static bool read_capacities(const struct json_place *at, struct topology *t, struct error *e)
{
	struct rational *speeds = NULL;
	bool ok = read_links(at, t, e) && read_limits(at, t, &speeds, e) && topology_derive_units(at, t, speeds, e);

	free(speeds);
	return ok;
}

struct topology *topology_read(const struct json_place *at, struct error *e)
{
	static const char *const keys[] = {"format", "version", "name", "description", "source", "nodes", "switches",
					   "duplex", "links", "limits", "kinds", "multicast", "reduce", NULL};
	struct topology *t = new(struct topology);
	struct json_place name;

	if (json_object_with(at, keys, e) && json_check_format(at, "sccl-topology", e) &&
	    json_member_needed(at, "name", &name, e) && read_text(at, "name", &t->name, e) &&
	    read_text(at, "description", &t->description, e) && read_text(at, "source", &t->source, e) &&
	    read_counts(at, t, e) && read_kinds(at, t, e) && read_capacities(at, t, e) && read_abilities(at, t, e)) {
		if (*t->name)
			return t;
		json_fault(&name, e, "must not be empty");
	}
	topology_free(t);
	return NULL;
}

struct topology *topology_read_document(struct json_document *d, struct error *e)
{
	if (!d)
		return NULL;
	struct json_place top = json_top(d);
	struct topology *t = topology_read(&top, e);
	json_document_close(d);
	return t;
}

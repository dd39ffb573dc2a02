/* Reads certificates of bounds on time; time_check.c verifies what they claim. */

#include "prove/time_proof.h"

#include "core/base/error.h"
#include "core/base/json.h"
#include "core/base/memory.h"
#include "prove/cut.h"

#include <stdlib.h>
#include <string.h>

const char *const time_by_names[TIME_BY_KINDS] = {"into", "out_of", "cut", "rounds", "relays_out_of", "relays_into",
							 "direct_out_of", "direct_into", "expanded_time"};

enum { LINES_MAX = 4096 };

/* A number that is not negative; if it is not NEEDED and absent, *OUT stays. */
static bool read_number(const struct json_place *of, const char *key, bool needed, struct rational *out, struct error *e)
{
	struct json_place at = json_member(of, key);
	struct rational x;

	if (!at.value && !needed)
		return true;
	if (!json_member_needed(of, key, &at, e) || !json_get_decimal(&at, &x, e))
		return false;
	if (x.num < 0)
		return json_fault(&at, e, "must not be negative");
	*out = x;
	return true;
}

static int kind_of(const struct topology *t, const char *name)
{
	for (size_t i = 0; i < t->n_kinds; i++)
		if (strcmp(t->kinds[i].name, name) == 0)
			return (int)i;
	return -1;
}

/* One number, or an object with one for each kind of link; a kind that is left out costs nothing. */
static bool read_steps(const struct json_place *top, struct time_proof *p, struct error *e)
{
	struct json_place at = json_member(top, "step_us");
	const char *name;
	json_t *value;

	if (!json_is_object(at.value))
		return read_number(top, "step_us", false, &p->step, e);
	p->step_of = new_array(struct rational, p->topology->n_kinds);
	for (size_t i = 0; i < p->topology->n_kinds; i++)
		p->step_of[i] = rational(0, 1);
	json_object_foreach(at.value, name, value) {
		int kind = kind_of(p->topology, name);
		if (kind < 0)
			return json_fault(&at, e, "\"%.64s\" is no kind of link", name);
		if (!read_number(&at, name, true, &p->step_of[kind], e))
			return false;
	}
	return true;
}

static bool read_speeds(const struct json_place *top, struct time_proof *p, struct error *e)
{
	p->alpha = p->beta = p->step = rational(1, 0);
	if (!read_number(top, "alpha_us", false, &p->alpha, e) || !read_number(top, "beta_us", false, &p->beta, e))
		return false;
	if (rational_ok(p->beta) && p->beta.num == 0) {
		struct json_place at = json_member(top, "beta_us");
		return json_fault(&at, e, "must be positive");
	}
	return read_steps(top, p, e);
}

/* [src, dst], a link of T. */
static bool read_link(const struct json_place *at, const struct topology *t, int *out, struct error *e)
{
	int ends[2];
	size_t n;

	if (!json_array_length(at, &n, e))
		return false;
	if (n != 2)
		return json_fault(at, e, "must be [src, dst]");
	for (size_t i = 0; i < 2; i++) {
		struct json_place end = json_element(at, i);
		if (!json_get_int(&end, 0, t->nodes + t->switches - 1, &ends[i], e))
			return false;
	}
	const struct link *l = topology_link(t, ends[0], ends[1]);
	if (!l)
		return json_fault(at, e, "is no link");
	*out = (int)(l - t->links);
	return true;
}

static bool read_limit(const struct json_place *at, const struct topology *t, int *out, struct error *e)
{
	if (!t->n_limits)
		return json_fault(at, e, "is no limit");
	return json_get_int(at, 0, (int)t->n_limits - 1, out, e);
}

/* An array of links or limits, each at most once. */
static bool read_list(const struct json_place *of, const char *key, const struct topology *t, size_t most,
		      bool (*read)(const struct json_place *at, const struct topology *t, int *out, struct error *e), int **list,
		      size_t *n, struct error *e)
{
	struct json_place at;
	size_t length;
	bool *seen = new_array(bool, most), ok = true;

	if (json_member_needed(of, key, &at, e) && json_array_length(&at, &length, e)) {
		*list = new_array(int, length);
		while (ok && *n < length) {
			struct json_place one = json_element(&at, *n);
			ok = read(&one, t, &(*list)[*n], e) && (!seen[(*list)[*n]] || json_fault(&one, e, "is listed twice"));
			if (ok)
				seen[(*list)[(*n)++]] = true;
		}
	} else {
		ok = false;
	}
	free(seen);
	return ok;
}

static bool read_by(const struct json_place *at, enum time_by *out, struct error *e)
{
	struct json_place by;
	const char *name;

	if (!json_member_needed(at, "by", &by, e) || !json_get_string(&by, &name, e))
		return false;
	for (int i = 0; i < TIME_BY_KINDS; i++)
		if (strcmp(name, time_by_names[i]) == 0) {
			*out = (enum time_by)i;
			return true;
		}
	return json_fault(&by, e, "must be into, out_of, cut, rounds, relays_out_of, relays_into, direct_out_of, direct_into or expanded_time");
}

static bool read_end(const struct json_place *line, bool *at_end, struct error *e)
{
	struct json_place at;
	const char *word;

	if (!json_member_needed(line, "at", &at, e) || !json_get_string(&at, &word, e))
		return false;
	*at_end = strcmp(word, "end") == 0;
	return *at_end || strcmp(word, "beginning") == 0 || json_fault(&at, e, "must be beginning or end");
}

static bool read_bandwidth(const struct json_place *line, const struct topology *t, struct time_claim *c, struct error *e)
{
	struct json_place at;

	return json_member_needed(line, "bandwidth", &at, e) && cut_read(&at, t->nodes, &c->cut, e);
}

static bool read_cut(const struct json_place *line, const struct topology *t, struct time_claim *c, struct error *e)
{
	struct json_place at = json_member(line, "bandwidth");

	if (!read_bandwidth(line, t, c, e))
		return false;
	if (c->cut.kind != CUT_SIDES && c->cut.kind != CUT_PARTS)
		return json_fault(&at, e, "must have sides or parts");
	return read_end(line, &c->at_end, e);
}

static bool read_node(const struct json_place *line, const struct topology *t, struct time_claim *c, struct error *e)
{
	struct json_place at;

	return json_member_needed(line, "node", &at, e) && json_get_int(&at, 0, t->nodes - 1, &c->node, e);
}

static bool read_out_of(const struct json_place *line, const struct topology *t, struct time_claim *c, struct error *e)
{
	return read_node(line, t, c, e) && read_number(line, "away_us", true, &c->away, e);
}

/* A set, and one of its nodes, or without it any; or a node alone, where routes are counted at their ends. */
static bool read_into(const struct json_place *line, const struct topology *t, struct time_claim *c, struct error *e)
{
	struct json_place inside = json_member(line, "inside"), node = json_member(line, "node"), at = json_member(line, "at");
	size_t n;

	c->node = -1;
	c->inside = new_array(bool, (size_t)t->nodes);
	if (!read_number(line, "away_us", true, &c->away, e) || ((node.value || !inside.value) && !read_node(line, t, c, e)))
		return false;
	if (c->node >= 0)
		c->inside[c->node] = c->at_end = true;
	if (!inside.value)
		return !at.value || json_fault(&at, e, "is for a set");
	if (!json_array_length(&inside, &n, e))
		return false;
	for (size_t i = 0; i < n; i++) {
		struct json_place one = json_element(&inside, i);
		int v;
		if (!json_get_int(&one, 0, t->nodes - 1, &v, e))
			return false;
		c->inside[v] = true;
	}
	return read_end(line, &c->at_end, e);
}

static bool read_relays(const struct json_place *line, const struct topology *t, struct time_claim *c, struct error *e)
{
	struct json_place copies;

	return read_node(line, t, c, e) && read_end(line, &c->at_end, e) && json_member_needed(line, "copies", &copies, e) &&
	       json_get_int(&copies, 2, t->nodes, &c->copies, e) && read_number(line, "early_latency_us", true, &c->early_latency, e) &&
	       read_number(line, "early_us_per_megabyte", true, &c->early_per_megabyte, e);
}

static bool read_direct(const struct json_place *line, const struct topology *t, struct time_claim *c, struct error *e)
{
	return read_relays(line, t, c, e) && read_number(line, "away_us", true, &c->away, e);
}

static bool read_expanded(const struct json_place *line, const struct topology *t, struct time_claim *c, struct error *e)
{
	return time_expanded_read(line, t, &c->expanded, e);
}

/* By what shows a line: its members besides by, latency_us and us_per_megabyte. */
static const struct claim_form {
	const char *keys[10];
	bool (*read)(const struct json_place *line, const struct topology *t, struct time_claim *c, struct error *e);
	bool has_resources;
} forms[TIME_BY_KINDS] = {
	[TIME_BY_INTO] = {{"node", "away_us", "inside", "at", "links", "limits"}, read_into, true},
	[TIME_BY_OUT_OF] = {{"node", "away_us", "links", "limits"}, read_out_of, true},
	[TIME_BY_CUT] = {{"bandwidth", "at", "links", "limits"}, read_cut, true},
	[TIME_BY_ROUNDS] = {{"bandwidth"}, read_bandwidth, false},
	[TIME_BY_RELAYS_OUT_OF] = {{"node", "copies", "early_latency_us", "early_us_per_megabyte", "at", "links", "limits"},
				   read_relays, true},
	[TIME_BY_RELAYS_INTO] = {{"node", "copies", "early_latency_us", "early_us_per_megabyte", "at", "links", "limits"},
				 read_relays, true},
	[TIME_BY_DIRECT_OUT_OF] = {{"node", "away_us", "copies", "early_latency_us", "early_us_per_megabyte", "at", "links", "limits"},
				   read_direct, true},
	[TIME_BY_DIRECT_INTO] = {{"node", "away_us", "copies", "early_latency_us", "early_us_per_megabyte", "at", "links", "limits"},
				 read_direct, true},
	[TIME_BY_EXPANDED_TIME] = {{"bytes", "slots_us", "prices", "goods"}, read_expanded, false},
};

static bool check_keys(const struct json_place *at, const struct claim_form *form, struct error *e)
{
	const char *keys[14] = {"by", "latency_us", "us_per_megabyte"};

	memcpy(keys + 3, form->keys, sizeof form->keys);
	return json_object_with(at, keys, e);
}

static bool read_claim(const struct json_place *at, const struct topology *t, struct time_claim *c, struct error *e)
{
	if (!json_is_object(at->value))
		return json_fault(at, e, "must be an object");
	if (!read_by(at, &c->by, e))
		return false;
	const struct claim_form *form = &forms[c->by];
	if (!check_keys(at, form, e) || !read_number(at, "latency_us", true, &c->latency, e) ||
	    !read_number(at, "us_per_megabyte", true, &c->per_megabyte, e) || !form->read(at, t, c, e))
		return false;
	return !form->has_resources || (read_list(at, "links", t, t->n_links, read_link, &c->links, &c->n_links, e) &&
					read_list(at, "limits", t, t->n_limits, read_limit, &c->limits, &c->n_limits, e));
}

static bool read_claims(const struct json_place *top, struct time_proof *p, struct error *e)
{
	struct json_place lines;
	size_t n;

	if (!json_member_needed(top, "lines", &lines, e) || !json_array_length(&lines, &n, e))
		return false;
	if (n > LINES_MAX)
		return json_fault(&lines, e, "must be at most %d", LINES_MAX);
	p->claims = new_array(struct time_claim, n);
	while (p->n < n) {
		struct json_place line = json_element(&lines, p->n);
		if (!read_claim(&line, p->topology, &p->claims[p->n++], e))
			return false;
	}
	return true;
}

static bool read_subject(const struct json_place *top, struct time_proof *p, struct error *e)
{
	struct json_place topology, collective;

	if (!json_member_needed(top, "topology", &topology, e) || !json_member_needed(top, "collective", &collective, e))
		return false;
	p->topology = topology_read(&topology, e);
	return p->topology && collective_read(&collective, p->topology->nodes, 1, &p->collective, e);
}

const char time_proof_format[] = "sccl-time-bound";

struct time_proof *time_proof_read(const struct json_document *d, struct error *e)
{
	static const char *const keys[] = {"format", "version", "collective", "topology", "alpha_us", "beta_us", "step_us", "lines", NULL};
	struct time_proof *p = new(struct time_proof);
	struct json_place top = json_top(d);

	if (json_object_with(&top, keys, e) && json_check_format(&top, time_proof_format, e) && read_subject(&top, p, e) &&
	    read_speeds(&top, p, e) && read_claims(&top, p, e))
		return p;
	time_proof_free(p);
	return NULL;
}

void time_proof_free(struct time_proof *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < p->n; i++) {
		cut_free(&p->claims[i].cut);
		time_expanded_free(&p->claims[i].expanded);
		free(p->claims[i].inside);
		free(p->claims[i].links);
		free(p->claims[i].limits);
	}
	free(p->claims);
	free(p->step_of);
	collective_free(&p->collective);
	topology_free(p->topology);
	free(p);
}

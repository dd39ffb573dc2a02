/*
 * A second judge of algorithm files, written apart from core/verify/verify.c: it reads the JSON itself, has tables of its own, and
 * includes nothing of ours. A mistake in the first judge would have to be made here again, in another way, to pass.
 *
 * usage: second_check FILE...            each must be right
 *        second_check --mutants FILE...  each must be right, and wrong with any one send left out or any one step's rounds cut
 */
#include <jansson.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char fault[256];

static bool wrong(const char *format, ...)
{
	va_list ap;
	va_start(ap, format);
	vsnprintf(fault, sizeof fault, format, ap);
	va_end(ap);
	return false;
}

__extension__ typedef unsigned __int128 set; /* of nodes */
enum { NODES = 128, HOPS = 8 };

struct route {
	int n;          /* vertices that it passes, both ends included; 0: the two are not joined */
	int of[HOPS];
	int wide, hops; /* nodes that its fabric joins, 0: a link of its own; and its links */
	bool several;   /* another is as good, and which one counts is not for this judge to say */
};

struct schedule {
	int P, V, C, G, root; /* V: nodes, then switches */
	const char *kind;
	bool sums;
	json_t *collective, *topology, *steps, *symmetry;
	long *width;          /* [src * V + dst], 0: no link */
	struct route *routes; /* [src * P + dst] */
	set *parts;           /* [chunk * P + node]: whose parts the value there holds; 0: nothing there */
	set *before;
	long *crossed;        /* [src * V + dst] in the step at hand */
	bool *copies, *adds;  /* [vertex]: switches that do */
	struct hop *hops;     /* of all sends of the step at hand */
	size_t n_hops, room;
};

/*
 * A send over one link. A switch that copies takes one hop for all copies of a chunk from one node; a switch that adds
 * makes one hop of all sums of a chunk for one node. Such hops are equal in all of this; others have a number of their own.
 */
struct hop {
	long from, to;
	int sort; /* 0: like no other, 1: to be copied, 2: added up */
	long chunk, node;
};

static long number(const json_t *object, const char *key, long otherwise)
{
	const json_t *v = json_object_get(object, key);
	return json_is_integer(v) ? (long)json_integer_value(v) : otherwise;
}

static long entry(const json_t *list, size_t i)
{
	return (long)json_integer_value(json_array_get(list, i));
}

/* ---- the machine ---- */

/* true, or a list of switches. */
static bool read_switches(const struct schedule *s, const char *key, bool *can)
{
	const json_t *list = json_object_get(s->topology, key);

	for (int v = s->P; v < s->V; v++)
		can[v] = json_is_true(list);
	for (size_t i = 0; i < json_array_size(list); i++) {
		long v = entry(list, i);
		if (v < s->P || v >= s->V)
			return wrong("\"%s\" lists %ld, which is no switch", key, v);
		can[v] = true;
	}
	return true;
}

static bool read_links(struct schedule *s)
{
	json_t *link;
	size_t i;
	bool both = json_is_true(json_object_get(s->topology, "duplex"));

	s->P = (int)number(s->topology, "nodes", 0);
	s->V = s->P + (int)number(s->topology, "switches", 0);
	if (s->P < 1 || s->P > NODES || s->V < s->P || s->V > 2 * NODES)
		return wrong("this judge knows machines of 1 to %d nodes, not %d", NODES, s->P);
	s->width = calloc((size_t)s->V * (size_t)s->V, sizeof *s->width);
	s->copies = calloc((size_t)s->V, sizeof *s->copies);
	s->adds = calloc((size_t)s->V, sizeof *s->adds);
	if (!read_switches(s, "multicast", s->copies) || !read_switches(s, "reduce", s->adds))
		return false;
	json_array_foreach(json_object_get(s->topology, "links"), i, link) {
		long a = number(link, "src", -1), b = number(link, "dst", -1), w = number(link, "bandwidth", 0);
		if (a < 0 || a >= s->V || b < 0 || b >= s->V || w < 1)
			return wrong("link %zu is not one", i);
		s->width[a * s->V + b] = w;
		if (both)
			s->width[b * s->V + a] = w;
	}
	return true;
}

/* Marks the switches that links join to V. */
static void flood(const struct schedule *s, int v, int fabric, int *of)
{
	of[v] = fabric;
	for (int u = s->P; u < s->V; u++)
		if (!of[u] && (s->width[v * s->V + u] || s->width[u * s->V + v]))
			flood(s, u, fabric, of);
}

static int nodes_of(const struct schedule *s, int fabric, const int *of)
{
	int n = 0;

	for (int a = 0; a < s->P; a++) {
		bool joined = false;
		for (int v = s->P; v < s->V; v++)
			joined = joined || (of[v] == fabric && (s->width[a * s->V + v] || s->width[v * s->V + a]));
		n += joined;
	}
	return n;
}

static void offer(struct route *r, const int *path, int n, int wide)
{
	if (r->n && (r->wide < wide || (r->wide == wide && r->hops < n - 1)))
		return;
	r->several = r->n && r->wide == wide && r->hops == n - 1;
	memcpy(r->of, path, (size_t)n * sizeof *path);
	r->n = n;
	r->wide = wide;
	r->hops = n - 1;
}

/* All paths through the fabric that go on from PATH, of N vertices; fabrics are small. */
static void follow(struct schedule *s, int fabric, const int *of, int wide, int *path, int n)
{
	const long *out = &s->width[path[n - 1] * s->V];

	for (int v = 0; v < s->V && n < HOPS; v++) {
		bool passed = false;
		for (int i = 0; i < n; i++)
			passed = passed || path[i] == v;
		if (!out[v] || passed || (v >= s->P && of[v] != fabric))
			continue;
		path[n] = v;
		if (v >= s->P)
			follow(s, fabric, of, wide, path, n + 1);
		else if (n > 1)
			offer(&s->routes[path[0] * s->P + v], path, n + 1, wide);
	}
}

/* A link of one's own, or else the shortest path in the fabric of switches that joins the fewest nodes. */
static bool read_machine(struct schedule *s)
{
	int of[2 * NODES] = {0}, fabrics = 0, path[HOPS];

	if (!read_links(s))
		return false;
	s->routes = calloc((size_t)s->P * (size_t)s->P, sizeof *s->routes);
	for (int a = 0; a < s->P; a++)
		for (int b = 0; b < s->P; b++)
			if (s->width[a * s->V + b])
				offer(&s->routes[a * s->P + b], (int[]){a, b}, 2, 0);
	for (int v = s->P; v < s->V; v++)
		if (!of[v])
			flood(s, v, ++fabrics, of);
	for (int f = 1; f <= fabrics; f++)
		for (int a = 0, wide = nodes_of(s, f, of); a < s->P; a++) {
			path[0] = a;
			follow(s, f, of, wide, path, 1);
		}
	return true;
}

/* ---- what must be where: the table of the file format, once more ---- */

static bool listed(const struct schedule *s, const char *list, int c, int n)
{
	json_t *pair;
	size_t i;
	json_array_foreach(json_object_get(s->collective, list), i, pair)
		if (entry(pair, 0) == c && entry(pair, 1) == n)
			return true;
	return false;
}

static bool is(const struct schedule *s, const char *kind)
{
	return strcmp(s->kind, kind) == 0;
}

static bool starts_at(const struct schedule *s, int c, int n)
{
	if (is(s, "custom"))
		return listed(s, "pre", c, n);
	if (is(s, "broadcast") || is(s, "scatter"))
		return n == s->root;
	if (is(s, "reduce") || is(s, "reducescatter") || is(s, "allreduce"))
		return true;
	return n == c % s->P;
}

static bool ends_at(const struct schedule *s, int c, int n)
{
	if (is(s, "custom"))
		return listed(s, "post", c, n);
	if (is(s, "gather") || is(s, "reduce"))
		return n == s->root;
	if (is(s, "scatter") || is(s, "reducescatter"))
		return n == c % s->P;
	if (is(s, "alltoall"))
		return n == c / s->P % s->P;
	return true;
}

static bool read_collective(struct schedule *s, const json_t *file)
{
	static const struct {
		const char *kind;
		bool sums, per_node, blocks;
	} kinds[] = {{"allgather", 0, 1, 0}, {"gather", 0, 1, 0},  {"broadcast", 0, 0, 0},     {"scatter", 0, 0, 1},
		     {"alltoall", 0, 1, 1},  {"reduce", 1, 0, 0},  {"reducescatter", 1, 0, 1}, {"allreduce", 1, 0, 0},
		     {"custom", 0, 0, 0}};

	s->kind = json_string_value(json_object_get(s->collective, "kind"));
	s->root = (int)number(s->collective, "root", 0);
	s->C = (int)number(file, "chunks", 0);
	s->G = (int)number(file, "global_chunks", 0);
	for (size_t i = 0; s->kind && i < sizeof kinds / sizeof *kinds; i++) {
		if (!is(s, kinds[i].kind))
			continue;
		s->sums = kinds[i].sums || json_is_true(json_object_get(s->collective, "combining"));
		if (s->C < 1 || s->G < 1 || s->root < 0 || s->root >= s->P || (kinds[i].blocks && s->C % s->P))
			return wrong("C, G or root cannot be");
		if (!is(s, "custom") && s->G != s->C * (kinds[i].per_node ? s->P : 1))
			return wrong("G is not what C and P make it");
		return true;
	}
	return wrong("no such collective");
}

/* ---- the compact form: all images of what is listed ---- */

static long image_of_chunk(const struct schedule *s, const json_t *generator, long c)
{
	const json_t *chunks = json_object_get(generator, "chunks"), *nodes = json_object_get(generator, "nodes");
	const json_t *parts = json_object_get(generator, "parts");
	long P = s->P;

	if (chunks)
		return entry(chunks, (size_t)c);
	if (is(s, "alltoall"))
		return (entry(parts, (size_t)(c / P / P)) * P + entry(nodes, (size_t)(c / P % P))) * P +
		       entry(nodes, (size_t)(c % P));
	if (is(s, "broadcast") || is(s, "reduce"))
		return entry(parts, (size_t)c);
	return entry(parts, (size_t)(c / P)) * P + entry(nodes, (size_t)(c % P));
}

static json_t *expanded(const struct schedule *s, json_t *sends)
{
	json_t *all = json_deep_copy(sends), *generator;
	size_t P = (size_t)s->P, cells = (size_t)s->G * P * P, g;
	bool *there = calloc(cells, 1);

	for (size_t i = 0; i < json_array_size(all); i++) {
		json_t *send = json_array_get(all, i);
		there[((size_t)entry(send, 0) * P + (size_t)entry(send, 1)) * P + (size_t)entry(send, 2)] = true;
	}
	for (size_t i = 0; i < json_array_size(all); i++) /* grows while it is walked */
		json_array_foreach(s->symmetry, g, generator) {
			const json_t *send = json_array_get(all, i), *nodes = json_object_get(generator, "nodes");
			long c = image_of_chunk(s, generator, entry(send, 0));
			long a = entry(nodes, (size_t)entry(send, 1)), b = entry(nodes, (size_t)entry(send, 2));
			size_t cell = ((size_t)c * P + (size_t)a) * P + (size_t)b;
			if (c < 0 || a < 0 || b < 0 || cell >= cells || there[cell])
				continue;
			there[cell] = true;
			json_array_append_new(all, json_pack("[i,i,i]", (int)c, (int)a, (int)b));
		}
	free(there);
	return all;
}

/* ---- the play ---- */

static bool read_send(const struct schedule *s, const json_t *send, long *c, long *a, long *b)
{
	*c = json_array_size(send) == 3 ? entry(send, 0) : -1;
	*a = entry(send, 1);
	*b = entry(send, 2);
	return *c >= 0 && *c < s->G && *a >= 0 && *a < s->P && *b >= 0 && *b < s->P && *a != *b &&
	       s->routes[*a * s->P + *b].n;
}

static bool cross(struct schedule *s, size_t at, long c, long a, long b, bool adds)
{
	const struct route *r = &s->routes[a * s->P + b];

	for (int i = 1; i < r->n; i++) {
		bool shared = adds ? s->adds[r->of[i - 1]] : s->copies[r->of[i]];
		if (s->n_hops == s->room) {
			s->room = s->room ? 2 * s->room : 64;
			s->hops = realloc(s->hops, s->room * sizeof *s->hops);
		}
		s->hops[s->n_hops] = (struct hop){r->of[i - 1], r->of[i], shared ? 1 + adds : 0, shared ? c : (long)s->n_hops, adds ? b : a};
		s->n_hops++;
	}
	return !r->several || wrong("step %zu: this judge cannot tell which way %ld sends to %ld", at, a, b);
}

static bool move(struct schedule *s, size_t at, json_t *sends, bool adds, bool *arrived)
{
	json_t *all = s->symmetry ? expanded(s, sends) : json_incref(sends), *send;
	bool ok = true;
	size_t i;

	json_array_foreach(all, i, send) {
		long c, a, b;
		if (!read_send(s, send, &c, &a, &b)) {
			ok = wrong("step %zu, entry %zu: not a send over a link", at, i);
			break;
		}
		set from = s->before[c * s->P + a], *to = &s->parts[c * s->P + b];
		if (!cross(s, at, c, a, b, adds))
			ok = false;
		else if (!from)
			ok = wrong("step %zu: %ld does not have chunk %ld to send", at, a, c);
		else if (!adds && arrived[c * s->P + b])
			ok = wrong("step %zu: chunk %ld arrives at %ld twice", at, c, b);
		else if (adds && (*to & from))
			ok = wrong("step %zu: chunk %ld at %ld would count a part twice", at, c, b);
		if (!ok)
			break;
		*to = adds ? *to | from : from;
		arrived[c * s->P + b] = true;
	}
	json_decref(all);
	return ok;
}

static int by_all(const void *va, const void *vb)
{
	const struct hop *x = va, *y = vb;
	const long a[] = {x->from, x->to, x->sort, x->chunk, x->node}, b[] = {y->from, y->to, y->sort, y->chunk, y->node};

	for (size_t i = 0; i < sizeof a / sizeof *a; i++)
		if (a[i] != b[i])
			return a[i] < b[i] ? -1 : 1;
	return 0;
}

/* Counts the different hops of the step on each link. */
static void count_hops(struct schedule *s)
{
	memset(s->crossed, 0, (size_t)s->V * (size_t)s->V * sizeof *s->crossed);
	if (s->n_hops)
		qsort(s->hops, s->n_hops, sizeof *s->hops, by_all);
	for (size_t i = 0; i < s->n_hops; i++)
		s->crossed[s->hops[i].from * s->V + s->hops[i].to] += i == 0 || by_all(&s->hops[i - 1], &s->hops[i]) != 0;
	s->n_hops = 0;
}

static bool links_suffice(struct schedule *s, size_t at, long rounds)
{
	json_t *limit, *edge;
	size_t l, i;

	count_hops(s);

	for (int a = 0; a < s->V; a++)
		for (int b = 0; b < s->V; b++)
			if (s->crossed[a * s->V + b] > s->width[a * s->V + b] * rounds)
				return wrong("step %zu: link %d to %d carries %ld", at, a, b, s->crossed[a * s->V + b]);
	json_array_foreach(json_object_get(s->topology, "limits"), l, limit) {
		long sum = 0, out_of = number(limit, "out_of", -1), into = number(limit, "into", -1);
		json_array_foreach(json_object_get(limit, "edges"), i, edge)
			if (entry(edge, 0) >= s->V || entry(edge, 1) >= s->V)
				return wrong("limit %zu names no link", l);
			else
				sum += s->crossed[entry(edge, 0) * s->V + entry(edge, 1)];
		if (out_of >= s->V || into >= s->V)
			return wrong("limit %zu names no node", l);
		for (int n = 0; n < s->V; n++)
			sum += (out_of >= 0 ? s->crossed[out_of * s->V + n] : 0) + (into >= 0 ? s->crossed[n * s->V + into] : 0);
		if (sum > number(limit, "bandwidth", 0) * rounds)
			return wrong("step %zu: limit %zu carries %ld", at, l, sum);
	}
	return true;
}

static bool play(struct schedule *s, const json_t *cost)
{
	size_t cells = (size_t)s->G * (size_t)s->P, at;
	json_t *step;
	long rounds = 0;

	json_array_foreach(s->steps, at, step) {
		long r = number(step, "rounds", 0);
		json_t *reduces = json_object_get(step, "reduces");
		bool *arrived = calloc(cells, 1);
		memcpy(s->before, s->parts, cells * sizeof *s->parts);
		bool ok = r >= 1 || wrong("step %zu has %ld rounds", at, r);
		ok = ok && (!json_array_size(reduces) || s->sums || wrong("step %zu reduces", at));
		ok = ok && move(s, at, json_object_get(step, "sends"), false, arrived);
		ok = ok && (!reduces || move(s, at, reduces, true, arrived));
		free(arrived);
		if (!ok || !links_suffice(s, at, r))
			return false;
		rounds += r;
	}
	char ratio[64];
	long x = rounds, y = s->C;
	while (y) {
		long rest = x % y;
		x = y, y = rest;
	}
	snprintf(ratio, sizeof ratio, s->C / x > 1 ? "%ld/%ld" : "%ld", rounds / x, s->C / x);
	const char *stated = json_string_value(json_object_get(cost, "bandwidth"));
	if (number(cost, "steps", -1) != (long)at || number(cost, "rounds", -1) != rounds || !stated || strcmp(stated, ratio))
		return wrong("the stated cost is not the schedule's");
	return true;
}

static bool delivered(const struct schedule *s)
{
	for (int c = 0; c < s->G; c++) {
		set whole = 0;
		for (int n = 0; n < s->P; n++)
			if (starts_at(s, c, n))
				whole |= s->sums ? (set)1 << n : 1;
		for (int n = 0; n < s->P; n++)
			if (ends_at(s, c, n) && s->parts[c * s->P + n] != whole)
				return wrong("chunk %d is not whole at %d in the end", c, n);
	}
	return true;
}

static bool judge(const json_t *file)
{
	struct schedule s = {.collective = json_object_get(file, "collective"), .topology = json_object_get(file, "topology"),
			     .steps = json_object_get(file, "steps"), .symmetry = json_object_get(file, "symmetry")};
	bool ok = read_machine(&s) && read_collective(&s, file);

	if (ok) {
		size_t cells = (size_t)s.G * (size_t)s.P;
		s.parts = calloc(cells, sizeof *s.parts);
		s.before = calloc(cells, sizeof *s.before);
		s.crossed = calloc((size_t)s.V * (size_t)s.V, sizeof *s.crossed);
		for (int c = 0; c < s.G; c++)
			for (int n = 0; n < s.P; n++)
				if (starts_at(&s, c, n))
					s.parts[c * s.P + n] = s.sums ? (set)1 << n : 1;
		ok = play(&s, json_object_get(file, "cost")) && delivered(&s);
	}
	free(s.width);
	free(s.routes);
	free(s.parts);
	free(s.before);
	free(s.crossed);
	free(s.copies);
	free(s.adds);
	free(s.hops);
	return ok;
}

/* Every send of a found schedule is needed: without any one of them the judge must object. */
static bool objects_to_mutants(const json_t *file, const char *path)
{
	static const char *const lists[] = {"sends", "reduces"};
	size_t n_steps = json_array_size(json_object_get(file, "steps"));

	for (size_t at = 0; at < n_steps; at++)
		for (size_t l = 0; l < 2; l++) {
			json_t *step = json_array_get(json_object_get(file, "steps"), at);
			size_t n = json_array_size(json_object_get(step, lists[l]));
			for (size_t i = 0; i < n; i += 1 + n / 8) {
				json_t *copy = json_deep_copy(file);
				step = json_array_get(json_object_get(copy, "steps"), at);
				json_array_remove(json_object_get(step, lists[l]), i);
				bool passed = judge(copy);
				json_decref(copy);
				if (passed) {
					printf("FAULT %s: it passes without %s[%zu] of step %zu\n", path, lists[l], i, at);
					return false;
				}
			}
		}
	return true;
}

static bool check_file(const char *path, bool mutants)
{
	json_error_t e;
	json_t *file = json_load_file(path, JSON_REJECT_DUPLICATES, &e);
	const char *format = json_string_value(json_object_get(file, "format"));
	bool ok = false;

	if (!file)
		printf("FAULT %s: %s\n", path, e.text);
	else if (!format || strcmp(format, "sccl-algorithm") != 0)
		printf("FAULT %s: not an algorithm\n", path);
	else if (!judge(file))
		printf("FAULT %s: %s\n", path, fault);
	else
		ok = !mutants || objects_to_mutants(file, path);
	if (ok)
		printf("ok %s\n", path);
	json_decref(file);
	return ok;
}

int main(int argc, char **argv)
{
	bool mutants = argc > 1 && strcmp(argv[1], "--mutants") == 0, ok = true;

	if (argc < (mutants ? 3 : 2)) {
		fputs("usage: second_check [--mutants] FILE...\n", stderr);
		return 2;
	}
	for (int i = mutants ? 2 : 1; i < argc; i++)
		ok = check_file(argv[i], mutants) && ok;
	return ok ? 0 : 1;
}

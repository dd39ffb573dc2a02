/* Generators: their representation, their action on chunk numbers, and their JSON form. */

#include "core/schedule/symmetry.h"

#include "core/base/error.h"
#include "core/base/json.h"
#include "core/base/memory.h"
#include "core/base/text.h"

#include <stdlib.h>
#include <string.h>

struct symmetry *symmetry_new(const struct collective *k, int nodes, int global_chunks)
{
	struct symmetry *y = new(struct symmetry);

	y->nodes = nodes;
	y->digits = collective_row(k)->node_digits;
	y->period = 1;
	for (int d = 0; d < y->digits; d++)
		y->period *= nodes;
	y->parts = global_chunks / y->period;
	return y;
}

void symmetry_add(struct symmetry *y, const int *nodes, const int *parts)
{
	size_t capacity = y->n;
	struct generator g = {copy_bytes(nodes, (size_t)y->nodes * sizeof *nodes), new_array(int, (size_t)y->parts)};

	for (int k = 0; k < y->parts; k++)
		g.parts[k] = parts ? parts[k] : k;
	y->generators = grown(y->generators, &capacity, y->n + 1, sizeof g);
	y->generators[y->n++] = g;
}

struct symmetry *symmetry_copy(const struct symmetry *y)
{
	if (!y)
		return NULL;
	struct symmetry *copy = copy_bytes(y, sizeof *y);
	copy->n = 0;
	copy->generators = NULL;
	for (size_t i = 0; i < y->n; i++)
		symmetry_add(copy, y->generators[i].nodes, y->generators[i].parts);
	return copy;
}

void symmetry_free(struct symmetry *y)
{
	if (!y)
		return;
	for (size_t i = 0; i < y->n; i++) {
		free(y->generators[i].nodes);
		free(y->generators[i].parts);
	}
	free(y->generators);
	free(y);
}

static bool same_images(const int *a, const int *b, int n)
{
	return memcmp(a, b, (size_t)n * sizeof *a) == 0;
}

bool symmetry_same(const struct symmetry *a, const struct symmetry *b)
{
	bool same = a->n == b->n && a->nodes == b->nodes && a->parts == b->parts && a->period == b->period;

	for (size_t i = 0; i < a->n && same; i++)
		same = same_images(a->generators[i].nodes, b->generators[i].nodes, a->nodes) &&
		       same_images(a->generators[i].parts, b->generators[i].parts, a->parts);
	return same;
}

struct symmetry *symmetry_scaled(const struct symmetry *y, int m)
{
	if (!y)
		return NULL;
	struct symmetry *scaled = copy_bytes(y, sizeof *y);
	int *parts = new_array(int, (size_t)y->parts * (size_t)m);
	scaled->n = 0;
	scaled->generators = NULL;
	scaled->parts = y->parts * m;
	for (size_t i = 0; i < y->n; i++) {
		for (int k = 0; k < scaled->parts; k++)
			parts[k] = y->generators[i].parts[k / m] * m + k % m;
		symmetry_add(scaled, y->generators[i].nodes, parts);
	}
	free(parts);
	return scaled;
}

struct symmetry *symmetry_by_chunks(const struct symmetry *y)
{
	struct symmetry *listed = copy_bytes(y, sizeof *y);
	int chunks = y->parts * y->period, *images = new_array(int, (size_t)chunks);

	listed->n = 0;
	listed->generators = NULL;
	listed->parts = chunks;
	listed->digits = 0;
	listed->period = 1;
	for (size_t i = 0; i < y->n; i++) {
		for (int c = 0; c < chunks; c++)
			images[c] = symmetry_chunk(y, &y->generators[i], c);
		symmetry_add(listed, y->generators[i].nodes, images);
	}
	free(images);
	return listed;
}

int symmetry_chunk(const struct symmetry *y, const struct generator *g, int chunk)
{
	int rest = chunk % y->period, out = g->parts[chunk / y->period] * y->period, weight = 1;
	for (int d = 0; d < y->digits; d++, rest /= y->nodes, weight *= y->nodes)
		out += g->nodes[rest % y->nodes] * weight;
	return out;
}

static bool read_images(const struct json_place *at, int n, int **out, struct error *e)
{
	size_t length;

	if (!json_array_length(at, &length, e))
		return false;
	if (length != (size_t)n)
		return json_fault(at, e, "must list the images of %d", n);
	*out = new_array(int, length);
	bool *seen = new_array(bool, length), ok = true;
	for (size_t i = 0; i < length && ok; i++) {
		struct json_place image = json_element(at, i);
		ok = json_get_int(&image, 0, n - 1, &(*out)[i], e) &&
		     (!seen[(*out)[i]] || json_fault(&image, e, "%d is the image of two elements", (*out)[i]));
		if (ok)
			seen[(*out)[i]] = true;
	}
	free(seen);
	return ok;
}

/* Custom collectives and allreduce list the images of all chunks, as each chunk is a part. */
static const char *parts_key(const struct collective *k)
{
	return k->kind == CUSTOM || k->kind == ALLREDUCE ? "chunks" : "parts";
}

static bool read_generator(const struct json_place *at, const struct collective *k, struct symmetry *y, struct error *e)
{
	const char *const keys[] = {"nodes", parts_key(k), NULL};
	struct json_place nodes, parts;
	int *n = NULL, *p = NULL;
	bool ok = json_object_with(at, keys, e) && json_member_needed(at, "nodes", &nodes, e) && read_images(&nodes, y->nodes, &n, e) &&
		  json_member_needed(at, keys[1], &parts, e) && read_images(&parts, y->parts, &p, e);

	if (ok)
		symmetry_add(y, n, p);
	free(n);
	free(p);
	return ok;
}

bool symmetry_read(const struct json_place *at, const struct collective *k, int nodes, int global_chunks, struct symmetry **out,
		   struct error *e)
{
	size_t n;

	*out = symmetry_new(k, nodes, global_chunks);
	bool ok = json_array_length(at, &n, e) &&
		  (n <= GENERATORS_MAX || json_fault(at, e, "has %zu generators; at most %d are allowed", n, GENERATORS_MAX));
	for (size_t i = 0; ok && i < n; i++) {
		struct json_place generator = json_element(at, i);
		ok = read_generator(&generator, k, *out, e);
	}
	if (ok)
		return true;
	symmetry_free(*out);
	*out = NULL;
	return false;
}

static void write_images(struct text *into, const char *key, const int *images, int n)
{
	text_add(into, "\"%s\": [", key);
	for (int i = 0; i < n; i++)
		text_add(into, i ? ", %d" : "%d", images[i]);
	text_add(into, "]");
}

void symmetry_write(const struct symmetry *y, const struct collective *k, struct text *into)
{
	text_add(into, "[");
	for (size_t i = 0; i < y->n; i++) {
		text_add(into, "%s\n    {", i ? "," : "");
		write_images(into, "nodes", y->generators[i].nodes, y->nodes);
		text_add(into, ", ");
		write_images(into, parts_key(k), y->generators[i].parts, y->parts);
		text_add(into, "}");
	}
	text_add(into, "\n  ]");
}

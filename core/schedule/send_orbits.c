/*
 * By the orbit-stabilizer theorem: a send is mapped to one of the least chunk of its orbit, and its images under the
 * stabilizer of that chunk are its orbit's sends of that chunk. The orbit's size is the order of the group divided by
 * the number of elements that fix the send.
 */

#include "core/schedule/send_orbits.h"

#include "core/base/memory.h"

#include <stdlib.h>

enum { ELEMENTS_MAX = 1 << 20, WORK_MAX = 1 << 28 };

static bool find_chunk_orbits(struct send_orbits *o, size_t listed)
{
	size_t work = 0;
	bool moves_all = true;

	o->first = new_array(int, (size_t)o->chunks);
	o->size = new_array(size_t, (size_t)o->chunks);
	o->element = new_array(size_t, (size_t)o->chunks);
	o->is_first = new_array(unsigned char, (size_t)o->chunks);
	for (int c = 0; c < o->chunks; c++)
		o->first[c] = -1;
	for (int c = 0; c < o->chunks; c++) {
		if (o->first[c] >= 0)
			continue;
		work += o->group.n;
		if (work > WORK_MAX)
			return false;
		o->is_first[c] = 1;
		for (size_t i = 0; i < o->group.n; i++) {
			int image = elements_chunk(o->symmetry, &o->group, i, c);
			if (o->first[image] < 0) {
				o->first[image] = c;
				o->element[image] = i;
				o->size[c]++;
			}
		}
		moves_all = moves_all && o->size[c] == o->group.n;
	}
	/* The stabilizer of the chunk may have to be computed for each send. */
	return moves_all || listed <= (WORK_MAX - work) / o->group.n;
}

bool send_orbits_new(const struct symmetry *y, int chunks, size_t listed, struct send_orbits *out)
{
	*out = (struct send_orbits){.symmetry = y, .chunks = chunks, .stabilized = -1, .inverted = SIZE_MAX};
	if (!elements_new(y, ELEMENTS_MAX, &out->group) || !find_chunk_orbits(out, listed)) {
		send_orbits_free(out);
		return false;
	}
	out->stabilizer = new_array(size_t, out->group.n);
	out->inverse = new_array(uint16_t, (size_t)y->nodes);
	return true;
}

void send_orbits_free(struct send_orbits *o)
{
	elements_free(&o->group);
	free(o->first);
	free(o->element);
	free(o->size);
	free(o->is_first);
	free(o->stabilizer);
	free(o->inverse);
	*o = (struct send_orbits){0};
}

static const uint16_t *images(const struct send_orbits *o, size_t element)
{
	return o->group.nodes + element * (size_t)o->symmetry->nodes;
}

/* Computes the stabilizer of CHUNK, the least of its orbit. */
static void find_stabilizer(struct send_orbits *o, int chunk)
{
	if (o->stabilized == chunk)
		return;
	o->stabilized = chunk;
	o->n_stabilizer = 0;
	if (o->size[chunk] == o->group.n) {
		o->stabilizer[o->n_stabilizer++] = 0; /* only the identity */
		return;
	}
	for (size_t i = 0; i < o->group.n; i++)
		if (elements_chunk(o->symmetry, &o->group, i, chunk) == chunk)
			o->stabilizer[o->n_stabilizer++] = i;
}

/* The node that the element maps to N. */
static int back(struct send_orbits *o, size_t element, int n)
{
	const uint16_t *nodes = images(o, element);

	if (element != o->inverted)
		for (int i = 0; i < o->symmetry->nodes; i++)
			o->inverse[nodes[i]] = (uint16_t)i;
	o->inverted = element;
	return o->inverse[n];
}

int64_t send_orbits_add(struct send_orbits *o, struct send s, struct send_set *known, struct send **to, size_t *n, size_t *capacity)
{
	size_t by = o->element[s.chunk], same = 0;
	struct send at = {o->first[s.chunk], back(o, by, s.src), back(o, by, s.dst)};

	if (!send_set_add(known, at))
		return 0;
	find_stabilizer(o, at.chunk);
	for (size_t k = 0; k < o->n_stabilizer; k++) {
		const uint16_t *nodes = images(o, o->stabilizer[k]);
		struct send image = {at.chunk, nodes[at.src], nodes[at.dst]};
		bool itself = image.src == at.src && image.dst == at.dst;
		same += itself;
		/* The identity, which comes first, gives AT itself, which is in KNOWN already. */
		if ((k > 0 && (itself || !send_set_add(known, image))) || !to)
			continue;
		*to = grown(*to, capacity, *n + 1, sizeof image);
		(*to)[(*n)++] = image;
	}
	return (int64_t)(o->group.n / same);
}

/*
 * Expands the compact form of an algorithm: the closure of its sends under the generators of its symmetry. The size is
 * counted by orbits first if the group is small enough.
 */

#include "core/schedule/algorithm_parts.h"

#include "core/base/error.h"
#include "core/base/memory.h"
#include "core/schedule/send_orbits.h"

#include <stdint.h>
#include <stdlib.h>

/*
 * How many images may be examined while the number of sends is unknown: in a first attempt, and if the group is too
 * large to count them (about a second).
 */
enum { IMAGES_FEW = 1 << 20, IMAGES_MAX = 1 << 23 };

size_t algorithm_listed(const struct algorithm *a)
{
	size_t n = 0;

	for (size_t s = 0; s < a->n_steps; s++)
		n += a->steps[s].n_sends + a->steps[s].n_reduces;
	return n;
}

static int64_t list_size(struct send_orbits *o, const struct send *list, size_t n)
{
	struct send_set known = {0};
	int64_t size = 0;

	for (size_t i = 0; i < n; i++)
		size += send_orbits_add(o, list[i], &known, NULL, NULL, NULL);
	send_set_free(&known);
	return size;
}

bool algorithm_full_size(const struct algorithm *a, int64_t *size)
{
	struct send_orbits o;

	*size = (int64_t)algorithm_listed(a);
	if (!a->symmetry)
		return true;
	if (!send_orbits_new(a->symmetry, a->global_chunks, (size_t)*size, &o))
		return false;
	*size = 0;
	for (size_t s = 0; s < a->n_steps; s++)
		*size += list_size(&o, a->steps[s].sends, a->steps[s].n_sends) + list_size(&o, a->steps[s].reduces, a->steps[s].n_reduces);
	send_orbits_free(&o);
	return true;
}

/* How many sends an expansion may still produce, and images it may still examine. */
struct allowance {
	size_t sends, images;
};

static void append(struct send **list, size_t *n, size_t *capacity, struct send s)
{
	*list = grown(*list, capacity, *n + 1, sizeof s);
	(*list)[(*n)++] = s;
}

/* Appends the list and all its images to *OUT, each once. False: that exceeds what is left. */
static bool add_images(const struct symmetry *y, const struct send *list, size_t n, struct allowance *left, struct send **out, size_t *n_out)
{
	struct send_set seen = {0};
	size_t capacity = 0;

	for (size_t i = 0; i < n; i++)
		if (send_set_add(&seen, list[i]))
			append(out, n_out, &capacity, list[i]);
	for (size_t i = 0; i < *n_out && *n_out <= left->sends && i * y->n <= left->images; i++)
		for (size_t k = 0; k < y->n; k++) {
			const struct generator *g = &y->generators[k];
			struct send s = (*out)[i];
			struct send image = {symmetry_chunk(y, g, s.chunk), g->nodes[s.src], g->nodes[s.dst]};
			if (send_set_add(&seen, image))
				append(out, n_out, &capacity, image);
		}
	send_set_free(&seen);
	if (*n_out > left->sends || *n_out * y->n > left->images)
		return false;
	left->sends -= *n_out;
	left->images -= *n_out * y->n;
	return true;
}

/* A send that is listed twice stays repeated: to report that is up to the verifier, as in the full form. */
static void keep_repeated(const struct send *list, size_t n, struct send **out, size_t *n_out)
{
	struct send_set seen = {0};
	size_t capacity = *n_out;

	for (size_t i = 0; i < n; i++)
		if (!send_set_add(&seen, list[i]))
			append(out, n_out, &capacity, list[i]);
	send_set_free(&seen);
}

static bool expand_list(const struct symmetry *y, const struct send *list, size_t n, struct allowance *left, struct send **out, size_t *n_out)
{
	if (!add_images(y, list, n, left, out, n_out))
		return false;
	keep_repeated(list, n, out, n_out);
	return true;
}

static struct step *expand_steps(const struct algorithm *a, struct allowance left)
{
	struct step *into = new_array(struct step, a->n_steps);

	for (size_t s = 0; s < a->n_steps; s++) {
		const struct step *from = &a->steps[s];
		into[s].rounds = from->rounds;
		if (!expand_list(a->symmetry, from->sends, from->n_sends, &left, &into[s].sends, &into[s].n_sends) ||
		    !expand_list(a->symmetry, from->reduces, from->n_reduces, &left, &into[s].reduces, &into[s].n_reduces)) {
			steps_free(into, a->n_steps);
			return NULL;
		}
		step_sort(&into[s]);
	}
	return into;
}

/* NULL with *e set: too many sends. They are counted before they are listed. */
static struct step *expand_counted(const struct algorithm *a, size_t most, struct error *e)
{
	int64_t size;
	bool known = algorithm_full_size(a, &size);
	struct step *steps = NULL;

	if (known && (size_t)size > most)
		error_set(e, ERROR_LIMIT, a->name, "has %lld sends in full; at most %zu can be listed here", (long long)size, most);
	else
		steps = expand_steps(a, (struct allowance){most, known ? SIZE_MAX : IMAGES_MAX});
	if (!steps)
		error_set(e, ERROR_LIMIT, a->name, "takes too long to list in full, or has more than the %zu sends that can be listed here: "
			  "its symmetry has too many elements to count them", most);
	return steps;
}

/* Replaces the compact form of A by STEPS, of which it takes ownership. False if they are NULL. */
static bool set_full(struct algorithm *a, struct step *steps)
{
	if (!steps)
		return false;
	steps_free(a->steps, a->n_steps);
	a->steps = steps;
	symmetry_free(a->symmetry);
	a->symmetry = NULL;
	return true;
}

bool algorithm_expand_few(struct algorithm *a, size_t most)
{
	return algorithm_listed(a) <= most &&
	       (!a->symmetry || set_full(a, expand_steps(a, (struct allowance){most, IMAGES_FEW})));
}

bool algorithm_expand_up_to(struct algorithm *a, size_t most, struct error *e)
{
	size_t listed = algorithm_listed(a);

	if (listed > most)
		return error_set(e, ERROR_LIMIT, a->name, "lists %zu sends; at most %zu are allowed here", listed, most);
	return algorithm_expand_few(a, most) || set_full(a, expand_counted(a, most, e));
}

bool algorithm_expand(struct algorithm *a, struct error *e)
{
	return algorithm_expand_up_to(a, EXPANDED_MAX, e);
}

/*
 * A custom collective is a list of (chunk, node) pairs for each of pre and post, plus the order of the chunks in each
 * buffer. Cutting each chunk into parts repeats the lists with shifted chunk numbers.
 */

#include "core/schedule/collective_custom.h"

#include "core/base/csr.h"
#include "core/base/memory.h"

#include <stdlib.h>
#include <string.h>

int placement_order(const void *a, const void *b)
{
	const struct placement *p = a, *q = b;
	return p->chunk != q->chunk ? (p->chunk > q->chunk) - (p->chunk < q->chunk) : (p->node > q->node) - (p->node < q->node);
}

bool placement_listed(const struct placement *list, size_t n, int chunk, int node)
{
	struct placement key = {chunk, node};
	return bsearch(&key, list, n, sizeof *list, placement_order) != NULL;
}

int custom_cut(const struct custom *c)
{
	return c->cut > 1 ? c->cut : 1;
}

int custom_period(const struct custom *c)
{
	return c->global_chunks / custom_cut(c);
}

/*
 * The entries of a node are listed by ascending chunk: all first parts, then all second parts. In its buffer, however,
 * the parts of one chunk are contiguous.
 */
void custom_default_order(const struct placement *list, size_t n, int nodes, int cut, int **begin, int **order)
{
	int *seen = new_array(int, (size_t)nodes);

	*begin = csr_offsets(nodes, n ? &list->node : NULL, n, sizeof *list);
	*order = new_array(int, n);
	for (size_t i = 0; i < n; i++) {
		int node = list[i].node, whole = ((*begin)[node + 1] - (*begin)[node]) / cut, nth = seen[node]++;
		(*order)[(*begin)[node] + nth % whole * cut + nth / whole] = list[i].chunk;
	}
	free(seen);
}

struct custom *custom_new(int nodes, int cut, bool combining, struct placement *pre, size_t n_pre, struct placement *post,
			  size_t n_post)
{
	struct custom *c = new(struct custom);

	qsort(pre, n_pre, sizeof *pre, placement_order);
	qsort(post, n_post, sizeof *post, placement_order);
	*c = (struct custom){.combining = combining, .cut = cut, .n_pre = n_pre, .n_post = n_post, .pre = pre, .post = post,
			     .nodes = nodes, .global_chunks = n_pre ? pre[n_pre - 1].chunk + 1 : 0};
	custom_default_order(pre, n_pre, nodes, cut, &c->inputs_begin, &c->inputs);
	custom_default_order(post, n_post, nodes, cut, &c->outputs_begin, &c->outputs);
	return c;
}

void custom_free(struct custom *c)
{
	if (!c)
		return;
	free(c->pre);
	free(c->post);
	free(c->inputs_begin);
	free(c->inputs);
	free(c->outputs_begin);
	free(c->outputs);
	free(c->roots);
	free(c);
}

static int *copied(const int *list, size_t n)
{
	return copy_bytes(list, n * sizeof *list);
}

struct custom *custom_copy(const struct custom *c)
{
	struct custom *copy = copy_bytes(c, sizeof *c);

	copy->pre = copy_bytes(c->pre, c->n_pre * sizeof *c->pre);
	copy->post = copy_bytes(c->post, c->n_post * sizeof *c->post);
	copy->inputs_begin = copied(c->inputs_begin, (size_t)c->nodes + 1);
	copy->inputs = copied(c->inputs, c->n_pre);
	copy->outputs_begin = copied(c->outputs_begin, (size_t)c->nodes + 1);
	copy->outputs = copied(c->outputs, c->n_post);
	copy->roots = copied(c->roots, (size_t)c->n_roots);
	return copy;
}

/*
 * Converts a list of chunks cut into FROM parts to one of chunks cut into TO parts. As the list repeats, its first part
 * is copied TO times.
 */
static struct placement *recut(const struct placement *list, size_t n, int period, int from, int to, size_t *n_out)
{
	size_t each = n / (size_t)from;
	struct placement *out = new_array(struct placement, each * (size_t)to);

	*n_out = 0;
	for (int t = 0; t < to; t++)
		for (size_t i = 0; i < each; i++)
			out[(*n_out)++] = (struct placement){t * period + list[i].chunk, list[i].node};
	return out;
}

/* The same for buffers: position i * TO + t gets part t of the chunk of the file that starts at position i * FROM. */
static void recut_order(const int *begin, const int *order, int nodes, int period, int from, int to, int *into)
{
	for (int i = 0; i < begin[nodes] / from; i++)
		for (int t = 0; t < to; t++)
			into[i * to + t] = t * period + order[i * from];
}

static struct custom *custom_recut(const struct custom *c, int to)
{
	int from = custom_cut(c), period = custom_period(c);
	size_t n_pre = 0, n_post = 0;
	struct placement *pre = recut(c->pre, c->n_pre, period, from, to, &n_pre);
	struct placement *post = recut(c->post, c->n_post, period, from, to, &n_post);
	struct custom *out = custom_new(c->nodes, to, c->combining, pre, n_pre, post, n_post);

	recut_order(c->inputs_begin, c->inputs, c->nodes, period, from, to, out->inputs);
	recut_order(c->outputs_begin, c->outputs, c->nodes, period, from, to, out->outputs);
	out->called = c->called;
	out->n_roots = c->n_roots;
	out->roots = copied(c->roots, (size_t)c->n_roots);
	return out;
}

struct custom *custom_scaled(const struct custom *c, int parts)
{
	return custom_recut(c, custom_cut(c) * parts);
}

struct custom *custom_unscaled(const struct custom *c)
{
	return custom_recut(c, 1);
}

static bool same_numbers(const int *a, size_t n_a, const int *b, size_t n_b)
{
	return n_a == n_b && (n_a == 0 || memcmp(a, b, n_a * sizeof *a) == 0);
}

static bool same_placements(const struct placement *a, size_t n_a, const struct placement *b, size_t n_b)
{
	return n_a == n_b && (n_a == 0 || memcmp(a, b, n_a * sizeof *a) == 0);
}

/* The offsets of the buffers need no comparison: they follow from the lists. */
static bool same_uncut(const struct custom *a, const struct custom *b)
{
	return a->combining == b->combining && a->nodes == b->nodes && same_placements(a->pre, a->n_pre, b->pre, b->n_pre) &&
	       same_placements(a->post, a->n_post, b->post, b->n_post) && same_numbers(a->inputs, a->n_pre, b->inputs, b->n_pre) &&
	       same_numbers(a->outputs, a->n_post, b->outputs, b->n_post);
}

bool custom_same(const struct custom *a, const struct custom *b)
{
	if (!same_numbers(a->roots, (size_t)a->n_roots, b->roots, (size_t)b->n_roots) || (a->n_roots && a->called != b->called))
		return false;
	struct custom *x = custom_unscaled(a), *y = custom_unscaled(b);
	bool same = same_uncut(x, y);

	custom_free(x);
	custom_free(y);
	return same;
}

struct custom *custom_inverted(const struct custom *c)
{
	struct custom *out = custom_copy(c), was = *out;

	out->combining = false;
	free(out->roots); /* the name of the rooted kind does not apply to the inverse */
	out->roots = NULL;
	out->n_roots = 0;
	out->pre = was.post;
	out->n_pre = was.n_post;
	out->inputs = was.outputs;
	out->inputs_begin = was.outputs_begin;
	out->post = was.pre;
	out->n_post = was.n_pre;
	out->outputs = was.inputs;
	out->outputs_begin = was.inputs_begin;
	return out;
}

/* The kinds of collectives as a table of predicates on (chunk, node). A custom one looks them up in its lists. */

#include "core/schedule/collective.h"

#include "core/schedule/collective_custom.h"
#include "core/base/error.h"

#include <stdint.h>

static int chunks_each(const struct collective *k, int nodes, int chunks)
{
	(void)k;
	return nodes * chunks;
}

static int chunks_in_all(const struct collective *k, int nodes, int chunks)
{
	(void)k;
	(void)nodes;
	return chunks;
}

static int chunks_listed(const struct collective *k, int nodes, int chunks)
{
	(void)nodes;
	(void)chunks;
	return k->custom->global_chunks;
}

static bool at_own(const struct collective *k, int nodes, int chunk, int node)
{
	(void)k;
	return chunk % nodes == node;
}

static bool at_target(const struct collective *k, int nodes, int chunk, int node)
{
	(void)k;
	return chunk / nodes % nodes == node;
}

static bool at_root(const struct collective *k, int nodes, int chunk, int node)
{
	(void)nodes;
	(void)chunk;
	return node == k->root;
}

static bool everywhere(const struct collective *k, int nodes, int chunk, int node)
{
	(void)k;
	(void)nodes;
	(void)chunk;
	(void)node;
	return true;
}

static bool listed_before(const struct collective *k, int nodes, int chunk, int node)
{
	(void)nodes;
	return placement_listed(k->custom->pre, k->custom->n_pre, chunk, node);
}

static bool listed_after(const struct collective *k, int nodes, int chunk, int node)
{
	(void)nodes;
	return placement_listed(k->custom->post, k->custom->n_post, chunk, node);
}

static const struct collective_row rows[COLLECTIVE_KINDS] = {
	[ALLGATHER] = {"allgather", "every node ends with the inputs of all", false, false, false, ALLGATHER, 1,
		       chunks_each, at_own, everywhere},
	[BROADCAST] = {"broadcast", "every node ends with the root's buffer", true, false, false, BROADCAST, 0,
		       chunks_in_all, at_root, everywhere},
	[GATHER] = {"gather", "the root ends with the inputs of all", true, false, false, GATHER, 1,
		    chunks_each, at_own, at_root},
	[SCATTER] = {"scatter", "each node ends with its block of the root's buffer", true, false, true, GATHER, 1,
		     chunks_in_all, at_root, at_own},
	[ALLTOALL] = {"alltoall", "each node ends with its block of every node's input", false, false, true, ALLTOALL, 2,
		      chunks_each, at_own, at_target},
	[REDUCE] = {"reduce", "the root ends with the sum of all inputs", true, true, false, BROADCAST, 0,
		    chunks_in_all, everywhere, at_root},
	[REDUCESCATTER] = {"reducescatter", "each node ends with its block of the sum of all inputs", false, true, true,
			   ALLGATHER, 1, chunks_in_all, everywhere, at_own},
	[ALLREDUCE] = {"allreduce", "every node ends with the sum of all inputs", false, true, false, ALLREDUCE, 0,
		       chunks_in_all, everywhere, everywhere},
	[SCAN] = {"scan", "each node ends with the sum of the inputs of all nodes up to itself", false, true, false, SCAN, 0,
		  chunks_in_all, everywhere, everywhere},
	[CUSTOM] = {"custom", "what a file lists", false, false, false, CUSTOM, 0,
		    chunks_listed, listed_before, listed_after},
};

static const struct collective_row combining_custom = {"custom", "what a file lists, in sums", false, true, false, CUSTOM, 0,
						       chunks_listed, listed_before, listed_after};

const struct collective_row *collective_row(const struct collective *k)
{
	return k->kind == CUSTOM && k->custom->combining ? &combining_custom : &rows[k->kind];
}

const struct collective_row *collective_rows(void)
{
	return rows;
}

const char *collective_name(const struct collective *k)
{
	return rows[k->kind].name;
}

bool collective_takes_prices(const struct collective *k)
{
	return k->kind == ALLTOALL || (k->kind == CUSTOM && !k->custom->combining);
}

bool collective_solved_backwards(const struct collective *k)
{
	return collective_row(k)->inverse != k->kind || (k->kind == CUSTOM && k->custom->combining);
}

struct collective collective_copy(const struct collective *k)
{
	struct collective copy = *k;
	if (k->custom)
		copy.custom = custom_copy(k->custom);
	return copy;
}

void collective_free(struct collective *k)
{
	custom_free(k->custom);
	k->custom = NULL;
}

bool collective_same(const struct collective *a, const struct collective *b)
{
	return a->kind == b->kind && a->root == b->root && (a->kind != CUSTOM || custom_same(a->custom, b->custom));
}

struct collective collective_scaled(const struct collective *k, int chunks)
{
	struct collective out = *k;
	if (k->custom)
		out.custom = custom_scaled(k->custom, chunks);
	return out;
}

struct collective collective_unscaled(const struct collective *k)
{
	struct collective out = *k;
	if (k->custom)
		out.custom = custom_unscaled(k->custom);
	return out;
}

int collective_period(const struct collective *k, int nodes)
{
	int period = 1;

	if (k->kind == CUSTOM)
		return custom_period(k->custom);
	for (int digit = 0; digit < rows[k->kind].node_digits; digit++)
		period *= nodes;
	return period;
}

/* Run backwards, a sum is distributed from the node that wants it: there must be exactly one. */
static bool custom_inverse(const struct collective *k, struct collective *out, struct error *e)
{
	const struct custom *c = k->custom;
	size_t n = 0;

	while (n < c->n_post && c->post[n].chunk == (int)n)
		n++;
	if (n < (size_t)c->global_chunks || n < c->n_post) {
		int wrong = n < c->n_post && c->post[n].chunk < (int)n ? c->post[n].chunk : (int)n;
		return error_set(e, ERROR_INPUT, "custom", "the sum of chunk %d must be wanted at exactly one node: "
				 "a combining collective is solved as an inverse", wrong);
	}
	*out = (struct collective){CUSTOM, 0, custom_inverted(c)};
	return true;
}

bool collective_inverse(const struct collective *k, struct collective *out, struct error *e)
{
	if (!collective_solved_backwards(k))
		return error_set(e, ERROR_INPUT, collective_name(k), "is not the inverse of another collective");
	if (k->kind == CUSTOM)
		return custom_inverse(k, out, e);
	*out = (struct collective){rows[k->kind].inverse, k->root, NULL};
	return true;
}

/* If it is scaled to C already, its lists are short enough; otherwise they must be after scaling. */
static bool check_custom(const struct custom *c, int nodes, int chunks, struct error *e)
{
	size_t longest = c->n_pre > c->n_post ? c->n_pre : c->n_post;

	if (c->nodes != nodes)
		return error_set(e, ERROR_INPUT, "custom", "the collective is for %d nodes, but the topology has %d", c->nodes, nodes);
	if (custom_cut(c) == chunks)
		return true;
	if (custom_cut(c) != 1)
		return error_set(e, ERROR_INPUT, "custom", "the chunks are cut into %d parts, not %d", c->cut, chunks);
	if ((int64_t)c->global_chunks * chunks > CHUNKS_MAX || (int64_t)longest * chunks > PLACEMENTS_MAX)
		return error_set(e, ERROR_INPUT, "custom", "C = %d: %d chunks, each cut into that many parts, are too many", chunks, c->global_chunks);
	return true;
}

bool collective_check(const struct collective *k, int nodes, int chunks, struct error *e)
{
	const struct collective_row *row = collective_row(k);

	if (chunks < 1)
		return error_set(e, ERROR_INPUT, row->name, "C must be at least 1, not %d", chunks);
	if (row->rooted && (k->root < 0 || k->root >= nodes))
		return error_set(e, ERROR_INPUT, row->name, "there is no root %d: the nodes are 0 to %d", k->root, nodes - 1);
	if (k->kind == CUSTOM)
		return check_custom(k->custom, nodes, chunks, e);
	if (row->chunks_in_blocks && chunks % nodes != 0)
		return error_set(e, ERROR_INPUT, row->name, "C must be a multiple of %d (the number of nodes), not %d", nodes, chunks);
	if (chunks > CHUNKS_MAX || (row->global_chunks == chunks_each && (int64_t)chunks * nodes > CHUNKS_MAX))
		return error_set(e, ERROR_INPUT, row->name, "C = %d on %d nodes makes more than %d chunks", chunks, nodes,
				 (int)CHUNKS_MAX);
	return true;
}

int collective_global_chunks(const struct collective *k, int nodes, int chunks)
{
	return rows[k->kind].global_chunks(k, nodes, chunks);
}

bool collective_pre(const struct collective *k, int nodes, int chunk, int node)
{
	return rows[k->kind].pre(k, nodes, chunk, node);
}

bool collective_post(const struct collective *k, int nodes, int chunk, int node)
{
	return rows[k->kind].post(k, nodes, chunk, node);
}

bool collective_wants_part(const struct collective *k, int nodes, int chunk, int node, int of)
{
	return collective_pre(k, nodes, chunk, of) && (k->kind != SCAN || of <= node);
}

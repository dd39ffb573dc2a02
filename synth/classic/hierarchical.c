/*
 * `hierarchical`: a pipelined broadcast over boxes. The root cuts the message into blocks, and each block into a piece for
 * each node of its box. Every node passes its pieces to the node of the same number in other boxes, and what has come into
 * a box is spread in it while the next pieces come.
 *
 * Between boxes, the nodes of each number play the same schedule of blocks. In each round every box sends to the box D
 * further, cyclically, where D goes through N/2, N/4, ..., 1, rounded up, again and again: the root's box sends its next
 * block, each other the newest that the receiver lacks. On 2^q boxes that takes the fewest rounds possible, B - 1 + q for B
 * blocks (the binomial pipeline of Ganesan and Seshadri, ICDCS 2005, on circulant distances as in Träff, 2022), and on all
 * other numbers of boxes up to 64 at most a few more. A box may be a single node: then this is the pipeline on all nodes.
 */

#include "synth/builder/rows.h"

#include "core/base/error.h"
#include "core/base/memory.h"
#include "core/machine/network.h"
#include "core/machine/topology.h"
#include "synth/builder/residual_capacity.h"
#include "synth/builder/schedule_builder.h"

#include <stdlib.h>
#include <string.h>

/* How nodes are taken as boxes: node n is number n % nodes of box n / nodes. */
struct box_layout {
	int nodes, n;   /* of a box; boxes */
	int pieces;     /* chunks of a block for each number */
	int64_t rounds; /* of a step in which all boxes send and spread */
};

struct pipeline {
	const struct network *w;
	int root, chunks;
	struct box_layout of;
	int blocks;
	struct residual_capacity left; /* in the step at hand */
	struct schedule_builder *builder;
	unsigned char *has;  /* [chunk * P + node]: HAS, before this step, IS_COMING in it, or 0 */
	size_t *arrivals;    /* chunk * P + node of what this step brings */
	size_t n_arrivals, arrivals_room;
	/* Chunks that are in a box but not at all of its nodes yet, oldest first: */
	struct waiting {
		int chunk, box, missing;
	} *waiting;
	size_t n_waiting, waiting_room;
};

/* The distances in the order of their turns; returns their number. */
enum { TURNS_MAX = 32 };
static int distances(int n, int of[TURNS_MAX])
{
	int turns = 0;

	for (int d = n; d > 1;)
		of[turns++] = d = (d + 1) / 2;
	return turns;
}

static int box_at(const struct pipeline *p, int place)
{
	return (p->root / p->of.nodes + place) % p->of.n;
}

static int node_at(const struct pipeline *p, int box, int number)
{
	return box * p->of.nodes + number;
}

/* ---- which boxes ---- */

/* The rounds that so many times the loads take. */
static int64_t rounds_for(const struct network *w, const int64_t *loads, int64_t times)
{
	int64_t *more = new_array(int64_t, w->n_edges);

	for (size_t e = 0; e < w->n_edges; e++)
		more[e] = times * loads[e];
	int64_t rounds = network_rounds(w, more);
	free(more);
	return rounds;
}

/* Adds a chunk from each node to that of its number in the box DISTANCE further. False: there is no such edge. */
static bool load_between(const struct network *w, int nodes, int distance, int64_t *loads)
{
	for (int v = 0; v < w->nodes; v++) {
		int edge = network_edge(w, v, (v + distance * nodes) % w->nodes);
		if (edge < 0)
			return false;
		loads[edge]++;
	}
	return true;
}

/* Adds a chunk from each node to all others of its box. False: a path between them leaves the box, or there is none. */
static bool load_inside(const struct network *w, int nodes, int64_t *loads)
{
	for (int v = 0; v < w->nodes; v++)
		for (int to = v / nodes * nodes; to < (v / nodes + 1) * nodes; to++)
			for (int at = v; at != to;) {
				int next = builder_next_hop(w, at, to, v + to);
				if (next < 0 || next / nodes != v / nodes)
					return false;
				loads[network_edge(w, at, next)]++;
				at = next;
			}
	return true;
}

/* Counts the rounds of a step in which boxes of so many nodes send and spread. False: they are not joined as they must be. */
static bool lay_out(const struct network *w, int nodes, struct box_layout *out)
{
	enum { PIECES_MAX = 64 };
	int turn[TURNS_MAX], turns = distances(w->nodes / nodes, turn);
	int64_t *inside = new_array(int64_t, w->n_edges), *loads = new_array(int64_t, w->n_edges), alone = 0;
	bool ok = load_inside(w, nodes, inside);

	*out = (struct box_layout){.nodes = nodes, .n = w->nodes / nodes, .pieces = PIECES_MAX};
	for (int i = 0; i < turns && ok; i++) {
		memset(loads, 0, w->n_edges * sizeof *loads);
		ok = load_between(w, nodes, turn[i], loads);
		int64_t rounds = ok ? rounds_for(w, loads, 1) : 0;
		alone = rounds > alone ? rounds : alone;
		while (ok && out->pieces > 1 && rounds_for(w, loads, out->pieces) > alone)
			out->pieces--;
	}
	for (int i = 0; i < turns && ok; i++) {
		memcpy(loads, inside, w->n_edges * sizeof *loads);
		load_between(w, nodes, turn[i], loads);
		int64_t rounds = rounds_for(w, loads, out->pieces);
		out->rounds = rounds > out->rounds ? rounds : out->rounds;
	}
	free(inside);
	free(loads);
	return ok;
}

/* Is the root joined to all nodes of its box? */
static bool can_scatter(const struct network *w, int root, int nodes)
{
	int joined = 0, base = root / nodes * nodes;

	for (int v = base; v < base + nodes; v++)
		joined += v == root || network_edge(w, root, v) >= 0;
	return joined == nodes;
}

/* Takes the boxes that carry the most chunks a round; of equally good ones the smaller, in which there is less to spread. */
static bool choose_layout(const struct network *w, int root, struct box_layout *out)
{
	bool found = false;

	for (int nodes = 1; nodes < w->nodes; nodes++) {
		struct box_layout l;
		if (w->nodes % nodes || !can_scatter(w, root, nodes) || !lay_out(w, nodes, &l))
			continue;
		if (found && (int64_t)l.nodes * l.pieces * out->rounds <= (int64_t)out->nodes * out->pieces * l.rounds)
			continue;
		*out = l;
		found = true;
	}
	return found;
}

/* ---- one step ---- */

enum { HAS = 1, IS_COMING = 2 };

static bool has(const struct pipeline *p, int chunk, int node)
{
	return p->has[(size_t)chunk * (size_t)p->w->nodes + (size_t)node] == HAS;
}

static bool is_coming(const struct pipeline *p, int chunk, int node)
{
	return p->has[(size_t)chunk * (size_t)p->w->nodes + (size_t)node] == IS_COMING;
}

static void send(struct pipeline *p, int step, int chunk, int src, int dst)
{
	builder_send(p->builder, step, chunk, src, dst);
	p->arrivals = grown(p->arrivals, &p->arrivals_room, p->n_arrivals + 1, sizeof *p->arrivals);
	size_t at = (size_t)chunk * (size_t)p->w->nodes + (size_t)dst;
	p->arrivals[p->n_arrivals++] = at;
	p->has[at] = IS_COMING;
}

/* The chunks of a block's piece: [first, first + n). Pieces are numbered from the root's, so that few chunks need no scatter. */
static int piece(const struct pipeline *p, int block, int number, int *first)
{
	int turn = (number - p->root % p->of.nodes + p->of.nodes) % p->of.nodes, all = p->of.nodes * p->of.pieces;
	int begin = block * all + turn * p->of.pieces, end = begin + p->of.pieces;

	*first = begin;
	end = end < p->chunks ? end : p->chunks;
	return end > begin ? end - begin : 0;
}

/* Sends a block's piece; LOADS counts it. */
static void send_piece(struct pipeline *p, int step, int block, int number, int src, int dst, int64_t *loads)
{
	int first, n = piece(p, block, number, &first);

	for (int c = first; c < first + n; c++)
		if (!has(p, c, dst)) {
			send(p, step, c, src, dst);
			loads[network_edge(p->w, src, dst)]++;
		}
}

/* The rounds that the loads take; sets the residual capacity to what they leave of these. */
static void leave_capacity(struct pipeline *p, const int64_t *loads, bool between)
{
	int64_t rounds = network_rounds(p->w, loads);

	/* At the end, when nothing moves between boxes, the last blocks may be spread in one step. */
	residual_refill(&p->left, rounds > 0 && between ? rounds : p->of.rounds > rounds ? p->of.rounds : rounds);
	for (size_t e = 0; e < p->w->n_edges; e++)
		for (int64_t i = 0; i < loads[e]; i++)
			residual_take(&p->left, (int)e);
}

/* The number to which a chunk's piece belongs. */
static int number_of(const struct pipeline *p, int chunk)
{
	return (chunk / p->of.pieces + p->root) % p->of.nodes;
}

/* Is it a chunk of the root's own piece, in its box? It leaves the root only for other boxes and, once, to be spread. */
static bool is_of_root(const struct pipeline *p, const struct waiting *x)
{
	return node_at(p, x->box, number_of(p, x->chunk)) == p->root;
}

/*
 * Sends a chunk that waits to the nodes of its box as far as capacity is left: from the node of its number, or from another
 * that has it. SPARING: the root, which has all pieces to send, sends it to only one node.
 */
static void spread(struct pipeline *p, int step, struct waiting *x, bool sparing)
{
	int nodes = p->of.nodes, base = x->box * nodes, own = number_of(p, x->chunk), is_root = is_of_root(p, x);

	for (int k = 0; k < nodes; k++)
		for (int i = 0, to = base + (x->chunk + k) % nodes; i < nodes && !has(p, x->chunk, to); i++) {
			int from = base + (own + i + is_root) % nodes;
			int edge = from == to || !has(p, x->chunk, from) ? -1 : network_edge(p->w, from, to);
			if (edge < 0 || (sparing && from == p->root && x->missing < nodes - 1) || is_coming(p, x->chunk, to) ||
			    !residual_take(&p->left, edge))
				continue;
			send(p, step, x->chunk, from, to);
			x->missing--;
			break;
		}
}

/*
 * Spreads the oldest chunks of each box; more than those of a few steps would find no capacity. The root's own piece comes
 * last: other nodes spread it with what their own pieces leave them, and the root with what is left then. False: nothing
 * could be sent.
 */
static bool spread_all(struct pipeline *p, int step)
{
	int *tried = new_array(int, (size_t)p->of.n), most = 4 * p->of.nodes * p->of.pieces;
	size_t before = p->n_arrivals, kept = 0;

	for (int pass = 0; pass <= 2; pass++) {
		memset(tried, 0, (size_t)p->of.n * sizeof *tried);
		for (size_t i = 0; i < p->n_waiting; i++)
			if (p->waiting[i].missing && is_of_root(p, &p->waiting[i]) == (pass > 0) && tried[p->waiting[i].box]++ < most)
				spread(p, step, &p->waiting[i], pass == 1);
	}
	for (size_t i = 0; i < p->n_waiting; i++)
		if (p->waiting[i].missing > 0)
			p->waiting[kept++] = p->waiting[i];
	p->n_waiting = kept;
	free(tried);
	return p->n_arrivals > before;
}

/* What arrived is there from the next step on. */
static void end_step(struct pipeline *p)
{
	for (size_t i = 0; i < p->n_arrivals; i++)
		p->has[p->arrivals[i]] = HAS;
	p->n_arrivals = 0;
}

/* A chunk that came from another box, or that the root's box keeps, waits until all nodes of the box have it. */
static void wait_to_spread(struct pipeline *p, int chunk, int box)
{
	int missing = 0;

	for (int i = 0; i < p->of.nodes; i++)
		missing += !has(p, chunk, node_at(p, box, i));
	if (!missing)
		return;
	p->waiting = grown(p->waiting, &p->waiting_room, p->n_waiting + 1, sizeof *p->waiting);
	p->waiting[p->n_waiting++] = (struct waiting){chunk, box, missing};
}

static void wait_pieces(struct pipeline *p, int block, int number, int box)
{
	int first, n = piece(p, block, number, &first);

	for (int c = first; c < first + n; c++)
		wait_to_spread(p, c, box);
}

/* ---- the schedule of blocks between boxes ---- */

/* One block that box FROM sends to box TO, by their places from the root's. */
struct block_send {
	int from, to, block;
};

/* One round. OWNS [place * blocks + block]: what boxes have before it. Fills OUT with at most one block from each box. */
static int block_round(const struct pipeline *p, int round, const int *turn, int turns, unsigned char *owns, struct block_send *out)
{
	int n = p->of.n, distance = turn[round % turns], found = 0;
	size_t blocks = (size_t)p->blocks;

	for (int from = 0; from < n; from++) {
		int to = (from + distance) % n, block = from ? p->blocks - 1 : round < p->blocks ? round : p->blocks - 1;
		const unsigned char *mine = owns + (size_t)from * blocks, *theirs = owns + (size_t)to * blocks;
		while (block >= 0 && (!mine[block] || theirs[block]))
			block--;
		if (block >= 0 && to)
			out[found++] = (struct block_send){from, to, block};
	}
	for (int i = 0; i < found; i++)
		owns[(size_t)out[i].to * blocks + (size_t)out[i].block] = 1;
	return found;
}

/* The root's own number begins with the first round, all others a step later, when they have their pieces. */
static void send_blocks(struct pipeline *p, int step, const struct block_send *sends, int n, bool roots, int64_t *loads)
{
	for (int i = 0; i < n; i++)
		for (int number = 0; number < p->of.nodes; number++)
			if ((number == p->root % p->of.nodes) == roots)
				send_piece(p, step, sends[i].block, number, node_at(p, box_at(p, sends[i].from), number),
					   node_at(p, box_at(p, sends[i].to), number), loads);
}

static void wait_blocks(struct pipeline *p, const struct block_send *sends, int n, bool roots)
{
	for (int i = 0; i < n; i++)
		for (int number = 0; number < p->of.nodes; number++)
			if ((number == p->root % p->of.nodes) == roots)
				wait_pieces(p, sends[i].block, number, box_at(p, sends[i].to));
}

static void scatter(struct pipeline *p, int step, int block, int64_t *loads)
{
	int box = box_at(p, 0);

	for (int number = 0; number < p->of.nodes && block < p->blocks; number++)
		if (node_at(p, box, number) != p->root)
			send_piece(p, step, block, number, p->root, node_at(p, box, number), loads);
}

/* False: some chunk cannot be spread in its box. */
static bool run(struct pipeline *p)
{
	int turn[TURNS_MAX], turns = distances(p->of.n, turn), before = 0, now = 0;
	unsigned char *owns = new_array(unsigned char, (size_t)p->of.n * (size_t)p->blocks);
	struct block_send *sends = new_array(struct block_send, 2 * (size_t)p->of.n), *last = sends + p->of.n;
	int64_t *loads = new_array(int64_t, p->w->n_edges);
	bool more = true, stuck = false;

	for (int b = 0; b < p->blocks; b++)
		owns[b] = 1;
	for (int step = 0; (more || p->n_waiting) && !stuck && !builder_is_full(p->builder); step++) {
		for (size_t e = 0; e < p->w->n_edges; e++)
			loads[e] = 0;
		now = block_round(p, step, turn, turns, owns, sends);
		send_blocks(p, step, sends, now, true, loads);
		send_blocks(p, step, last, before, false, loads);
		scatter(p, step, step, loads);
		leave_capacity(p, loads, now || before);
		bool any = spread_all(p, step);
		stuck = !any && !more;
		end_step(p);
		for (int number = 0; number < p->of.nodes && step < p->blocks; number++)
			wait_pieces(p, step, number, box_at(p, 0));
		wait_blocks(p, sends, now, true);
		wait_blocks(p, last, before, false);
		more = step < p->blocks || now;
		before = now;
		for (int i = 0; i < now; i++)
			last[i] = sends[i];
	}
	free(owns);
	free(sends);
	free(loads);
	return !stuck || !p->n_waiting;
}

/* ---- the method ---- */

/* Enough blocks for a hundredth below the rate at most: on 16 boxes with wide links that takes 12 million sends. */
static int default_chunks(const struct box_layout *l)
{
	enum { BLOCKS_EACH = 128, SENDS_MOST = 13 << 20 };
	int turn[TURNS_MAX], turns = distances(l->n, turn), each = l->nodes * l->pieces;
	int64_t blocks = (int64_t)BLOCKS_EACH * (turns + 2), most = SENDS_MOST / ((int64_t)each * (l->nodes * l->n - 1));

	blocks = blocks < most ? blocks : most > 1 ? most : 1;
	return (int)(blocks * each);
}

bool hierarchical_construct(const struct method_request *r, struct construction *out, struct error *e)
{
	struct pipeline p = {.w = r->network, .root = r->collective.root, .chunks = r->options.chunks};

	if (!choose_layout(r->network, p.root, &p.of))
		return error_set(e, ERROR_INPUT, "hierarchical", "%s has no boxes whose nodes of the same number are all joined",
				 r->topology->name);
	if (!p.chunks)
		p.chunks = default_chunks(&p.of);
	if (p.chunks < p.of.nodes * p.of.pieces) /* a single block */
		p.of.pieces = (p.chunks + p.of.nodes - 1) / p.of.nodes;
	if ((int64_t)p.chunks * r->network->nodes > BUILDER_SENDS_MAX)
		return error_set(e, ERROR_LIMIT, "hierarchical", "%d chunks on %d nodes are too many", p.chunks, r->network->nodes);
	int each = p.of.nodes * p.of.pieces;
	p.blocks = (p.chunks + each - 1) / each;
	out->chunks = p.chunks;
	out->as_fine = true;
	p.builder = builder_new(r->network);
	p.left = residual_new(r->network);
	p.has = new_array(unsigned char, (size_t)p.chunks * (size_t)r->network->nodes);
	for (int c = 0; c < p.chunks; c++)
		p.has[(size_t)c * (size_t)r->network->nodes + (size_t)p.root] = HAS;
	bool ok = run(&p) ? builder_take(p.builder, "hierarchical", &out->steps, &out->n_steps, e)
			  : error_set(e, ERROR_INPUT, "hierarchical", "%s has boxes in which chunks cannot be spread", r->topology->name);
	builder_free(p.builder);
	residual_free(&p.left);
	free(p.has);
	free(p.arrivals);
	free(p.waiting);
	return ok;
}

/*
 * From a schedule to thread blocks. Each connection gets a sending and a receiving block, or several such pairs (pairs)
 * if it carries several chunks per round; one more block makes the local copies. No place is overwritten once it has
 * been read: data that arrives for a chunk that was forwarded creates a new version in a place of its own. A step thus
 * depends only on the step that wrote its source, which is at most one dependence. All blocks process the schedule in
 * the same order, (step, chunk, sends before receives), so that they cannot wait for each other in a cycle.
 */

#include "lower/plans/msccl.h"

#include "lower/program/build.h"

#include "core/schedule/algorithm.h"
#include "core/base/error.h"
#include "core/base/memory.h"
#include "core/machine/topology.h"

#include <stdlib.h>

const char *const msccl_kind_names[] = {"s", "r", "rrc", "cpy"};
const char *const msccl_buffer_names[] = {"i", "o", "s"};

/* The connection from src to dst. It exists if it has messages. */
struct plan_connection {
	int messages;
	int step, in_step; /* the last step with a message, and its number of messages so far */
	int rate;          /* the largest number of chunks per round */
	int pairs, next;   /* channels 0 .. pairs - 1 serve it round-robin */
	size_t sender, receiver; /* the blocks of its pair 0; those of the other pairs follow */
};

/* The value of a chunk at a rank, from one change of it to the next. */
struct version {
	bool input, output; /* stored in the rank's input, output; neither: in scratch */
	bool read;       /* forwarded: must not be overwritten any more */
	int block, step; /* that wrote it last; -1: it is input */
	struct msccl_place at;
};

struct planner {
	struct msccl_plan *p;
	const struct algorithm *a;
	struct plan_connection *connections; /* [src * ranks + dst] */
	int *now;                       /* [chunk * ranks + rank]: the current version; -1: none */
	size_t n, capacity;
	struct version *versions;
	int *rank_of; /* [version]: the rank that holds it */
	size_t rank_capacity;
};

/* RCCL's name for each collective, and the number of chunks that make up the count of its call: C, which is our L; P
 * times that; or one P-th of it. (The counts of gather and scatter are of one rank's part, and RCCL does not multiply
 * them.) */
static const struct known_collective {
	const char *name;
	bool times_ranks, over_ranks;
} known[COLLECTIVE_KINDS] = {
	[ALLGATHER] = {"allgather", true, false},
	[BROADCAST] = {"broadcast", false, false},
	[GATHER] = {"gather", false, false},
	[SCATTER] = {"scatter", false, true},
	[ALLTOALL] = {"alltoall", false, false},
	[REDUCE] = {"reduce", false, false},
	[REDUCESCATTER] = {"reducescatter", false, false},
	[ALLREDUCE] = {"allreduce", false, false},
};

static struct plan_connection *connection(const struct planner *l, int src, int dst)
{
	return &l->connections[(size_t)src * (size_t)l->p->ranks + (size_t)dst];
}

static int *version_now(const struct planner *l, int chunk, int rank)
{
	return &l->now[(size_t)chunk * (size_t)l->p->ranks + (size_t)rank];
}

static int add_version(struct planner *l, int rank, struct version v)
{
	l->versions = grown(l->versions, &l->capacity, l->n + 1, sizeof *l->versions);
	l->rank_of = grown(l->rank_of, &l->rank_capacity, l->n + 1, sizeof *l->rank_of);
	l->rank_of[l->n] = rank;
	l->versions[l->n] = v;
	return (int)l->n++;
}

/* Creates the versions of every rank's input, and computes the sizes of the input and output buffers. */
static void start(struct planner *l)
{
	const struct collective *k = &l->a->collective;
	struct chunk_place place;

	for (int c = 0; c < l->a->global_chunks; c++)
		for (int r = 0; r < l->p->ranks; r++) {
			*version_now(l, c, r) = -1;
			l->p->of[r].chunks[MSCCL_OUTPUT] += collective_post(k, l->p->ranks, c, r);
			if (!collective_input(k, l->p->ranks, l->a->chunks, c, r, &place))
				continue;
			l->p->of[r].chunks[MSCCL_INPUT]++;
			*version_now(l, c, r) = add_version(l, r, (struct version){
				.input = true, .block = -1, .step = -1,
				.at = {MSCCL_INPUT, place.block * place.parts + place.part}});
		}
}

static void count_messages(struct planner *l, const struct pushes *pushes)
{
	for (size_t i = 0; i < pushes->n; i++) {
		const struct push *push = &pushes->of[i];
		struct plan_connection *c = connection(l, push->src, push->dst);
		int rounds = l->a->steps[push->step - 1].rounds;

		c->messages++;
		c->in_step = c->step == push->step ? c->in_step + 1 : 1;
		c->step = push->step;
		if (1 + (c->in_step - 1) / rounds > c->rate)
			c->rate = 1 + (c->in_step - 1) / rounds;
	}
}

/* The number of pairs: one per chunk per round, but at most LIMIT, unless the number of messages requires more. */
static int pairs_of(const struct plan_connection *c, int limit)
{
	int needed = (c->messages + MSCCL_STEPS_MAX - 1) / MSCCL_STEPS_MAX;
	int wanted = c->rate < limit ? c->rate : limit;

	return wanted > needed ? wanted : needed;
}

/* Do the blocks of every rank, with one more for the copies, fit if pairs are limited to LIMIT? */
static bool pairs_fit(const struct planner *l, int limit)
{
	for (int r = 0; r < l->p->ranks; r++) {
		int blocks = 1;
		for (int other = 0; other < l->p->ranks; other++)
			blocks += pairs_of(connection(l, r, other), limit) + pairs_of(connection(l, other, r), limit);
		if (blocks > MSCCL_BLOCKS_MAX)
			return false;
	}
	return true;
}

static size_t add_block(struct planner *l, int rank, int send, int receive, int channel)
{
	struct msccl_gpu *g = &l->p->of[rank];

	g->blocks = grown(g->blocks, &g->capacity, g->n + 1, sizeof *g->blocks);
	g->blocks[g->n] = (struct msccl_block){.send = send, .receive = receive, .channel = channel};
	if (l->p->channels <= channel)
		l->p->channels = channel + 1;
	return g->n++;
}

/* Gives every connection its pairs and their blocks, with the largest limit for which they fit. */
static void add_pairs(struct planner *l)
{
	int limit = MSCCL_CHANNELS_MAX, ranks = l->p->ranks;

	while (limit > 1 && !pairs_fit(l, limit))
		limit--;
	for (int r = 0; r < ranks; r++) {
		for (int dst = 0; dst < ranks; dst++) {
			struct plan_connection *c = connection(l, r, dst);
			c->pairs = pairs_of(c, limit);
			c->sender = l->p->of[r].n;
			for (int i = 0; i < c->pairs; i++)
				add_block(l, r, dst, -1, i);
		}
		for (int src = 0; src < ranks; src++) {
			struct plan_connection *c = connection(l, src, r);
			c->receiver = l->p->of[r].n;
			for (int i = 0; i < pairs_of(c, limit); i++)
				add_block(l, r, -1, src, i);
		}
	}
}

/* Returns the number of the new step. Until places are known, FROM and TO are numbers of versions. SOURCE is the
 * version that the step reads at this rank; -1: none. */
static int add_step(struct planner *l, int rank, size_t block, enum msccl_kind kind, int from, int to, int source)
{
	struct msccl_gpu *g = &l->p->of[rank];
	struct msccl_block *b = &g->blocks[block];
	struct msccl_step s = {.kind = kind, .from.at = from, .to.at = to, .count = 1, .on_block = -1, .on_step = -1};
	const struct version *v = source < 0 ? NULL : &l->versions[source];

	if (v && v->block >= 0 && (size_t)v->block != block) {
		s.on_block = v->block;
		s.on_step = v->step;
		g->blocks[v->block].steps[v->step].awaited = true;
	}
	b->steps = grown(b->steps, &b->capacity, b->n + 1, sizeof *b->steps);
	b->steps[b->n] = s;
	return (int)b->n++;
}

/* Adds the steps at both ends of a push. SOURCE is the version that is sent. */
static void add_message(struct planner *l, const struct push *push, int source)
{
	struct plan_connection *c = connection(l, push->src, push->dst);
	size_t pair = (size_t)c->next++ % (size_t)c->pairs, block = c->receiver + pair;
	int *now = version_now(l, push->chunk, push->dst), old = *now;
	bool adds = push->reduce && old >= 0;

	if (!adds || l->versions[old].input || l->versions[old].read)
		*now = add_version(l, push->dst, (struct version){.input = false});
	add_step(l, push->src, c->sender + pair, MSCCL_SEND, source, *now, source);
	int step = adds ? add_step(l, push->dst, block, MSCCL_ADD, old, *now, old)
			: add_step(l, push->dst, block, MSCCL_RECEIVE, source, *now, -1);
	l->versions[*now].block = (int)block;
	l->versions[*now].step = step;
}

/* The same order at both ends of each connection; copies come before values that are added to them. */
static int message_order(const void *va, const void *vb)
{
	const struct push *a = va, *b = vb;

	if (a->chunk != b->chunk)
		return a->chunk - b->chunk;
	if (a->reduce != b->reduce)
		return a->reduce - b->reduce;
	return a->src != b->src ? a->src - b->src : a->dst - b->dst;
}

/* All sends of a step send the versions that were current before it. */
static void add_messages(struct planner *l, const struct pushes *pushes)
{
	int *source = new_array(int, pushes->n);

	for (size_t begin = 0, end = 0; begin < pushes->n; begin = end) {
		while (end < pushes->n && pushes->of[end].step == pushes->of[begin].step)
			end++;
		qsort(pushes->of + begin, end - begin, sizeof *pushes->of, message_order);
		for (size_t i = begin; i < end; i++) {
			source[i] = *version_now(l, pushes->of[i].chunk, pushes->of[i].src);
			l->versions[source[i]].read = true;
		}
		for (size_t i = begin; i < end; i++)
			add_message(l, &pushes->of[i], source[i]);
	}
	free(source);
}

/* Adds a copy from a rank's input to its output. Chunks that are adjacent in both are copied by one step. */
static void add_copy(struct planner *l, int rank, size_t first, struct msccl_place from, struct msccl_place to)
{
	struct msccl_gpu *g = &l->p->of[rank];
	struct msccl_block *b = g->n > first ? &g->blocks[g->n - 1] : NULL;
	struct msccl_step *s = b ? &b->steps[b->n - 1] : NULL;

	if (s && s->from.at + s->count == from.at && s->to.at + s->count == to.at && s->count < MSCCL_COUNT_MAX) {
		s->count++;
		return;
	}
	size_t block = b && b->n < MSCCL_STEPS_MAX ? g->n - 1 : add_block(l, rank, -1, -1, 0);
	add_step(l, rank, block, MSCCL_COPY, from.at, to.at, -1);
	s = &g->blocks[block].steps[g->blocks[block].n - 1];
	s->from = from;
	s->to = to;
}

struct copy {
	struct msccl_place from, to;
};

static int copy_order(const void *va, const void *vb)
{
	const struct copy *a = va, *b = vb;
	return a->to.at - b->to.at;
}

/* Places the last version of every chunk of the rank's output there, or adds a copy if this version is input. */
static void place_outputs(struct planner *l, int rank, struct copy *copies)
{
	size_t n = 0, first = l->p->of[rank].n;

	for (int c = 0; c < l->a->global_chunks; c++) {
		struct chunk_place place;
		if (!collective_output(&l->a->collective, l->p->ranks, l->a->chunks, c, rank, &place))
			continue;
		struct msccl_place at = {MSCCL_OUTPUT, place.block * place.parts + place.part};
		struct version *v = &l->versions[*version_now(l, c, rank)];
		if (v->input) {
			copies[n++] = (struct copy){v->at, at};
			continue;
		}
		v->output = true;
		v->at = at;
	}
	if (n)
		qsort(copies, n, sizeof *copies, copy_order);
	for (size_t i = 0; i < n; i++)
		add_copy(l, rank, first, copies[i].from, copies[i].to);
}

/* Assigns a place to every version, and replaces versions by places in the steps. The steps of copies have places
 * already. */
static void place_versions(struct planner *l)
{
	struct copy *copies = new_array(struct copy, (size_t)l->a->global_chunks);
	size_t *n_blocks = new_array(size_t, (size_t)l->p->ranks);

	for (int r = 0; r < l->p->ranks; r++) {
		n_blocks[r] = l->p->of[r].n;
		place_outputs(l, r, copies);
	}
	for (size_t i = 0; i < l->n; i++)
		if (!l->versions[i].input && !l->versions[i].output)
			l->versions[i].at = (struct msccl_place){MSCCL_SCRATCH, l->p->of[l->rank_of[i]].chunks[MSCCL_SCRATCH]++};
	for (int r = 0; r < l->p->ranks; r++)
		for (size_t b = 0; b < n_blocks[r]; b++)
			for (size_t i = 0; i < l->p->of[r].blocks[b].n; i++) {
				struct msccl_step *s = &l->p->of[r].blocks[b].steps[i];
				s->from = l->versions[s->from.at].at;
				s->to = l->versions[s->to.at].at;
			}
	free(n_blocks);
	free(copies);
}

/* Rejects what cannot fit, however it is planned. This also keeps all later numbers small. */
static bool sizes_fit(const struct algorithm *a, const struct pushes *pushes, struct error *e)
{
	size_t messages = (size_t)a->topology->nodes * MSCCL_BLOCKS_MAX * MSCCL_STEPS_MAX;

	if (a->topology->nodes > MSCCL_GPUS_MAX)
		return error_set(e, ERROR_INPUT, a->name, "%d ranks; RCCL takes at most %d", a->topology->nodes, MSCCL_GPUS_MAX);
	if (pushes->n > messages)
		return error_set(e, ERROR_INPUT, a->name,
				 "%zu sends; with RCCL's %d thread blocks of %d steps the %d ranks can make at most %zu", pushes->n,
				 MSCCL_BLOCKS_MAX, MSCCL_STEPS_MAX, a->topology->nodes, messages);
	return true;
}

static struct msccl_plan *plan(const struct algorithm *a, const struct pushes *pushes)
{
	struct msccl_plan *p = new(struct msccl_plan);
	const struct known_collective *k = &known[a->collective.kind];
	struct planner l = {.p = p, .a = a};
	size_t ranks = (size_t)a->topology->nodes;

	*p = (struct msccl_plan){.algorithm = a, .collective = k->name, .channels = 1, .ranks = a->topology->nodes,
				 .of = new_array(struct msccl_gpu, ranks)};
	p->chunks_per_loop = k->times_ranks ? a->global_chunks : k->over_ranks ? a->chunks / p->ranks : a->chunks;
	l.connections = new_array(struct plan_connection, ranks * ranks);
	l.now = new_array(int, (size_t)a->global_chunks * ranks);
	start(&l);
	count_messages(&l, pushes);
	add_pairs(&l);
	add_messages(&l, pushes);
	place_versions(&l);
	free(l.connections);
	free(l.now);
	free(l.versions);
	free(l.rank_of);
	return p;
}

struct msccl_plan *msccl_plan_new(const struct algorithm *a, struct error *e)
{
	struct msccl_plan *p = NULL;

	if (!known[a->collective.kind].name) {
		error_set(e, ERROR_INPUT, a->name, "RCCL has no %s collective", collective_name(&a->collective));
		return NULL;
	}
	struct pushes pushes = pushes_live(a);
	if (sizes_fit(a, &pushes, e))
		p = plan(a, &pushes);
	free(pushes.of);
	return p;
}

void msccl_plan_free(struct msccl_plan *p)
{
	for (int r = 0; p && r < p->ranks; r++) {
		for (size_t b = 0; b < p->of[r].n; b++)
			free(p->of[r].blocks[b].steps);
		free(p->of[r].blocks);
	}
	if (p)
		free(p->of);
	free(p);
}

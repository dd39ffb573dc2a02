/*
 * Data movement of one op, cell by cell, and whether each access is surely ordered after those that it conflicts with.
 * Order is known from vector clocks (Fidge 1988, Mattern 1989), one entry a thread block. Threads of a block run apart
 * between two points at which all of them meet, but each accesses the same cells of equal ranges.
 */

#include "interop/plans/play.h"

#include "core/base/memory.h"

#include <stdlib.h>
#include <string.h>

static const char *const buffer_names[] = {"input", "output", "scratch", "packets"};

/* The transfer in hand. */
struct hand {
	struct play *y;
	struct play_block *b;
	const struct plan_op *o;
	int number; /* of the block */
	int stamp;
	bool by_packets; /* it reads packets, so each thread knows what theirs carry */
	bool said;       /* one fault an op is enough */
};

static bool ordered(const struct hand *h, struct play_stamp s, int start)
{
	if (s.op == 0)
		return true;
	if (s.block == h->number)
		return s.op <= h->b->last_sync || s.start == start || (h->by_packets && h->b->pending[s.block] >= s.op);
	return h->b->known[s.block] >= s.op || (h->by_packets && h->b->pending[s.block] >= s.op);
}

static void say(struct hand *h, const char *what, const struct plan_span *s, int i)
{
	if (!h->said)
		plan_fault(h->y->f, h->y->p, h->b->rank, h->b->in_rank, h->o, "%s chunk %d of the %s of rank %d", what, (s->at + i) / h->y->p->cut,
			   buffer_names[s->buffer], s->rank);
	h->said = true;
}

static int start_of(const struct plan_span *s)
{
	return s->at * PLAN_BUFFERS + (s->buffer == PLAN_PACKETS);
}

/* A buffer of a peer other than scratch may be in use until the peer has begun. */
static bool has_begun(const struct hand *h, const struct plan_span *s)
{
	if (s->rank == h->b->rank || s->buffer == PLAN_SCRATCH || s->buffer == PLAN_PACKETS)
		return true;
	for (int b = h->y->first_block[s->rank]; b < h->y->first_block[s->rank + 1]; b++)
		if (h->b->known[b] > 0 || (h->by_packets && h->b->pending[b] > 0))
			return true;
	return false;
}

struct datum {
	int value;
	int from, level; /* as of a cell */
	uint64_t *parts; /* [words] */
};

/*
 * What is added or moved, for the log. One operand stays what it is. Of several, those that came from other ranks are
 * reduces into the one that did not, or into the first of them, which is then a copy.
 */
static void note_operand(struct hand *h, struct datum *sum, int value, int from, int level)
{
	struct plan_log *log = h->y->log;
	int rank = h->b->rank;

	if (!log)
		return;
	if (sum->value < 0) {
		sum->from = from;
		sum->level = level;
		return;
	}
	int step = sum->level > level ? sum->level : level;
	if (sum->from >= 0 && from >= 0) {
		play_log(h->y, sum->level, value, sum->from, rank, false);
		play_log(h->y, log->late ? step : level, value, from, rank, true);
	} else if (sum->from >= 0 || from >= 0)
		play_log(h->y, log->late ? step : sum->from >= 0 ? sum->level : level, value, sum->from >= 0 ? sum->from : from, rank, true);
	else
		log->two_values = true;
	sum->from = -1;
	sum->level = step;
}

/* Before it is passed on, what came from another rank becomes this rank's own: it was a copy. */
static void note_use(struct hand *h, struct datum *d)
{
	if (h->y->log && d->from >= 0)
		play_log(h->y, d->level, d->value, d->from, h->b->rank, false);
	d->from = -1;
}

static bool add(struct hand *h, struct datum *sum, const struct datum *d, const struct plan_span *s, int i)
{
	int value = d->value;
	const uint64_t *parts = d->parts;

	bool judged = play_judges_sums(h->y);

	if (sum->value >= 0 && judged && sum->value != value) {
		say(h, "adds other data: ", s, i);
		return false;
	}
	for (size_t w = 0; w < h->y->words; w++) {
		if (sum->value >= 0 && judged && (sum->parts[w] & parts[w])) {
			say(h, "adds a contribution a second time, from", s, i);
			return false;
		}
		sum->parts[w] |= parts[w];
	}
	note_operand(h, sum, value, d->from, d->level);
	sum->value = value;
	return true;
}

static bool read_span(struct hand *h, const struct plan_span *s, int i, struct datum *sum)
{
	struct play_cell *c = play_cell_at(h->y, s, i);

	if (!c) {
		say(h, "reads beyond the end:", s, i);
		return false;
	}
	if (!has_begun(h, s))
		say(h, "reads, before the rank is known to have begun,", s, i);
	if (c->value < 0) {
		say(h, "reads what nothing was written to:", s, i);
		return false;
	}
	if (s->buffer != PLAN_PACKETS && !ordered(h, c->written, start_of(s)))
		say(h, "reads what may not have been written yet:", s, i);
	if (s->buffer != PLAN_PACKETS) {
		c->reads = grown(c->reads, &c->capacity, c->n + 1, sizeof *c->reads);
		c->reads[c->n++] = (struct play_stamp){h->number, h->stamp, start_of(s)};
	}
	struct datum d = {c->value, c->from, c->level, c->parts};
	if (s->rank != h->b->rank) { /* taken from the peer's own value */
		if (h->y->log && c->from >= 0)
			play_log(h->y, c->level, c->value, c->from, s->rank, false);
		c->from = -1;
		d.from = s->rank;
		d.level++;
	}
	return add(h, sum, &d, s, i);
}

/*
 * Packets take twice the room of other data: chunk k of packets is where chunks 2k and 2k + 1 of scratch are. Does the
 * place hold something of the other form?
 */
static bool shares_place(struct play *y, const struct plan_span *s, int i)
{
	struct plan_span other = {s->rank, s->buffer == PLAN_PACKETS ? PLAN_SCRATCH : PLAN_PACKETS, 0};
	int cut = y->p->cut, at = s->at + i;

	if (s->buffer != PLAN_PACKETS && s->buffer != PLAN_SCRATCH)
		return false;
	for (int k = 0; k < 2; k++) {
		int where = s->buffer == PLAN_PACKETS ? 2 * (at / cut) * cut + 2 * (at % cut) + k : at / (2 * cut) * cut + at % (2 * cut) / 2;
		const struct play_cell *c = play_cell_at(y, &other, where);
		if (c && c->value >= 0)
			return true;
	}
	return false;
}

static void write_span(struct hand *h, const struct plan_span *s, int i, const struct datum *v, int clock)
{
	struct play_cell *c = play_cell_at(h->y, s, i);
	bool fine;

	if (!c) {
		say(h, "writes beyond the end:", s, i);
		return;
	}
	if (!has_begun(h, s))
		say(h, "writes, before the rank is known to have begun,", s, i);
	if (shares_place(h->y, s, i))
		say(h, "writes packets over other data, or other data over packets:", s, i);
	if (s->buffer == PLAN_PACKETS) {
		if (c->value >= 0)
			say(h, "writes packets a second time, to", s, i);
	} else {
		fine = ordered(h, c->written, start_of(s));
		for (size_t k = 0; k < c->n; k++)
			fine = fine && ((c->reads[k].block == h->number && c->reads[k].op == h->stamp) || ordered(h, c->reads[k], start_of(s)));
		if (!fine)
			say(h, "overwrites what may still be read or written:", s, i);
	}
	c->n = 0;
	c->clock = clock;
	c->written = (struct play_stamp){h->number, h->stamp, start_of(s)};
	c->value = v->value;
	c->from = s->rank == h->b->rank ? v->from : h->b->rank;
	c->level = v->level + (s->rank != h->b->rank);
	memcpy(c->parts, v->parts, h->y->words * sizeof *c->parts);
}

/* What the threads of this op know; for packets that it writes, or a message that it sends. */
static int *clock_now(const struct hand *h)
{
	int *clock = copy_bytes(h->b->known, (size_t)h->y->blocks * sizeof *clock);

	if (h->by_packets)
		play_join(h->y, clock, h->b->pending);
	clock[h->number] = h->stamp;
	return clock;
}

static void learn_packets(struct hand *h, const struct plan_transfer *t)
{
	for (size_t k = 0; k < t->n_reads; k++) {
		if (t->reads[k].buffer != PLAN_PACKETS)
			continue;
		h->by_packets = true;
		int last = -1;
		for (int i = 0; i < t->n; i++) {
			const struct play_cell *c = play_cell_at(h->y, &t->reads[k], i);
			if (c && c->clock >= 0 && c->clock != last)
				play_join(h->y, h->b->pending, h->y->pool[c->clock]);
			last = c ? c->clock : last;
		}
	}
}

static bool writes_packets(const struct plan_transfer *t)
{
	for (size_t k = 0; k < t->n_writes; k++)
		if (t->writes[k].buffer == PLAN_PACKETS)
			return true;
	return false;
}

static bool passes_on(const struct hand *h, const struct plan_transfer *t)
{
	for (size_t k = 0; k < t->n_writes; k++)
		if (t->writes[k].rank != h->b->rank)
			return true;
	return t->fifo_out >= 0;
}

static void move(struct hand *h, const struct plan_transfer *t)
{
	struct play *y = h->y;
	struct play_message in = {0}, out = {0};
	struct datum sum = {.parts = new_array(uint64_t, y->words)};
	int clock = -1;

	if (t->fifo_in >= 0) {
		in = queue_pop(&y->fifos[t->fifo_in]);
		play_join(y, h->b->known, in.clock);
		if (in.n != t->n)
			plan_fault(y->f, y->p, h->b->rank, h->b->in_rank, h->o, "%d chunks were sent and %d are received", in.n / y->p->cut, t->n / y->p->cut);
	}
	learn_packets(h, t);
	if (t->fifo_out >= 0)
		out = (struct play_message){clock_now(h), t->n, new_array(int, (size_t)t->n), new_array(int, (size_t)t->n), h->b->rank,
					    new_array(uint64_t, (size_t)t->n * y->words)};
	if (writes_packets(t)) {
		y->pool = grown(y->pool, &y->pool_capacity, y->n_pool + 1, sizeof *y->pool);
		y->pool[y->n_pool] = clock_now(h);
		clock = (int)y->n_pool++;
	}
	for (int i = 0; i < t->n; i++) {
		bool good = true;
		sum.value = sum.from = -1;
		sum.level = 0;
		memset(sum.parts, 0, y->words * sizeof *sum.parts);
		for (size_t k = 0; good && k < t->n_reads; k++)
			good = read_span(h, &t->reads[k], i, &sum);
		if (good && t->fifo_in >= 0 && i < in.n && in.values[i] >= 0)
			good = add(h, &sum, &(struct datum){in.values[i], in.sender, in.levels[i] + 1, &in.parts[(size_t)i * y->words]},
				   t->n_writes ? &t->writes[0] : &t->reads[0], i);
		if (good && sum.value >= 0 && passes_on(h, t))
			note_use(h, &sum);
		for (size_t k = 0; good && sum.value >= 0 && k < t->n_writes; k++)
			write_span(h, &t->writes[k], i, &sum, clock);
		if (t->fifo_out >= 0) {
			out.values[i] = good ? sum.value : -1;
			out.levels[i] = sum.level;
			memcpy(&out.parts[(size_t)i * y->words], sum.parts, y->words * sizeof *sum.parts);
		}
	}
	if (t->fifo_out >= 0)
		queue_push(&y->fifos[t->fifo_out], out);
	free(in.clock);
	free(in.values);
	free(in.levels);
	free(in.parts);
	free(sum.parts);
}

void play_transfers(struct play *y, struct play_block *b, const struct plan_op *o)
{
	struct hand h = {.y = y, .b = b, .o = o, .number = (int)(b - y->of), .stamp = (int)b->next + 2};

	for (size_t i = 0; i < o->n_transfers; i++)
		move(&h, &o->transfers[i]);
}

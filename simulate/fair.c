/*
 * Max-min fair sharing of links and limits (progressive filling, Bertsekas and Gallager): the resource that can give
 * least to each of its messages fixes their rates, what is left goes to the others, and so on. Whenever a message
 * starts or ends, rates are computed anew, but only for the messages that can be affected: those connected to it
 * through common resources.
 *
 * Where switches copy or add, messages that count once together at a resource have one rate, of which each uses an equal
 * part there. So a resource can give each message its remaining rate divided by the sum of these parts, at most its whole rate.
 */

#include "simulate/run.h"

#include "core/base/memory.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

/* A message in flight. Slot k is node k * longest + h in the list of the h-th resource of its route. */
struct message_flow {
	int message;
	double left, rate, since; /* bytes left at time `since`, and bytes per µs from then on */
	double end;               /* time, at that rate */
	int seen;                 /* the last update that looked at it */
};

struct user {
	int before, after; /* nodes of the same resource's list; -1: none */
};

struct resource_share {
	int first;    /* first node of its list; -1: none */
	int users;    /* messages without a rate yet, during an update */
	double parts; /* the sum of what these users count */
	double left;  /* rate not yet given out */
	int seen;
	bool touched; /* a message started or ended on it */
};

struct fair {
	size_t n_flows, flows_capacity, users_capacity;
	struct message_flow *flows;
	struct user *users;
	size_t n_unused, unused_capacity;
	int *unused; /* free slots */
	struct resource_share *shares; /* [resource] */
	int *slot; /* [message]: its slot; -1: not in flight. NULL: there are no bundles */
	size_t n_touched, touched_capacity;
	int *touched;
	struct heap ends; /* slots, by end and then by message */
	int settling; /* number of the current update */
	size_t n_near, near_capacity, n_moving, moving_capacity;
	int *near, *moving; /* resources and slots of the current update */
	double now;
};

static void *fair_open(const struct run *r)
{
	struct fair *q = new(struct fair);

	q->shares = new_array(struct resource_share, r->fabric->n_resources);
	for (size_t i = 0; i < r->fabric->n_resources; i++)
		q->shares[i].first = -1;
	q->ends.tracks = true;
	if (r->traffic->bundle)
		q->slot = new_array(int, (size_t)r->traffic->n);
	for (int m = 0; q->slot && m < r->traffic->n; m++)
		q->slot[m] = -1;
	return q;
}

static void fair_close(void *shares)
{
	struct fair *q = shares;

	free(q->flows);
	free(q->users);
	free(q->unused);
	free(q->shares);
	free(q->slot);
	free(q->touched);
	heap_free(&q->ends);
	free(q->near);
	free(q->moving);
	free(q);
}

static void push(int **list, size_t *n, size_t *capacity, int x)
{
	*list = grown(*list, capacity, *n + 1, sizeof **list);
	(*list)[(*n)++] = x;
}

/* ---- messages start and end ---- */

static void touch(struct fair *q, int resource)
{
	if (!q->shares[resource].touched)
		push(&q->touched, &q->n_touched, &q->touched_capacity, resource);
	q->shares[resource].touched = true;
}

static int new_slot(struct fair *q, const struct fabric *f)
{
	if (q->n_unused)
		return q->unused[--q->n_unused];
	q->flows = grown(q->flows, &q->flows_capacity, q->n_flows + 1, sizeof *q->flows);
	q->users = grown(q->users, &q->users_capacity, (q->n_flows + 1) * (size_t)f->longest, sizeof *q->users);
	q->flows[q->n_flows].seen = 0;
	return (int)q->n_flows++;
}

static void fair_start(struct run *r, int message, double time)
{
	const struct fabric *f = r->fabric;
	struct fair *q = r->shares;
	int slot = new_slot(q, f), route = r->traffic->route[message], seen = q->flows[slot].seen;

	q->now = time;
	if (q->slot)
		q->slot[message] = slot;
	q->flows[slot] = (struct message_flow){.message = message, .left = r->wire, .since = time, .seen = seen};
	for (int i = f->begin[route]; i < f->begin[route + 1]; i++) {
		struct resource_share *s = &q->shares[f->over[i]];
		int node = slot * f->longest + i - f->begin[route];
		q->users[node] = (struct user){-1, s->first};
		if (s->first >= 0)
			q->users[s->first].before = node;
		s->first = node;
		touch(q, f->over[i]);
	}
}

static void leave(struct run *r, int slot)
{
	const struct fabric *f = r->fabric;
	struct fair *q = r->shares;
	int route = r->traffic->route[q->flows[slot].message];

	for (int i = f->begin[route]; i < f->begin[route + 1]; i++) {
		const struct user *u = &q->users[slot * f->longest + i - f->begin[route]];
		if (u->before >= 0)
			q->users[u->before].after = u->after;
		else
			q->shares[f->over[i]].first = u->after;
		if (u->after >= 0)
			q->users[u->after].before = u->before;
		touch(q, f->over[i]);
	}
	if (q->slot)
		q->slot[q->flows[slot].message] = -1;
	push(&q->unused, &q->n_unused, &q->unused_capacity, slot);
}

/* The slot of the next other message in flight of SLOT's bundle, from the *AT-th on; *AT advances. -1: there is none. */
static int bundled(const struct run *r, int slot, int *at)
{
	const struct fair *q = r->shares;
	const struct traffic *t = r->traffic;
	int b = q->slot ? t->bundle[q->flows[slot].message] : -1;

	for (; b >= 0 && *at < csr_size(&t->bundles, b); ++*at) {
		int other = q->slot[t->bundles.of[t->bundles.begin[b] + *at]];
		if (other >= 0 && other != slot)
			return ++*at, other;
	}
	return -1;
}

/* ---- updating rates: the messages that can be affected, and their new rates ---- */

static void come_near(struct run *r, int resource)
{
	struct fair *q = r->shares;
	struct resource_share *s = &q->shares[resource];

	if (s->seen == q->settling)
		return;
	*s = (struct resource_share){.first = s->first, .left = r->fabric->resources[resource].rate, .seen = q->settling};
	push(&q->near, &q->n_near, &q->near_capacity, resource);
}

/* Adds a slot to the update: settles what it has sent so far and clears its rate. */
static void move_one(struct run *r, int slot)
{
	const struct fabric *f = r->fabric;
	struct fair *q = r->shares;
	struct message_flow *x = &q->flows[slot];
	int route = r->traffic->route[x->message];

	if (x->seen == q->settling)
		return;
	x->seen = q->settling;
	x->left -= x->rate * (q->now - x->since);
	x->since = q->now;
	x->rate = 0;
	push(&q->moving, &q->n_moving, &q->moving_capacity, slot);
	for (int i = f->begin[route]; i < f->begin[route + 1]; i++) {
		come_near(r, f->over[i]);
		q->shares[f->over[i]].users++;
		q->shares[f->over[i]].parts += traffic_part(r->traffic, f->longest, x->message, i - f->begin[route]);
	}
}

/* Moves a message with all of its bundle, which has one rate. */
static void move(struct run *r, int slot)
{
	move_one(r, slot);
	for (int at = 0, other; (other = bundled(r, slot, &at)) >= 0;)
		move_one(r, other);
}

static void give_one(struct run *r, int slot, double rate)
{
	const struct fabric *f = r->fabric;
	struct fair *q = r->shares;
	struct message_flow *x = &q->flows[slot];
	int route = r->traffic->route[x->message];

	x->rate = rate;
	x->end = q->now + (x->left > 0 ? x->left / rate : 0);
	for (int i = f->begin[route]; i < f->begin[route + 1]; i++) {
		double part = traffic_part(r->traffic, f->longest, x->message, i - f->begin[route]);
		q->shares[f->over[i]].users--;
		q->shares[f->over[i]].parts -= part;
		q->shares[f->over[i]].left -= part * rate;
	}
	heap_put(&q->ends, (struct heap_entry){heap_key(x->end), x->message, slot});
}

static void give(struct run *r, int slot, double rate)
{
	const struct fair *q = r->shares;

	give_one(r, slot, rate);
	for (int at = 0, other; (other = bundled(r, slot, &at)) >= 0;)
		if (q->flows[other].rate <= 0)
			give_one(r, other, rate);
}

/* What a resource has for each message still without a rate. */
static double share_of(const struct fair *q, const struct fabric *f, int resource)
{
	const struct resource_share *s = &q->shares[resource];

	return fmin(s->left / s->parts, f->resources[resource].rate);
}

/*
 * The least rate per message that any resource has for those still without one. Resources on which none are left are
 * removed from the list.
 */
static double least_share(struct fair *q, const struct fabric *f)
{
	double least = INFINITY;
	size_t kept = 0;

	for (size_t i = 0; i < q->n_near; i++) {
		const struct resource_share *s = &q->shares[q->near[i]];
		if (!s->users)
			continue;
		q->near[kept++] = q->near[i];
		least = fmin(least, share_of(q, f, q->near[i]));
	}
	q->n_near = kept;
	return least;
}

static void share_out(struct run *r)
{
	static const double same = 1 + 1e-9; /* for sums that differ by rounding only */
	const struct fabric *f = r->fabric;
	struct fair *q = r->shares;

	for (double least; isfinite(least = least_share(q, f));)
		for (size_t i = 0; i < q->n_near; i++) {
			const struct resource_share *s = &q->shares[q->near[i]];
			if (!s->users || share_of(q, f, q->near[i]) > least * same)
				continue;
			for (int node = s->first; node >= 0; node = q->users[node].after)
				if (q->flows[node / f->longest].rate <= 0)
					give(r, node / f->longest, least);
		}
}

static void settle(struct run *r)
{
	const struct fabric *f = r->fabric;
	struct fair *q = r->shares;

	q->settling++;
	q->n_near = q->n_moving = 0;
	for (size_t i = 0; i < q->n_touched; i++)
		come_near(r, q->touched[i]);
	q->n_touched = 0;
	for (size_t i = 0; i < q->n_near; i++)
		for (int node = q->shares[q->near[i]].first; node >= 0; node = q->users[node].after)
			move(r, node / f->longest);
	share_out(r);
}

static double fair_next(struct run *r)
{
	struct fair *q = r->shares;

	if (q->n_touched)
		settle(r);
	return q->ends.n ? heap_double(q->ends.of[0].key) : INFINITY;
}

/* Ends all messages that end now, within rounding. */
static void fair_finish(struct run *r, double time)
{
	struct fair *q = r->shares;
	double until = time * (1 + 1e-12);

	q->now = time;
	while (q->ends.n && heap_double(q->ends.of[0].key) <= until) {
		int slot = heap_take(&q->ends).item, message = q->flows[slot].message;
		leave(r, slot);
		r->sent(r, message, time);
		r->arrived(r, message, time + r->fabric->routes[r->traffic->route[message]].latency);
	}
}

static void fair_head(struct run *r, int message, double time)
{
	(void)r, (void)message, (void)time;
}

const struct sharing sharing_fair = {fair_open, fair_close, fair_start, fair_head, fair_next, fair_finish};

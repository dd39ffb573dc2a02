/*
 * The side of the search. Liveness by heartbeats: a worker that was silent for SILENCE seconds of listening is lost,
 * and its question goes to an idle worker, as does that of a worker that reports a failure.
 */
#include "synth/frontier/remote_pool.h"

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/memory.h"
#include "core/base/text.h"
#include "synth/frontier/transport.h"
#include "synth/frontier/remote_messages.h"

#include <stdlib.h>

/*
 * Seconds. Heartbeats are sent every ALIVE. Only time spent listening counts as silence, so that no worker is given up
 * while this process is busy; and each wait counts for at most MOST_WAIT, so that none is after this computer was
 * suspended.
 */
static const double SILENCE = 10, ALIVE = 1, MOST_WAIT = 0.5;

enum state { IDLE, BUSY, OUT, LOST }; /* OUT: it failed; LOST: it fell silent */

struct remote_peer {
	enum state state;
	int number;    /* BUSY: its question, still wanted or not */
	double silent; /* seconds spent listening since its last message */
};

struct remote_question {
	int number; /* 0: free */
	int worker; /* 0: not assigned to one yet */
	bool answered;
	struct text message;
	struct solution got;
	struct error fault; /* answered, but the question is invalid */
};

struct remote_pool {
	const struct transport *post;
	void (*gone)(int worker, const char *why);
	struct remote_peer *workers;     /* [rank]; rank 0 is this process, unused */
	struct remote_question *questions; /* [ranks - 1] */
	size_t n_questions;
	int last_number;
	double alive; /* when the last heartbeat was sent */
};

struct remote_pool *remote_pool_new(const struct transport *post, void (*gone)(int worker, const char *why))
{
	struct remote_pool *s = new(struct remote_pool);
	s->post = post;
	s->gone = gone;
	s->workers = new_array(struct remote_peer, (size_t)post->ranks);
	s->n_questions = (size_t)post->ranks - 1;
	s->questions = new_array(struct remote_question, s->n_questions);
	return s;
}

static void drop(struct remote_question *q)
{
	text_free(&q->message);
	steps_free(q->got.steps, q->got.n_steps);
	*q = (struct remote_question){0};
}

void remote_pool_free(struct remote_pool *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->n_questions; i++)
		drop(&s->questions[i]);
	free(s->questions);
	free(s->workers);
	free(s);
}

int remote_pool_workers(const struct remote_pool *s)
{
	return s->post->ranks - 1;
}

static void send_word(const struct remote_pool *s, int to, enum message_kind kind, int number)
{
	struct text word = {0};
	message_begin(&word, kind, number);
	s->post->send(s->post->context, to, &word);
	text_free(&word);
}

bool remote_pool_end(struct remote_pool *s)
{
	bool whole = true;

	for (int w = 1; w < s->post->ranks; w++)
		whole = whole && s->workers[w].state != LOST;
	for (int w = 1; w < s->post->ranks; w++)
		if (s->workers[w].state != LOST)
			send_word(s, w, MESSAGE_END, whole);
	return whole;
}

static struct remote_question *numbered(struct remote_pool *s, int number)
{
	for (size_t i = 0; i < s->n_questions; i++)
		if (s->questions[i].number == number)
			return &s->questions[i];
	return NULL;
}

/* Assigns questions that no worker has to idle workers. */
static void assign(struct remote_pool *s)
{
	int w = 1;

	for (size_t i = 0; i < s->n_questions; i++) {
		struct remote_question *q = &s->questions[i];
		if (!q->number || q->worker || q->answered)
			continue;
		while (w < s->post->ranks && s->workers[w].state != IDLE)
			w++;
		if (w == s->post->ranks)
			return;
		s->workers[w].state = BUSY;
		s->workers[w].number = q->number;
		q->worker = w;
		s->post->send(s->post->context, w, &q->message);
	}
}

int remote_pool_ask(struct remote_pool *s, const struct problem *p, struct candidate c, const struct solve_options *o)
{
	struct remote_question *q = numbered(s, 0);

	q->number = ++s->last_number;
	message_begin(&q->message, MESSAGE_QUESTION, q->number);
	message_add_question(&q->message, p, c, o);
	assign(s);
	return q->number;
}

static void give_up(struct remote_pool *s, int w, enum state state, const char *why)
{
	struct remote_peer *worker = &s->workers[w];
	struct remote_question *q = worker->state == BUSY ? numbered(s, worker->number) : NULL;

	if (q && !q->answered)
		q->worker = 0;
	worker->state = state;
	s->gone(w, why);
}

static void take_answer(struct remote_pool *s, int w, int number, const struct text *m)
{
	struct remote_question *q = numbered(s, number);
	struct solution got;

	if (s->workers[w].state != BUSY || s->workers[w].number != number)
		return;
	if (!message_read_answer(m, &got)) {
		give_up(s, w, OUT, "its answer cannot be read");
		return;
	}
	s->workers[w].state = IDLE;
	if (!q) {
		steps_free(got.steps, got.n_steps);
		return;
	}
	q->got = got;
	q->answered = true;
}

/* An invalid question is invalid for every worker; a worker with a system error is not asked again. */
static void take_fault(struct remote_pool *s, int w, int number, const struct text *m)
{
	struct remote_question *q = numbered(s, number);
	struct error fault;
	struct text why = {0};

	if (s->workers[w].state != BUSY || s->workers[w].number != number)
		return;
	message_read_fault(m, &fault);
	if (fault.kind != ERROR_SYSTEM) {
		s->workers[w].state = IDLE;
		if (q) {
			q->answered = true;
			q->fault = fault;
		}
		return;
	}
	text_add(&why, "%s: %s", fault.where, fault.what);
	give_up(s, w, OUT, why.bytes);
	text_free(&why);
}

static void take(struct remote_pool *s, int from, const struct text *m)
{
	struct message_head head;

	if (from < 1 || from >= s->post->ranks || s->workers[from].state == LOST || !message_head(m, &head))
		return;
	s->workers[from].silent = 0;
	if (head.kind == MESSAGE_ANSWER)
		take_answer(s, from, head.number, m);
	else if (head.kind == MESSAGE_FAILED)
		take_fault(s, from, head.number, m);
}

/* Gives up workers that were silent for too long. False with *e set: none is left. */
static bool count_silence(struct remote_pool *s, double waited, struct error *e)
{
	bool any = false;

	waited = waited < MOST_WAIT ? waited : MOST_WAIT;
	for (int w = 1; w < s->post->ranks; w++) {
		struct remote_peer *worker = &s->workers[w];
		if (worker->state == LOST)
			continue;
		worker->silent += waited;
		if (worker->silent > SILENCE)
			give_up(s, w, LOST, "it no longer responds");
		any = any || worker->state == IDLE || worker->state == BUSY;
	}
	return any || error_set(e, ERROR_SYSTEM, "workers", "none is left; the answers so far are in the journal, and --resume continues");
}

static void send_alive(struct remote_pool *s)
{
	if (clock_seconds() - s->alive < ALIVE)
		return;
	s->alive = clock_seconds();
	for (int w = 1; w < s->post->ranks; w++)
		if (s->workers[w].state != LOST)
			send_word(s, w, MESSAGE_ALIVE, 0);
}

static int answered(const struct remote_pool *s)
{
	for (size_t i = 0; i < s->n_questions; i++)
		if (s->questions[i].number && s->questions[i].answered)
			return s->questions[i].number;
	return 0;
}

/* Takes one message. True: there was one. */
static bool listen_once(struct remote_pool *s, int milliseconds)
{
	struct text m = {0};
	int from = 0;
	bool came = s->post->receive(s->post->context, milliseconds, &from, &m);

	if (came)
		take(s, from, &m);
	text_free(&m);
	return came;
}

int remote_pool_wait(struct remote_pool *s, int milliseconds, struct error *e)
{
	double begin = clock_seconds();

	send_alive(s);
	assign(s);
	while (listen_once(s, 0))
		; /* messages that arrived since the last call */
	if (!answered(s))
		listen_once(s, milliseconds);
	assign(s);
	return answered(s) || !count_silence(s, clock_seconds() - begin, e) ? answered(s) : 0;
}

bool remote_pool_finish(struct remote_pool *s, int number, struct solution *out, struct error *e)
{
	struct remote_question *q = numbered(s, number);
	bool ok = q->fault.kind == ERROR_NONE || error_set(e, q->fault.kind, q->fault.where, "%s", q->fault.what);

	*out = q->got;
	q->got = (struct solution){0};
	drop(q);
	return ok;
}

void remote_pool_cancel(struct remote_pool *s, int number)
{
	struct remote_question *q = numbered(s, number);

	if (q->worker && !q->answered)
		send_word(s, q->worker, MESSAGE_CANCEL, number);
	drop(q);
}

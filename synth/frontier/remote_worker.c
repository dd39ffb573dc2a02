/*
 * The side of the worker: solves one question at a time in a child process, and polls for messages meanwhile, so that
 * it can cancel and send heartbeats.
 */
#include "synth/frontier/remote_pool.h"

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "synth/frontier/transport.h"
#include "synth/frontier/remote_messages.h"


/* Seconds. A worker that has heard nothing for SILENCE exits: the search is gone. */
static const double SILENCE = 600, ALIVE = 1;
enum { LOOK_MILLISECONDS = 5 };

struct remote_work {
	const struct transport *post;
	int number; /* of the question being solved; 0: none */
	struct asked asked;
	struct solve_job *job;
	double heard, alive;
	bool ended, whole;
};

static void done(struct remote_work *w)
{
	w->job = NULL;
	w->number = 0;
	asked_close(&w->asked);
}

static void send_fault(const struct remote_work *w, int number, const struct error *e)
{
	struct text m = {0};
	message_begin(&m, MESSAGE_FAILED, number);
	message_add_fault(&m, e);
	w->post->send(w->post->context, 0, &m);
	text_free(&m);
}

static void send_answer(const struct remote_work *w, int number, const struct solution *got)
{
	struct text m = {0};
	message_begin(&m, MESSAGE_ANSWER, number);
	message_add_answer(&m, got);
	w->post->send(w->post->context, 0, &m);
	text_free(&m);
}

static void begin(struct remote_work *w, int number, const struct text *m)
{
	struct error e = {0};

	if (!message_read_question(m, &w->asked, &e)) {
		send_fault(w, number, &e);
		return;
	}
	w->job = solve_start(&w->asked.instance, &w->asked.options, &e);
	if (!w->job) {
		asked_close(&w->asked);
		send_fault(w, number, &e);
		return;
	}
	w->number = number;
}

/* Sends an answer nevertheless: it reports that this worker is idle. */
static void cancel(struct remote_work *w)
{
	const struct solution nothing = {.answer = ANSWER_GAVE_UP, .engine = w->asked.options.engine, .why = "cancelled"};

	solve_cancel(w->job);
	send_answer(w, w->number, &nothing);
	done(w);
}

static void finish(struct remote_work *w)
{
	struct error e = {0};
	struct solution got = {0};

	if (solve_finish(w->job, &got, &e))
		send_answer(w, w->number, &got);
	else
		send_fault(w, w->number, &e);
	steps_free(got.steps, got.n_steps);
	done(w);
}

static void take(struct remote_work *w, const struct text *m)
{
	struct message_head head;

	w->heard = clock_seconds();
	if (!message_head(m, &head))
		return;
	if (head.kind == MESSAGE_QUESTION && !w->job)
		begin(w, head.number, m);
	else if (head.kind == MESSAGE_CANCEL && w->job && w->number == head.number)
		cancel(w);
	else if (head.kind == MESSAGE_END) {
		w->ended = true;
		w->whole = head.number;
	}
}

static void send_alive(struct remote_work *w)
{
	struct text m = {0};

	if (clock_seconds() - w->alive < ALIVE)
		return;
	w->alive = clock_seconds();
	message_begin(&m, MESSAGE_ALIVE, 0);
	w->post->send(w->post->context, 0, &m);
	text_free(&m);
}

bool remote_worker_run(const struct transport *post, const volatile int *interrupted)
{
	struct remote_work w = {.post = post, .heard = clock_seconds()};

	while (!w.ended && !*interrupted && clock_seconds() - w.heard < SILENCE) {
		struct text m = {0};
		int from;
		if (w.job && solve_wait(&w.job, 1, LOOK_MILLISECONDS) == 0)
			finish(&w);
		if (post->receive(post->context, w.job ? 0 : LOOK_MILLISECONDS, &from, &m))
			take(&w, &m);
		text_free(&m);
		send_alive(&w);
	}
	if (w.job) {
		solve_cancel(w.job);
		done(&w);
	}
	return w.ended && w.whole;
}

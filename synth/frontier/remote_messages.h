#ifndef SCCL_SYNTH_FRONTIER_REMOTE_MESSAGES_H
#define SCCL_SYNTH_FRONTIER_REMOTE_MESSAGES_H

/* Messages between the searching process and its workers: raw bytes, between programs of the same build. */

#include "core/base/error.h"
#include "core/base/text.h"
#include "synth/problem/problem.h"

enum message_kind {
	MESSAGE_QUESTION, /* to a worker: a question */
	MESSAGE_CANCEL,   /* to a worker: the answer is no longer wanted */
	MESSAGE_END,      /* to a worker: exit; number 0: without waiting for the others */
	MESSAGE_ALIVE,    /* both ways, every second */
	MESSAGE_ANSWER,   /* to the search: an answer */
	MESSAGE_FAILED,   /* to the search: the question was invalid, or the worker failed */
	MESSAGE_KINDS
};

/* The beginning of every message. NUMBER is that of the question. */
struct message_head {
	int kind, number;
};

void message_begin(struct text *m, enum message_kind kind, int number);
bool message_head(const struct text *m, struct message_head *out); /* false: not a message */

/* Each message_add_... appends the body that message_read_... reads, after message_begin. */
void message_add_question(struct text *m, const struct problem *p, struct candidate c, const struct solve_options *o);

/* A question that was read. The problem and the instance borrow from the other fields. */
struct asked {
	struct topology *topology;
	struct collective collective;
	struct problem problem;
	struct instance instance;
	struct solve_options options;
};
/* False with *e set, and nothing to close. */
bool message_read_question(const struct text *m, struct asked *out, struct error *e);
void asked_close(struct asked *a);

void message_add_answer(struct text *m, const struct solution *got);
bool message_read_answer(const struct text *m, struct solution *out); /* false: damaged, and nothing to free */

void message_add_fault(struct text *m, const struct error *e);
void message_read_fault(const struct text *m, struct error *e);

#endif

#ifndef SCCL_SYNTH_FRONTIER_REMOTE_MESSAGES_H
#define SCCL_SYNTH_FRONTIER_REMOTE_MESSAGES_H

/* What those who walk and those who answer write to each other. All bytes, between programs of one build. */

#include "core/base/error.h"
#include "core/base/text.h"
#include "synth/problem/problem.h"

enum message_kind {
	MESSAGE_QUESTION, /* to a worker: a question */
	MESSAGE_CANCEL,   /* its answer is not wanted any more */
	MESSAGE_END,      /* go; number 0: without waiting for the others */
	MESSAGE_ALIVE,    /* both ways, each second */
	MESSAGE_ANSWER,   /* to the one who walks: an answer */
	MESSAGE_FAILED,   /* a fault */
	MESSAGE_KINDS
};

/* Every message begins so. */
struct message_head {
	int kind, number;
};

void message_begin(struct text *m, enum message_kind kind, int number);
bool message_head(const struct text *m, struct message_head *out); /* false: it is none */

void message_add_question(struct text *m, const struct problem *p, struct candidate c, const struct solve_options *o);

/* A question as read. The problem refers to the others. */
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
bool message_read_answer(const struct text *m, struct solution *out); /* false: cut short, nothing to free */

void message_add_fault(struct text *m, const struct error *e);
void message_read_fault(const struct text *m, struct error *e);

#endif

#ifndef SCCL_ENCODE_ANSWER_H
#define SCCL_ENCODE_ANSWER_H

/* A solver's answer as bytes, for pipes and messages between processes of one kind of machine. */

#include "encode/solve.h"

struct text;

/* The answer, S, and for each step: its rounds, the numbers of its sends and reduces, the sends, the reduces. */
void answer_add(struct text *into, const struct solution *got);

/* From *at on, which is moved behind it. False: it is cut short. What came of the steps is the caller's, also then. */
bool answer_take(const struct text *t, size_t *at, struct solution *out);

#endif

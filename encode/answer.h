#ifndef SCCL_ENCODE_ANSWER_H
#define SCCL_ENCODE_ANSWER_H

/*
 * A solver's answer as bytes, for pipes and messages between processes on machines of the same architecture (native
 * byte order and struct layout).
 */

#include "encode/solve.h"

struct text;

/* Appends the answer, S, and for each step its rounds, the numbers of sends and reduces, the sends, and the reduces. */
void answer_add(struct text *into, const struct solution *got);

/*
 * Reads an answer from *at on and advances *at past it. False: the bytes are truncated or malformed. The caller owns
 * the steps in *out, in the latter case those read so far (steps_free).
 */
bool answer_take(const struct text *t, size_t *at, struct solution *out);

#endif

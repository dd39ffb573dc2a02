#ifndef TESTS_ENCODE_RANDOM_INSTANCE_H
#define TESTS_ENCODE_RANDOM_INSTANCE_H

/* Small questions by a seed, and an answer to them by trying everything: what the engines are held against. */

#include "core/schedule/instance.h"

#include <stdint.h>

struct topology;

struct random_question {
	struct topology *topology; /* 3 to 5 nodes, random links, bandwidths and limits, now and then a switch */
	struct network *network;
	struct collective collective;
	struct instance instance;
};

void random_seed(uint64_t seed);
struct random_question random_question(void);
/* One that is not drawn. Ends the program if there is none such. */
struct random_question question_about(const char *machine, struct collective k, int chunks, int steps, int rounds);
void question_free(struct random_question *q);

enum tried { TRIED_FOUND, TRIED_NONE, TRIED_TOO_LARGE };
/* Every set of sends that fits into every step, from what is held, for every way to share the rounds. */
enum tried try_everything(const struct instance *i);

#endif

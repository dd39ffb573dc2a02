#ifndef SCCL_SYNTH_PROGRAM_DROPPING_PATTERNS_H
#define SCCL_SYNTH_PROGRAM_DROPPING_PATTERNS_H

/*
 * Patterns of an allreduce in which nodes drop values of which no part arrives, as a node does that has sent its own value
 * elsewhere and then only passes on others. The sends alone hardly tell which values those are.
 */

#include <stddef.h>
#include <stdint.h>

struct node_group;
struct step;
struct timed_program;

struct dropping_pattern {
	size_t n;           /* sends */
	uint16_t *dst, *src; /* [send], by step, dst and src; owned */
	size_t *end;        /* [step]: of its sends; owned */
	uint64_t *drops;    /* [step]: nodes, as bits, that drop their values; owned */
};

/* Released by dropping_patterns_free. */
struct dropping_patterns {
	int steps;
	size_t n, capacity;
	struct dropping_pattern *of; /* owned */
};

/*
 * The images under GROUP, of up to some hundred elements, of the columns of P that carry anything and drop values: DROPS
 * [column * steps + step], none where that is 0 in all steps. The caller frees *OUT.
 */
void dropping_patterns_new(const struct timed_program *p, const uint64_t *drops, const struct node_group *group,
			   struct dropping_patterns *out);
void dropping_patterns_free(struct dropping_patterns *all);

/* The pattern whose sends are those from FIRST [step] to END [step] of each step, sorted by dst and src; NULL: there is none. */
const struct dropping_pattern *dropping_patterns_find(const struct dropping_patterns *all, const struct step *steps, const size_t *first,
						      const size_t *end);

#endif

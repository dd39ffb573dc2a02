#ifndef SCCL_TESTS_FUZZ_MUTATION_H
#define SCCL_TESTS_FUZZ_MUTATION_H

/* Files changed by chance, the same chance for the same seed. */

#include <stddef.h>
#include <stdint.h>

struct text;

void mutation_seed(uint64_t seed);
uint64_t mutation_state(void);    /* for a report */
size_t mutation_below(size_t n);  /* 0 .. n-1; 0 for 0 */

/* One to three changes: bytes left out, changed, doubled; a word or number swapped for one that hurts. */
void mutate(struct text *t);

#endif

#ifndef TESTS_SYNTH_METHODS_BUILT_H
#define TESTS_SYNTH_METHODS_BUILT_H

/* For the tests here: algorithms by a method's name. */

#include "core/schedule/algorithm.h"
#include "core/base/error.h"
#include "synth/builder/method.h"

/* NULL with *e set where the method refuses. CHUNKS 0: its own choice. Root 0. */
struct algorithm *built(const char *method, const char *machine, enum collective_kind kind, int chunks, struct error *e);

/* The same; it is a failure of the test if it is refused. */
struct algorithm *built_well(const char *method, const char *machine, enum collective_kind kind, int chunks);

/* It must be refused with ERROR_INPUT and words that hold WHY. */
void expect_refused(const char *method, const char *machine, enum collective_kind kind, int chunks, const char *why);

/* Steps, rounds and C must be those. */
void expect_cost(const char *method, const char *machine, enum collective_kind kind, struct candidate wanted);

#endif

#ifndef SCCL_LOWER_TEXT_EMIT_H
#define SCCL_LOWER_TEXT_EMIT_H

/*
 * Emits programs as text. The text is the same for all targets except for the target's name; what differs is the layer
 * that sccl/device.h includes. Names that come from input files reach the text only through identifier().
 */

#include "lower/program/kernels.h"
#include "lower/lower.h"

struct program;

/* An algorithm's program in each protocol: with flags, with packets, with flags and shared inputs, and with switches that copy
 * and add (the last two NULL: there is no such), and with loads from peers. Borrowed. */
struct programs {
	const struct program *plain, *packets, *shared, *multimem, *pull;
};

/* Appends the source of program NAME for target T, with the kernels of K. This source and NAME.h include only public
 * headers of the runtime. */
void emit_source(const struct programs *p, const char *name, const struct target *t, const struct kernels *k,
		 struct text *into);
/* Appends NAME.h: the declaration of the program, with the digest of its schedule. */
void emit_header(const struct program *p, const char *name, struct text *into);

/* The parts of a source, in order: a title; how chunks are cut; the words of each rank (WHAT prefixes their symbols,
 * and COMMENT comes before them); the program itself. */
void text_title(const struct programs *p, const char *name, const char *target, struct text *into);
void text_cuts(const struct program *p, struct text *into);
void text_words(const struct program *p, const char *what, const char *comment, struct text *into);
void text_program(const struct programs *p, const char *name, const char *target, const struct kernels *k,
		  struct text *into);

#endif

#ifndef SCCL_LOWER_TEXT_EMIT_H
#define SCCL_LOWER_TEXT_EMIT_H

/*
 * Programs as text. A target is a row of targets.c and an emitter; what all targets share of a generated file is here.
 * Nothing from a file reaches the text but through identifier().
 */

#include "lower/program/kernels.h"
#include "lower/lower.h"

struct program;

/* An algorithm's program in each protocol. */
struct programs {
	const struct program *plain, *packets;
};

/* NAME's source for target T. It and NAME.h need only the runtime's public headers. */
void emit_source(const struct programs *p, const char *name, const struct target *t, const struct kernels *k,
		 struct text *into);
/* NAME.h: the declaration of the program. */
void emit_header(const struct program *p, const char *name, struct text *into);

/* The parts of a source, in their order: what it is; how chunks are cut; what each rank does; the program. */
void text_title(const struct programs *p, const char *name, const char *target, struct text *into);
void text_cuts(const struct program *p, struct text *into);
void text_words(const struct program *p, const char *what, const char *comment, struct text *into);
void text_program(const struct programs *p, const char *name, const char *target, const struct kernels *k,
		  struct text *into);

#endif

#ifndef SCCL_LOWER_EMIT_H
#define SCCL_LOWER_EMIT_H

/*
 * Programs as text. A target is a row of targets.c and an emitter; what all targets share of a generated file is here.
 * Nothing from a file reaches the text but through identifier().
 */

#include "lower/lower.h"

struct program;

struct target_row {
	struct target target;
	/* The source of program NAME, an identifier. It and NAME.h need only the runtime's public headers. */
	void (*emit)(const struct program *p, const char *name, struct text *into);
};

const struct target_row *target_row(const struct target *t);
void emit_host(const struct program *p, const char *name, struct text *into);

/* NAME.h: the declaration of the program. */
void emit_header(const struct program *p, const char *name, struct text *into);

/* The parts of a source, in their order: what it is; the tables; the program with its kernels. */
void text_title(const struct program *p, const char *name, const char *target, struct text *into);
void text_tables(const struct program *p, struct text *into);
void text_program(const struct program *p, const char *name, const char *target, struct text *into);

#endif

#ifndef SCCL_RUNTIME_RUNNER_RUN_H
#define SCCL_RUNTIME_RUNNER_RUN_H

/*
 * sccl-run: runs a compiled program on this machine's CPUs or GPUs, with every rank a process or a thread, and compares
 * the results with a reference. It uses the runtime as any application does.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <sccl/sccl.h>

/* As documented in docs/reference/formats.md. */
enum { EXIT_DONE = 0, EXIT_DIFFERS = 1, EXIT_INPUT = 2, EXIT_BROKEN = 4 };

/* The placements of a call, in the order of columns. */
enum call_place { OUT_OF_PLACE, IN_PLACE, PLACES };

struct settings {
	const char *file, *symbol; /* symbol NULL: the file's base name */
	const char *label;         /* the name of the file in rows and messages */
	bool by_count;             /* amounts are in elements; otherwise in bytes */
	size_t n_amounts;
	uint64_t *amounts;
	bool types[SCCL_DTYPES], ops[SCCL_OPS], every_op; /* every_op: those that the program does not support are left out */
	uint64_t calls, warmups;   /* a row: checked or timed, and before the time is taken */
	bool places[PLACES];       /* where calls are made; none is given: read_settings chooses */
	bool threads, staged, registered, graph, check, json, overlap, pin;
	sccl_protocol_t protocol;
	sccl_mode_t mode;
	uint32_t blocks; /* 0: the device chooses */
	double timeout;  /* seconds */
};

/* Do ranks read each other's inputs, which then lie in symmetric memory and apart from the outputs? */
static inline bool settings_share_inputs(const struct settings *s)
{
	return s->protocol == SCCL_SHARED || s->protocol == SCCL_MULTIMEM;
}

/* Prints one line on standard error: "sccl-run: WHERE: what is wrong". */
void complain(const char *where, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Fills in *S; exits on --help and on bad usage. */
void read_settings(int argc, char **argv, struct settings *s);

/* The program in a compiled file, which stays loaded; NULL after printing an error message. */
const sccl_program_t *load_program(const struct settings *s);

/* Runs all ranks to completion. Returns the exit status, after printing any error messages. */
int run_ranks(const struct settings *s, const sccl_program_t *program);

#endif

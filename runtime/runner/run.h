#ifndef SCCL_RUNTIME_RUNNER_RUN_H
#define SCCL_RUNTIME_RUNNER_RUN_H

/*
 * sccl-run: runs a compiled program on this machine's processors, every rank a process or a thread, and compares what
 * comes out with a reference. It uses the runtime as any application does.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <sccl/sccl.h>

/* As in docs/reference/formats.md. */
enum { EXIT_DONE = 0, EXIT_DIFFERS = 1, EXIT_INPUT = 2, EXIT_BROKEN = 4 };

struct settings {
	const char *file, *symbol; /* symbol NULL: the file's base name */
	const char *label;         /* what rows and complaints call the file */
	bool by_count;             /* amounts are elements; else bytes */
	size_t n_amounts;
	uint64_t *amounts;
	bool types[SCCL_DTYPES], ops[SCCL_OPS];
	uint64_t calls;
	bool threads, in_place, staged, registered, graph, check, json, overlap;
	sccl_protocol_t protocol;
	sccl_mode_t mode;
	uint32_t blocks; /* 0: the device's choice */
	double timeout;  /* seconds */
};

/* One line on standard error: "sccl-run: WHERE: what is wrong". */
void complain(const char *where, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Fills *S; ends the process on --help and on bad usage. */
void read_settings(int argc, char **argv, struct settings *s);

/* The program in a compiled file, NULL with the complaint made. It stays loaded. */
const sccl_program_t *load_program(const struct settings *s);

/* All ranks, to their end. The exit status, with every complaint made. */
int run_ranks(const struct settings *s, const sccl_program_t *program);

#endif

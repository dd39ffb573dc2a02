#ifndef SCCL_TESTS_FUZZ_TARGETS_H
#define SCCL_TESTS_FUZZ_TARGETS_H

/*
 * Readers before bytes that anyone may have written. A target returns whatever the bytes are: it refuses them with one
 * line, or accepts them, and then what it read is judged, written, and read again. A violated property ends the
 * process by abort(), which libFuzzer and replay both report.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* BYTES has N bytes and a NUL behind them. True: they were accepted. */
typedef bool fuzz_run(const char *bytes, size_t n);

struct fuzz_target {
	const char *name;
	fuzz_run *run;
	size_t most; /* longer inputs say nothing new, and take long */
};

/* NULL: there is none of that name. */
const struct fuzz_target *fuzz_target_named(const char *name);
const struct fuzz_target *fuzz_target_list(size_t *n);

/* Ends the process unless OK, with WHAT on standard error. */
void fuzz_need(bool ok, const char *what);

/* The path of a file with these bytes, until the next call: for readers that take a path. */
const char *fuzz_file(const char *bytes, size_t n);

/* read_files.c: whole files */
fuzz_run fuzz_topology, fuzz_collective, fuzz_algorithm, fuzz_frontier, fuzz_workload, fuzz_journal;
/* read_foreign.c: files of other tools */
fuzz_run fuzz_machine, fuzz_plan, fuzz_schedule;
/* read_proofs.c: certificates */
fuzz_run fuzz_proof, fuzz_time_proof, fuzz_trace;
/* read_words.c: what people type */
fuzz_run fuzz_name, fuzz_options;
/* read_peers.c: what other processes send, and what users edit for the runtime */
fuzz_run fuzz_rendezvous, fuzz_choices, fuzz_remote;
/* read_parcels.c: what ranks on other servers send */
fuzz_run fuzz_parcel;

#endif

#ifndef SCCL_INTEROP_MACHINES_IMPORT_H
#define SCCL_INTEROP_MACHINES_IMPORT_H

/*
 * Machines described by other tools: the format is found by content. Several descriptions of one machine are compared,
 * and what they disagree on is listed.
 */

#include <stdbool.h>
#include <stddef.h>

struct error;
struct text;
struct topology;

/* Speeds of links: as vendors state them, or as NCCL and RCCL assume them when they plan. */
enum import_rates { RATES_NOMINAL, RATES_PLANNED };

struct import_report {
	const char *format; /* of the description that was taken; static */
	struct text *notes; /* remarks and disagreements, one a line */
};

/*
 * Reads the N files as one machine called NAME. The most detailed description is taken: NCCL's and hwloc's before text
 * before a matrix, of equal ones the first. NULL with *e set: an unknown format, a bad file, or descriptions of
 * different numbers of GPUs. The caller owns the topology.
 */
struct topology *import_machine(const char *const *paths, size_t n, const char *name, enum import_rates rates,
				struct import_report *report, struct error *e);

/* Names of all formats, for listings: the i-th; NULL past the end. */
const char *import_format(size_t i);

#endif

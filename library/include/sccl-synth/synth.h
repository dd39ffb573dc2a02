#ifndef SCCL_SYNTH_SYNTH_H
#define SCCL_SYNTH_SYNTH_H

/*
 * libsccl-synth: the synthesizer as a library. Open a machine, ask for bounds, the frontier or the fastest algorithms,
 * verify and simulate algorithms, and write them as programs. The command sccl-synth gives the same answers.
 *
 * The interface is stable: functions and members are only added, members at the end of structs that begin with their size,
 * and the soname changes if that is ever broken.
 *
 * Objects are opaque and belong to the caller, who frees them; pointers that a function returns into an object live as long
 * as it; of NULL they return NULL or 0. Calls are made one at a time: the library locks, so that threads wait for each other. Searches start processes, by
 * fork. If memory runs out, one line is printed and the process ends with status 4, as the command does.
 */

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SCCLS_API __attribute__((visibility("default")))

/* The exit statuses of the command. */
typedef enum {
	SCCLS_OK = 0,
	SCCLS_NO = 1,     /* the answer is no */
	SCCLS_INPUT = 2,  /* an argument or a file is wrong */
	SCCLS_LIMIT = 3,  /* a limit of time or memory was reached, or the request is too large */
	SCCLS_FAILED = 4, /* a failure of the program or the system */
} sccls_status_t;

/* "0.1.0" */
SCCLS_API const char *sccls_version(void);
/* "WHERE: what is wrong" of this thread's last call that did not return SCCLS_OK; "" if there was none. */
SCCLS_API const char *sccls_error_text(void);
/* A folder that is searched first for machines given by name; NULL: none. Copied. */
SCCLS_API void sccls_search_path(const char *folder);

/* An exact ratio in lowest terms. */
typedef struct {
	int64_t num, den;
} sccls_ratio_t;

/* ---- machines ---- */

typedef struct sccls_topology sccls_topology_t;

/* NAME as `sccl-synth -t` takes it: "dgx1", "torus:4x4", "./mine.json", "dgx-h100*4:ib400". */
SCCLS_API sccls_status_t sccls_topology_open(const char *name, sccls_topology_t **out);
/* JSON is the text of a topology file. */
SCCLS_API sccls_status_t sccls_topology_parse(const char *json, sccls_topology_t **out);
SCCLS_API const char *sccls_topology_name(const sccls_topology_t *t);
SCCLS_API int32_t sccls_topology_nodes(const sccls_topology_t *t);
SCCLS_API const char *sccls_topology_json(const sccls_topology_t *t);
SCCLS_API void sccls_topology_free(sccls_topology_t *t); /* NULL is allowed, here and below */

/* ---- algorithms ---- */

typedef struct sccls_algorithm sccls_algorithm_t;

/* C chunks of each input, S steps, R rounds: S α + R/C L β. */
typedef struct {
	int32_t chunks, steps, rounds;
} sccls_cost_t;

SCCLS_API sccls_status_t sccls_algorithm_open(const char *path, sccls_algorithm_t **out);
SCCLS_API sccls_status_t sccls_algorithm_parse(const char *json, sccls_algorithm_t **out);
/* By a method of `sccl-synth build`: "ring", "direct", ... CHUNKS 0: as many as the method takes. ROOT is ignored where the
 * collective has none, here and below. */
SCCLS_API sccls_status_t sccls_build(const sccls_topology_t *t, const char *collective, int32_t root, const char *method, int32_t chunks,
                                     sccls_algorithm_t **out);
SCCLS_API const char *sccls_algorithm_name(const sccls_algorithm_t *a);
SCCLS_API sccls_cost_t sccls_algorithm_cost(const sccls_algorithm_t *a);
SCCLS_API const char *sccls_algorithm_json(const sccls_algorithm_t *a);
SCCLS_API sccls_status_t sccls_algorithm_save(const sccls_algorithm_t *a, const char *path);
SCCLS_API void sccls_algorithm_free(sccls_algorithm_t *a);

/* Plays the schedule and checks all that it claims. SCCLS_NO: it is wrong, and sccls_error_text says where. */
SCCLS_API sccls_status_t sccls_verify(const sccls_algorithm_t *a);
/* Microseconds of one call with an input of BYTES per rank, message by message on the machine's links. */
SCCLS_API sccls_status_t sccls_simulate(const sccls_algorithm_t *a, double bytes, double *microseconds);
/* Writes the program to FOLDER. TARGET is "host", "cuda" or "hip"; TYPES and OPS are lists as --types and --ops take them,
 * NULL: the usual ones. The name of the program, which is that of its files, goes to *NAME unless that is NULL; the caller
 * frees it with free(). */
SCCLS_API sccls_status_t sccls_lower(const sccls_algorithm_t *a, const char *target, const char *types, const char *ops, const char *folder,
                                     char **name);

/* ---- bounds ---- */

typedef struct {
	int32_t steps;           /* no algorithm has fewer */
	sccls_ratio_t bandwidth; /* no algorithm has a smaller R/C */
} sccls_bounds_t;
SCCLS_API sccls_status_t sccls_bounds(const sccls_topology_t *t, const char *collective, int32_t root, sccls_bounds_t *out);

/* ---- the frontier ---- */

typedef struct sccls_frontier sccls_frontier_t;

/* What may be given; zero: the default. */
typedef struct {
	size_t size;        /* sizeof(sccls_search_t) */
	double seconds;     /* end within so many, with what was found; 0: no limit */
	int32_t max_chunks; /* 0: no limit of the caller's */
	int32_t most_steps; /* search up to so many steps; 0: four beyond the bound */
} sccls_search_t;

/* The Pareto frontier by a search (not from the catalog). OPTIONS may be NULL. SCCLS_OK even if the time ended:
 * sccls_frontier_is_complete. */
SCCLS_API sccls_status_t sccls_frontier(const sccls_topology_t *t, const char *collective, int32_t root, const sccls_search_t *options,
                                        sccls_frontier_t **out);
SCCLS_API size_t sccls_frontier_size(const sccls_frontier_t *f);
SCCLS_API const sccls_algorithm_t *sccls_frontier_point(const sccls_frontier_t *f, size_t i); /* by ascending S; NULL: none */
SCCLS_API int sccls_frontier_is_complete(const sccls_frontier_t *f); /* no question was left open */
SCCLS_API const char *sccls_frontier_json(const sccls_frontier_t *f); /* as `sccl-synth pareto --json` prints it */
SCCLS_API void sccls_frontier_free(sccls_frontier_t *f);

/* ---- the fastest for each size ---- */

typedef struct sccls_best sccls_best_t;
typedef struct {
	int64_t bytes;
	double microseconds, bound_microseconds; /* of any schedule; 0: not known */
	const sccls_algorithm_t *algorithm;
	const char *method;
} sccls_best_row_t;

/* SIZES: N numbers of bytes of one rank's input, ascending. Sizes for which nothing was found have no row. */
SCCLS_API sccls_status_t sccls_best(const sccls_topology_t *t, const char *collective, int32_t root, const int64_t *sizes, size_t n,
                                    double seconds, sccls_best_t **out);
SCCLS_API size_t sccls_best_size(const sccls_best_t *b);
SCCLS_API sccls_status_t sccls_best_row(const sccls_best_t *b, size_t i, sccls_best_row_t *out);
SCCLS_API void sccls_best_free(sccls_best_t *b);

#ifdef __cplusplus
}
#endif
#endif

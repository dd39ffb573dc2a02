#ifndef SCCL_CORE_MACHINE_TOPOLOGY_H
#define SCCL_CORE_MACHINE_TOPOLOGY_H

/*
 * A machine: nodes that hold chunks, switches that only forward, and the links that join them.
 * docs/reference/formats.md gives the file form. core/machine/network.h turns it into the B relation over pairs of nodes.
 */

#include "core/base/rational.h"

#include <stdbool.h>
#include <stddef.h>

struct error;
struct json_place;
struct text;

struct link {
	int src, dst;  /* 0..nodes-1 are nodes, nodes..nodes+switches-1 are switches */
	int bandwidth; /* chunks per round, >= 1 */
	int kind;      /* index into kinds, -1: none */
};

struct edge_ends {
	int src, dst;
};

enum limit_of { LIMIT_EDGES, LIMIT_OUT_OF, LIMIT_INTO };

/* Over one round at most BANDWIDTH chunks in all cross these directed edges. */
struct limit {
	char *name;
	enum limit_of of;
	int node;                /* for LIMIT_OUT_OF, LIMIT_INTO */
	size_t n_edges;          /* for LIMIT_EDGES */
	struct edge_ends *edges; /* each is a link of the topology, sorted, each once */
	int bandwidth;
};

struct link_kind {
	char *name;
	struct rational latency_us;          /* α of one hop */
	struct rational gigabytes_per_second; /* of ONE unit of bandwidth */
};

struct topology {
	char *name, *description, *source; /* the texts may be NULL */
	int nodes, switches;
	bool duplex;        /* how it is written: each listed link stands for both directions */
	size_t n_links;
	struct link *links; /* every directed link, sorted by (src, dst), at most one a pair */
	size_t n_limits;
	struct limit *limits;
	size_t n_kinds;
	struct link_kind *kinds; /* sorted by name */
};

enum { NODES_MAX = 4096, SWITCHES_MAX = 4096, LINKS_MAX = 1 << 20, LIMITS_MAX = 1 << 14, BANDWIDTH_MAX = 1000000 };

/*
 * NAME is a file of topologies/, a path (it has a slash or ends in .json), or a shape such as "torus:8x8", each as several
 * boxes joined by a switch, "dgx1*4" or "dgx1*4x2", and each with
 * edits such as "dgx1@gpus=1,4,5,6@drop=0-1". NULL with *e set. Owned by the caller.
 */
struct topology *topology_open(const char *name, struct error *e);

/* The same for a name that a file gives: no path, so that nothing in a file has others read. */
struct topology *topology_open_named(const char *name, struct error *e);

/* The topology object of a file of its own, or of an algorithm file. Validated: ends in range, no self-links, no pair
 * twice, positive bandwidths, limits over links that exist. A machine may be disconnected here: what it cannot do is
 * told by bounds. */
struct topology *topology_read(const struct json_place *at, struct error *e);
void topology_write(const struct topology *t, struct text *into, int indent); /* the JSON object, no newline at its end */

/* By content: all that is written of them. */
bool topology_same(const struct topology *a, const struct topology *b);
/* The same but for description and source, which are for readers. */
bool topology_same_machine(const struct topology *a, const struct topology *b);
/* Is T called what topology_open_named makes another machine of? Only names of shapes and of shipped topologies stand for one. */
bool topology_has_anothers_name(const struct topology *t);

struct topology *topology_copy(const struct topology *t);
struct topology *topology_reversed(const struct topology *t); /* links, limits: out_of and into change places */
void topology_free(struct topology *t);                       /* NULL is fine */

const struct link *topology_link(const struct topology *t, int src, int dst); /* NULL: none */

/* One row a shape (ring line star complete hypercube torus mesh switch bigraph fat-tree), for listings and the open above. */
struct shape {
	const char *name;
	const char *example; /* "torus:8x8" */
	const char *about;
	bool (*build)(struct topology *t, const int *sides, size_t n_sides, struct error *e);
	size_t least_sides, most_sides;
};
const struct shape *topology_shapes(size_t *n);

#endif

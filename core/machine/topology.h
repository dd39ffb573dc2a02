#ifndef SCCL_CORE_MACHINE_TOPOLOGY_H
#define SCCL_CORE_MACHINE_TOPOLOGY_H

/*
 * A machine: nodes that hold chunks, switches, which forward and may be able to copy or add, and the links between them.
 * The file format is in docs/reference/formats.md. core/machine/network.h derives the bandwidth relation B over pairs of
 * nodes from it.
 */

#include "core/base/rational.h"

#include <stdbool.h>
#include <stddef.h>

struct error;
struct json_document;
struct json_place;
struct text;

struct link {
	int src, dst;  /* 0..nodes-1 are nodes, nodes..nodes+switches-1 switches */
	int bandwidth; /* chunks per round, >= 1 */
	int kind;      /* index into kinds, -1: none */
};

struct edge_ends {
	int src, dst;
};

/* A limit applies to listed links, or to all links that leave or enter a node or switch. */
enum limit_of { LIMIT_EDGES, LIMIT_OUT_OF, LIMIT_INTO };

/* In one round at most BANDWIDTH chunks in total cross these directed links. */
struct limit {
	char *name; /* NULL: none */
	enum limit_of of;
	int node;                /* for LIMIT_OUT_OF, LIMIT_INTO */
	size_t n_edges;          /* for LIMIT_EDGES */
	struct edge_ends *edges; /* links of the topology, sorted, without duplicates */
	int bandwidth;
};

/*
 * What a switch can do besides forwarding; bits. One that multicasts sends a chunk that comes in once out on many ports:
 * on a link into it the copies of a chunk from one node, in one step, load the link once. One that reduces adds up what
 * comes in on many ports for one node: on a link out of it the reduces of a chunk into one node load the link once.
 */
enum switch_ability { MULTICASTS = 1, REDUCES = 2 };

struct link_kind {
	char *name; /* owned by the topology */
	struct rational latency_us;          /* α of one hop */
	struct rational gigabytes_per_second; /* of ONE unit of bandwidth */
};

/* Owns everything that it points to. */
struct topology {
	char *name, *description, *source; /* description and source may be NULL */
	int nodes, switches;
	bool duplex;        /* in its file, each listed link stands for both directions */
	size_t n_links;
	struct link *links; /* every directed link, sorted by (src, dst), at most one per pair */
	size_t n_limits;
	struct limit *limits;
	size_t n_kinds;
	struct link_kind *kinds; /* sorted by name */
	unsigned char *abilities; /* [switch, from 0]: enum switch_ability bits; NULL: all switches only forward */
};

enum { NODES_MAX = 4096, SWITCHES_MAX = 4096, LINKS_MAX = 1 << 20, LIMITS_MAX = 1 << 14, BANDWIDTH_MAX = 1000000 };

/*
 * Opens NAME: a topology in topologies/ or an alias of one, a path (it has a slash or ends in .json), or a shape such as
 * "torus:8x8"; optionally several copies joined by a switch, as in "dgx1*4" or "dgx1*4x2", or by a network, as in
 * "dgx-h100*4:ib400", and edits, as in "dgx1@gpus=1,4,5,6@drop=0-1". "+nvls" after the name of one machine, as in
 * "dgx-h100+nvls*4:ib400", gives its switches both abilities. NULL with *e set. Owned by the caller.
 */
struct topology *topology_open(const char *name, struct error *e);

/* The same for a name that comes from a file. Paths are rejected, so that no file can cause others to be read. */
struct topology *topology_open_named(const char *name, struct error *e);

/*
 * Reads the topology object of a topology or algorithm file. Validated: ends in range, no self-links, no pair twice,
 * positive bandwidths, limits on existing links. The machine may be disconnected; the lower bounds show what it cannot
 * do. NULL with *e set. Owned by the caller.
 */
struct topology *topology_read(const struct json_place *at, struct error *e);
/* Reads the topology that is all of D, and closes D. NULL, with *e set, for a NULL D whose reader has set *e. */
struct topology *topology_read_document(struct json_document *d, struct error *e);
void topology_write(const struct topology *t, struct text *into, int indent); /* no newline at the end */

/* Are they equal in everything that is written to files? */
bool topology_same(const struct topology *a, const struct topology *b);
/* The same, except for description and source, which are only informative. */
bool topology_same_machine(const struct topology *a, const struct topology *b);
/*
 * Does topology_open_named give a different machine for T's name? Only the names of shapes and shipped topologies are
 * taken.
 */
bool topology_has_anothers_name(const struct topology *t);

/* The caller frees both. */
struct topology *topology_copy(const struct topology *t);
struct topology *topology_reversed(const struct topology *t); /* all links; out of and into, copying and adding are exchanged */
void topology_free(struct topology *t);                       /* NULL is fine */

const struct link *topology_link(const struct topology *t, int src, int dst); /* borrowed; NULL: none */
/* What node or switch V can do: enum switch_ability bits; 0 for a node. */
unsigned topology_abilities(const struct topology *t, int v);
unsigned abilities_reversed(unsigned abilities); /* backwards, a reduce is a copy */
bool topology_has_abilities(const struct topology *t); /* has any switch one? */

/*
 * One row per shape (ring line star complete hypercube torus mesh switch bigraph fat-tree dragonfly tpu-v4 tpu-v5p), for
 * topology_open and for listings.
 */
struct shape {
	const char *name;
	const char *example; /* "torus:8x8" */
	const char *about;
	bool (*build)(struct topology *t, const int *sides, size_t n_sides, struct error *e);
	size_t least_sides, most_sides;
	/* For "+twist" after the sides; NULL: the shape has no twisted form. */
	bool (*build_twisted)(struct topology *t, const int *sides, size_t n_sides, struct error *e);
	const struct link_kind *kind; /* of all links; NULL: abstract units */
};
const struct shape *topology_shapes(size_t *n); /* all *N of them */

/* Another name of a shipped topology. A file of that name takes precedence. */
struct machine_alias {
	const char *alias, *name;
};
const struct machine_alias *topology_aliases(size_t *n); /* all *N of them, by alias */

/* Shipped topologies whose switches can copy and add, by name: "+nvls" after it says that they do. */
const char *const *topology_nvls_machines(size_t *n);

#endif

#ifndef SCCL_CORE_SYMMETRY_CANONICAL_H
#define SCCL_CORE_SYMMETRY_CANONICAL_H

/*
 * A canonical form shared by all isomorphic machines. It covers nodes, bandwidths and limits of the network, but no
 * names of nodes, links or limits and no speeds of link kinds. Results for one machine hold for all machines with the
 * same form.
 */

#include <stdbool.h>

struct network;

/* A canonical form and the numbering that produces it; released by canonical_free. */
struct canonical {
	int *place; /* [node]: its number in the form */
	char *form; /* text; equal bytes if and only if the machines are isomorphic */
};

/* With a ROOT, isomorphisms must map root to root; -1: no root. The caller frees the result. */
struct canonical canonical_new(const struct network *w, int root);
void canonical_free(struct canonical *c);

enum { CANONICAL_DIGEST = 16 };
/*
 * Writes 16 hexadecimal digits and a NUL: a short name for the isomorphism class. Digests may collide; compare forms
 * where certainty is needed.
 */
void canonical_digest(const struct canonical *c, char digest[CANONICAL_DIGEST + 1]);

/* Fills TO [nodes of A]: node n of A corresponds to node to[n] of B. False: not isomorphic. Roots as above. */
bool network_isomorphism(const struct network *a, int root_a, const struct network *b, int root_b, int *to);

#endif

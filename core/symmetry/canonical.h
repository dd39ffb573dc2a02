#ifndef SCCL_CORE_SYMMETRY_CANONICAL_H
#define SCCL_CORE_SYMMETRY_CANONICAL_H

/*
 * One form of all machines that are alike: nodes, bandwidths and limits of the network, whatever its nodes, links and limits
 * are called, and however fast its kinds of links are. What is known of one is then known of all.
 */

#include <stdbool.h>

struct network;

struct canonical {
	int *place; /* [node]: its number in the form */
	char *form; /* text, the same bytes where and only where machines are alike */
};

/* With ROOT, alike means that their roots too are carried to each other; -1: none. Owned by the caller. */
struct canonical canonical_new(const struct network *w, int root);
void canonical_free(struct canonical *c);

enum { CANONICAL_DIGEST = 16 };
/* 16 hexadecimal digits and a NUL. Short, so that it names a class; who must be sure compares forms. */
void canonical_digest(const struct canonical *c, char digest[CANONICAL_DIGEST + 1]);

/* Fills TO [a's nodes]: node n of A is to[n] of B. False: they are not alike. Roots as above. */
bool network_isomorphism(const struct network *a, int root_a, const struct network *b, int root_b, int *to);

#endif

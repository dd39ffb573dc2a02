#ifndef SCCL_EXPLORE_LINKS_H
#define SCCL_EXPLORE_LINKS_H

/*
 * A machine with one link changed, for each link and change. Machines that differ only in the numbers of their nodes
 * (with the root mapped to itself, if there is one) are one class, represented by the first.
 */

#include "core/machine/topology.h"

/* Adds a link of one unit, removes a link, makes it one unit wider, or one unit narrower, in both directions. */
enum links_change { LINKS_ADD, LINKS_REMOVE, LINKS_WIDEN, LINKS_DEGRADE, LINKS_CHANGES };

extern const char *const links_change_names[LINKS_CHANGES]; /* "add" */

/* Isomorphic machines that one kind of change gives. */
struct link_class {
	enum links_change change;
	char *spec;                /* the machine as -t takes it: "dgx1@add=0-5" */
	struct topology *topology; /* the machine of spec; owned */
	size_t n_isomorphic, capacity;
	struct edge_ends *isomorphic;   /* the links whose change gives such a machine; the first is that of spec */
	char *key;                 /* equal within a class and nowhere else */
};

/* All classes of one machine; owned, link_classes_free. */
struct link_classes {
	size_t n, capacity;
	struct link_class *at;  /* by change, then by their first link */
	size_t n_too_thin;      /* links of one unit, which can be removed but not degraded */
};

enum { LINKS_MOST = 8192 };

/* Parses "add,widen" or "all" as a set of 1u << change. */
bool links_changes_read(const char *list, unsigned *changes, struct error *e);

/*
 * SPEC opens T. ROOT: -1 for none. A signal handler may set STOP (or NULL), which ends the search. False with *e set:
 * more than LINKS_MOST changes, a changed machine that cannot be opened, or stopped.
 */
bool link_classes_new(const char *spec, const struct topology *t, unsigned changes, int root, const volatile int *stop,
		      struct link_classes *out, struct error *e);
/* Frees the classes and clears the list. */
void link_classes_free(struct link_classes *c);

#endif

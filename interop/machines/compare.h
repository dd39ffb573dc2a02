#ifndef SCCL_INTEROP_MACHINES_COMPARE_H
#define SCCL_INTEROP_MACHINES_COMPARE_H

struct text;
struct topology;

/*
 * Lists on what two descriptions of one machine, of equally many nodes, disagree: which pairs are linked directly, how
 * fast, and how fast each GPU can send in all. One line each in NOTES, at most COMPARED_MAX.
 */
void machines_compare(const struct topology *a, const char *a_path, const struct topology *b, const char *b_path, struct text *notes);

enum { COMPARED_MAX = 32 };

#endif

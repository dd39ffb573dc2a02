#ifndef SCCL_SHOW_DATA_H
#define SCCL_SHOW_DATA_H

/* Machines, algorithms and frontiers as the JSON that show/page.js draws. */

#include <stdbool.h>

struct algorithm;
struct error;
struct text;
struct topology;

void data_machine(const struct topology *t, struct text *into);
/* A in full form. False with *e set: it cannot be drawn. */
bool data_algorithm(const struct algorithm *a, struct text *into, struct error *e);
/* What is proved of A, in a sentence. */
void data_proof(const struct algorithm *a, struct text *into);
/* An algorithm with more sends, or cells of chunks and nodes, is not drawn. */
enum { DATA_SENDS_MAX = 60000, DATA_CELLS_MAX = 1 << 20 };
bool data_fits(const struct algorithm *a);

#endif

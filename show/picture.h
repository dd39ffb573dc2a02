#ifndef SCCL_SHOW_PICTURE_H
#define SCCL_SHOW_PICTURE_H

/* Pictures for papers, as SVG documents that need nothing else. */

struct algorithm;
struct frontier;
struct text;
struct topology;

void picture_machine(const struct topology *t, struct text *into);
/* A drawing of the machine for each step, with its sends; of the first 24 steps. A is in full form. */
void picture_algorithm(const struct algorithm *a, struct text *into);
/* R/C over steps, with the lower bound. */
void picture_frontier(const struct frontier *f, struct text *into);

#endif

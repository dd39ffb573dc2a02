#ifndef SCCL_CORE_BOUNDS_BOUNDS_TEXT_H
#define SCCL_CORE_BOUNDS_BOUNDS_TEXT_H

/* The witness of a bandwidth bound as text, for people and for programs. */

struct bounds;
struct text;

void bounds_add_cut(const struct bounds *b, struct text *into);       /* a sentence, no full stop; b->part is set */
void bounds_add_cut_brief(const struct bounds *b, struct text *into); /* "7 into {0}, 4 a round"; "-" if no cut */
void bounds_add_cut_json(const struct bounds *b, struct text *into);  /* an object, or null */

#endif

#ifndef SCCL_CORE_BOUNDS_BOUNDS_TEXT_H
#define SCCL_CORE_BOUNDS_BOUNDS_TEXT_H

/* The cut that shows a bandwidth bound, for people and for programs. */

struct bounds;
struct text;

void bounds_add_cut(const struct bounds *b, struct text *into);       /* a sentence without its end; b->part is there */
void bounds_add_cut_brief(const struct bounds *b, struct text *into); /* "7 into {0}, 4 a round"; "-" where nothing is cut */
void bounds_add_cut_json(const struct bounds *b, struct text *into);  /* an object, or null */

#endif

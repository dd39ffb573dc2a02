#ifndef SCCL_SYNTH_BUILDER_ROWS_H
#define SCCL_SYNTH_BUILDER_ROWS_H

/* The functions behind the rows of the table in synth/methods/table.c; see struct method. */

#include "synth/builder/method.h"

bool direct_draw(const struct method_request *r, struct drawing *out, struct error *e);
bool ring_draw(const struct method_request *r, struct drawing *out, struct error *e);
bool grid_rings_draw(const struct method_request *r, struct drawing *out, struct error *e);
bool double_binary_tree_draw(const struct method_request *r, struct drawing *out, struct error *e);
bool recursive_doubling_draw(const struct method_request *r, struct drawing *out, struct error *e);
bool halving_doubling_draw(const struct method_request *r, struct drawing *out, struct error *e);
bool hdrm_draw(const struct method_request *r, struct drawing *out, struct error *e);
bool bruck_draw(const struct method_request *r, struct drawing *out, struct error *e);
bool binomial_draw(const struct method_request *r, struct drawing *out, struct error *e);
bool multitree_draw(const struct method_request *r, struct drawing *out, struct error *e);
bool blink_draw(const struct method_request *r, struct drawing *out, struct error *e);
bool linear_program_draw(const struct method_request *r, struct drawing *out, struct error *e);
bool kernighan_lin_draw(const struct method_request *r, struct drawing *out, struct error *e);

#endif
